// Processes whose calls the monitor wants to see, though code inside them could translate them: one byte for
// each number of the host. Freestanding.
//
// Written by the monitor; read by the code inside workloads before it serves a call by itself. Whoever
// registers a process resets its byte.
#pragma once

#include <atomic>
#include <cstddef>

#include "pidns/model/numbering.h"

namespace ctr::pidns {

class Attention {
  public:
    // Why; bits of the byte.
    enum Reason : uint8_t {
        handlers = 1,    // its signals pass through the monitor
        namespaces = 2,  // its children are born elsewhere than it lives
        debugging = 4,   // it is being traced
        tracer = 8,      // it traces others
    };
    static constexpr uint8_t any = 0xff;

    static constexpr std::size_t bytes(const Limits& limits) { return limits.host_numbers; }

    Attention(void* memory, const Limits& limits)
        : bytes_(static_cast<std::atomic<uint8_t>*>(memory)), limit_(limits.host_numbers) {}

    void set(HostPid host, Reason reason) {
        if (valid(host)) bytes_[raw(host)].fetch_or(reason, std::memory_order_seq_cst);
    }
    void clear(HostPid host, Reason reason) {
        if (valid(host) && (bytes_[raw(host)].load(std::memory_order_relaxed) & reason) != 0)
            bytes_[raw(host)].fetch_and(static_cast<uint8_t>(~unsigned{reason}), std::memory_order_seq_cst);
    }
    bool wanted(HostPid host, unsigned reasons = any) const {
        return !valid(host) || (bytes_[raw(host)].load(std::memory_order_seq_cst) & reasons) != 0;
    }

    // For a process that has just been registered: what is left of an earlier one of its number.
    void reset(HostPid host) {
        if (valid(host) && bytes_[raw(host)].load(std::memory_order_relaxed) != 0)
            bytes_[raw(host)].store(0, std::memory_order_seq_cst);
    }

  private:
    bool valid(HostPid host) const { return raw(host) > 0 && static_cast<uint32_t>(raw(host)) < limit_; }

    std::atomic<uint8_t>* bytes_;
    uint32_t limit_;
};

}  // namespace ctr::pidns
