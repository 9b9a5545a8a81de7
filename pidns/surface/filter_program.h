// Writes a classic BPF program for seccomp, from its end to its beginning: jumps lead forward only, so what
// they lead to is there already. By the compiler: a start has the program as a constant.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace ctr::pidns {

// An instruction, counted from the end of the program.
enum class Place : uint32_t {};

// What the accumulator holds: a word of seccomp_data, or some bits of it.
struct Word {
    uint32_t offset = 0;
    uint32_t mask = ~uint32_t{0};
    bool operator==(const Word&) const = default;
};

// Code that begins by loading a word can be entered behind the load by those who hold the word.
class Entry {
  public:
    // NOLINTNEXTLINE(google-explicit-constructor): what loads nothing is entered where it begins
    constexpr Entry(Place begin) : begin_(begin) {}
    constexpr Entry(Place begin, Word loads, Place behind) : begin_(begin), loads_(loads), behind_(behind) {}

    constexpr Place begin() const { return begin_; }
    constexpr Place with(const Word& held) const { return loads_ == held ? behind_ : begin_; }

  private:
    Place begin_;
    std::optional<Word> loads_;
    Place behind_{};
};

// Each function puts an instruction before all that there are, and says where it is.
class FilterProgram {
  public:
    // A return.
    constexpr Place answer(uint32_t action) { return put(BPF_STMT(BPF_RET | BPF_K, action)); }

    // Into the accumulator; then what was put last.
    constexpr Place load(uint32_t offset) { return put(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }
    constexpr Place mask(uint32_t bits) { return put(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits)); }

    // By what the accumulator holds.
    constexpr Place if_equal(uint32_t value, Place yes, Place no) { return choose(BPF_JEQ, value, yes, no); }
    constexpr Place if_below(uint32_t value, Place yes, Place no) { return choose(BPF_JGE, value, no, yes); }

    // Loads a word first.
    constexpr Entry if_word(const Word& word, uint32_t value, const Entry& yes, const Entry& no) {
        const Place compared = if_equal(value, yes.with(word), no.with(word));
        if (word.mask != ~uint32_t{0}) mask(word.mask);
        return {load(word.offset), word, compared};
    }

    constexpr std::vector<sock_filter> finish() const { return {reversed_.rbegin(), reversed_.rend()}; }

  private:
    // Of a conditional jump, less one: bringing one of its targets near moves the other away.
    static constexpr uint32_t reach = UINT8_MAX - 1;

    constexpr Place put(sock_filter instruction) {
        reversed_.push_back(instruction);
        return Place(reversed_.size() - 1);
    }

    constexpr Place choose(uint16_t operation, uint32_t value, Place yes, Place no) {
        yes = near(yes);
        no = near(no);
        return put({static_cast<uint16_t>(BPF_JMP | operation | BPF_K), static_cast<uint8_t>(distance(yes)),
                    static_cast<uint8_t>(distance(no)), value});
    }

    // A return is repeated, all else jumped to.
    constexpr Place near(Place target) {
        if (distance(target) <= reach) return target;
        const sock_filter there = reversed_[static_cast<size_t>(target)];
        if (BPF_CLASS(there.code) == BPF_RET) return put(there);
        return put(BPF_STMT(BPF_JMP | BPF_JA, distance(target)));
    }

    // From the instruction that is put next.
    constexpr uint32_t distance(Place target) const {
        return static_cast<uint32_t>(reversed_.size()) - static_cast<uint32_t>(target) - 1;
    }

    std::vector<sock_filter> reversed_;
};

}  // namespace ctr::pidns
