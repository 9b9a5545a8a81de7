// Which files carry numbers, by their paths.
#include "pidns/surface/contents.h"
#include "pidns/surface/text.h"

namespace ctr::pidns {

using namespace std::string_view_literals;

namespace {

// A component '#' stands for a number, '*' for any name.
struct Pattern {
    Literal<24> path;
    Content content;
};

constexpr Pattern patterns[] = {
    {"#/stat", Content::stat},
    {"#/status", Content::status},
    {"#/sched", Content::sched},
    {"#/timers", Content::timers},
    {"#/syscall", Content::call},
    {"#/fdinfo/*", Content::fdinfo},
    {"#/task/#/stat", Content::stat},
    {"#/task/#/status", Content::status},
    {"#/task/#/sched", Content::sched},
    {"#/task/#/children", Content::children},
    {"#/task/#/fdinfo/*", Content::fdinfo},
    {"#/task/#/syscall", Content::call},
    {"loadavg", Content::loadavg},
    {"locks", Content::locks},
    {"sysvipc/shm", Content::shm},
    {"sysvipc/msg", Content::msg},
    {"sys/kernel/pid_max", Content::pid_max},
    {"sys/kernel/ns_last_pid", Content::ns_last_pid},
};

bool component_matches(std::string_view pattern, std::string_view name) {
    if (same(pattern, "*"sv)) return !name.empty();
    if (!same(pattern, "#"sv)) return same(pattern, name);
    const auto number = number_of(name);
    return number && *number > 0;
}

bool path_matches(Rest pattern, Rest path) {
    while (component_matches(pattern.take_until('/'), path.take_until('/'))) {
        if (pattern.empty() || path.empty()) return pattern.empty() && path.empty();
        pattern.take(1);
        path.take(1);
    }
    return false;
}

}  // namespace

Content content_of(std::string_view path_below_proc) {
    for (const Pattern& pattern : patterns)
        if (path_matches(Rest(pattern.path.view()), Rest(path_below_proc))) return pattern.content;
    return Content::none;
}

}  // namespace ctr::pidns
