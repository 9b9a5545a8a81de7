// "/proc/N/syscall": the call in which a thread sleeps, its six arguments, stack pointer and program counter.
// Freestanding, as those that it is translated with (contents.cpp).
#include <sys/resource.h>
#include <sys/wait.h>

#include <climits>
#include <iterator>

#include "pidns/surface/calls.h"
#include "pidns/surface/contents_parts.h"

namespace ctr::pidns {

using namespace std::string_view_literals;

namespace {

constexpr unsigned argument_count = 6;
constexpr uint64_t low_half = 0xffffffff;
constexpr int io_who_process = 1, io_who_group = 2;  // include/uapi/linux/ioprio.h

int low_half_of(uint64_t word) {
    return static_cast<int>(static_cast<uint32_t>(word));
}

std::optional<uint64_t> take_hex(Rest& rest) {
    if (!rest.skip("0x"sv)) return std::nullopt;
    const std::string_view digits = rest.take_until(' ');
    uint64_t value = 0;
    for (const char c : digits) {
        const bool is_letter = c >= 'a' && c <= 'f';
        if (!is_digit(c) && !is_letter) return std::nullopt;
        value = value << 4U | static_cast<uint64_t>(is_letter ? c - 'a' + 10 : c - '0');
    }
    const bool is_padded = digits.size() > 1 && digits.front() == '0';
    return digits.empty() || digits.size() > 16 || is_padded ? std::nullopt : std::optional(value);
}

void put_hex(uint64_t value, Output& out) {
    out.put("0x"sv);
    unsigned shift = 60;
    while (shift > 0 && value >> shift == 0) shift -= 4;
    for (;; shift -= 4) {
        const auto digit = static_cast<int>(value >> shift & 0xfU);
        out.put(static_cast<char>(digit < 10 ? '0' + digit : 'a' + digit - 10));
        if (shift == 0) return;
    }
}

// The selector is the argument before.
int argument(Kind kind, int host, int selector, const View& view) {
    const auto process = [&](int number) { return seen(view, Bearer::process, number); };
    const auto thread = [&](int number) { return seen(view, Bearer::thread, number); };
    const bool names_group = host < 0 && host != INT_MIN;
    switch (kind) {
        case Kind::process:
        case Kind::group: return process(host);
        case Kind::thread:
        case Kind::thread_in: return thread(host);
        case Kind::wait_target:
        case Kind::kill_target: return names_group && host != -1 ? -process(-host) : process(host);
        case Kind::owner: return names_group ? -process(-host) : process(host);
        case Kind::wait_id: return selector == P_PID || selector == P_PGID ? process(host) : host;
        case Kind::who:
            if (selector == PRIO_PROCESS) return thread(host);
            return selector == PRIO_PGRP ? process(host) : host;
        case Kind::io_who:
            if (selector == io_who_process) return thread(host);
            return selector == io_who_group ? process(host) : host;
        case Kind::clock: return seen_clock(view, host);
        case Kind::owner_ex:
        case Kind::none: break;
    }
    return host;
}

}  // namespace

// Only a call with the mark has the host's numbers in it; one that waits for the monitor is as the program
// made it.
bool put_call(std::string_view text, const View& view, Output& out) {
    Rest lines(text);
    const auto line = lines.take_line();
    if (!line || !lines.empty()) return false;
    Rest rest(*line);
    const auto number = rest.take_number();
    uint64_t words[argument_count + 2] = {};  // stack and program counter are the last two
    size_t count = 0;
    while (number && count < std::size(words) && rest.skip(" "sv)) {
        const auto word = take_hex(rest);
        if (!word) return false;
        words[count++] = *word;
    }
    const bool is_call = number && *number >= 0 && count == std::size(words);
    const bool is_none = number ? *number == -1 && count == 2 : same(*line, "running"sv);
    if ((!is_call && !is_none) || (number && !rest.empty())) return false;
    const Call* const call = is_call ? find_call(*number, words) : nullptr;
    if (!call || !is_marked(*call, words)) {
        out.put(text);
        return true;
    }
    uint64_t shown[std::size(words)];
    for (size_t i = 0; i < count; ++i) shown[i] = words[i];
    for (size_t i = 0; i < std::size(call->arguments); ++i) {
        const int host = low_half_of(words[i]);
        const int inside = argument(call->arguments[i], host, i > 0 ? low_half_of(words[i - 1]) : 0, view);
        if (inside != host) shown[i] = (shown[i] & ~low_half) | static_cast<uint32_t>(inside);
    }
    out.put_number(*number);
    for (const uint64_t value : shown) {
        out.put(' ');
        put_hex(value, out);
    }
    out.put('\n');
    return true;
}

}  // namespace ctr::pidns
