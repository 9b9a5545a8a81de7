// How all examples that measure tell what they found: one line, for eyes and for programs.
//
//     NAME: FIGURE UNIT, TIME us each; COUNT THINGS in SECONDS s; whatever else there is to say
//
// UNIT is that of the test whose kind the example is: "lps", loops per second, and "lpm", loops per minute,
// of UnixBench; "jpm", jobs per minute, of reaim; "s", seconds, of which fewer are better.
#pragma once

#include <chrono>
#include <cstdio>

class Stopwatch {
  public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Done {
    long count;          // how often
    const char* things;  // what
    double seconds;      // how long all of them took
};

// The line but for its end, which the caller prints: a newline, or "; " and more.
inline void tell(const char* name, double figure, const char* unit, const Done& done) {
    std::printf("%s: %.*f %s, %.3f us each; %ld %s in %.3f s", name, figure < 100 ? 3 : 1, figure, unit,
                done.seconds * 1e6 / static_cast<double>(done.count), done.count, done.things, done.seconds);
}

inline void tell_per_second(const char* name, const Done& done) {
    tell(name, static_cast<double>(done.count) / done.seconds, "lps", done);
}

inline void tell_per_minute(const char* name, const char* unit, const Done& done) {
    tell(name, 60 * static_cast<double>(done.count) / done.seconds, unit, done);
}
