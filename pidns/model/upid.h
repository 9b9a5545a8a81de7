// A number in a namespace and the entry that bears it, in 64 bits: what the kernel calls struct upid, as one
// value that can be compared and swapped. Bit 63 is left to whoever stores it.
//
//   bit 63     62 61           46 45         24 23     0
//       | mark | - | namespace   | number      | entry |
//
// The number's place may hold a host number as well (both have 22 bits).
#pragma once

#include <cstdint>

#include "pidns/model/numbering.h"

namespace ctr::pidns {

class Upid {
  public:
    static constexpr uint64_t mark = uint64_t{1} << 63;

    constexpr Upid() = default;
    constexpr explicit Upid(uint64_t bits) : bits_(bits & ~mark) {}
    constexpr Upid(NamespaceId space, VirtPid number, EntryId entry)
        : Upid(uint64_t{raw(space)} << namespace_shift | static_cast<uint64_t>(raw(number)) << entry_bits |
               raw(entry)) {}
    constexpr Upid(HostPid host, EntryId entry)
        : Upid(static_cast<uint64_t>(raw(host)) << entry_bits | raw(entry)) {}

    constexpr uint64_t bits() const { return bits_; }
    constexpr NamespaceId space() const { return NamespaceId(low(bits_ >> namespace_shift, namespace_bits)); }
    constexpr VirtPid number() const {
        return VirtPid(static_cast<int>(low(bits_ >> entry_bits, number_bits)));
    }
    constexpr HostPid host() const {
        return HostPid(static_cast<int>(low(bits_ >> entry_bits, number_bits)));
    }
    constexpr EntryId entry() const { return EntryId(low(bits_, entry_bits)); }

    // The number if it is one of that namespace, else something at or above 2^22: one comparison tells both.
    constexpr uint64_t number_within(NamespaceId space) const {
        return (bits_ >> entry_bits) - (uint64_t{raw(space)} << number_bits);
    }

    constexpr bool empty() const { return bits_ == 0; }
    constexpr bool same_number(Upid other) const { return bits_ >> entry_bits == other.bits_ >> entry_bits; }
    constexpr bool operator==(const Upid&) const = default;

  private:
    static constexpr unsigned namespace_shift = entry_bits + number_bits;
    static_assert(namespace_shift + namespace_bits < 63);

    static constexpr uint32_t low(uint64_t bits, unsigned count) {
        return static_cast<uint32_t>(bits & ((uint64_t{1} << count) - 1));
    }

    uint64_t bits_ = 0;
};

}  // namespace ctr::pidns
