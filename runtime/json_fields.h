// What is read out of JSON that others may have written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/byte_text.h"

namespace ctr {

using Json = nlohmann::ordered_json;

// As text, as other readers expect; what isn't UTF-8 also byte by byte, as Fields::bytes takes it.
inline void put_bytes(Json& object, const char* name, const char* bytes_name, const std::string& bytes) {
    object[name] = bytes;
    if (!byte_text::is_utf8(bytes)) object[bytes_name] = byte_text::widened(bytes);
}

// What isn't UTF-8 is replaced.
inline std::string dumped(const Json& object, int indent = -1) {
    return object.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Takes fields out of an object; what is missing or of another type makes it bad for good.
class Fields {
  public:
    explicit Fields(const Json& object) : object_(object) {}

    std::string text(const char* name) { return is(name, &Json::is_string) ? value<std::string>(name) : ""; }
    std::string bytes(const char* name, const char* bytes_name) {
        std::string readable = text(name);
        return has(bytes_name) ? byte_text::narrowed(text(bytes_name)) : readable;
    }
    bool truth(const char* name) { return is(name, &Json::is_boolean) && value<bool>(name); }
    int number(const char* name, int most) {
        if (!is(name, &Json::is_number_integer)) return 0;
        const auto number = value<int64_t>(name);
        if (number < 0 || number > most) bad_ = name;
        return static_cast<int>(number);
    }
    uint64_t amount(const char* name) {
        return is(name, &Json::is_number_unsigned) ? value<uint64_t>(name) : 0;
    }
    std::vector<std::string> texts(const char* name) {
        std::vector<std::string> found;
        if (!is(name, &Json::is_array)) return found;
        for (const Json& element : object_.at(name)) {
            if (!element.is_string()) bad_ = name;
            found.push_back(element.is_string() ? element.get<std::string>() : "");
        }
        return found;
    }
    bool has(const char* name) const { return object_.contains(name); }
    void expect(bool good, const char* name) {
        if (!good) bad_ = name;
    }
    const char* bad() const { return bad_; }

  private:
    bool is(const char* name, bool (Json::*type)() const noexcept) {
        const bool good = has(name) && (object_.at(name).*type)();
        expect(good, name);
        return good;
    }
    template <class T>
    T value(const char* name) const {
        return object_.at(name).get<T>();
    }

    const Json& object_;
    const char* bad_ = nullptr;
};

}  // namespace ctr
