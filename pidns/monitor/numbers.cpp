#include "pidns/monitor/numbers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "runtime/base/fd.h"

namespace ctr::pidns {

namespace {

// Also true for a zombie, and for a process that this one may not signal.
bool exists(HostPid host) {
    return kill(raw(host), 0) == 0 || errno != ESRCH;
}

// kernel.pid_max can be raised while we run: 2^22 (PID_MAX_LIMIT) is what it can't exceed. Untouched pages of
// the mapping cost nothing.
constexpr uint32_t host_limit = 1U << 22;

}  // namespace

void Numbers::Unmap::operator()(void* memory) const {
    munmap(memory, bytes);
}

Result<Numbers> Numbers::create(uint32_t pid_limit) {
    const FlatTable::Limits limits{pid_limit, host_limit};
    const std::size_t bytes = FlatTable::bytes(limits);
    void* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return fail_call("make the table of process numbers", "mmap");
    return Numbers(Mapping(memory, Unmap{bytes}), limits);
}

Numbers::Numbers(Mapping mapping, FlatTable::Limits limits)
    : mapping_(std::move(mapping)),
      table_(mapping_.get(), limits),
      swept_(std::chrono::steady_clock::now()) {}

void Numbers::register_init(HostPid host) {
    const VirtPid number = table_.allocate();
    table_.publish(number, host, number, number);
}

void Numbers::register_child(VirtPid number, HostPid host, HostPid creator) {
    drop_stale(host);
    const VirtPid parent = table_.number_of(creator);
    table_.publish(number, host, table_.group_of(parent), table_.session_of(parent));
}

VirtPid Numbers::adopt(HostPid host) {
    const VirtPid number = table_.allocate();
    if (number == VirtPid::none) return number;
    drop_stale(host);
    table_.publish(number, host, number, number);
    refresh(host);
    return number;
}

void Numbers::reported(HostPid host) {
    if (!exists(host)) table_.release(table_.number_of(host));
}

void Numbers::refresh(HostPid host) {
    const VirtPid number = table_.number_of(host);
    table_.set_group(number, table_.number_of(HostPid(getpgid(raw(host)))));
    table_.set_session(number, table_.number_of(HostPid(getsid(raw(host)))));
}

void Numbers::collect_stale() {
    const auto now = std::chrono::steady_clock::now();
    if (now - swept_ < sweep_interval) return;
    swept_ = now;
    sweep();
}

void Numbers::drop_stale(HostPid host) {
    table_.release(table_.number_of(host));
}

void Numbers::sweep() {
    table_.each_process([this](VirtPid number) {
        if (!exists(table_.host_of(number))) table_.release(number);
    });
}

}  // namespace ctr::pidns
