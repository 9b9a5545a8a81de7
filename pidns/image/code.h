// The whole code of an image, decoded once: where instructions begin, what they jump and refer to, and where
// the decoding can't be trusted.
//
// Code is decoded from beginning to end, and anew at each place that surely begins an instruction (an entry:
// a symbol of a function, what unwind tables say, the target of a call). Between two entries, a block, code
// is trusted if all of it is instructions and the last ends where the next entry begins. In the others there
// may be data, so anything in them that could be a jump counts as one.
#pragma once

#include <vector>

#include "pidns/image/address_set.h"
#include "pidns/image/decoder.h"

namespace ctr::pidns::image {

// Control doesn't go on behind it: jumps, returns, traps.
bool ends_flow(const ZydisDecodedInstruction& instruction);

struct Branch {
    Address from;
    Address to;
};

class Code {
  public:
    // ENTRIES needn't be sorted, nor lie within the code.
    static Code decode(const Elf& elf, const Decoder& decoder, std::vector<Address> entries);

    const std::vector<Range>& ranges() const { return ranges_; }
    bool contains(Address address) const;

    const AddressSet& instructions() const { return instructions_; }
    // The addresses of all syscall instructions, ascending.
    const std::vector<Address>& system_calls() const { return system_calls_; }
    // Direct branches, calls among them; by target.
    const std::vector<Branch>& branches() const { return branches_; }
    // Operands relative to the instruction; in a fixed image also numbers which may be addresses. Sorted,
    // unique.
    const std::vector<Address>& references() const { return references_; }
    // Filler which is never reached by falling into it, ascending.
    const std::vector<Range>& fillers() const { return fillers_; }

    // The block around an address; empty if it isn't trusted.
    Range trusted_block(Address address) const;

  private:
    explicit Code(const Elf& elf);

    class Sweep;

    std::vector<bool> doubtful_blocks() const;
    size_t block_at(Address address) const;
    Range block(size_t index) const;
    void learn_from(const std::vector<Branch>& calls);
    void suspect(const Elf& elf, Range block);

    std::vector<Range> ranges_;
    AddressSet instructions_;
    std::vector<Address> entries_;  // sorted; each range begins and ends with one
    std::vector<Address> bad_;
    std::vector<bool> doubtful_;  // for each entry: the block behind it
    std::vector<Address> system_calls_;
    std::vector<Branch> branches_;
    std::vector<Address> references_;
    std::vector<Range> fillers_;
};

}  // namespace ctr::pidns::image
