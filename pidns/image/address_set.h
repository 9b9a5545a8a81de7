// A set of addresses within the code of an image: one bit a byte.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "pidns/image/elf.h"

namespace ctr::pidns::image {

class AddressSet {
  public:
    explicit AddressSet(const std::vector<Range>& code) {
        for (const Range& range : code)
            parts_.push_back({range, std::vector<uint64_t>(range.size() / bits + 1)});
    }

    // Addresses outside of the code are left out.
    void add(Address address) {
        for (Part& part : parts_)
            if (part.range.contains(address)) part.words[at(part, address) / bits] |= bit(part, address);
    }

    bool contains(Address address) const {
        for (const Part& part : parts_)
            if (part.range.contains(address))
                return (part.words[at(part, address) / bits] & bit(part, address)) != 0;
        return false;
    }

    bool any(Range range) const {
        for (Address address = range.begin; address < range.end; ++address)
            if (contains(address)) return true;
        return false;
    }

    // The last member below the address, but not below FLOOR; FLOOR if there is none.
    Address before(Address address, Address floor) const {
        while (address > floor)
            if (contains(--address)) return address;
        return floor;
    }

  private:
    static constexpr uint64_t bits = 64;
    struct Part {
        Range range;
        std::vector<uint64_t> words;
    };
    static uint64_t at(const Part& part, Address address) { return address - part.range.begin; }
    static uint64_t bit(const Part& part, Address address) { return uint64_t{1} << at(part, address) % bits; }

    std::vector<Part> parts_;
};

}  // namespace ctr::pidns::image
