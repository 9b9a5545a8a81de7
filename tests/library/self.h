// What a library may have left or changed in the process that uses it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace ctr::test {

struct Self {
    std::vector<std::string> descriptors;  // "5 -> /dev/null"
    std::vector<pid_t> children;           // living or not waited for, of all threads
    size_t threads = 0;
    std::string signals;      // the lines SigBlk, SigIgn and SigCgt of each thread, and where handlers lead
    std::string memory_maps;  // of files: no library was loaded
    std::string attributes;   // directory, umask, session, group, name, subreaper, dumpable
    bool operator==(const Self&) const = default;
};

Self look_at_self();

// Bytes in use in the C library's allocator: 0 with another one.
size_t allocated();

// Pages that are really there, in bytes.
size_t resident();

// Where they differ, for a person; empty: nowhere.
std::string differences(const Self& before, const Self& after);

}  // namespace ctr::test
