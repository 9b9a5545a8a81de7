// The program of keeper_program.h. Says nothing but reports.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <string>

#include "runtime/base/sys.h"
#include "runtime/keeper.h"
#include "runtime/keeper_program.h"
#include "runtime/own_caps.h"
#include "runtime/report.h"
#include "runtime/starter.h"

namespace ctr {

namespace {

// A descriptor that the arguments name, closed on execution from now on.
Fd descriptor(const char* word) {
    int number = -1;
    const auto [end, error] = std::from_chars(word, word + strlen(word), number);
    if (error != std::errc() || *end != 0 || fcntl(number, F_SETFD, FD_CLOEXEC) != 0) return {};
    return Fd(number);
}

Result<KeeperOrder> read_order(const Fd& file) {
    constexpr const char* step = "read the keeper's order";
    struct stat status {};
    if (fstat(file.get(), &status) != 0) return fail_call(step, "fstat");
    std::string bytes(static_cast<size_t>(status.st_size), 0);
    if (pread(file.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        return fail_call(step, "pread");
    return decode_order(bytes);
}

// As if nothing had been executed.
Status put_back(const own_caps::Sets& before) {
    constexpr const char* step = "keep the capabilities of the program";
    const auto now = own_caps::read();
    if (!now) return std::unexpected(now.error());
    if ((before.permitted & ~now->permitted) != 0)
        return fail_input(step, "an execution took some of them",
                          "securebits and a bounding set that leave the program's capabilities to it");
    if (*now == before) return {};
    if (auto set = own_caps::write(before); !set) return std::unexpected(std::move(set).error().within(step));
    return {};
}

Result<int> keep_as_told(const Fd& order_file, const Fd& reports) {
    auto order = read_order(order_file);
    if (!order) return std::unexpected(std::move(order).error());
    const Spec& spec = order->spec;
    if (spec.status_fd > STDERR_FILENO) fcntl(spec.status_fd, F_SETFD, FD_CLOEXEC);
    if (auto same = put_back(order->capabilities); !same) return std::unexpected(std::move(same).error());
    KeeperOptions options;
    Fd watch;
    if (order->starter != HostPid::none) {
        auto watched = watch_parent(order->starter);
        if (!watched) return std::unexpected(std::move(watched).error());
        watch = std::move(*watched);
    } else {
        // An orphan: whoever reaps those reaps it, and not the program.
        const pid_t orphan = fork();
        if (orphan < 0) return fail_call("leave the program", "fork");
        if (orphan > 0) _exit(0);
    }
    // Out of reach of the program's terminal.
    setsid();
    options.starter = watch.get();
    options.on_started = [&](const Started& started) {
        send_report(reports, Started{started.init,
                                     Fd(dup(started.pidfd.get())),
                                     Fd(dup(started.terminal.get())),
                                     {},
                                     started.command});
    };
    options.on_notice = [&](const Notice& notice) { send_report(reports, notice); };
    return keep(spec, options);
}

}  // namespace

}  // namespace ctr

int main(int count, char** words) {
    using namespace ctr;
    prctl(PR_SET_NAME, keeper_name);
    if (count < 3) return 125;
    const Fd reports = descriptor(words[1]);
    const Fd order = descriptor(words[2]);
    if (!reports || !order) return 125;
    auto ended = keep_as_told(order, reports);
    if (ended)
        send_report(reports, Ended{*ended});
    else
        send_report(reports, Failed{std::move(ended).error()});
    _exit(0);
}
