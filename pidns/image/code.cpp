#include "pidns/image/code.h"

#include <iterator>

namespace ctr::pidns::image {

namespace {

void sort_unique(std::vector<Address>& addresses) {
    std::ranges::sort(addresses);
    const auto rest = std::ranges::unique(addresses);
    addresses.erase(rest.begin(), rest.end());
}

bool is_relative_operand(const ZydisDecodedInstruction& instruction) {
    constexpr ZyanU8 instruction_pointer = 5;  // rm of ModRM, with mod 0
    return (instruction.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 && instruction.raw.modrm.mod == 0 &&
           instruction.raw.modrm.rm == instruction_pointer;
}

bool is_filler(const ZydisDecodedInstruction& instruction) {
    return instruction.mnemonic == ZYDIS_MNEMONIC_NOP || instruction.mnemonic == ZYDIS_MNEMONIC_INT3;
}

Address plus(Address address, int64_t distance) {
    return address + static_cast<uint64_t>(distance);
}

}  // namespace

bool ends_flow(const ZydisDecodedInstruction& instruction) {
    return instruction.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
           instruction.meta.category == ZYDIS_CATEGORY_RET || instruction.mnemonic == ZYDIS_MNEMONIC_UD2 ||
           instruction.mnemonic == ZYDIS_MNEMONIC_HLT;
}

// One pass over one range of code.
class Code::Sweep {
  public:
    Sweep(Code& code, bool fixed) : code_(code), fixed_(fixed) {}

    // HEADED: it begins with the file's header, which is none.
    void decode(const Decoder& decoder, Bytes bytes, Range range, bool headed) {
        auto entry = std::ranges::upper_bound(code_.entries_, range.begin);
        ZydisDecodedInstruction instruction;
        clean_ = true;
        if (headed) found_bad(range.begin);
        for (Address at = range.begin; at < range.end;) {
            while (*entry <= at) {  // the range's end is one
                clean_ = true;
                end_of_filler(at);
                ++entry;
            }
            const bool decoded = decoder.decode(bytes.subspan(at - range.begin), instruction);
            if (decoded && instruction.length <= *entry - at) {
                note(instruction, at);
                at += instruction.length;
                continue;
            }
            end_of_filler(at);
            dead_ = false;
            // An instruction that goes on behind an entry: one of the two is wrong, unless this isn't code
            // anyway.
            if (decoded && clean_) found_bad(*entry);
            found_bad(at);
            at = decoded ? *entry : at + 1;
        }
        end_of_filler(range.end);
        dead_ = false;
    }

    std::vector<Branch> calls;

  private:
    void note(const ZydisDecodedInstruction& instruction, Address at) {
        code_.instructions_.add(at);
        if (instruction.mnemonic == ZYDIS_MNEMONIC_SYSCALL) code_.system_calls_.push_back(at);
        note_addresses(instruction, at);
        if (dead_ && is_filler(instruction)) {
            if (filler_ == 0) filler_ = at;
            return;
        }
        end_of_filler(at);
        dead_ = ends_flow(instruction);
    }

    void note_addresses(const ZydisDecodedInstruction& instruction, Address at) {
        const Address next = at + instruction.length;
        if (is_relative_operand(instruction))
            code_.references_.push_back(plus(next, instruction.raw.disp.value));
        else if (fixed_ && instruction.raw.disp.size == 32)
            code_.references_.push_back(static_cast<uint64_t>(instruction.raw.disp.value));
        for (const auto& immediate : instruction.raw.imm) {
            if (immediate.size == 0) continue;
            if (immediate.is_relative) {
                const Branch branch{at, plus(next, immediate.value.s)};
                code_.branches_.push_back(branch);
                if (instruction.mnemonic == ZYDIS_MNEMONIC_CALL) calls.push_back(branch);
            } else if (fixed_ && immediate.size >= 32) {
                code_.references_.push_back(immediate.value.u);
            }
        }
    }

    void found_bad(Address at) {
        code_.bad_.push_back(at);
        clean_ = false;
    }

