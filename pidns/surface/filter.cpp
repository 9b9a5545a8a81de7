#include "pidns/surface/filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "pidns/surface/filter_program.h"
#include "pidns/surface/mark.h"
#include "pidns/surface/rows.h"

namespace ctr::pidns {

namespace {

constexpr uint32_t first_of_x32 = 0x40000000;
constexpr uint32_t skipped_call = ~uint32_t{0};  // a tracer's way to have none made

// Calls of the surface that programs make often, and how often beside the others, roughly: they are found
// with the fewest comparisons.
struct Frequency {
    long number;
    unsigned weight;
};
constexpr unsigned seldom = 1;
constexpr Frequency frequencies[] = {
    {SYS_read, 64},         {SYS_openat, 64},         {SYS_newfstatat, 64}, {SYS_fstat, 48},
    {SYS_ioctl, 24},        {SYS_lseek, 24},          {SYS_fcntl, 24},      {SYS_rt_sigaction, 24},
    {SYS_clone, 16},        {SYS_clone3, 16},         {SYS_wait4, 16},      {SYS_open, 16},
    {SYS_stat, 16},         {SYS_access, 16},         {SYS_readlink, 16},   {SYS_pread64, 16},
    {SYS_clock_gettime, 8}, {SYS_getdents64, 8},      {SYS_execve, 8},      {SYS_getpid, 8},
    {SYS_gettid, 8},        {SYS_clock_nanosleep, 8}, {SYS_prctl, 8},       {SYS_prlimit64, 8},
    {SYS_statx, 8},         {SYS_sendmsg, 8},         {SYS_recvmsg, 8},     {SYS_connect, 8},
    {SYS_lstat, 8},         {SYS_unlink, 8},          {SYS_readv, 8},       {SYS_kill, 8},
    {SYS_write, 64},
};

constexpr unsigned weight_of(long number) {
    const auto* found = std::ranges::find(frequencies, number, &Frequency::number);
    return found == std::end(frequencies) ? seldom : found->weight;
}

// All calls from a number on, up to the next part's first.
struct Part {
    uint32_t first;
    Place then;
    unsigned weight;
};

constexpr uint32_t offset_of(unsigned argument, bool high) {
    return static_cast<uint32_t>(offsetof(seccomp_data, args) + argument * sizeof(uint64_t) +
                                 (high ? sizeof(uint32_t) : 0));
}
constexpr uint32_t high_half(uint64_t value) {
    return static_cast<uint32_t>(value >> 32);
}
constexpr uint32_t low_half(uint64_t value) {
    return static_cast<uint32_t>(value);
}

// Calls in the order of KEY; those that it doesn't tell apart stay in theirs. (The library's own isn't
// constexpr yet.)
template <class Key>
constexpr void sort(std::vector<const Call*>& calls, const Key& key) {
    for (size_t i = 1; i < calls.size(); ++i)
        for (size_t at = i; at > 0 && key(*calls[at]) < key(*calls[at - 1]); --at)
            std::swap(calls[at], calls[at - 1]);
}

class Builder {
  public:
    constexpr std::vector<sock_filter> numbering(std::span<const long> watched) {
        std::vector<const Call*> rows;
        for (const Call& call : surface::rows) rows.push_back(&call);
        sort(rows, [](const Call& call) { return call.number; });
        for (size_t i = 0; i < rows.size();) {
            const long number = rows[i]->number;
            std::vector<const Call*> of_call;
            for (; i < rows.size() && rows[i]->number == number; ++i) of_call.push_back(rows[i]);
            treat(number, whether_it_passes(of_call));
        }
        for (const long number : watched) treat(number, notify_);
        return build(notify_);
    }

    constexpr std::vector<sock_filter> watching(std::span<const long> watched, std::span<const long> absent) {
        const Place missing = program_.answer(SECCOMP_RET_ERRNO | ENOSYS);
        for (const long number : watched) treat(number, notify_);
        for (const long number : absent) treat(number, missing);
        return build(allow_);
    }

  private:
    // A call that isn't simply allowed. In the order of their numbers; the first word about one holds.
    struct Special {
        long number;
        Place then;
    };
    constexpr void treat(long number, Place then) {
        const auto at = std::ranges::lower_bound(special_, number, {}, &Special::number);
        if (at == special_.end() || at->number != number) special_.insert(at, {number, then});
    }

