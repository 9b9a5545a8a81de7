// Reading what unwinders read: numbers of DWARF, one after the other. A read beyond the end gives 0 and
// leaves the cursor failed, so a sequence of reads is checked once.
#pragma once

#include "pidns/image/elf.h"

namespace ctr::pidns::image {

// DW_EH_PE_*: how a pointer is written.
namespace encoding {
inline constexpr uint8_t absolute = 0x00, uleb128 = 0x01, udata2 = 0x02, udata4 = 0x03, udata8 = 0x04;
inline constexpr uint8_t sleb128 = 0x09, sdata2 = 0x0a, sdata4 = 0x0b, sdata8 = 0x0c;
inline constexpr uint8_t pc_relative = 0x10, data_relative = 0x30, indirect = 0x80, omitted = 0xff;
inline constexpr uint8_t form = 0x0f, relation = 0x70;  // the two parts
}  // namespace encoding

class Cursor {
  public:
    // The bytes, of which the first is at this address.
    Cursor(Bytes bytes, Address address) : bytes_(bytes), start_(address) {}

    bool failed() const { return failed_; }
    bool at_end() const { return failed_ || next_ >= bytes_.size(); }
    Address address() const { return start_ + next_; }
    // The rest of the bytes, cut to SIZE, as a cursor of its own; this one goes on behind them.
    Cursor take(uint64_t size);

    template <class T>
    T number() {
        const auto value = read_at<T>(bytes_, next_);
        if (!value) {
            failed_ = true;
            return 0;
        }
        next_ += sizeof(T);
        return *value;
    }
    uint8_t byte() { return number<uint8_t>(); }
    uint64_t unsigned_leb();
    int64_t signed_leb();
    // A pointer as its encoding (DW_EH_PE_*) says; 0 if that is DW_EH_PE_omit, or if it is null. Indirect
    // ones give the place of the pointer.
    Address pointer(uint8_t encoding, Address data_base = 0);

  private:
    Bytes bytes_;
    Address start_;
    uint64_t next_ = 0;
    bool failed_ = false;
};

}  // namespace ctr::pidns::image
