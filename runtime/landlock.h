// Landlock's scopes (ABI 6, Linux 6.12): processes in the domain can't signal processes outside of it,
// whatever their user id and capabilities, nor, if that is asked for, connect to abstract sockets that were
// made outside. Nor can they trace processes outside. Nothing else is restricted; in particular mounting
// stays possible, which a domain that handles file accesses forbids. On kernels without it containment comes
// from user namespace and capabilities.
#pragma once

namespace ctr::landlock {

inline constexpr int signal_scope_abi = 6;

// The kernel's Landlock version, or 0 where there is none or it is switched off.
int abi();

// Enters a domain of its own for good. Needs no_new_privs or CAP_SYS_ADMIN. Async-signal-safe. Returns
// nullptr, or the name of the system call that failed (with errno).
const char* confine(bool sockets);

}  // namespace ctr::landlock
