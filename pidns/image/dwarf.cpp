#include "pidns/image/dwarf.h"

#include <algorithm>

namespace ctr::pidns::image {

namespace {

constexpr unsigned leb_bits = 7;
constexpr uint8_t leb_more = 0x80, leb_sign = 0x40;
constexpr unsigned word_bits = 64;

}  // namespace

Cursor Cursor::take(uint64_t size) {
    const uint64_t left = bytes_.size() - std::min<uint64_t>(next_, bytes_.size());
    if (size > left) failed_ = true;
    const Cursor part(bytes_.subspan(bytes_.size() - left, std::min(size, left)), address());
    next_ += std::min(size, left);
    return part;
}

uint64_t Cursor::unsigned_leb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += leb_bits) {
        const uint8_t next = byte();
        if (shift < word_bits) value |= uint64_t{next & (leb_more - 1u)} << shift;
        if ((next & leb_more) == 0) return value;
    }
}

int64_t Cursor::signed_leb() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
        const uint8_t next = byte();
        if (shift < word_bits) value |= uint64_t{next & (leb_more - 1u)} << shift;
        shift += leb_bits;
        if ((next & leb_more) != 0) continue;
        if (shift < word_bits && (next & leb_sign) != 0) value |= ~uint64_t{0} << shift;
        return static_cast<int64_t>(value);
    }
}

Address Cursor::pointer(uint8_t how, Address data_base) {
    if (how == encoding::omitted) return 0;
    const Address place = address();
    uint64_t value = 0;
    switch (how & encoding::form) {
        case encoding::absolute:
        case encoding::udata8:
        case encoding::sdata8: value = number<uint64_t>(); break;
        case encoding::uleb128: value = unsigned_leb(); break;
        case encoding::udata2: value = number<uint16_t>(); break;
        case encoding::udata4: value = number<uint32_t>(); break;
        case encoding::sleb128: value = static_cast<uint64_t>(signed_leb()); break;
        case encoding::sdata2: value = static_cast<uint64_t>(int64_t{number<int16_t>()}); break;
        case encoding::sdata4: value = static_cast<uint64_t>(int64_t{number<int32_t>()}); break;
        default: failed_ = true;
    }
    if (value == 0) return 0;  // null, whatever it is relative to
    switch (how & encoding::relation) {
        case encoding::absolute: return value;
        case encoding::pc_relative: return value + place;
        case encoding::data_relative: return value + data_base;
        default: failed_ = true; return 0;
    }
}

}  // namespace ctr::pidns::image
