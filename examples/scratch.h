// A directory for files that are of no use afterwards: the current one until the end of the scope, and then
// gone.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

class Scratch {
  public:
    explicit Scratch(const char* program) {
        const char* base = std::getenv("TMPDIR");
        path_ = std::string(base != nullptr ? base : "/tmp") + '/' + program + "-XXXXXX";
        made_ = mkdtemp(path_.data()) != nullptr;
        good_ = made_ && chdir(path_.c_str()) == 0;
        if (!good_) std::perror((std::string(program) + ": " + path_).c_str());
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        std::error_code ignored;
        if (made_) std::filesystem::remove_all(path_, ignored);
    }
    bool good() const { return good_; }  // else it has said why

  private:
    std::string path_;
    bool made_ = false;
    bool good_ = false;
};
