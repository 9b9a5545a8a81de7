#include "pidns/model/flat.h"

namespace ctr::pidns {

namespace {

// RESERVED_PIDS of include/linux/threads.h.
constexpr uint32_t reserved = 300;

constexpr std::size_t header_bytes = 64;

constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

std::size_t FlatTable::bytes(Limits limits) {
    return header_bytes + sizeof(Entry) * limits.virt_limit +
           sizeof(std::atomic<uint32_t>) * limits.host_limit;
}

FlatTable::FlatTable(void* memory, Limits limits) : limits_(limits) {
    auto* start = static_cast<char*>(memory);
    cursor_ = static_cast<std::atomic<uint32_t>*>(memory);
    top_ = cursor_ + 1;
    entries_ = static_cast<Entry*>(static_cast<void*>(start + header_bytes));
    index_ = static_cast<std::atomic<uint32_t>*>(
        static_cast<void*>(start + header_bytes + sizeof(Entry) * limits.virt_limit));
}

VirtPid FlatTable::allocate() {
    const uint32_t start = cursor_->load(relaxed);
    uint32_t candidate = start;
    bool wrapped = false;
    for (uint32_t tries = 0; tries <= 2 * limits_.virt_limit; ++tries, ++candidate) {
        if (candidate == 0) candidate = 1;
        if (candidate >= limits_.virt_limit) {
            if (wrapped) return VirtPid::none;
            wrapped = true;
            candidate = start > reserved && reserved < limits_.virt_limit ? reserved : 1;
        }
        if (entries_[candidate].uses.load(relaxed) != 0) continue;
        entries_[candidate].uses.store(1, relaxed);
        cursor_->store(candidate + 1, relaxed);
        if (candidate >= top_->load(relaxed)) top_->store(candidate + 1, relaxed);
        return VirtPid(candidate);
    }
    return VirtPid::none;
}

void FlatTable::cancel(VirtPid number) {
    if (!valid(number) || is_process(number)) return;
    unuse(number);
    // Nobody has seen it: hand it out again, so that a creation that is tried again leaves no gap.
    const auto next = static_cast<uint32_t>(raw(number)) + 1;
    if (cursor_->load(relaxed) == next) cursor_->store(next - 1, relaxed);
}

void FlatTable::publish(VirtPid number, HostPid host, VirtPid group, VirtPid session) {
    if (!valid(number) || raw(host) <= 0 || static_cast<uint32_t>(raw(host)) >= limits_.host_limit) return;
    Entry& e = entry(number);
    use(group);
    use(session);
    e.group.store(static_cast<uint32_t>(raw(group)), relaxed);
    e.session.store(static_cast<uint32_t>(raw(session)), relaxed);
    e.process.store(1, relaxed);
    e.host.store(static_cast<uint32_t>(raw(host)), std::memory_order_release);
    index_[raw(host)].store(static_cast<uint32_t>(raw(number)), std::memory_order_release);
}

VirtPid FlatTable::number_of(HostPid host) const {
    if (raw(host) <= 0 || static_cast<uint32_t>(raw(host)) >= limits_.host_limit) return VirtPid::none;
    const auto number = VirtPid(index_[raw(host)].load(std::memory_order_acquire));
    return host_of(number) == host ? number : VirtPid::none;
}

HostPid FlatTable::host_of(VirtPid number) const {
    if (!valid(number)) return HostPid::none;
    return HostPid(entry(number).host.load(std::memory_order_acquire));
}

VirtPid FlatTable::group_of(VirtPid number) const {
    return valid(number) ? VirtPid(entry(number).group.load(relaxed)) : VirtPid::none;
}

VirtPid FlatTable::session_of(VirtPid number) const {
    return valid(number) ? VirtPid(entry(number).session.load(relaxed)) : VirtPid::none;
}

bool FlatTable::is_process(VirtPid number) const {
    return valid(number) && entry(number).process.load(relaxed) != 0;
}

void FlatTable::set_group(VirtPid number, VirtPid group) {
    if (!is_process(number)) return;
    use(group);  // first: leaving a group for itself must not free it in between
    unuse(group_of(number));
    entry(number).group.store(static_cast<uint32_t>(raw(group)), relaxed);
}

void FlatTable::set_session(VirtPid number, VirtPid session) {
    if (!is_process(number)) return;
    use(session);
    unuse(session_of(number));
    entry(number).session.store(static_cast<uint32_t>(raw(session)), relaxed);
}

void FlatTable::release(VirtPid number) {
    if (!is_process(number)) return;
    entry(number).process.store(0, relaxed);
    unuse(group_of(number));
    unuse(session_of(number));
    unuse(number);
}

void FlatTable::use(VirtPid number) {
    if (valid(number)) entry(number).uses.store(entry(number).uses.load(relaxed) + 1, relaxed);
}

void FlatTable::unuse(VirtPid number) {
    if (!valid(number)) return;
    Entry& e = entry(number);
    const uint32_t uses = e.uses.load(relaxed);
    if (uses == 0) return;
    if (uses == 1) {
        const uint32_t host = e.host.load(relaxed);
        if (host < limits_.host_limit && index_[host].load(relaxed) == static_cast<uint32_t>(raw(number)))
            index_[host].store(0, relaxed);
        e.host.store(0, std::memory_order_release);
    }
    e.uses.store(uses - 1, relaxed);
}

}  // namespace ctr::pidns
