#include "pidns/image/thunks.h"

#include <algorithm>

namespace ctr::pidns::image {

namespace {

constexpr size_t thunk_alignment = 8;
constexpr uint64_t system_call_size = 2;

class Maker {
  public:
    Maker(const Elf& elf, const Flow& flow, const GuestHeader& header, Address guest, Address place)
        : elf_(elf), header_(header), guest_(guest), fillers_(flow), assembler_(place) {}

    void add(const Site& site, const Patch& patch) {
        const Address back = patch.after.empty() ? patch.window.end : add_way_back(patch);
        const Address near = site.entry == Entry::create ? place_near_code(site, back) : 0;
        assembler_.align(thunk_alignment);
        thunks_.pieces.push_back(jump_to(assembler_.here(), patch.window));
        const auto number = number_load(site, patch);
        for (auto moved = patch.before.begin(); moved != patch.before.end(); ++moved)
            if (moved != number) assembler_.move(elf_, *moved);
        if (site.entry == Entry::create) assembler_.load_address_r11(near);
        assembler_.load_address_rcx(back);
        const Address waiting = assembler_.here();
        if (number != patch.before.end()) assembler_.load_eax(site.number);
        assembler_.jump(entry(site.entry));
        thunks_.waiting.push_back({waiting, assembler_.here()});
    }

    Thunks finish() {
        thunks_.bytes = assembler_.bytes();
        return std::move(thunks_);
    }

  private:
    Address entry(Entry wanted) const {
        switch (wanted) {
            case Entry::generic: return guest_ + header_.generic;
            case Entry::create: return guest_ + header_.create;
            case Entry::prepare: break;
        }
        return guest_ + header_.prepare;
    }

    // The instruction that gives the call its number, if that moved: it is written last, because the guest's
    // entries want it. All of them have just been proved to load nothing else.
    static auto number_load(const Site& site, const Patch& patch) -> decltype(patch.before.begin()) {
        if (site.number == dynamic_number) return patch.before.end();
        const auto found = std::ranges::find_if(
            patch.before.rbegin(), patch.before.rend(),
            [](const Instruction& instruction) { return writes(instruction, Register::rax); });
        return found == patch.before.rend() ? patch.before.end() : std::prev(found.base());
    }

    Address add_way_back(const Patch& patch) {
        assembler_.align(thunk_alignment);
        const Address here = assembler_.here();
        for (const Instruction& instruction : patch.after) assembler_.move(elf_, instruction);
        assembler_.jump(patch.window.end);
        return here;
    }

    Address place_near_code(const Site& site, Address back) {
        const Address created = guest_ + header_.created;
        std::vector<Piece> pieces = fillers_.near_code(site.address, back, created);
        if (!pieces.empty()) {
            const Address begin = pieces.front().address;
            std::ranges::move(pieces, std::back_inserter(thunks_.pieces));
            return begin;
        }
        assembler_.align(thunk_alignment);
        const Address begin = assembler_.here();
        add_near_code(assembler_, back, created);
        return begin;
    }

    // What is left of the window behind the jump is never executed.
    static Piece jump_to(Address thunk, Range window) {
        Assembler assembler(window.begin);
        assembler.jump(thunk);
        while (assembler.here() + system_call_size <= window.end) assembler.raw({0x0f, 0x0b});  // ud2
        while (assembler.here() < window.end) assembler.raw({0x90});                            // nop
        return {window.begin, assembler.bytes()};
    }

    const Elf& elf_;
    const GuestHeader& header_;
    Address guest_;
    Fillers fillers_;
    Assembler assembler_;
    Thunks thunks_;
};

}  // namespace

Thunks make_thunks(const Elf& elf, const Flow& flow, const Survey& survey, const GuestHeader& header,
                   Address guest, Address place) {
    Maker maker(elf, flow, header, guest, place);
    for (const Patch& patch : survey.patches) maker.add(survey.sites[patch.site], patch);
    return maker.finish();
}

}  // namespace ctr::pidns::image
