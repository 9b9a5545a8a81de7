// The word that says what an entry or a namespace is: one 64-bit value, changed by compare-and-swap only.
//
//   bit 63          33   32       31    24 23     2 1     0
//       | birth       | adopted | stamp   | who    | state |
//
//   state    free, claimed, live, dead; zeroed memory is free
//   who      claimed: the process that made the claim (0: the collector); live and dead: the host number
//   stamp    the collection that last saw it in use; only differences up to two matter, so it may wrap
//   adopted  it was claimed by, or for, the process that bears it, not by the process's creator
//   birth    counts claims: orders them in time, and makes a word that comes again another one (ABA)
//
// Everything that decides about a life is in one word, so that no two of these can be seen apart, whoever is
// killed wherever. Above all: to free an entry and to join its group are two changes of the same word, and
// one of them fails.
#pragma once

#include <cstdint>

#include "pidns/model/numbering.h"

namespace ctr::pidns {

enum class State : uint32_t { free = 0, claimed = 1, live = 2, dead = 3 };

class Word {
  public:
    // "who" of a claim that the collector took over: no process has this number, so the next collector goes
    // on.
    static constexpr HostPid collector = HostPid::none;

    constexpr Word() = default;
    constexpr explicit Word(uint64_t bits) : bits_(bits) {}

    static constexpr Word claim(HostPid owner, uint32_t birth) {
        return Word(field(birth, birth_shift, birth_bits)).with(State::claimed).with_who(owner);
    }

    constexpr uint64_t bits() const { return bits_; }
    constexpr State state() const { return static_cast<State>(get(0, state_bits)); }
    constexpr HostPid who() const { return HostPid(static_cast<int>(get(who_shift, number_bits))); }
    constexpr uint32_t stamp() const { return get(stamp_shift, stamp_bits); }
    constexpr bool adopted() const { return get(adopted_shift, 1) != 0; }
    constexpr uint32_t birth() const { return get(birth_shift, birth_bits); }

    constexpr bool is(State state) const { return this->state() == state; }
    constexpr bool published() const { return is(State::live) || is(State::dead); }
    constexpr bool bears(HostPid host) const { return is(State::live) && who() == host; }

    constexpr Word with(State state) const { return set(static_cast<uint32_t>(state), 0, state_bits); }
    constexpr Word with_who(HostPid who) const {
        return set(static_cast<uint32_t>(raw(who)), who_shift, number_bits);
    }
    constexpr Word stamped(uint32_t epoch) const { return set(epoch, stamp_shift, stamp_bits); }
    constexpr Word adopted_if(bool adopted) const { return set(adopted ? 1 : 0, adopted_shift, 1); }

    // Collections since the stamp, modulo 256. One that was last stamped long ago may look young by chance:
    // it is then freed a collection or two later.
    constexpr uint32_t age(uint32_t epoch) const { return (epoch - stamp()) & ((1U << stamp_bits) - 1); }

    constexpr bool born_after(Word other) const {
        const uint32_t difference = (birth() - other.birth()) & ((1U << birth_bits) - 1);
        return difference != 0 && difference < 1U << (birth_bits - 1);
    }

    // May this word become free? Its users, if any, would have been seen in this collection or in the one
    // before.
    constexpr bool expired(uint32_t epoch) const { return is(State::dead) && age(epoch) >= 2; }

    constexpr bool operator==(const Word&) const = default;

  private:
    static constexpr unsigned state_bits = 2;
    static constexpr unsigned who_shift = state_bits;
    static constexpr unsigned stamp_shift = who_shift + number_bits;
    static constexpr unsigned stamp_bits = 8;
    static constexpr unsigned adopted_shift = stamp_shift + stamp_bits;
    static constexpr unsigned birth_shift = adopted_shift + 1;
    static constexpr unsigned birth_bits = 64 - birth_shift;

    static constexpr uint64_t mask(unsigned shift, unsigned bits) {
        return ((uint64_t{1} << bits) - 1) << shift;
    }
    static constexpr uint64_t field(uint32_t value, unsigned shift, unsigned bits) {
        return (uint64_t{value} << shift) & mask(shift, bits);
    }
    constexpr uint32_t get(unsigned shift, unsigned bits) const {
        return static_cast<uint32_t>((bits_ & mask(shift, bits)) >> shift);
    }
    constexpr Word set(uint32_t value, unsigned shift, unsigned bits) const {
        return Word((bits_ & ~mask(shift, bits)) | field(value, shift, bits));
    }

    uint64_t bits_ = 0;
};

}  // namespace ctr::pidns