    constexpr std::vector<sock_filter> build(Place foreign) {
        find_part(parts_of_all_calls(foreign));
        const Place number = program_.load(offsetof(seccomp_data, nr));
        program_.if_equal(AUDIT_ARCH_X86_64, number, foreign);
        program_.load(offsetof(seccomp_data, arch));
        return program_.finish();
    }

    constexpr std::vector<Part> parts_of_all_calls(Place foreign) const {
        std::vector<Part> parts;
        uint32_t next = 0;
        for (const auto& [number, then] : special_) {
            const auto first = static_cast<uint32_t>(number);
            // The kernel knows these as always allowed and doesn't run the filter for them.
            if (first > next) add(parts, {next, allow_, 0});
            add(parts, {first, then, weight_of(number)});
            next = first + 1;
        }
        add(parts, {next, allow_, 0});
        add(parts, {first_of_x32, foreign, 0});
        add(parts, {skipped_call, allow_, 0});
        return parts;
    }

    static constexpr void add(std::vector<Part>& parts, const Part& part) {
        if (!parts.empty() && parts.back().then == part.then)
            parts.back().weight += part.weight;
        else
            parts.push_back(part);
    }

    // Each comparison parts what is left into halves of equal weight, as nearly as can be.
    constexpr Place find_part(std::span<const Part> parts) {
        if (parts.size() == 1) return parts.front().then;
        unsigned whole = 0, below = 0;
        for (const Part& part : parts) whole += part.weight;
        size_t middle = 1;
        unsigned best = ~0U;
        for (size_t i = 1; i < parts.size(); ++i) {
            below += parts[i - 1].weight;
            const unsigned heavier = std::max(below, whole - below);
            // Of equal ones that which is nearest to the middle.
            const auto from_middle = [&](size_t at) { return std::max(at, parts.size() - at); };
            if (heavier > best || (heavier == best && from_middle(i) >= from_middle(middle))) continue;
            best = heavier;
            middle = i;
        }
        const Place above = find_part(parts.subspan(middle));
        const Place under = find_part(parts.first(middle));
        return program_.if_below(parts[middle].first, under, above);
    }

    // The rows of one call: it traps if any of them says so.
    constexpr Place whether_it_passes(std::vector<const Call*>& rows) {
        // Those that look at the same lie together.
        sort(rows, [](const Call& row) { return std::pair(row.when.argument, row.when.mask); });
        Entry passes = allow_;
        for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
            const Place unless_marked = (*row)->all_used ? unless_marked_above_ : unless_marked_;
            passes = holds((*row)->when, holds((*row)->and_when, unless_marked, passes), passes);
        }
        return passes.begin();
    }

    constexpr Entry holds(const Condition& condition, const Entry& yes, const Entry& no) {
        return condition.differs ? equals(condition, no, yes) : equals(condition, yes, no);
    }

    constexpr Entry equals(const Condition& condition, Entry yes, const Entry& no) {
        for (const bool high : {true, false}) {
            const auto half = [&](uint64_t value) { return high ? high_half(value) : low_half(value); };
            if (half(condition.mask) == 0) continue;
            yes = program_.if_word({offset_of(condition.argument, high), half(condition.mask)},
                                   half(condition.value), yes, no);
        }
        return yes;
    }

    std::vector<Special> special_;
    FilterProgram program_;
    Place notify_ = program_.answer(SECCOMP_RET_USER_NOTIF);
    Place allow_ = program_.answer(SECCOMP_RET_ALLOW);
    Place unless_marked_ = equals({5, false, ~uint64_t{0}, mark}, allow_, notify_).begin();
    // In the upper half of a pid_t.
    Place unless_marked_above_ = equals({0, false, ~uint64_t{0} << 32, upper_mark}, allow_, notify_).begin();
};

constexpr size_t length = Builder().numbering({}).size();

constexpr std::array<sock_filter, length> program = [] {
    std::array<sock_filter, length> instructions{};
    std::ranges::copy(Builder().numbering({}), instructions.begin());
    return instructions;
}();

}  // namespace

std::span<const sock_filter> filter() {
    return program;
}

std::vector<sock_filter> filter_with(std::span<const long> watched) {
    return Builder().numbering(watched);
}

std::vector<sock_filter> filter_of(std::span<const long> watched, std::span<const long> absent) {
    return Builder().watching(watched, absent);
}

}  // namespace ctr::pidns
