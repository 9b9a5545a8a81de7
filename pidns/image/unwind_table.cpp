#include "pidns/image/unwind_table.h"

#include <algorithm>
#include <initializer_list>

#include "pidns/image/dwarf.h"
#include "pidns/image/unwind_facts.h"

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
    explicit Writer(Address begin) : begin_(begin) {}

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
        while (bytes_.size() % word != 0) raw({0});
        const auto size = static_cast<uint32_t>(bytes_.size() - opened);
        std::memcpy(bytes_.data() + opened - sizeof size, &size, sizeof size);
    }

  private:
    Address begin_;
    std::vector<std::byte> bytes_;
};

// A common entry.
size_t begin_common(Writer& writer, std::initializer_list<uint8_t> augmentation) {
    const size_t opened = writer.open();
    writer.number(0);
    writer.raw({entry_version});
    writer.raw(augmentation);
    writer.raw({0, 1, data_alignment, return_address, 1, pc_relative4});
    return opened;
}
constexpr std::initializer_list<uint8_t> plain = {'z', 'R'};
// What is returned to is the next instruction, not one behind a call.
constexpr std::initializer_list<uint8_t> as_signal = {'z', 'R', 'S'};

Address add_common_of_guest(Writer& writer, const GuestHeader& guest) {
    const Address place = writer.here();
    const size_t opened = begin_common(writer, as_signal);
    writer.raw({define_cfa, rsp});
    writer.leb(guest.unwind_cfa);
    writer.raw({at_offset | return_address});
    writer.leb(guest.unwind_ra / word);
    writer.close(opened);
    return place;
}

Address add_common_of_thunks(Writer& writer) {
    const Address place = writer.here();
    const size_t opened = begin_common(writer, as_signal);
    writer.raw({define_cfa, rsp, 0, in_register, return_address, rcx});
    writer.close(opened);
    return place;
}

Address add_common_of_calls(Writer& writer, uint64_t above) {
    const Address place = writer.here();
    const size_t opened = begin_common(writer, plain);
    writer.raw({define_cfa, rsp});
    writer.leb(above + word);
    writer.raw({at_offset | return_address, 1});
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

}  // namespace

std::optional<std::vector<std::byte>> extend_unwind_table(const Elf& elf, Address place, const NewCode& code,
                                                          const GuestHeader& guest) {
    const auto* segment = elf.segment(PT_GNU_EH_FRAME);
    std::optional<std::vector<Entry>> entries = std::vector<Entry>{};
    if (segment != nullptr) entries = original_entries(elf, segment->p_vaddr);
    if (!entries) return std::nullopt;

    // The table's size is known beforehand, so what it points to can be written first.
    constexpr uint64_t head = 12;
    const uint64_t count = entries->size() + 1 + code.thunks.size() + code.calls.size();
    const uint64_t table_size = (head + count * word + word - 1) / word * word;
    Writer frames(place + table_size);
    const Address of_guest = add_common_of_guest(frames, guest);
    const Address of_thunks = add_common_of_thunks(frames);
    entries->push_back(add_entry(frames, of_guest, code.guest));
    for (const Range& thunk : code.thunks) entries->push_back(add_entry(frames, of_thunks, thunk));
    const Address of_calls = code.calls.empty() ? 0 : add_common_of_calls(frames, code.above);
    for (const Range& call : code.calls) entries->push_back(add_entry(frames, of_calls, call));
    frames.number(0);
    // New code lies above all other, so sorting is for images whose own table wasn't.
    std::ranges::sort(*entries, {}, &Entry::begin);

    const Address original = find_unwind_entries(elf);
    Writer table(place);
    table.raw({header_version, pc_relative4, encoding::udata4, table_relative4});
    table.relative(original == 0 ? of_guest : original);
    table.number(count);
    for (const Entry& entry : *entries) {
        table.number(entry.begin - place);
        table.number(entry.place - place);
    }
    while (table.here() < place + table_size) table.raw({0});
    std::vector<std::byte> bytes = table.take();
    const std::vector<std::byte> rest = frames.take();
    bytes.insert(bytes.end(), rest.begin(), rest.end());
    return bytes;
}

}  // namespace ctr::pidns::image
