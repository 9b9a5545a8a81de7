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

void change(std::optional<cgroup::Bucket>& bucket, uint64_t rate, const cgroup::Pace& pace,
            cgroup::Bucket::Time now) {
    if (rate == 0)
        bucket.reset();
    else if (bucket)
        bucket->change(rate, pace, now);
    else
        bucket.emplace(rate, pace, now);
}

bool same_call(const pidns::Trap& one, const pidns::Trap& other) {
    return one.number == other.number && one.instruction == other.instruction &&
           std::ranges::equal(one.arguments, other.arguments);
}

}  // namespace

Result<WriteGate> WriteGate::create(const GateSettings& settings) {
    Fd timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!timer) return fail_call("slow the writers down", "timerfd_create");
    WriteGate gate(std::move(timer));
    gate.change(settings);
    return gate;
}

void WriteGate::change(const GateSettings& settings) {
    const Time now = monotonic();
    all_writes_ = settings.all_writes;
    for (auto& [number, device] : devices_) device.limit = {};
    std::set<cgroup::DeviceNumber> limited;
    for (const GatedDisk& disk : settings.disks) {
        if (!limits_writes(disk.limit)) continue;
        limited.insert(disk.device);
        Device& device = devices_[disk.device];
        device.limit = disk.limit;
        device.counters.device = disk.device;
        device.counters.name = disk.name;
    }
    for (auto& [number, device] : devices_) {
        const cgroup::IoLimit& limit = device.limit;
        ctr::change(device.bytes, limit.write_bytes, limit.write_bytes_pace, now);
        ctr::change(device.operations, limit.write_operations, limit.write_operations_pace, now);
    }
    targets_.limit(std::move(limited));
    for (auto& [number, device] : devices_)
        if (device.ready) device.ready = ready(device.queue.begin()->second, now);
    for (auto& [number, device] : devices_) let_pass(device, now);
    set_timer(now);
}

GateSettings WriteGate::settings() const {
    GateSettings settings{all_writes_, {}};
    for (const auto& [number, device] : devices_)
        if (limits_writes(device.limit))
            settings.disks.push_back({number, device.counters.name, device.limit});
    return settings;
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
    if (takes_its_old_place(listener, trap, charges)) return;
    const Time now = monotonic();
    const cgroup::DeviceNumber number = charges.front().device;
    Device& device = devices_.at(number);
    const Ticket ticket = next_ticket_++;
    places_.insert_or_assign(trap.thread, Place{number, ticket});
    device.queue.emplace(ticket, Request{&listener, trap, std::move(charges), now});
    if (device.queue.size() >= device.many) clear_away_the_gone(device);
    let_pass(device, now);
    set_timer(now);
}

// True: its call was ended by a signal, and has come anew.
bool WriteGate::takes_its_old_place(const pidns::Listener& listener, const pidns::Trap& trap,
                                    const std::vector<Charge>& charges) {
    const auto place = places_.find(trap.thread);
    if (place == places_.end()) return false;
    Device& device = devices_.at(place->second.device);
    const auto before = device.queue.find(place->second.ticket);
    Request& request = before->second;
    if (same_call(request.trap, trap) && request.charges == charges) {
        request.listener = &listener;
        request.trap = trap;
        return true;
    }
    leave(device, before);  // another call: that one is over
    let_pass(device, monotonic());
    return false;
}

// Who leaves without having passed pays nothing.
void WriteGate::leave(Device& device, std::map<Ticket, Request>::iterator request) {
    if (request == device.queue.begin() && device.ready) {
        give_back(request->second);
        device.ready.reset();
    }
    places_.erase(request->second.trap.thread);
    device.queue.erase(request);
}

// The first is looked after anyway.
void WriteGate::clear_away_the_gone(Device& device) {
    for (auto it = std::next(device.queue.begin()); it != device.queue.end();) {
        const auto request = it++;
        if (!request->second.listener->valid(request->second.trap)) leave(device, request);
    }
    device.many = std::max(few, 2 * device.queue.size());
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

// When what has been taken for it is paid.
WriteGate::Time WriteGate::ready(const Request& request, Time now) const {
    Time ready = now;
    for (const Charge& charge : request.charges) {
        const Device& device = devices_.at(charge.device);
        for (const auto& bucket : {device.bytes, device.operations})
            if (bucket) ready = std::max(ready, bucket->paid_until());
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

// All whose time has come.
void WriteGate::let_pass(Device& device, Time now) {
    while (!device.queue.empty()) {
        const auto place = device.queue.begin();
        const Request& first = place->second;
        if (!device.ready) device.ready = take(first, now);
        const bool due = *device.ready <= now;
        if (!due && first.listener->valid(first.trap)) return;
        if (due && first.listener->proceed(first.trap)) {
            count(first, now, now != first.arrived);
            device.ready.reset();
        }
        leave(device, place);
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
