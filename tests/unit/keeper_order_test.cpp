// A Spec on its way to a keeper that is a program of its own.
#include "runtime/keeper_order.h"

#include <gtest/gtest.h>

namespace ctr {
namespace {

// Nothing as it is by default. (That no member of it is left out, the compiler sees to.)
Spec unusual() {
    Spec spec;
    spec.command = {"/bin/sh", "-c", std::string("bytes \x00 \xff", 9), ""};
    spec.env = {{"A", "1"}, {"B", ""}};
    spec.env_clear = true;
    spec.workdir = "/work";
    spec.hostname = "box";
    spec.rootfs = "/srv/root";
    spec.overlay = Overlay{"/srv/upper"};
    spec.read_only = true;
    spec.mounts = {Bind{"/a", "/b", true}, Tmpfs{"/t", 4096, 0700}, Devices{"/d"}};
    spec.user = User{1, 2};
    spec.pidns = PidMode::multi;
    spec.pid_lookup = PidLookup::list;
    spec.pid_fastpath = PidFastpath::off;
    spec.pid_max = 500;
    spec.network = Network::none;
    spec.userns = UserNamespace::keep_id;
    spec.ipc = spec.uts = spec.cgroupns = Scope::host;
    spec.clocks = Clocks{-5, int64_t{1} << 40};
    spec.share_with = ShareWith{HostPid(77), uint64_t{1} << 40, "web"};
    spec.cap_add = {"ALL"};
    spec.cap_drop = {"KILL", "CHOWN"};
    spec.no_new_privs = false;
    spec.limits = {{{"/dev/vda", 1, 2, 3, 4}}, uint64_t{1} << 40, 6, 7};
    spec.ulimits = {{RLIMIT_CORE, 0, RLIM_INFINITY}};
    spec.seccomp = "default";
    spec.terminal = true;
    spec.rehearse = true;
    spec.registration = Registration{"/run/x", "web", true, false};
    spec.stop_signal = SIGINT;
    spec.init = true;
    spec.die_with_parent = true;
    spec.status_fd = 9;
    return spec;
}

TEST(KeeperOrder, ArrivesAsItWas) {
    for (const Spec& spec : {Spec{}, unusual()}) {
        const KeeperOrder sent{spec, HostPid(1234), {uint64_t{1} << 40, 2, 3}};
        const auto got = decode_order(encode(sent));
        ASSERT_TRUE(got) << got.error().message();
        EXPECT_TRUE(*got == sent);
    }
    EXPECT_FALSE(unusual() == Spec{});
}

// As what a killed or foreign writer would leave: an error, and nothing read past the end.
TEST(KeeperOrder, IsWholeOrRefused) {
    const std::string bytes = encode({unusual(), HostPid(1), {}});
    for (size_t size = 0; size < bytes.size(); ++size)
        ASSERT_FALSE(decode_order(std::string_view(bytes).substr(0, size))) << size;
    EXPECT_FALSE(decode_order(bytes + '\0'));
    std::string many = bytes;
    many.replace(0, 4, "\xff\xff\xff\xff");  // so many words of the command
    EXPECT_FALSE(decode_order(many));
}

}  // namespace
}  // namespace ctr
