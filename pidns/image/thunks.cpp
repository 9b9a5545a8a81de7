#include "pidns/image/thunks.h"

#include <algorithm>
#include <iterator>

namespace ctr::pidns::image {

namespace {

constexpr size_t thunk_alignment = 8;

class Maker {
  public:
    Maker(const Elf& elf, const Flow& flow, const GuestHeader& header, Address guest, Address place)
        : elf_(elf), header_(header), guest_(guest), fillers_(flow), assembler_(place) {}

    void add(const Site& site, const Patch& patch) {
        if (patch.cancellable.function != 0)
            add_before_function(patch.cancellable);
        else
            add_at_window(site, patch.window);
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
            case Entry::prepare: return guest_ + header_.prepare;
            case Entry::cancellable: break;
        }
        return guest_ + header_.cancellable;
    }

    void add_at_window(const Site& site, const Window& window) {
        const Address back = site.entry == Entry::prepare ? 0 : way_back(window);
        const Address near = site.entry == Entry::create ? place_near_code(site, back) : 0;
        assembler_.align(thunk_alignment);
        thunks_.pieces.push_back(jump_to(assembler_.here(), window.range));
        const auto number = number_load(site, window);
        for (auto moved = window.before.begin(); moved != window.before.end(); ++moved)
            if (moved != number) assembler_.move(elf_, *moved);
        if (site.entry == Entry::prepare) return make_call(site, window, number != window.before.end());
        if (site.entry == Entry::create) assembler_.load_address_r11(near);
        assembler_.load_address_rcx(back);
        const Address waiting = assembler_.here();
        if (number != window.before.end()) assembler_.load_eax(site.number);
        assembler_.jump(entry(site.entry));
        thunks_.waiting.push_back({waiting, assembler_.here()});
    }

    // The guest goes on at the call, or behind it if it has made or served it.
    void make_call(const Site& site, const Window& window, bool load_number) {
        constexpr uint64_t jump_ahead = 5, load_size = 7, number_size = 5;
        assembler_.load_address_rcx(assembler_.here() + load_size + (load_number ? number_size : 0) +
                                    jump_ahead);
        if (load_number) assembler_.load_eax(site.number);
        assembler_.jump(entry(Entry::prepare));
        assembler_.raw({0x0f, 0x05});  // syscall
        for (const Instruction& instruction : window.after) assembler_.move(elf_, instruction);
        assembler_.jump(window.range.end);
    }

    // The instruction that gives the call its number, if that moved: its work is done again behind the
    // others, where it can't be confused with theirs.
    static auto number_load(const Site& site, const Window& window) -> decltype(window.before.begin()) {
        if (site.number == dynamic_number) return window.before.end();
        const auto found = std::ranges::find_if(
            window.before.rbegin(), window.before.rend(),
            [](const Instruction& instruction) { return writes(instruction, Register::rax); });
        return found == window.before.rend() ? window.before.end() : std::prev(found.base());
    }

    Address way_back(const Window& window) {
        if (window.after.empty()) return window.range.end;
        assembler_.align(thunk_alignment);
        const Address here = assembler_.here();
        for (const Instruction& instruction : window.after) assembler_.move(elf_, instruction);
        assembler_.jump(window.range.end);
        return here;
    }

    // In place of a function that takes a call's number and arguments as its own second and following.
    void add_before_function(const Cancellable& cancellable) {
        assembler_.align(thunk_alignment);
        for (const Branch& caller : cancellable.callers) {
            Assembler branch(caller.from + 1);
            branch.distance(assembler_.here());
            thunks_.pieces.push_back({caller.from + 1, branch.bytes()});
        }
        assembler_.load_address_r11(cancellable.function);
        assembler_.jump(entry(Entry::cancellable));
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
        constexpr uint64_t trap_size = 2;
        while (assembler.here() + trap_size <= window.end) assembler.raw({0x0f, 0x0b});  // ud2
        while (assembler.here() < window.end) assembler.raw({0x90});                     // nop
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
