#include "runtime/base/error.h"

#include <cerrno>
#include <cstring>

namespace ctr {

std::string errno_name(int err) {
    if (const char* name = strerrorname_np(err)) return name;
    return "errno " + std::to_string(err);
}

std::string Error::message() const {
    std::string text = step;
    if (!call.empty()) text += ": " + call;
    if (err != 0) text += ": " + errno_name(err) + " (" + strerrordesc_np(err) + ")";
    if (!why.empty()) text += ": " + why;
    if (!hint.empty()) text += "\n  try: " + hint;
    return text;
}

Error Error::within(std::string_view outer) && {
    step = std::string(outer) + ": " + step;
    return std::move(*this);
}

Error Error::with(const Error& another) && {
    why += (why.empty() ? "" : "; and ") + another.message();
    return std::move(*this);
}

std::unexpected<Error> fail_call(std::string step, std::string call) {
    return fail_call(std::move(step), std::move(call), errno);
}

std::unexpected<Error> fail_call(std::string step, std::string call, int err, std::string why,
                                 std::string hint) {
    return std::unexpected(Error{std::move(step), std::move(call), err, std::move(why), std::move(hint)});
}

std::unexpected<Error> fail_input(std::string step, std::string why, std::string hint) {
    return std::unexpected(Error{std::move(step), {}, 0, std::move(why), std::move(hint)});
}

}  // namespace ctr
