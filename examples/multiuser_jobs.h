// What users of a busy machine do, as small jobs of some hundred microseconds to some milliseconds each.
#pragma once

#include <span>

struct Job {
    const char* name;
    bool (*run)();  // whether all that it did had the result that it must have; if a call failed, errno says
                    // why
};

// All of them. They work in the current directory, on files that have the process's number in their names.
std::span<const Job> jobs();
