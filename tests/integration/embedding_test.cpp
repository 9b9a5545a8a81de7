// The keeper of containers that a program starts by the library: what it is, and what it has of the program.
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "runtime/container.h"
#include "runtime/own_caps.h"
#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

Spec shell(const std::string& script, PidMode mode = PidMode::flat) {
    Spec spec;
    spec.command = {"/bin/sh", "-c", script};
    spec.pidns = mode;
    return spec;
}

std::string text_of(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

std::string proc(pid_t process, const char* name) {
    return "/proc/" + std::to_string(process) + "/" + name;
}

pid_t parent_of(pid_t process) {
    const std::string stat = text_of(proc(process, "stat"));
    std::istringstream rest(stat.substr(stat.rfind(')') + 1));
    char state = 0;
    pid_t parent = 0;
    rest >> state >> parent;
    return parent;
}

// In a process of its own, which may so be changed. What it has to say; empty: all was well.
std::string apart(const std::function<std::string()>& body) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return "pipe2";
    const pid_t child = fork();
    if (child == 0) {
        const std::string said = body();
        if (write(ends[1], said.data(), said.size()) < 0) _exit(1);
        _exit(0);
    }
    close(ends[1]);
    std::string said;
    char buffer[512];
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
        said.append(buffer, static_cast<size_t>(got));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? said : said + " killed by signal " + std::to_string(WTERMSIG(status));
}

TEST(Embedding, TheKeeperIsASealedProgramInMemory) {
    auto container = Container::start(shell("sleep 600"));
    ASSERT_TRUE(container) << container.error().message();
    const pid_t keeper = parent_of(parent_of(raw(container->init())));
    EXPECT_EQ(parent_of(keeper), getpid());
    EXPECT_EQ(text_of(proc(keeper, "comm")), "ctr-keeper\n");
    EXPECT_TRUE(contains(text_of(proc(keeper, "cmdline")), "sleep 600"));
    const std::string program = proc(keeper, "exe");
    EXPECT_TRUE(std::filesystem::read_symlink(program).string().starts_with("/memfd:ctr-keeper"));
    EXPECT_LT(open(program.c_str(), O_WRONLY | O_CLOEXEC), 0);
    const Fd readable(open(program.c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(readable);
    EXPECT_EQ(fcntl(readable.get(), F_GET_SEALS) & (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL),
              F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
}

TEST(Embedding, TheCommandHasTheProgramsSurroundings) {
    EXPECT_EQ(apart([]() -> std::string {
                  setenv("EMBEDDED", "yes", 1);
                  if (chdir("/usr") != 0) return "chdir";
                  const rlimit limit{77, 88};
                  setrlimit(RLIMIT_NOFILE, &limit);
                  auto container = Container::start(
                      shell("test $EMBEDDED = yes && test $PWD = /usr && test $(ulimit -Sn) = 77 && exit 5"));
                  if (!container) return container.error().message();
                  const auto end = container->wait();
                  if (!end) return end.error().message();
                  return end->status == 5 ? "" : std::to_string(end->status);
              }),
              "");
}

// An execution takes from an ordinary user what it hasn't been told to leave.
TEST(Embedding, TheProgramsCapabilitiesGoAlong) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    EXPECT_EQ(apart([]() -> std::string {
                  if (prctl(PR_SET_KEEPCAPS, 1) != 0 || setgroups(0, nullptr) != 0 ||
                      setresgid(somebody.gid, somebody.gid, somebody.gid) != 0 ||
                      setresuid(somebody.uid, somebody.uid, somebody.uid) != 0)
                      return "switch user";
                  auto own = own_caps::read();
                  if (!own) return own.error().message();
                  own->effective = own->permitted;
                  if (auto written = own_caps::write(*own); !written) return written.error().message();
                  // Without them it takes a user namespace.
                  Spec spec = shell("exit 6", PidMode::kernel);
                  spec.userns = UserNamespace::no;
                  auto container = Container::start(spec);
                  if (!container) return container.error().message();
                  const auto end = container->wait();
                  if (!end) return end.error().message();
                  // They are lent, not given away.
                  const auto after = own_caps::read();
                  if (!after || *after != *own) return "the program's own have changed";
                  return end->status == 6 ? "" : std::to_string(end->status);
              }),
              "");
}

// Root's programs get all that there is, also what this one has given up.
TEST(Embedding, CapabilitiesThatWereGivenUpDoNotComeBack) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    EXPECT_EQ(apart([]() -> std::string {
                  auto own = own_caps::read();
                  if (!own) return own.error().message();
                  constexpr uint64_t chown = 1;  // CAP_CHOWN is 0
                  own->effective &= ~chown;
                  own->permitted &= ~chown;
                  if (auto written = own_caps::write(*own); !written) return written.error().message();
                  auto container =
                      Container::start(shell("grep CapPrm /proc/self/status | grep -q '[02468ace]$'"));
                  if (!container) return container.error().message();
                  const auto end = container->wait();
                  if (!end) return end.error().message();
                  return end->status == 0 ? "" : "the command has it";
              }),
              "");
}

TEST(Embedding, ALimitOnFilesIsAnErrorAndNoSignal) {
    EXPECT_TRUE(contains(apart([]() -> std::string {
                             rlimit limit{};
                             getrlimit(RLIMIT_FSIZE, &limit);
                             limit.rlim_cur = 4096;
                             setrlimit(RLIMIT_FSIZE, &limit);
                             const auto container = Container::start(shell("exit 0"));
                             return container ? "it was started" : container.error().message();
                         }),
                         "RLIMIT_FSIZE"));
}

TEST(Embedding, AStatusDescriptorThatIsNotOpenIsSaidToBeNone) {
    Spec spec = shell("exit 0");
    spec.status_fd = 999;
    const auto container = Container::start(spec);
    ASSERT_FALSE(container);
    EXPECT_TRUE(contains(container.error().message(), "report to descriptor 999"))
        << container.error().message();
}

}  // namespace
}  // namespace ctr::test
