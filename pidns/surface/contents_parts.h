// What the translations of the single files share; only for them. Those that the code inside workloads makes
// as well are templates: a View has a virtual table, which nobody would relocate there. A Reader is a View or
// has the functions of one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "pidns/surface/contents.h"
#include "pidns/surface/text.h"

namespace ctr::pidns {

enum class Bearer : uint8_t { process, thread };

// In every namespace 0 is nobody and -1 nothing of the kind. Other negative ones are of locks that other
// hosts hold.
template <class Reader>
int seen(const Reader& view, Bearer bearer, int host) {
    if (host <= 0) return host;
    return bearer == Bearer::process ? view.process(host) : view.thread(host);
}

// An entry of /proc/locks: "1: POSIX  ADVISORY  WRITE 4711 fe:00:123 0 EOF"; "1: -> ..." if it waits.
struct Lock {
    std::string_view before;
    int owner = 0;
    std::string_view after;
    bool waits = false;
};

std::optional<Lock> lock_of(std::string_view line);
void put_lock(const Lock& lock, const View& view, Output& out);

// The id of a clock, which may hold a number.
int seen_clock(const View& view, int clock);

// Of one process or thread; put_stat and put_status have headers of their own.
bool put_sched(std::string_view text, const View& view, Output& out);
bool put_fdinfo(std::string_view text, const View& view, Output& out);
bool put_timers(std::string_view text, const View& view, Output& out);
bool put_call(std::string_view text, const View& view, Output& out);

}  // namespace ctr::pidns
