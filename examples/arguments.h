// The one optional argument of most examples: a positive number.
#pragma once

#include <cstdio>
#include <cstdlib>

inline long count_argument(int argc, char** argv, long by_default) {
    if (argc < 2) return by_default;
    char* end = nullptr;
    const long count = std::strtol(argv[1], &end, 10);
    if (argc == 2 && end != argv[1] && *end == '\0' && count > 0) return count;
    std::fprintf(stderr, "usage: %s [N], where N is a positive number, by default %ld\n", argv[0],
                 by_default);
    std::exit(2);
}
