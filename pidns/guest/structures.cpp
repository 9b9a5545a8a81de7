// Calls whose numbers are in the program's memory, by the table of structures (surface/structures.h). The
// kernel reads a copy, so that the program's own never holds the host's; what it writes is translated where
// it lies.
#include "pidns/surface/structures.h"

#include "pidns/guest/numbers.h"
#include "pidns/guest/serve.h"
#include "pidns/guest/translate.h"

namespace ctr::pidns::guest {

namespace {

// Of the structures that the kernel reads, and that it only reads; 0: the monitor's.
constexpr unsigned size_of(Structure structure) {
    switch (structure) {
        case Structure::number:
        case Structure::owner: return 4;
        case Structure::owner_ex: return 8;
        case Structure::sigevent: return 64;
        default: return 0;
    }
}

// A thread of another process may be what the kernel writes into the others.
constexpr bool holds_processes(Structure structure) {
    switch (structure) {
        case Structure::number:
        case Structure::owner:
        case Structure::owner_ex:
        case Structure::flock:
        case Structure::credentials:
        case Structure::shm_state:
        case Structure::msg_state: return true;
        default: return false;
    }
}

template <class T>
T& at(char* base, unsigned offset) {
    return *reinterpret_cast<T*>(base + offset);
}

bool counts(const Guard& guard, char* base) {
    if (guard.size == 0) return true;
    const int value =
        guard.size == sizeof(int16_t) ? at<int16_t>(base, guard.offset) : at<int32_t>(base, guard.offset);
    return (value == guard.value) != guard.differs;
}

Action give_copy(Frame& frame, const Row& row, const Self& self) {
    constexpr uint64_t word = 8;
    const uint64_t place = frame.arguments[row.reads.argument];
    const unsigned size = size_of(row.reads.structure);
    char copy[64] = {};
    if (place != 0) {
        if (size == 0 || !is_readable(frame.stack(), place, size < word ? word : size))
            return ask(frame, row);
        for (unsigned i = 0; i < size; ++i) copy[i] = reinterpret_cast<const char*>(place)[i];
        for (const Field& field : fields_of(row.reads.structure)) {
            if (!counts(field.guard, copy)) continue;
            auto& number = at<int32_t>(copy, field.offset);
            const auto host = inward(self, field.kind, number, at<int32_t>(copy, field.selector));
            if (!host) return ask(frame, row);
            number = *host;
        }
        frame.made[row.reads.argument] = reinterpret_cast<uint64_t>(copy);
    }
    const uint64_t* made = frame.made;
    frame.result = make(static_cast<long>(frame.number), made[0], made[1], made[2], made[3], made[4], mark);
    return Action::done;
}

}  // namespace

Action rewrite_memory(Frame& frame, const Row& row) {
    const auto self = Self::find();
    if (!self || row.all_used || !put_hosts_numbers(frame, row, *self)) return ask(frame, row);
    if (row.reads.structure != Structure::none) return give_copy(frame, row, *self);
    return holds_processes(row.writes.structure) ? look(frame, After::memory) : ask(frame, row);
}

bool memory_written(Frame& frame) {
    if (frame.result < 0) return false;
    const Row* row = find_row(frame.number, frame.arguments);
    const auto self = Self::find_again();
    if (!row || !self || frame.arguments[row->writes.argument] == 0) return false;
    // The only one whose size the program chooses.
    constexpr unsigned size_argument = 4;
    if (row->writes.structure == Structure::credentials &&
        *reinterpret_cast<const uint32_t*>(frame.arguments[size_argument]) < sizeof(int32_t))
        return false;
    auto* base = reinterpret_cast<char*>(frame.arguments[row->writes.argument]);
    for (const Field& field : fields_of(row->writes.structure)) {
        if (!counts(field.guard, base)) continue;
        auto& number = at<int32_t>(base, field.offset);
        number = outward(*self, field.kind, number, at<int32_t>(base, field.selector));
    }
    return false;
}

}  // namespace ctr::pidns::guest
