// The texts of /proc from outside of a pid namespace, translated, against those that the kernel itself prints
// inside.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "pidns/surface/contents.h"
#include "tests/support/process.h"

namespace ctr::test {
namespace {

namespace fs = std::filesystem;
using pidns::Content;

std::string read_file(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::vector<std::string> names_in(const std::string& directory) {
    std::vector<std::string> names;
    std::error_code ignored;  // gone meanwhile
    for (const auto& entry : fs::directory_iterator(directory, ignored))
        names.push_back(entry.path().filename());
    return names;
}

bool is_number(const std::string& name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

// A namespace's inode, and the number there.
using Numbers = std::vector<std::pair<std::string, int>>;

// Who is who, as the kernel tells on the outside. Its threads have numbers of their own inside, unlike the
// layer's.
class KernelView final : public pidns::View {
  public:
    // `top`: the first process of the namespace that is the reader's.
    explicit KernelView(const std::string& top) {
        const std::string reader = space_of("/proc/" + top);
        for (const std::string& process : names_in("/proc"))
            if (is_number(process))
                for (const std::string& thread : names_in("/proc/" + process + "/task"))
                    add("/proc/" + process + "/task/" + thread, reader, std::stoi(process),
                        std::stoi(thread));
    }

    int process(int host) const override { return first(processes_, host); }
    int thread(int host) const override { return std::max(first(threads_, host), process(host)); }
    size_t numbers(int host, int member, int* to, size_t capacity) const override {
        const auto member_of = processes_.find(member);
        if (member_of == processes_.end()) return 0;
        size_t count = 0;
        for (const auto& [space, number] : member_of->second)
            if (count < capacity) to[count++] = number_in(host, space);
        return count;
    }
    int limit() const override { return 0; }
    int last() const override { return 0; }
    bool may_inspect() const override { return true; }

    const std::map<int, Numbers>& processes() const { return processes_; }
    const std::map<int, Numbers>& threads() const { return threads_; }

  private:
    static std::string space_of(const std::string& task) {
        std::error_code ignored;
        return fs::read_symlink(task + "/ns/pid", ignored);
    }

    // The namespaces of this family are the reader's and those directly below.
    void add(const std::string& task, const std::string& reader, int process, int thread) {
        std::istringstream status(read_file(task + "/status"));
        const std::string own = space_of(task);
        for (std::string line; std::getline(status, line);) {
            if (!line.starts_with("NSpid:")) continue;
            std::istringstream list(line.substr(sizeof "NSpid:" - 1));
            std::vector<int> levels;
            for (int number = 0; list >> number;) levels.push_back(number);
            if (levels.size() == 2 && own == reader)
                (process == thread ? processes_ : threads_)[thread] = {{own, levels[1]}};
            if (levels.size() == 3 && space_above(own) == reader)
                (process == thread ? processes_ : threads_)[thread] = {{reader, levels[1]}, {own, levels[2]}};
        }
    }

    // The namespace of a namespace's first process's parent: this family is made so.
    std::string space_above(const std::string& own) {
        return above_.try_emplace(own, top_of(own)).first->second;
    }
    std::string top_of(const std::string& own) {
        for (const std::string& process : names_in("/proc"))
            if (is_number(process) && space_of("/proc/" + process) == own) {
                std::istringstream status(read_file("/proc/" + process + "/status"));
                for (std::string line; std::getline(status, line);)
                    if (line.starts_with("PPid:"))
                        return space_of("/proc/" + std::to_string(std::stoi(line.substr(6))));
            }
        return {};
    }

    static int first(const std::map<int, Numbers>& known, int host) {
        const auto found = known.find(host);
        return found == known.end() ? 0 : found->second.front().second;
    }
    int number_in(int host, const std::string& space) const {
        const auto found = processes_.find(host);
        if (found == processes_.end()) return 0;
        for (const auto& [where, number] : found->second)
            if (where == space) return number;
        return 0;
    }

    std::map<int, Numbers> processes_;
    std::map<int, Numbers> threads_;
    std::map<std::string, std::string> above_;
};

// Differs between any two readings.
std::string without_the_clock(const std::string& text) {
    std::istringstream lines(text);
    std::string rest;
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("clock-delta")) rest += line + "\n";
    return rest;
}

std::string translated(Content content, const std::string& text, const pidns::View& view) {
    std::string to(pidns::room_for(text.size()), '\0');
    const auto size = translate(content, text, view, to);
    return size ? to.substr(0, *size) : "(nothing) for " + text;
}

class ContentsOracle : public testing::Test {
  protected:
    void SetUp() override {
        if (geteuid() != 0) GTEST_SKIP() << "makes pid namespaces of the kernel's: needs root";
        family_ = std::make_unique<Background>(Arguments{victim("proctexts"), scratch_.path(), members()});
        ASSERT_TRUE(family_->wait_for_output("\n")) << family_->err();
        const std::string out = family_->out();
        top_ = out.substr(out.find(' ') + 1, out.find('\n') - out.find(' ') - 1);
    }

    // The next test may count the host's processes.
    void TearDown() override {
        family_.reset();
        for (int attempt = 0; attempt < 250 && !top_.empty() && fs::exists("/proc/" + top_); ++attempt)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }

    // Both are read until they agree: while the family falls asleep they change.
    void expect_same(const std::string& outside, const std::string& inside, const KernelView& view) {
        const Content content = pidns::content_of(outside);
        std::string expected;
        std::string actual;
        for (int attempt = 0; attempt < 50; ++attempt) {
            expected = without_the_clock(read_file(proc_inside() + inside));
            actual = without_the_clock(translated(content, read_file("/proc/" + outside), view));
            if (expected == actual) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        EXPECT_EQ(expected, actual) << outside << " is " << inside << " inside";
        compared_[content] += expected.empty() ? 0 : 1;
    }

    std::string proc_inside() const { return "/proc/" + top_ + "/root/proc/"; }

    // The list of the cgroup that the test, and so the family, is in.
    static std::string members() {
        std::istringstream groups(read_file("/proc/self/cgroup"));
        for (std::string line; std::getline(groups, line);) {
            const size_t controllers = line.find(':') + 1;
            const size_t path = line.find(':', controllers) + 1;
            const std::string list = "/sys/fs/cgroup/" + line.substr(controllers, path - controllers - 1) +
                                     line.substr(path) + "/cgroup.procs";
            if (access(list.c_str(), R_OK) == 0) return list;
        }
        return "/dev/null";
    }

    ScratchDirectory scratch_;
    std::unique_ptr<Background> family_;
    std::string top_;
    std::map<Content, int> compared_;
};

TEST_F(ContentsOracle, ProcessesReadAsTheKernelPrintsThemInside) {
    const KernelView view(top_);
    ASSERT_EQ(view.processes().size(), 8u);
    ASSERT_EQ(view.threads().size(), 1u);
    const auto compare = [&](const std::string& outside, const std::string& inside) {
        for (const char* file : {"/stat", "/status", "/sched"})
            expect_same(outside + file, inside + file, view);
        for (const std::string& fd : names_in("/proc/" + outside + "/fdinfo"))
            expect_same(outside + "/fdinfo/" + fd, inside + "/fdinfo/" + fd, view);
    };
    for (const auto& [host, numbers] : view.processes()) {
        const std::string outside = std::to_string(host);
        const std::string inside = std::to_string(numbers.front().second);
        compare(outside, inside);
        expect_same(outside + "/timers", inside + "/timers", view);
        expect_same(outside + "/task/" + outside + "/children", inside + "/task/" + inside + "/children",
                    view);
    }
    for (const auto& [host, numbers] : view.threads())
        compare(top_ + "/task/" + std::to_string(host), "1/task/" + std::to_string(numbers.front().second));
    for (const Content content : {Content::stat, Content::status, Content::sched, Content::fdinfo,
                                  Content::timers, Content::children})
        EXPECT_GT(compared_[content], 0);
}

TEST_F(ContentsOracle, LocksReadAsTheKernelPrintsThemInside) {
    expect_same("locks", "locks", KernelView(top_));
    EXPECT_EQ(compared_[Content::locks], 1);
}

TEST_F(ContentsOracle, IpcReadsAsTheKernelPrintsItInside) {
    const KernelView view(top_);
    for (const auto& [content, name] : {std::pair{Content::shm, "shm"}, {Content::msg, "msg"}})
        EXPECT_EQ(translated(content, read_file(scratch_.path() + "/" + name + " outside"), view),
                  read_file(scratch_.path() + "/" + name + " inside"));
}

// In any order, and without counting who can't be seen: others come and go.
TEST_F(ContentsOracle, MembersReadAsTheKernelPrintsThemInside) {
    const auto numbers = [](const std::string& text) {
        std::istringstream words(text);
        std::vector<int> all;
        for (int number = 0; words >> number;)
            if (number != 0) all.push_back(number);
        std::ranges::sort(all);
        return all;
    };
    const auto inside = numbers(read_file(scratch_.path() + "/members inside"));
    if (inside.empty()) GTEST_SKIP() << "the test's cgroup can't be read";
    const KernelView view(top_);
    ASSERT_GE(inside.size(), view.processes().size());
    for (const Content content : {Content::pid_list, Content::pid_list_v2})
        EXPECT_EQ(numbers(translated(content, read_file(members()), view)), inside);
}

}  // namespace
}  // namespace ctr::test
