#include "pidns/image/unwind_table.h"

#include <algorithm>
#include <initializer_list>

#include "pidns/image/dwarf.h"

namespace ctr::pidns::image {

namespace {

// DWARF's numbers of registers, and its instructions for a frame.
constexpr uint8_t rcx = 2, rsp = 7, return_address = 16;
constexpr uint8_t define_cfa = 0x0c, in_register = 0x09, at_offset = 0x80;
constexpr uint8_t data_alignment = 0x78;  // -8, as sleb128
constexpr uint8_t word = 8;
constexpr uint8_t header_version = 1, entry_version = 1;
constexpr uint8_t pc_relative4 = encoding::pc_relative | encoding::sdata4;
constexpr uint8_t table_relative4 = encoding::data_relative | encoding::sdata4;

class Writer {
  public:
    Writer(Address begin, std::vector<std::byte> bytes) : begin_(begin), bytes_(std::move(bytes)) {}

    Address here() const { return begin_ + bytes_.size(); }
    std::vector<std::byte> take() { return std::move(bytes_); }

    void raw(std::initializer_list<uint8_t> bytes) {
        for (const uint8_t byte : bytes) bytes_.push_back(std::byte{byte});
    }
    void number(uint64_t value) {
        for (unsigned i = 0; i < sizeof(uint32_t); ++i)
            bytes_.push_back(static_cast<std::byte>(value >> i * 8));
    }
    void relative(Address target) { number(target - here()); }
    void leb(uint64_t value) {
        constexpr uint64_t more = 0x80;
        for (; value >= more; value >>= 7) raw({static_cast<uint8_t>(value % more | more)});
        raw({static_cast<uint8_t>(value)});
    }

    // An entry begins with its length, and is filled up with no-operations.
    size_t open() {
        number(0);
        return bytes_.size();
    }
    void close(size_t opened) {
        while ((bytes_.size() - opened) % sizeof(uint32_t) != 0) raw({0});
        const auto size = static_cast<uint32_t>(bytes_.size() - opened);
        std::memcpy(bytes_.data() + opened - sizeof size, &size, sizeof size);
    }

