// Values as bytes, between processes of one build on one host: numbers as they lie in memory, texts with
// their length before them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ctr::wire {

class Writer {
  public:
    template <class Number>
    void number(Number value) {
        append(&value, sizeof value);
    }
    void text(std::string_view value) {
        number(static_cast<uint32_t>(value.size()));
        append(value.data(), value.size());
    }
    const std::string& bytes() const { return bytes_; }

  private:
    void append(const void* data, size_t size) { bytes_.append(static_cast<const char*>(data), size); }
    std::string bytes_;
};

// Reads nothing past the end: what is missing reads as 0 or empty.
class Reader {
  public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}
    template <class Number>
    Number number() {
        Number value{};
        const std::string_view part = take(sizeof value);
        if (part.size() == sizeof value) std::memcpy(&value, part.data(), sizeof value);
        return value;
    }
    std::string text() { return std::string(take(number<uint32_t>())); }

    bool ended_early() const { return short_; }

    // Whether all was there, and nothing is left.
    bool complete() const { return !short_ && bytes_.empty(); }

  private:
    std::string_view take(size_t size) {
        const std::string_view part = bytes_.substr(0, size);
        short_ = short_ || part.size() != size;
        bytes_.remove_prefix(part.size());
        return part;
    }
    std::string_view bytes_;
    bool short_ = false;
};

}  // namespace ctr::wire
