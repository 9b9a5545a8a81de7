// Who starts containers in the tests of the launcher, and how.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "tests/support/process.h"

namespace ctr::test {

namespace fs = std::filesystem;

inline constexpr Identity somebody{54321, 54322};

inline bool is_root() {
    return geteuid() == 0;
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// A small root file system out of the host's own programs and their libraries.
class SmallRoot {
  public:
    explicit SmallRoot(std::optional<Identity> owner = {}) {
        for (const char* program : {"sh", "cat", "ls", "stat", "touch", "mknod", "readlink", "id", "mkdir",
                                    "ln", "rm", "mv", "chmod"})
            add(program);
        if (!owner) return;
        for (const auto& entry : fs::recursive_directory_iterator(path())) own(entry.path(), *owner);
        own(path(), *owner);
    }
    std::string path() const { return directory_.path(); }

  private:
    void add(const std::string& name) {
        const Outcome where = run({"sh", "-c", "command -v " + name});
        const std::string file = where.out.substr(0, where.out.find('\n'));
        place(file, "/bin/" + name);
        std::istringstream words(run({"ldd", file}).out);
        for (std::string word; words >> word;)
            if (word.starts_with('/')) place(word, word);
    }
    void place(const std::string& from, const std::string& to) {
        const fs::path target = path() + to;
        fs::create_directories(target.parent_path());
        fs::copy_file(fs::canonical(from), target, fs::copy_options::skip_existing);
    }
    static void own(const fs::path& file, Identity owner) {
        if (lchown(file.c_str(), owner.uid, owner.gid) != 0)
            throw std::runtime_error("chown " + file.string());
    }

    ScratchDirectory directory_;
};

enum class Caller { root, user, inner_root };

// Runs `ctr run` in a numbering mode as one kind of caller.
class Launcher : public testing::TestWithParam<std::tuple<Caller, const char*>> {
  protected:
    void SetUp() override {
        if (caller() == Caller::root && !is_root()) GTEST_SKIP() << "needs root";
        if (caller() == Caller::inner_root && run({"unshare", "-Urm", "true"}).code != 0)
            GTEST_SKIP() << "user namespaces are not available here";
        if (caller() == Caller::user && run({"unshare", "-U", "true"}, as_user()).code != 0)
            GTEST_SKIP() << "user namespaces are not available here";
        binary_ = programs_.copy(ctr_binary());
    }

    static Caller caller() { return std::get<0>(GetParam()); }
    static std::string mode() { return std::get<1>(GetParam()); }
    static std::optional<Identity> owner() {
        return caller() == Caller::user && is_root() ? std::optional(somebody) : std::nullopt;
    }

    Outcome start(const Arguments& arguments, const RunOptions& given = {}) const {
        RunOptions options = given;
        if (caller() == Caller::user) options.identity = as_user().identity;
        Arguments argv;
        if (caller() == Caller::inner_root) argv = {"unshare", "-Urm"};
        argv.insert(argv.end(), {binary_, "run", "--pidns=" + mode()});
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        if (options.cwd.empty()) options.cwd = "/";
        return run(argv, options);
    }
    Outcome shell(Arguments options, const std::string& script) const {
        options.insert(options.end(), {"--", "sh", "-c", script});
        return start(options);
    }

  private:
    static RunOptions as_user() {
        RunOptions options;
        if (is_root()) options.identity = somebody;
        return options;
    }

    ScratchDirectory programs_;
    std::string binary_;
};

inline std::string name_of(const testing::TestParamInfo<std::tuple<Caller, const char*>>& parameters) {
    const char* const callers[] = {"root", "user", "inner_root"};
    return std::string(callers[static_cast<int>(std::get<0>(parameters.param))]) + "_" +
           std::get<1>(parameters.param);
}

// What doesn't depend on who calls.
class LauncherInMode : public testing::TestWithParam<const char*> {
  protected:
    static Arguments command(const Arguments& options) {
        Arguments argv{ctr_binary(), "run", std::string("--pidns=") + GetParam()};
        argv.insert(argv.end(), options.begin(), options.end());
        return argv;
    }
    // A shell script that ends in "$@" goes before the launcher.
    static Outcome through(const Arguments& prefix, const Arguments& options) {
        Arguments argv = prefix;
        const Arguments launcher = command(options);
        argv.insert(argv.end(), launcher.begin(), launcher.end());
        return run(argv);
    }
    static Outcome through_script(const std::string& script, const Arguments& options) {
        return through({"sh", "-c", script, "sh"}, options);
    }
};

// Likewise, for root.
class RootsLauncher : public LauncherInMode {
  protected:
    void SetUp() override {
        if (!is_root()) GTEST_SKIP() << "needs root";
    }
};

}  // namespace ctr::test
