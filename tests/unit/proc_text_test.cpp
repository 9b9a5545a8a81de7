// Which texts of paths the guest code leaves to the kernel: pidns/guest/proc_text.h, plain_names.h.
#include "pidns/guest/proc_text.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "pidns/surface/plain_names.h"

namespace ctr::pidns::guest {
namespace {

// As the table of names in proc_text.h means it, one component after the other.
Lead described(const std::string& path) {
    if (path.find("proc") != std::string::npos) return Lead::proc;
    const auto is_number = [](const std::string& name) {
        return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
    };
    std::vector<std::string> names;
    for (size_t at = 0; at <= path.size();) {
        const size_t end = std::min(path.find('/', at), path.size());
        if (end > at) names.push_back(path.substr(at, end - at));
        at = end + 1;
    }
    bool by_number = !names.empty() && (is_number(names.back()) || names_numbers(key(names.back().c_str())));
    for (size_t i = 1; i < names.size(); ++i)
        by_number = by_number || (is_number(names[i - 1]) && is_of_process(key(names[i].c_str())));
    if (!by_number) return Lead::outside;
    return path.starts_with('/') && !path.starts_with("/dev/") && !lists_members(key(names.back().c_str()))
               ? Lead::elsewhere
               : Lead::proc;
}

// Three pages, of which the last can't be read.
class Pages {
  public:
    Pages()
        : begin_(static_cast<char*>(
              mmap(nullptr, 3 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
        mprotect(begin_ + 2 * page_size, page_size, PROT_NONE);
    }
    ~Pages() { munmap(begin_, 3 * page_size); }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    // So that AFTER bytes of the readable pages follow its end.
    const char* put(const std::string& path, size_t after) {
        std::memset(begin_, '/', 2 * page_size);
        char* at = begin_ + 2 * page_size - path.size() - 1 - after;
        std::memcpy(at, path.c_str(), path.size() + 1);
        return at;
    }
    bool is_readable(const char* at) const { return at < begin_ + 2 * page_size; }

  private:
    char* begin_;
};

Lead leads(Pages& pages, const std::string& path, size_t after) {
    return lead_of(pages.put(path, after), [&](const char* at) { return pages.is_readable(at); });
}

TEST(ProcText, FindsWhatMayCarryNumbers) {
    Pages pages;
    for (const char* path : {"/proc",     "/proc/1",     "proc",         "x/proc/1/stat",
                             "12",        "../12",       "12/cwd",       "1/fd/3",
                             "stat",      "self/status", "status",       "a/b/pid_for_children",
                             "self",      "thread-self", "cgroup.procs", "/sys/fs/cgroup/cgroup.procs",
                             "/dev/fd/3", "ns_last_pid", "1/..",         "12/"})
        for (size_t after = 0; after < 16; ++after)
            EXPECT_EQ(leads(pages, path, after), Lead::proc) << path << ' ' << after;
}

TEST(ProcText, TakesNumbersFromTheRootForProcsOnlyWhereAProcfsIsElsewhere) {
    Pages pages;
    for (const char* path :
         {"/usr/lib/gcc/x86_64-linux-gnu/12", "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include",
          "/usr/bin/stat", "/a/b/pid_for_children", "/mnt/1/fd/3", "/mnt/self"})
        for (size_t after = 0; after < 16; ++after)
            EXPECT_EQ(leads(pages, path, after), Lead::elsewhere) << path << ' ' << after;
}

TEST(ProcText, LeavesOrdinaryPathsAlone) {
    Pages pages;
    for (const char* path : {"/etc/passwd", "a", "/", "/usr/lib/x86_64-linux-gnu/libc.so.6",
                             "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h", "restatement", "/pro/c",
                             "p/roc", "a12", "12a", "/var/lib/dpkg/stats", "../..", "pr", "/usr/include/"})
        for (size_t after = 0; after < 16; ++after)
            EXPECT_EQ(leads(pages, path, after), Lead::outside) << path << ' ' << after;
}

// So that nothing but the quick look is needed.
TEST(ProcText, OrdinaryPathsGiveNoHint) {
    Pages pages;
    for (const char* path : {"/etc/passwd", "a", "/usr/lib/x86_64-linux-gnu/libc.so.6", "restatement", "a12",
                             "/usr/local/share/locale/C/LC_MESSAGES", "/home/user/src/process/main.cpp"})
        for (size_t after = 0; after < 16; ++after) {
            const auto readable = [&](const char* at) { return pages.is_readable(at); };
            const bool says_proc = std::strstr(path, "proc") != nullptr;
            EXPECT_EQ(is_clearly_outside(pages.put(path, after), readable), !says_proc)
                << path << ' ' << after;
        }
}

TEST(ProcText, AgreesWithItsPlainDescriptionOnRandomPaths) {
    Pages pages;
    std::mt19937 chance(5);
    const std::vector<std::string> parts{"/",    "/",    "/",   "p",      "r",      "o",        "c",
                                         "pro",  "proc", "1",   "42",     "stat",   "self",     "fd",
                                         "cwd",  "a",    "lib", "x86_64", "pid",    "children", "\x80",
                                         "\xff", "\x01", ".",   "..",     "include"};
    std::map<Lead, int> found;
    constexpr int rounds = 20000;
    for (int i = 0; i < rounds; ++i) {
        std::string path = chance() % 2 == 0 ? "/" : "";
        for (size_t left = 1 + chance() % 12; left > 0; --left) path += parts[chance() % parts.size()];
        const Lead expected = described(path);
        ++found[expected];
        ASSERT_EQ(leads(pages, path, chance() % 24), expected) << path;
    }
    for (const Lead lead : {Lead::outside, Lead::elsewhere, Lead::proc})
        EXPECT_GT(found[lead], rounds / 50) << static_cast<int>(lead);
}

TEST(ProcText, ReadsNoFurtherThanTheKernelWould) {
    Pages pages;
    // Without an end, up to the page that can't be read.
    const std::string endless(300, 'a');
    const char* at = pages.put(endless, 0);
    const_cast<char*>(at)[endless.size()] = 'a';
    EXPECT_EQ(lead_of(at, [&](const char* next) { return pages.is_readable(next); }), Lead::proc);
    EXPECT_EQ(leads(pages, std::string(page_size + 10, 'a'), 0), Lead::proc) << "longer than any path";
}

TEST(ProcText, PlainNamesAreWholeTexts) {
    EXPECT_TRUE(is_plain_path("/proc/self/exe"));
    EXPECT_TRUE(is_plain_path("/proc/sys/vm/overcommit_memory"));
    for (const char* path :
         {"", "/", "/proc/self", "/proc/self/ex", "/proc/self/exe/", "/proc/self/exe2", "/proc/self/stat",
          "/proc/self/status", "/proc/1/exe", "/proc/loadavg", "proc/self/exe"})
        EXPECT_FALSE(is_plain_path(path)) << path;
}

}  // namespace
}  // namespace ctr::pidns::guest
