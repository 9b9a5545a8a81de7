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

// Above PID_MAX_LIMIT; its negative is a valid group argument, and it fits into a clock id.
inline constexpr int nobody = 0x07ffffff;

class Translator {
  public:
    Translator(Numbers& numbers, const NestedNamespaces& nested) : numbers_(numbers), nested_(nested) {}

    // All arguments of a call. translated: what the kernel shall see.
    Registers::Arguments inward(const Call& call, const Caller& caller, const uint64_t* arguments) const;

    // A process's, group's or session's number by itself, as a namespace has it: > 0, or passed through.
    int inward(NamespaceId space, int number) const;

    // The same for what names a process: also by one of its threads, which keep the kernel's numbers.
    int process(NamespaceId space, int number) const;

    // What a kind of number in memory or in an argument means to the kernel. The selector says which, where
    // the kind has one.
    int inward(Kind kind, const Caller& caller, int number, int selector) const;

    // A number that the kernel returned or wrote; 0 for what can't be seen from that namespace.
    int outward(int host, NamespaceId space) const { return raw(numbers_.number_of(HostPid(host), space)); }
    int outward(Kind kind, int host, int selector, NamespaceId space) const;

    // The same for what may be a thread that isn't its process's first: it keeps the kernel's number.
    int thread_outward(int host, NamespaceId space) const;

  private:
    int thread(const Caller& caller, int number) const;
    int clock(const Caller& caller, int id) const;
    int thread_in(NamespaceId space, int process, int number) const;

    Numbers& numbers_;
    const NestedNamespaces& nested_;
};

}  // namespace ctr::pidns
