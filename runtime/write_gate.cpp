#include "runtime/write_gate.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/write_calls.h"

namespace ctr {

namespace {

// Whoever waits may be killed meanwhile. It is noticed after this time, so that others don't wait in its
// place.
constexpr cgroup::Bucket::Time patience = std::chrono::milliseconds(100);

cgroup::Bucket::Time monotonic() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

std::optional<cgroup::Bucket> bucket(uint64_t rate, const cgroup::Pace& pace) {
    if (rate == 0) return {};
    return cgroup::Bucket(rate, pace, monotonic());
}

}  // namespace

Result<WriteGate> WriteGate::create(const cgroup::ResolvedLimits& limits) {
    Fd timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!timer) return fail_call("slow the writers down", "timerfd_create");
    std::set<cgroup::DeviceNumber> limited;
    for (const auto& [number, limit] : limits.limits)
        if (limits_writes(limit)) limited.insert(number);
    WriteGate gate(std::move(timer), WriteTargets(limited));
    for (const cgroup::DeviceNumber number : limited) {
        const cgroup::IoLimit& limit = limits.limits.at(number);
        Device& device = gate.devices_[number];
        device.bytes = bucket(limit.write_bytes, limit.write_bytes_pace);
        device.operations = bucket(limit.write_operations, limit.write_operations_pace);
        device.counters.device = number;
        device.counters.name = limits.devices.at(number).name;
    }
    return gate;
}

void WriteGate::arrived(const pidns::Listener& listener, const pidns::Trap& trap) {
    auto charges = charges_of(trap);
    if (!listener.valid(trap)) return;
    if (charges.empty()) {
        listener.proceed(trap);
        return;
    }
    if (const long refusal = write_calls::refusal(trap); refusal != 0) {
        listener.answer(trap, refusal);
        return;
    }
    const Time now = monotonic();
    Device& device = devices_.at(charges.front().device);
    device.queue.push_back({&listener, trap, std::move(charges), now});
    if (device.queue.size() > 1) return;  // who waits already has set the timer
    let_pass(device, now);
    if (!device.queue.empty()) set_timer(now);
}

std::vector<WriteGate::Charge> WriteGate::charges_of(const pidns::Trap& trap) {
    std::vector<Charge> charges;
    for (const write_calls::Transfer& transfer : write_calls::transfers(trap)) {
        const auto device = transfer.bytes == 0 ? std::nullopt : targets_.find(trap.thread, transfer.fd);
        if (!device) continue;
        auto charge = std::ranges::find(charges, *device, &Charge::device);
        if (charge == charges.end()) charge = charges.insert(charges.end(), Charge{*device});
        charge->bytes += transfer.bytes;
        charge->operations += transfer.operations;
    }
    return charges;
}

WriteGate::Time WriteGate::take(const Request& request, Time now) {
    Time ready = now;
    for (const Charge& charge : request.charges) {
        Device& device = devices_.at(charge.device);
        if (device.bytes) ready = std::max(ready, device.bytes->take(charge.bytes, now));
        if (device.operations) ready = std::max(ready, device.operations->take(charge.operations, now));
    }
    return ready;
}

void WriteGate::give_back(const Request& request) {
    for (const Charge& charge : request.charges) {
        Device& device = devices_.at(charge.device);
        if (device.bytes) device.bytes->give_back(charge.bytes);
        if (device.operations) device.operations->give_back(charge.operations);
    }
}

void WriteGate::count(const Request& request, Time now, bool waited) {
    for (const Charge& charge : request.charges) {
        cgroup::ThrottleCounters& counters = devices_.at(charge.device).counters;
        counters.write_bytes += charge.bytes;
        counters.write_operations += charge.operations;
        if (!waited) continue;
        ++counters.throttled;
        counters.time += now - request.arrived;
    }
}

// All whose time has come. Who has gone meanwhile pays nothing.
void WriteGate::let_pass(Device& device, Time now) {
    while (!device.queue.empty()) {
        const Request& first = device.queue.front();
        if (!device.ready) device.ready = take(first, now);
        const bool due = *device.ready <= now;
        if (!due && first.listener->valid(first.trap)) return;
        if (due && first.listener->proceed(first.trap))
            count(first, now, now != first.arrived);
        else
            give_back(first);
        device.ready.reset();
        device.queue.pop_front();
    }
}

void WriteGate::serve() {
    uint64_t expirations = 0;
    [[maybe_unused]] const ssize_t drained = read(timer_.get(), &expirations, sizeof expirations);
    const Time now = monotonic();
    for (auto& [number, device] : devices_) let_pass(device, now);
    set_timer(now);
}

// To the first who may be let pass.
void WriteGate::set_timer(Time now) const {
    std::optional<Time> next;
    for (const auto& [number, device] : devices_)
        if (device.ready) next = std::min(next.value_or(Time::max()), *device.ready);
    if (!next) return;
    const Time then = std::min(*next, now + patience);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(then);
    const itimerspec when{{}, {seconds.count(), (then - seconds).count()}};
    timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

std::vector<cgroup::ThrottleCounters> WriteGate::counters() const {
    std::vector<cgroup::ThrottleCounters> all;
    all.reserve(devices_.size());
    for (const auto& [number, device] : devices_) all.push_back(device.counters);
    return all;
}

}  // namespace ctr
