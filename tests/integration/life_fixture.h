// Containers that are written down, in a directory of the test's own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

#include <nlohmann/json.hpp>

#include "tests/integration/launcher_fixture.h"
#include "tests/support/process.h"

namespace ctr::test {

using Json = nlohmann::json;

inline std::string content(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

inline bool eventually(const std::function<bool()>& holds) {
    for (int i = 0; i < 1000; ++i) {
        if (holds()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
}

inline pid_t parent_of(pid_t process) {
    const std::string stat = content("/proc/" + std::to_string(process) + "/stat");
    const size_t end = stat.rfind(')');
    return end == std::string::npos ? 0 : std::stoi(stat.substr(end + 4));
}

// Processes of the host whose arguments contain the text.
inline size_t count_with(const std::string& text) {
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator("/proc"))
        if (entry.path().filename().string().find_first_not_of("0123456789") == std::string::npos &&
            contains(content(entry.path() / "cmdline"), text))
            ++count;
    return count;
}

inline size_t count_groups() {
    size_t count = 0;
    std::error_code vanished;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at("/sys/fs/cgroup", options, vanished), end; at != end;
         at.increment(vanished))
        if (at->path().filename().string().starts_with("ctr-")) ++count;
    return count;
}

class Life : public testing::TestWithParam<const char*> {
  protected:
    Life() {
        static int number = 0;
        mark_ = "life-mark-" + std::to_string(getpid()) + "-" + std::to_string(++number);
    }
    void TearDown() override {
        std::istringstream names(ctr({"list", "-q"}).out);
        for (std::string name; names >> name;) ctr({"rm", "-f", name});
        EXPECT_TRUE(eventually([&] { return count_with(mark_) == 0; })) << count_with(mark_);
        EXPECT_TRUE(eventually([&] { return count_groups() <= groups_; }));
        EXPECT_EQ(ctr({"list", "-q"}).out, "");
    }

    Arguments command(const Arguments& arguments) const {
        Arguments argv{ctr_binary()};
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        return argv;
    }
    RunOptions with_state(RunOptions options = {}) const {
        options.env.emplace_back("CTR_STATE_DIR", state_directory());
        return options;
    }
    std::string state_directory() const { return scratch_.path() + "/state"; }
    Outcome ctr(const Arguments& arguments, const RunOptions& options = {}) const {
        return test::run(command(arguments), with_state(options));
    }
    // Detached, as "c".
    Outcome detach(const std::string& script, Arguments options = {}) const {
        Arguments arguments{"run", "-d", "--name", "c", std::string("--pidns=") + GetParam()};
        arguments.insert(arguments.end(), options.begin(), options.end());
        for (const std::string& word :
             {std::string("--"), std::string("sh"), std::string("-c"), script, mark_})
            arguments.push_back(word);
        return ctr(arguments);
    }
    Outcome exec(const std::string& script, const RunOptions& options = {}) const {
        return ctr({"exec", "c", "sh", "-c", script, mark_}, options);
    }
    Json state() const { return Json::parse(ctr({"inspect", "c"}).out, nullptr, false); }
    pid_t init() const { return std::stoi(ctr({"pid", "c"}).out); }
    bool logged(const std::string& text) const {
        return eventually([&] { return contains(ctr({"logs", "c"}).out, text); });
    }

    ScratchDirectory scratch_;
    std::string mark_;
    size_t groups_ = count_groups();
};

}  // namespace ctr::test
