// Writes a classic BPF program for seccomp, from its end to its beginning: jumps lead forward only, so what
// they lead to is there already.
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
    Entry(Place begin) : begin_(begin) {}
    Entry(Place begin, Word loads, Place behind) : begin_(begin), loads_(loads), behind_(behind) {}

    Place begin() const { return begin_; }
    Place with(const Word& held) const { return loads_ == held ? behind_ : begin_; }

  private:
    Place begin_;
    std::optional<Word> loads_;
    Place behind_{};
};

// Each function puts an instruction before all that there are, and says where it is.
class FilterProgram {
  public:
    Place answer(uint32_t action);  // a return
    Place load(uint32_t offset);    // into the accumulator; then what was put last
    Place mask(uint32_t bits);

    // By what the accumulator holds.
    Place if_equal(uint32_t value, Place yes, Place no) { return choose(BPF_JEQ, value, yes, no); }
    Place if_below(uint32_t value, Place yes, Place no) { return choose(BPF_JGE, value, no, yes); }

    // Loads a word first.
    Entry if_word(const Word& word, uint32_t value, const Entry& yes, const Entry& no);

    std::vector<sock_filter> finish() const;

  private:
    Place put(sock_filter instruction);
    Place choose(uint16_t operation, uint32_t value, Place yes, Place no);
    Place near(Place target);
    uint32_t distance(Place target) const;

    std::vector<sock_filter> reversed_;
};

}  // namespace ctr::pidns
