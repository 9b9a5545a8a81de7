// The arguments of the examples: positive numbers, in their order, each with a default.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <span>

struct Argument {
    const char* name;
    long value;  // the default, or what was given
};

// Whether the text is a positive number and nothing else, which is then in NUMBER.
inline bool read_number(const char* text, long& number) {
    char* end = nullptr;
    const long read = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || read <= 0) return false;
    number = read;
    return true;
}

// Reads those that are given. What is wrong with them ends the program.
inline void read_arguments(int argc, char** argv, std::span<Argument> arguments) {
    bool good = argc >= 1 && static_cast<size_t>(argc) <= arguments.size() + 1;
    for (int i = 1; good && i < argc; ++i)
        good = read_number(argv[i], arguments[static_cast<size_t>(i) - 1].value);
    if (good) return;
    std::fprintf(stderr, "usage: %s", argv[0]);
    for (const Argument& argument : arguments) std::fprintf(stderr, " [%s]", argument.name);
    std::fputs(", each a positive number\n", stderr);
    std::exit(2);
}

inline long count_argument(int argc, char** argv, long by_default) {
    Argument arguments[] = {{"N", by_default}};
    read_arguments(argc, argv, arguments);
    return arguments[0].value;
}
