// fleet CONTAINERS THREADS: so many containers from so many threads of one program, while others allocate,
// take the C library's locks, and start programs of their own. Says nothing unless something is wrong; ends
// with 0 if all containers did what they were to, and nothing in this process is another than before.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/container.h"
#include "tests/library/self.h"

extern char** environ;

namespace {

using ctr::Container;
using ctr::Spec;

// What threads have to say, for the end.
class Complaints {
  public:
    void add(const std::string& text) {
        const std::scoped_lock lock(mutex_);
        if (++count_ <= 20) texts_ += text + '\n';
    }
    bool none() const { return count_ == 0; }
    std::string text() const { return std::to_string(count_) + " complaints:\n" + texts_; }

  private:
    std::mutex mutex_;
    std::string texts_;
    size_t count_ = 0;
};

Spec shell(const char* script) {
    Spec spec;
    spec.command = {"/bin/sh", "-c", script};
    return spec;
}

// ---- Kinds of containers, in turn. Each says what was wrong.

std::string wait_for_status(const Spec& spec, int status) {
    auto container = Container::start(spec);
    if (!container) return container.error().message();
    const auto end = container->wait();
    if (!end) return end.error().message();
    return end->status == status ? "" : "ended with " + std::to_string(end->status);
}

std::string plain() {
    return wait_for_status(shell("exit 7"), 7);
}

std::string of_the_kernel() {
    Spec spec = shell("exit $$");
    spec.pidns = ctr::PidMode::kernel;
    return wait_for_status(spec, 1);
}

std::string without_numbers() {
    Spec spec = shell("exit 3");
    spec.pidns = ctr::PidMode::host;
    return wait_for_status(spec, 3);
}

std::string shown_by(const Container& container, const std::string& until) {
    std::string shown;
    std::array<char, 256> buffer{};
    ssize_t got = 0;
    while ((got = read(container.terminal().get(), buffer.data(), buffer.size())) > 0) {
        shown.append(buffer.data(), static_cast<size_t>(got));
        if (!until.empty() && shown.find(until) != std::string::npos) break;
    }
    return shown;
}

std::string signalled() {
    Spec spec = shell("trap 'exit 9' TERM; echo ready; sleep 600 & wait");
    spec.terminal = true;
    auto container = Container::start(spec);
    if (!container) return container.error().message();
    shown_by(*container, "ready");
    if (auto sent = container->signal(SIGTERM); !sent) return sent.error().message();
    const auto end = container->wait();
    if (!end) return end.error().message();
    return end->status == 9 ? "" : "ended with " + std::to_string(end->status);
}

std::string left_behind() {
    auto container = Container::start(shell("sleep 600 & sleep 600"));
    return container ? "" : container.error().message();
}

std::string not_there() {
    Spec spec;
    spec.command = {"/nonexistent"};
    const auto container = Container::start(spec);
    if (container) return "/nonexistent was started";
    return container.error().exit_code == 127 ? "" : container.error().message();
}

std::string refused() {
    Spec spec = shell("exit 0");
    spec.hostname = "not a name";
    return Container::start(spec) ? "a bad name was taken" : "";
}

std::string on_a_terminal() {
    Spec spec = shell("test -t 0 && printf hello");
    spec.terminal = true;
    auto container = Container::start(spec);
    if (!container) return container.error().message();
    const std::string shown = shown_by(*container, {});
    const auto end = container->wait();
    if (!end) return end.error().message();
    return shown == "hello" ? "" : "the terminal shows " + shown;
}

// Nothing of a container holds what is open here, however carelessly: who waits for its end would wait for
// the container's.
std::string beside_a_pipe() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return "pipe";
    const ctr::Fd reader(ends[0]);
    ctr::Fd writer(ends[1]);
    auto container = Container::start(shell("sleep 600"));
    if (!container) return container.error().message();
    writer.reset();
    pollfd end{reader.get(), POLLIN, 0};
    return poll(&end, 1, 120'000) == 1 ? "" : "something holds a descriptor of ours";
}

struct Kind {
    const char* name;
    std::function<std::string()> run;
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all{{"plain", plain},
                                       {"of the kernel", of_the_kernel},
                                       {"plain", plain},
                                       {"without numbers", without_numbers},
                                       {"plain", plain},
                                       {"not there", not_there},
                                       {"signalled", signalled},
                                       {"refused", refused},
                                       {"left behind", left_behind},
                                       {"on a terminal", on_a_terminal},
                                       {"beside a pipe", beside_a_pipe}};
    return all;
}

// ---- What else goes on in the program

void allocate(const std::atomic<bool>& over) {
    std::map<unsigned, std::string> kept;
    unsigned seed = 1;
    while (!over) {
        seed = seed * 1103515245U + 12345U;
        kept[seed % 512] = std::string(seed >> 16 & 0xFFF, 'x');
    }
}

void take_locks(const std::atomic<bool>& over) {
    std::FILE* const null = std::fopen("/dev/null", "w");
    while (!over) {
        std::fprintf(null, "%d\n", rand());
        std::fflush(nullptr);
        if (void* const library = dlopen("libm.so.6", RTLD_NOW)) dlclose(library);
        (void)std::setlocale(LC_ALL, nullptr);
    }
    std::fclose(null);
}

void start_programs(const std::atomic<bool>& over, Complaints& complaints) {
    while (!over) {
        char name[] = "true";
        char* words[] = {name, nullptr};
        pid_t child = -1;
        int status = -1;
        if (posix_spawnp(&child, name, nullptr, nullptr, words, environ) != 0 ||
            waitpid(child, &status, 0) != child || status != 0)
            complaints.add("a program of our own ended with " + std::to_string(status));
        usleep(50'000);
    }
}

void launch(size_t containers, size_t threads, Complaints& complaints) {
    std::atomic<size_t> next = 0;
    std::vector<std::jthread> all;
    for (size_t i = 0; i < threads; ++i)
        all.emplace_back([&] {
            for (size_t number = next++; number < containers; number = next++) {
                const Kind& kind = kinds()[number % kinds().size()];
                if (const std::string wrong = kind.run(); !wrong.empty())
                    complaints.add(kind.name + std::string(": ") + wrong);
            }
        });
}

void launch_amid_others(size_t containers, size_t threads, Complaints& complaints) {
    std::atomic<bool> over = false;
    std::vector<std::jthread> others;
    others.emplace_back([&] { allocate(over); });
    others.emplace_back([&] { take_locks(over); });
    others.emplace_back([&] { start_programs(over, complaints); });
    launch(containers, threads, complaints);
    over = true;
}

void handler(int) {}

}  // namespace

int main(int count, char** words) {
    if (count != 3) return 2;
    const size_t containers = std::stoul(words[1]);
    const size_t threads = std::stoul(words[2]);
    // Something to change: handlers, a mask, an ignored signal.
    signal(SIGUSR1, handler);
    signal(SIGPIPE, SIG_IGN);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &mask, nullptr);

    Complaints complaints;
    // Threads' own arenas and stacks stay: they are no leak, and here afterwards.
    launch_amid_others(2 * kinds().size(), threads, complaints);
    const ctr::test::Self before = ctr::test::look_at_self();
    const size_t allocated = ctr::test::allocated();
    const size_t resident = ctr::test::resident();
    launch_amid_others(containers, threads, complaints);
    const std::string changed = differences(before, ctr::test::look_at_self());
    if (!changed.empty()) complaints.add(changed);
    const size_t most = 256 << 10;
    if (const size_t now = ctr::test::allocated(); now > allocated + most)
        complaints.add("memory in use: " + std::to_string(allocated) + ", then " + std::to_string(now));
    if (const size_t now = ctr::test::resident(); now > resident + (32U << 20))
        complaints.add("resident memory: " + std::to_string(resident) + ", then " + std::to_string(now));
    if (complaints.none()) return 0;
    std::fprintf(stderr, "%s", complaints.text().c_str());
    return 1;
}
