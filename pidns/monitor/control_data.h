// Where the control data of a message holds process numbers (SCM_CREDENTIALS), walked as the kernel does
// (CMSG_OK and CMSG_NXTHDR of include/linux/socket.h): the lengths in it are the program's.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace ctr::pidns {

// Control data that was cut off for want of room may end behind the number.
inline constexpr size_t shortest_credentials = CMSG_LEN(sizeof(pid_t));
static_assert(offsetof(ucred, pid) == 0);

// The numbers' offsets, ascending; each is of four bytes that lie within.
std::vector<size_t> credentials_in(std::string_view control);

}  // namespace ctr::pidns
