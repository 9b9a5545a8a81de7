// The real /proc of this machine, for a reader who sees everybody under the host's number: nothing may
// change.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "runtime/base/fd.h"
#include "tests/fuzz/contents_properties.h"
#include "tests/support/process.h"

namespace ctr::pidns {
namespace {

namespace fs = std::filesystem;

// Empty if it can't be read: another user's, gone meanwhile, or of a kernel built without it.
std::string read_file(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// The text's own last word, for the files that hold what the view says.
IdentityView view_for(const std::string& text) {
    const size_t word = text.find_last_of(" \n", text.size() < 2 ? std::string::npos : text.size() - 2);
    const int number = std::atoi(text.c_str() + (word == std::string::npos ? 0 : word));
    return {number, number};
}

// Of a process in a namespace of the kernel's below ours, whose levels only the kernel knows.
bool has_levels_below(const std::string& text) {
    const size_t list = text.find("\nNSpid:\t");
    return list != std::string::npos &&
           text.substr(list + 8, text.find('\n', list + 1) - list - 8).find('\t') != std::string::npos;
}

class ContentsLive : public testing::Test {
  protected:
    void expect_unchanged(const std::string& path, Content content) {
        const std::string text = read_file("/proc/" + path);
        if (text.empty() || has_levels_below(text)) return;
        EXPECT_EQ(translate_within(content, text, view_for(text), room_for(text.size())), text) << path;
        ++seen_[content];
    }
    void expect_unchanged(const std::string& path) { expect_unchanged(path, content_of(path)); }

    void expect_directory_unchanged(const std::string& path) {
        std::error_code gone;
        for (const auto& entry : fs::directory_iterator("/proc/" + path, gone))
            expect_unchanged(path + "/" + entry.path().filename().string());
    }

    std::map<Content, int> seen_;
};

TEST_F(ContentsLive, ProcessesAreUnchanged) {
    // Of our own: whose text is sure to be there, and says something.
    const Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
    const test::ScratchDirectory scratch;
    const Fd locked(open((scratch.path() + "/locked").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(flock(locked.get(), LOCK_EX), 0);
    timer_t timer{};
    ASSERT_EQ(timer_create(CLOCK_MONOTONIC, nullptr, &timer), 0);

    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string process = entry.path().filename();
        if (content_of(process + "/stat") != Content::stat) continue;
        for (const char* file : {"/stat", "/status", "/sched", "/timers"}) expect_unchanged(process + file);
        expect_directory_unchanged(process + "/fdinfo");
        std::error_code gone;
        for (const auto& task : fs::directory_iterator(entry.path() / "task", gone)) {
            const std::string thread = process + "/task/" + task.path().filename().string();
            for (const char* file : {"/stat", "/status", "/sched", "/children"})
                expect_unchanged(thread + file);
        }
    }
    timer_delete(timer);
    EXPECT_GE(seen_[Content::stat], 2);
    EXPECT_GE(seen_[Content::status], 2);
    EXPECT_GE(seen_[Content::fdinfo], 5);
}

TEST_F(ContentsLive, TheSystemsFilesAreUnchanged) {
    for (const char* path :
         {"loadavg", "locks", "sysvipc/shm", "sysvipc/msg", "sys/kernel/pid_max", "sys/kernel/ns_last_pid"})
        expect_unchanged(path);
    EXPECT_EQ(seen_[Content::loadavg], 1);
    EXPECT_EQ(seen_[Content::pid_max], 1);
}

}  // namespace
}  // namespace ctr::pidns
