// One number across the border: inward from a program to the kernel, outward from the kernel to a program.
//
// Inward an unknown number becomes `nobody`, which no process can have: the kernel then finds by itself the
// error that it gives for a number that doesn't exist, with its own order of checks.
#pragma once

#include <cstdint>

#include "pidns/monitor/nested.h"
#include "pidns/monitor/numbers.h"
#include "pidns/monitor/tracer.h"
#include "pidns/surface/calls.h"

namespace ctr::pidns {

inline constexpr int nobody = 0x3fffffff;  // above PID_MAX_LIMIT, and its negative is a valid group argument

class Translator {
  public:
    Translator(Numbers& numbers, const NestedNamespaces& nested) : numbers_(numbers), nested_(nested) {}

    // All arguments of a call. translated: what the kernel shall see.
    Registers::Arguments inward(const Call& call, const Caller& caller, const uint64_t* arguments) const;

    // A process's, group's or session's number by itself, as a namespace has it: > 0, or passed through.
    int inward(NamespaceId space, int number) const;

    // The same for what names a process: also by one of its threads, which keep the kernel's numbers.
    int process(NamespaceId space, int number) const;

    // A number that the kernel returned or wrote; 0 for what can't be seen from that namespace.
    int outward(int host, NamespaceId space) const { return raw(numbers_.number_of(HostPid(host), space)); }

  private:
    int argument(Kind kind, const Caller& caller, const Registers::Arguments& before, unsigned index) const;
    int thread(const Caller& caller, int number) const;
    int thread_in(NamespaceId space, int process, int number) const;

    Numbers& numbers_;
    const NestedNamespaces& nested_;
};

}  // namespace ctr::pidns
