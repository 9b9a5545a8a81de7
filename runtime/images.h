// The images whose system calls a container's programs make: the C library and the dynamic linker of its
// root, and the command itself where it is static.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/facts.h"
#include "runtime/spec.h"

namespace ctr::images {

struct Image {
    std::string path;    // as the container will see it; links may lie on it
    std::string name;    // the last component of where they lead
    Fd file;             // O_PATH; a regular file
    struct stat status;  // of it
    bool noted = false;  // one of those that were noted only: it's not certain that it will run
};

// Those that are there, each once (without a command the libraries alone), at the places where distributions
// have them, beside the dynamic linker that the command names, and at the command's own. Which program a
// command is, is decided as the container will decide it, but with the rights of the caller: this may find
// another one, and does no harm then.
// NOTED: paths of programs that others were seen to start (pidns/monitor/raw_programs.h).
std::vector<Image> find(const Spec& spec, const HostFacts& facts, const std::vector<std::string>& noted = {});

}  // namespace ctr::images