    void end_of_filler(Address at) {
        if (filler_ != 0) code_.fillers_.push_back({filler_, at});
        filler_ = 0;
    }

    Code& code_;
    bool fixed_;
    bool clean_ = true;   // nothing bad since the last entry
    bool dead_ = false;   // control doesn't fall through to here
    Address filler_ = 0;  // 0: none
};

Code::Code(const Elf& elf) : ranges_(elf.code()), instructions_(ranges_) {}

bool Code::contains(Address address) const {
    return std::ranges::any_of(ranges_, [&](const Range& range) { return range.contains(address); });
}

Code Code::decode(const Elf& elf, const Decoder& decoder, std::vector<Address> entries) {
    Code code(elf);
    std::erase_if(entries, [&](Address entry) { return !code.contains(entry); });
    for (const Range& range : code.ranges_) {
        entries.push_back(range.begin);
        entries.push_back(range.end);
    }
    sort_unique(entries);
    code.entries_ = std::move(entries);
    Sweep sweep(code, elf.fixed());
    for (const Range& range : code.ranges_)
        sweep.decode(decoder, elf.at(range), range, elf.offset_of(range.begin) == 0);
    code.learn_from(sweep.calls);
    for (size_t i = 0; i < code.doubtful_.size(); ++i)
        if (code.doubtful_[i]) code.suspect(elf, code.block(i));
    sort_unique(code.references_);
    std::ranges::sort(code.branches_, {}, &Branch::to);
    return code;
}

std::vector<bool> Code::doubtful_blocks() const {
    std::vector<bool> doubtful(entries_.size());
    for (const Address address : bad_) doubtful[block_at(address)] = true;
    return doubtful;
}

// Targets of calls are entries too, if what calls is code itself. One in the middle of an instruction shows
// that the decoding there is wrong.
void Code::learn_from(const std::vector<Branch>& calls) {
    const std::vector<bool> doubtful = doubtful_blocks();
    std::vector<Address> learned;
    for (const Branch& call : calls) {
        if (!contains(call.to) || doubtful[block_at(call.from)]) continue;
        if (instructions_.contains(call.to))
            learned.push_back(call.to);
        else
            bad_.push_back(call.to);
    }
    std::ranges::copy(learned, std::back_inserter(entries_));
    sort_unique(entries_);
    doubtful_ = doubtful_blocks();
}

// Whatever could be a branch, or the address of one's target, if an instruction began at any byte.
void Code::suspect(const Elf& elf, Range block) {
    const Bytes bytes = elf.at(block);
    for (uint64_t i = 0; i < bytes.size(); ++i) {
        const auto byte = [&](uint64_t at) {
            return at < bytes.size() ? std::to_integer<unsigned>(bytes[at]) : 0;
        };
        const auto target = [&](uint64_t at, auto distance) {
            const auto value = read_at<decltype(distance)>(bytes, at);
            return value ? plus(block.begin + at + sizeof distance, *value) : Address{0};
        };
        const unsigned opcode = byte(i);
        const auto branch = [&](Address to) { branches_.push_back({block.begin + i, to}); };
        if (opcode == 0xeb || (opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0)
            branch(target(i + 1, int8_t{}));
        if (opcode == 0xe8 || opcode == 0xe9) branch(target(i + 1, int32_t{}));
        if (opcode == 0x0f && (byte(i + 1) & 0xf0) == 0x80) branch(target(i + 2, int32_t{}));
        if (opcode == 0x8d && (byte(i + 1) & 0xc7) == 0x05) references_.push_back(target(i + 2, int32_t{}));
    }
}

size_t Code::block_at(Address address) const {
    const auto next = std::ranges::upper_bound(entries_, address);
    return next == entries_.begin() ? 0 : static_cast<size_t>(next - entries_.begin()) - 1;
}

Range Code::block(size_t index) const {
    return {entries_[index], index + 1 < entries_.size() ? entries_[index + 1] : entries_[index]};
}

Range Code::trusted_block(Address address) const {
    if (!contains(address)) return {};
    const size_t index = block_at(address);
    return doubtful_[index] ? Range{} : block(index);
}

}  // namespace ctr::pidns::image
