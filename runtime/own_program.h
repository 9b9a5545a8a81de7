// Whether what is to be executed is the launcher itself, come by through /proc/self/exe: by name, or as the
// interpreter that a script names. It would run inside, with the libraries and under the eyes of the
// container, whose processes could then open the host's file through /proc (CVE-2019-5736). The same file
// found by an ordinary path is the container's own business.
//
// Async-signal-safe.
#pragma once

#include <sys/types.h>

namespace ctr {

struct OwnProgram {
    dev_t device = 0;
    ino_t inode = 0;  // 0: it can't be told, for want of a /proc, which then leads to nobody's
};

OwnProgram find_own_program();

bool leads_to(const OwnProgram& own, const char* file);

}  // namespace ctr
