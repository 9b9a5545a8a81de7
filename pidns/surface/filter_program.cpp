#include "pidns/surface/filter_program.h"

namespace ctr::pidns {

namespace {

// Of a conditional jump, less one: bringing one of its targets near moves the other away.
constexpr uint32_t reach = UINT8_MAX - 1;

}  // namespace

Place FilterProgram::put(sock_filter instruction) {
    reversed_.push_back(instruction);
    return Place(reversed_.size() - 1);
}

// From the instruction that is put next.
uint32_t FilterProgram::distance(Place target) const {
    return static_cast<uint32_t>(reversed_.size()) - static_cast<uint32_t>(target) - 1;
}

Place FilterProgram::answer(uint32_t action) {
    return put(BPF_STMT(BPF_RET | BPF_K, action));
}

Place FilterProgram::load(uint32_t offset) {
    return put(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

Place FilterProgram::mask(uint32_t bits) {
    return put(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits));
}

// A return is repeated, all else jumped to.
Place FilterProgram::near(Place target) {
    if (distance(target) <= reach) return target;
    const sock_filter there = reversed_[static_cast<size_t>(target)];
    if (BPF_CLASS(there.code) == BPF_RET) return put(there);
    return put(BPF_STMT(BPF_JMP | BPF_JA, distance(target)));
}

Place FilterProgram::choose(uint16_t operation, uint32_t value, Place yes, Place no) {
    yes = near(yes);
    no = near(no);
    return put({static_cast<uint16_t>(BPF_JMP | operation | BPF_K), static_cast<uint8_t>(distance(yes)),
                static_cast<uint8_t>(distance(no)), value});
}

Entry FilterProgram::if_word(const Word& word, uint32_t value, const Entry& yes, const Entry& no) {
    const Place compared = if_equal(value, yes.with(word), no.with(word));
    if (word.mask != ~uint32_t{0}) mask(word.mask);
    return {load(word.offset), word, compared};
}

std::vector<sock_filter> FilterProgram::finish() const {
    return {reversed_.rbegin(), reversed_.rend()};
}

}  // namespace ctr::pidns