  private:
    Address begin_;
    std::vector<std::byte> bytes_;
};

// A common entry. What is returned to counts as behind a call, like any caller: the byte before it is of the
// replaced instructions, and in the same function.
size_t begin_common(Writer& writer) {
    const size_t opened = writer.open();
    writer.number(0);
    writer.raw({entry_version, 'z', 'R', 0, 1, data_alignment, return_address, 1, pc_relative4});
    return opened;
}

Address add_common_of_guest(Writer& writer, const GuestHeader& guest) {
    const Address place = writer.here();
    const size_t opened = begin_common(writer);
    writer.raw({define_cfa, rsp});
    writer.leb(guest.unwind_cfa);
    writer.raw({at_offset | return_address});
    writer.leb(guest.unwind_ra / word);
    writer.close(opened);
    return place;
}

Address add_common_of_thunks(Writer& writer) {
    const Address place = writer.here();
    const size_t opened = begin_common(writer);
    writer.raw({define_cfa, rsp, 0, in_register, return_address, rcx});
    writer.close(opened);
    return place;
}

struct Entry {
    Address begin;
    Address place;
};

Entry add_entry(Writer& writer, Address common, Range code) {
    const Entry entry{code.begin, writer.here()};
    const size_t opened = writer.open();
    writer.number(writer.here() - common);
    writer.relative(code.begin);
    writer.number(code.size());
    writer.raw({0});  // no augmentation data
    writer.close(opened);
    return entry;
}

// The original's entries, or nothing if it has another form than every linker makes.
std::optional<std::vector<Entry>> original_entries(const Elf& elf, Address place) {
    Cursor table(elf.at(place), place);
    const uint8_t form[] = {table.byte(), table.byte(), table.byte(), table.byte()};
    if (form[0] != header_version || form[1] != pc_relative4 || form[2] != encoding::udata4 ||
        form[3] != table_relative4)
        return std::nullopt;
    table.number<uint32_t>();
    const auto count = table.number<uint32_t>();
    std::vector<Entry> entries;
    for (uint32_t i = 0; i < count && !table.failed(); ++i) {
        const auto begin = static_cast<uint64_t>(int64_t{table.number<int32_t>()});
        const auto entry = static_cast<uint64_t>(int64_t{table.number<int32_t>()});
        entries.push_back({place + begin, place + entry});
    }
    if (table.failed()) return std::nullopt;
    return entries;
}

// The original's entries, moved to another place. Nothing: a pointer in them can't be.
std::optional<std::vector<std::byte>> moved_entries(const Elf& elf, const UnwindFacts& facts, Address place) {
    const Bytes original = elf.at(facts.entries);
    if (original.size() % sizeof(uint32_t) != 0) return std::nullopt;
    std::vector<std::byte> bytes(original.begin(), original.end());
    const uint64_t distance = place - facts.entries.begin;
    const auto move = [&]<class Word>(uint64_t offset, Word) {
        const auto value = read_at<Word>(original, offset);
        if (!value) return false;
        const auto moved = static_cast<Word>(*value - distance);
        std::memcpy(bytes.data() + offset, &moved, sizeof moved);
        return true;
    };
    for (const RelativePointer& pointer : facts.relative) {
        const uint64_t offset = pointer.place - facts.entries.begin;
        switch (pointer.form) {
            case encoding::udata4:
            case encoding::sdata4:
                if (!move(offset, uint32_t{})) return std::nullopt;
                break;
            case encoding::absolute:
            case encoding::udata8:
            case encoding::sdata8:
                if (!move(offset, uint64_t{})) return std::nullopt;
                break;
            default: return std::nullopt;
        }
    }
    return bytes;
}

}  // namespace

std::optional<UnwindTable> extend_unwind_table(const Elf& elf, const UnwindFacts& facts, Address place,
                                               const NewCode& code, const GuestHeader& guest) {
    const auto* segment = elf.segment(PT_GNU_EH_FRAME);
    std::optional<std::vector<Entry>> entries = std::vector<Entry>{};
    if (segment != nullptr) entries = original_entries(elf, segment->p_vaddr);
    if (!entries) return std::nullopt;

    // The table's size is known beforehand, so what it points to can be written first.
    constexpr uint64_t head = 12;
    const uint64_t count = entries->size() + 1 + code.thunks.size();
    UnwindTable made;
    made.entries = (head + count * word + word - 1) / word * word;
    // Debuggers read all entries as one section, so those of the original are copied. Unwinders find them
    // through the table, which leads to the original's, whose pages may be in use already.
    auto moved = moved_entries(elf, facts, place + made.entries);
    made.complete = moved.has_value();
    Writer frames(place + made.entries, moved ? std::move(*moved) : std::vector<std::byte>{});
    const Address of_guest = add_common_of_guest(frames, guest);
    const Address of_thunks = add_common_of_thunks(frames);
    entries->push_back(add_entry(frames, of_guest, code.guest));
    for (const Range& thunk : code.thunks) entries->push_back(add_entry(frames, of_thunks, thunk));
    frames.number(0);
    // New code lies above all other, so sorting is for images whose own table wasn't.
    std::ranges::sort(*entries, {}, &Entry::begin);

    Writer table(place, {});
    table.raw({header_version, pc_relative4, encoding::udata4, table_relative4});
    table.relative(made.complete || facts.entries.size() == 0 ? place + made.entries : facts.entries.begin);
    table.number(count);
    for (const Entry& entry : *entries) {
        table.number(entry.begin - place);
        table.number(entry.place - place);
    }
    while (table.here() < place + made.entries) table.raw({0});
    made.bytes = table.take();
    const std::vector<std::byte> rest = frames.take();
    made.bytes.insert(made.bytes.end(), rest.begin(), rest.end());
    return made;
}

}  // namespace ctr::pidns::image
