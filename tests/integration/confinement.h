// ctr as an ordinary user in surroundings that refuse namespaces, as locked-down outer containers and hosts
// do.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "runtime/seccomp.h"
#include "tests/integration/launcher_fixture.h"

namespace ctr::test {

// Profiles of outer containers, in their JSON.
inline constexpr std::string_view no_mounts = R"({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names":
    ["mount", "umount2", "fsopen", "fsmount", "fspick", "open_tree", "move_mount", "mount_setattr", "pivot_root"],
    "action": "SCMP_ACT_ERRNO", "errnoRet": 1}]})";

// What victims/confined.c is told. It has to be started by root.
class Confinement {
  public:
    // Docker's filter, which lets nobody without CAP_SYS_ADMIN make a namespace or a mount, and parts of
    // /proc hidden, as Docker does.
    Arguments as_in_docker() const {
        Arguments argv{confined_};
        for (const char* path : {"/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/scsi"})
            argv.insert(argv.end(), {"--mask", path});
        argv.insert(argv.end(), {"--filter", filter(seccomp::default_profile()), ids(), "--"});
        return argv;
    }
    Arguments below(std::string_view profile) const {
        return {confined_, "--filter", filter(profile), ids(), "--"};
    }
    Arguments without_user_namespaces() const { return {confined_, "--no-users", ids(), "--"}; }
    Arguments with_hidden_proc() const { return {confined_, "--mask", "/proc/cmdline", ids(), "--"}; }

    // `ctr run ARGUMENTS` in these surroundings.
    Arguments command(Arguments surroundings, const Arguments& arguments) const {
        surroundings.insert(surroundings.end(), {binary_, "run"});
        surroundings.insert(surroundings.end(), arguments.begin(), arguments.end());
        return surroundings;
    }
    Arguments check(Arguments surroundings) const {
        surroundings.insert(surroundings.end(), {binary_, "check"});
        return surroundings;
    }
    Outcome start(const Arguments& surroundings, const Arguments& arguments) const {
        return run(command(surroundings, arguments), options());
    }
    static RunOptions options() {
        RunOptions options;
        options.cwd = "/";
        options.env = {{"HOME", "/nonexistent"}, {"XDG_CACHE_HOME", ""}, {"XDG_RUNTIME_DIR", ""}};
        return options;
    }
    // A copy that the user can reach.
    std::string copy(const std::string& file) const { return programs_.copy(file); }

  private:
    static std::string ids() { return std::to_string(somebody.uid) + ":" + std::to_string(somebody.gid); }

    // The path of a file that holds the profile as a filter.
    std::string filter(std::string_view profile) const {
        const auto parsed = seccomp::parse(profile);
        EXPECT_TRUE(parsed) << parsed.error().message();
        const auto program = seccomp::compile(*parsed, {0, {5, 10}});
        EXPECT_TRUE(program) << program.error().message();
        const std::string path = programs_.path() + "/filter";
        std::ofstream(path).write(reinterpret_cast<const char*>(program->filter.data()),
                                  static_cast<std::streamsize>(program->filter.size() * sizeof(sock_filter)));
        return path;
    }

    ScratchDirectory programs_;
    std::string confined_ = programs_.copy(victim("confined"));
    std::string binary_ = programs_.copy(ctr_binary());
};

}  // namespace ctr::test
