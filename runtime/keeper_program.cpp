#include "runtime/keeper_program.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/sys.h"
#include "runtime/blocked_signals.h"
#include "runtime/own_caps.h"

// keeper_data.S (CMakeLists.txt)
extern "C" const char ctr_keeper_begin[];
extern "C" const char ctr_keeper_end[];

namespace ctr {

namespace {

constexpr const char* step = "start the container's keeper";
constexpr size_t most_shown = 2048;  // of a command, in the keeper's arguments

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif
#ifndef MFD_EXEC
#define MFD_EXEC 16U
#endif

// Of a file in memory too: a signal would be the price of a try.
Status check_file_size(size_t size) {
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= size) return {};
    return fail_input(step,
                      "files of this process may have " + std::to_string(limit.rlim_cur) +
                          " bytes at most (RLIMIT_FSIZE), and it takes one of " + std::to_string(size) +
                          " in memory",
                      "a higher limit: ulimit -f, setrlimit");
}

// What is written into it can't be changed any more.
Result<Fd> sealed_file(std::string_view content, bool executable) {
    if (auto fits = check_file_size(content.size()); !fits) return std::unexpected(std::move(fits).error());
    constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    Fd file(memfd_create(keeper_name, flags | (executable ? MFD_EXEC : MFD_NOEXEC_SEAL)));
    // Before Linux 6.3 nobody asked.
    if (!file && errno == EINVAL) file.reset(memfd_create(keeper_name, flags));
    if (!file && executable && errno == EACCES)
        return fail_call(step, "memfd_create", EACCES,
                         "files in memory may not be executed here (sysctl vm.memfd_noexec is 2)",
                         "as root: sysctl vm.memfd_noexec=1; or ctr run, which needs none");
    if (!file) return fail_call(step, "memfd_create");
    while (!content.empty()) {
        const ssize_t written = write(file.get(), content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail_call(step, "write");
        content.remove_prefix(static_cast<size_t>(written));
    }
    if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
        return fail_call(step, "fcntl(F_ADD_SEALS)");
    return file;
}

// Everything that the child needs, made before there is one. It shares the memory: what failed is said here.
struct Birth {
    int program = -1;
    std::array<int, 4> kept{};  // sorted: those that the keeper gets (or -1), and the program
    uint64_t capabilities = 0;  // that an execution would take away
    char* const* arguments = nullptr;
    const char* failed_call = nullptr;
    int error = 0;
};

int fail(Birth& birth, const char* call) {
    birth.failed_call = call;
    birth.error = errno;
    return 127;
}

// The program's descriptors must not live on in the keeper: somebody may be waiting for their end.
void close_others(const Birth& birth) {
    unsigned first = STDERR_FILENO + 1;
    for (const int fd : birth.kept) {
        if (fd < static_cast<int>(first)) continue;
        if (static_cast<unsigned>(fd) > first) sys::close_range(first, static_cast<unsigned>(fd) - 1, 0);
        first = static_cast<unsigned>(fd) + 1;
    }
    sys::close_range(first, ~0U, 0);
}

// Async-signal-safe, all signals blocked, descriptors of its own. Its stack is never returned to, so no
// sanitizer may make notes about it.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] int become_keeper(void* argument) {
    Birth& birth = *static_cast<Birth*>(argument);
    // A status_fd that isn't open is the keeper's to complain about.
    for (const int fd : birth.kept)
        if (fd >= 0 && fd != birth.program) fcntl(fd, F_SETFD, 0);
    close_others(birth);
    if (birth.capabilities != 0)
        if (const char* call = own_caps::keep_over_execution(birth.capabilities)) return fail(birth, call);
    execveat(birth.program, "", birth.arguments, environ, AT_EMPTY_PATH);
    return fail(birth, "execveat");
}

// clone wants a stack; its pages are there when they are touched.
class Stack {
  public:
    static constexpr size_t size = 64 * 1024;
    Stack()
        : pages_(
              mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {}
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;
    ~Stack() {
        if (*this) munmap(pages_, size);
    }
    explicit operator bool() const { return pages_ != MAP_FAILED; }
    void* top() const { return static_cast<char*>(pages_) + size; }

  private:
    void* pages_;
};

const char* cause_of(int error) {
    switch (error) {
        case ENOENT: return "the dynamic linker that it names isn't here: /lib64/ld-linux-x86-64.so.2";
        case EACCES: return "a security module forbids to execute a file in memory";
        case E2BIG: return "the program's environment is too long";
        default: return "";
    }
}

Result<Fd> bear(Birth& birth) {
    const Stack stack;
    if (!stack) return fail_call(step, "mmap");
    int pidfd = -1;
    pid_t child = -1;
    {
        const BlockedSignals blocked;
        child =
            clone(become_keeper, stack.top(), CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &birth, &pidfd);
    }
    if (child < 0) return fail_call(step, "clone");
    Fd keeper(pidfd);
    if (birth.failed_call == nullptr) return keeper;
    siginfo_t ignored{};
    while (waitid(P_PIDFD, static_cast<id_t>(pidfd), &ignored, WEXITED) != 0 && errno == EINTR) {
    }
    return fail_call(step, birth.failed_call, birth.error, cause_of(birth.error));
}

}  // namespace

Result<Fd> execute_keeper(KeeperOrder order, const Fd& reports) {
    const auto own = own_caps::read();
    if (!own) return std::unexpected(own.error());
    order.capabilities = *own;
    const auto program = sealed_file({ctr_keeper_begin, ctr_keeper_end}, true);
    if (!program) return std::unexpected(program.error());
    const auto told = sealed_file(encode(order), false);
    if (!told) return std::unexpected(told.error());

    std::vector<std::string> words{keeper_name, std::to_string(reports.get()), std::to_string(told->get()),
                                   "--"};
    size_t shown = 0;
    for (const std::string& word : order.spec.command) {
        shown += word.size();
        if (shown > most_shown) break;
        words.push_back(word);
    }
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    Birth birth;
    birth.program = program->get();
    birth.kept = {program->get(), told->get(), reports.get(), order.spec.status_fd};
    std::ranges::sort(birth.kept);
    // The kernel gives a root user's programs all that there is, and others' nothing.
    if (geteuid() != 0) birth.capabilities = own->permitted;
    birth.arguments = arguments.data();
    return bear(birth);
}

}  // namespace ctr
