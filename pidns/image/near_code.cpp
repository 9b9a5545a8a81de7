#include "pidns/image/near_code.h"

#include "pidns/image/window.h"

#include <optional>

namespace ctr::pidns::image {

namespace {

// The kernel maps the pages of a file around a fault in windows of this size.
constexpr uint64_t fault_window = 0x10000;

void make_call(Assembler& assembler, Address created) {
    assembler.raw({0x0f, 0x05});  // syscall
    assembler.raw({0x85, 0xc0});  // test %eax, %eax
    assembler.jump_unless_zero(created);
}

// The guest's frame: what it keeps for the parent, the caller's r9, the way back, and the caller's red zone
// below.
void restore_register(Assembler& assembler) {
    assembler.raw({0x4c, 0x8b, 0x4c, 0x24, 0x08});  // mov 8(%rsp), %r9
}

void leave_frame(Assembler& assembler) {
    assembler.raw({0x48, 0x8d, 0xa4, 0x24, 0x98, 0, 0, 0});  // lea 0x98(%rsp), %rsp
}

constexpr uint64_t call_size = 10, restore_size = 5, leave_size = 8;

}  // namespace

Fillers::Fillers(const Flow& flow) {
    for (const Range& range : flow.code().fillers())
        if (!flow.lands(range.begin) && !flow.lands_inside(range) &&
            flow.code().trusted_block(range.begin).contains(range.end - 1))
            fillers_.push_back({range});
}

Fillers::Filler* Fillers::nearest(Address site, uint64_t size) {
    const Address window = site / fault_window * fault_window;
    const auto begin = std::ranges::lower_bound(fillers_, window, {},
                                                [](const Filler& filler) { return filler.range.begin; });
    Filler* best = nullptr;
    uint64_t best_distance = 0;
    for (auto filler = begin; filler != fillers_.end() && filler->range.end <= window + fault_window;
         ++filler) {
        if (filler->used || filler->range.size() < size) continue;
        const Address at = filler->range.begin;
        const uint64_t distance = at < site ? site - at : at - site;
        if (best != nullptr && distance >= best_distance) continue;
        best = &*filler;
        best_distance = distance;
    }
    return best;
}

std::vector<Piece> Fillers::near_code(Address site, Address back, Address created) {
    constexpr uint64_t sizes[] = {call_size + jump_size, restore_size + jump_size, leave_size + jump_size};
    Filler* taken[std::size(sizes)] = {};
    for (size_t i = 0; i < std::size(sizes); ++i) {
        taken[i] = nearest(site, sizes[i]);
        if (taken[i] == nullptr) {
            for (size_t j = 0; j < i; ++j) taken[j]->used = false;
            return {};
        }
        taken[i]->used = true;
    }
    std::vector<Piece> pieces;
    for (size_t i = 0; i < std::size(sizes); ++i) {
        Assembler assembler(taken[i]->range.begin);
        switch (i) {
            case 0: make_call(assembler, created); break;
            case 1: restore_register(assembler); break;
            default: leave_frame(assembler);
        }
        assembler.jump(i + 1 < std::size(sizes) ? taken[i + 1]->range.begin : back);
        pieces.push_back({taken[i]->range.begin, assembler.bytes()});
    }
    return pieces;
}

void add_near_code(Assembler& assembler, Address back, Address created) {
    make_call(assembler, created);
    restore_register(assembler);
    leave_frame(assembler);
    assembler.jump(back);
}

}  // namespace ctr::pidns::image
