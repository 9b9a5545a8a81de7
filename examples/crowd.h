// Processes that do nothing but live.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

// They end with this, or with the program: each waits for the end of a pipe that nobody else holds.
class Crowd {
  public:
    Crowd(const char* program, long live) {
        int ends[2];
        if (pipe(ends) != 0) {
            std::perror(program);
            return;
        }
        end_ = ends[1];
        for (; live_ < live; ++live_) {
            const pid_t child = fork();
            if (child == 0) wait_for_end(ends);
            if (child > 0) continue;
            std::fprintf(stderr, "%s: process %ld of %ld: fork: %s\n", program, live_ + 1, live,
                         std::strerror(errno));
            break;
        }
        close(ends[0]);
        good_ = live_ == live;
    }
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;
    ~Crowd() { end(); }

    bool good() const { return good_; }  // else it has said why

    // Whether all have ended as they should.
    bool end() {
        if (end_ >= 0) close(end_);
        end_ = -1;
        bool well = true;
        for (int status = 0; live_ > 0 && wait(&status) > 0; --live_) well = well && status == 0;
        return well && live_ == 0;
    }

  private:
    [[noreturn]] static void wait_for_end(const int (&ends)[2]) {
        char nothing = 0;
        close(ends[1]);
        _exit(read(ends[0], &nothing, 1) == 0 ? 0 : 1);
    }

    int end_ = -1;
    long live_ = 0;
    bool good_ = false;
};
