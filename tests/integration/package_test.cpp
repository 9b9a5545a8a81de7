// What is installed: as a user of the library finds it, and as Debian packages.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "tests/integration/launcher_fixture.h"
#include "tests/support/process.h"

namespace ctr::test {
namespace {

constexpr bool sanitized = std::string_view(CTR_SANITIZE) != "";

std::string flags() {
    return sanitized ? std::string("-fsanitize=") + CTR_SANITIZE : std::string();
}

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> found;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) found.push_back(line);
    return found;
}

std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

RunOptions patient(int seconds = 500) {
    RunOptions options;
    options.timeout_seconds = seconds;
    return options;
}

Outcome shell(const std::string& script, const RunOptions& options = patient()) {
    return run({"sh", "-c", script}, options);
}

// Installed once, to a prefix that isn't the one it was configured for.
class Installed : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        directory_ = std::make_unique<ScratchDirectory>();
        installation_ = run({CTR_CMAKE, "--install", CTR_BUILD, "--prefix", prefix()}, patient());
    }
    static void TearDownTestSuite() {
        directory_.reset();
        installation_.reset();
    }
    void SetUp() override {
        ASSERT_EQ(installation_->code, 0) << *installation_;
        library_ = run({"find", prefix(), "-name", "libctr.a"}).out;
        ASSERT_FALSE(library_.empty());
        library_ = fs::path(library_).parent_path();
    }

    static std::string prefix() { return directory_->path() + "/prefix"; }
    static std::string scratch(const std::string& name) { return directory_->path() + "/" + name; }
    const std::string& library() const { return library_; }  // the directory of libraries
    std::string shared() const { return library_ + "/libctr.so"; }
    static std::string headers() { return prefix() + "/include/ctr"; }

    // Runs what was built with the library; the dynamic linker finds it there.
    Outcome run_with_library(const std::string& program) const {
        RunOptions options = patient();
        options.env.emplace_back("LD_LIBRARY_PATH", library_);
        return run({program}, options);
    }
    static void expect_embedded(const Outcome& outcome) {
        EXPECT_EQ(outcome.code, 0) << outcome;
        EXPECT_TRUE(contains(outcome.out, "inside, I am process 1\n")) << outcome;
        EXPECT_TRUE(contains(outcome.out, "it ended with 3\n")) << outcome;
        EXPECT_EQ(outcome.err, "");
    }

    // A project with embed.cpp that finds the package.
    Outcome configure(const std::string& name, const std::string& find_package) const {
        fs::create_directories(scratch(name));
        fs::copy_file(CTR_SOURCE "/examples/embed.cpp", scratch(name) + "/embed.cpp",
                      fs::copy_options::overwrite_existing);
        std::ofstream(scratch(name) + "/CMakeLists.txt")
            << "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES CXX)\n"
            << find_package << "\nadd_executable(embed embed.cpp)\n"
            << "target_link_libraries(embed PRIVATE ctr::runtime)\n";
        return run(
            {CTR_CMAKE, "-S", scratch(name), "-B", scratch(name) + "/build", "-DCMAKE_CXX_COMPILER=" CTR_CXX,
             "-DCMAKE_CXX_FLAGS=" + flags(), "-DCMAKE_PREFIX_PATH=" + prefix()},
            patient());
    }
    static Outcome build(const std::string& name) {
        return run({CTR_CMAKE, "--build", scratch(name) + "/build"}, patient());
    }
    static std::string needed(const std::string& file) {
        return shell("readelf -d '" + file + "' | grep NEEDED").out;
    }

  private:
    static inline std::unique_ptr<ScratchDirectory> directory_;
    static inline std::optional<Outcome> installation_;
    std::string library_;
};

TEST_F(Installed, TheCommandRuns) {
    const Outcome outcome = run({prefix() + "/bin/ctr", "run", "--", "sh", "-c", "echo $$"});
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_EQ(outcome.out, "1\n") << outcome;
}

TEST_F(Installed, ThePackageIsFoundAndLinkedShared) {
    const Outcome configured = configure("shared", "find_package(ctr " CTR_VERSION " REQUIRED)");
    ASSERT_EQ(configured.code, 0) << configured;
    const Outcome built = build("shared");
    ASSERT_EQ(built.code, 0) << built;
    EXPECT_TRUE(contains(needed(scratch("shared") + "/build/embed"), "libctr.so"));
    // CMake has put the library's place into it.
    expect_embedded(run({scratch("shared") + "/build/embed"}, patient()));
}

TEST_F(Installed, ThePackageIsFoundAndLinkedStatically) {
    const Outcome configured =
        configure("static", "find_package(ctr " CTR_VERSION " REQUIRED COMPONENTS static)");
    ASSERT_EQ(configured.code, 0) << configured;
    const Outcome built = build("static");
    ASSERT_EQ(built.code, 0) << built;
    EXPECT_FALSE(contains(needed(scratch("static") + "/build/embed"), "libctr.so"));
    expect_embedded(run({scratch("static") + "/build/embed"}, patient()));
}

TEST_F(Installed, WhichLibraryIsAlsoTheProjectsChoice) {
    const struct {
        const char* settings;
        const char* type;
    } choices[] = {{"set(BUILD_SHARED_LIBS OFF)", "STATIC_LIBRARY"},
                   {"set(BUILD_SHARED_LIBS ON)", "SHARED_LIBRARY"},
                   {"set(BUILD_SHARED_LIBS ON)\nset(ctr_SHARED_LIBS OFF)", "STATIC_LIBRARY"},
                   {"", "SHARED_LIBRARY"}};
    for (const auto& [settings, type] : choices) {
        const Outcome configured =
            configure("choice", std::string(settings) +
                                    "\nfind_package(ctr REQUIRED)\n"
                                    "get_target_property(type ctr::runtime TYPE)\nmessage(STATUS ${type})");
        EXPECT_EQ(configured.code, 0) << configured;
        EXPECT_TRUE(contains(configured.out, type)) << settings << configured;
    }
}

TEST_F(Installed, ThePackageRefusesWhatItIsNot) {
    for (const char* wrong : {"find_package(ctr 99 REQUIRED)", "find_package(ctr 0.0.1 REQUIRED)",
                              "find_package(ctr REQUIRED COMPONENTS dynamic)",
                              "find_package(ctr REQUIRED COMPONENTS shared static)"})
        EXPECT_NE(configure("refused", wrong).code, 0) << wrong;
}

TEST_F(Installed, PkgConfigLeadsToBothLibraries) {
    const std::string config = "PKG_CONFIG_PATH='" + library() + "/pkgconfig' pkg-config ";
    const std::string compile = "cd '" + scratch("") + "' && " CTR_CXX " -std=c++23 " + flags() + " '" +
                                CTR_SOURCE + "/examples/embed.cpp' ";
    EXPECT_EQ(shell(config + "--modversion ctr").out, CTR_VERSION "\n");

    const Outcome shared_built = shell(compile + "$(" + config + "--cflags --libs ctr) -o embed-shared");
    ASSERT_EQ(shared_built.code, 0) << shared_built;
    EXPECT_TRUE(contains(needed(scratch("embed-shared")), "libctr.so"));
    expect_embedded(run_with_library(scratch("embed-shared")));

    // -l takes a shared library where there is one; the other by its file's name.
    const Outcome static_built =
        shell(compile + "$(" + config +
              "--static --cflags --libs ctr | sed 's/-lctr/-l:libctr.a/') -o embed-static");
    ASSERT_EQ(static_built.code, 0) << static_built;
    EXPECT_FALSE(contains(needed(scratch("embed-static")), "libctr.so"));
    expect_embedded(run({scratch("embed-static")}, patient()));
}

TEST_F(Installed, EveryHeaderCompilesAlone) {
    size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(headers())) {
        if (!entry.is_regular_file()) continue;
        ++count;
        // -H lists what is included.
        const Outcome compiled =
            run({CTR_CXX, "-std=c++23", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow",
                 "-Wconversion", "-Wold-style-cast", "-Werror", "-H", "-I", headers(), "-x", "c++",
                 "-include", entry.path(), "/dev/null"},
                patient());
        EXPECT_EQ(compiled.code, 0) << entry.path() << compiled;
        for (const char* stranger :
             {"spdlog", "nlohmann", "seccomp.h", "Zydis", "cxxopts", "sys/capability.h"})
            EXPECT_FALSE(contains(compiled.err, stranger)) << entry.path() << " includes " << stranger;
    }
    EXPECT_GE(count, 15U);
}

// Demangled, without what follows the name: arguments, and "[abi:cxx11]".
std::set<std::string> exported_names(const std::string& library) {
    std::set<std::string> names;
    for (const std::string& line : lines(run({"nm", "-DC", "--defined-only", library}, patient()).out)) {
        // 0000000000012345 T ctr::Container::wait()
        const std::string name = line.substr(std::min<size_t>(line.size(), 19));
        names.insert(name.substr(0, name.find_first_of("([")));
    }
    return names;
}

TEST_F(Installed, TheSharedLibraryExportsWhatTheHeadersDeclare) {
    std::string declared;
    for (const auto& entry : fs::recursive_directory_iterator(headers()))
        if (entry.is_regular_file()) declared += text_of(entry.path());
    const auto names = exported_names(shared());
    for (const char* wanted : {"ctr::Container::start", "ctr::Container::wait", "ctr::start_detached",
                               "ctr::run", "ctr::Contact::make", "ctr::Registry::open", "ctr::check::check",
                               "ctr::Error::message", "ctr::validate", "ctr::cgroup::parse_memory"})
        EXPECT_TRUE(names.contains(wanted)) << wanted;
    for (const std::string& name : names) {
        ASSERT_TRUE(name.starts_with("ctr::")) << name;
        const std::string last = name.substr(name.rfind("::") + 2);
        EXPECT_TRUE(std::regex_search(declared, std::regex("[^a-z_]" + last + "\\("))) << name;
    }
}

TEST_F(Installed, TheSharedLibraryHasAVersionedNameAndFewNeeds) {
    const std::string version = CTR_VERSION;
    const std::string name = "libctr.so." + version.substr(0, version.rfind('.'));
    EXPECT_TRUE(contains(shell("readelf -d '" + shared() + "' | grep SONAME").out, "[" + name + "]"));
    EXPECT_TRUE(fs::exists(library() + "/" + name));
    for (const char* stranger : {"spdlog", "fmt", "Zydis", "libmd"})
        EXPECT_FALSE(contains(needed(shared()), stranger)) << stranger;
}

// What prints, ends the process or installs a handler isn't even called by it.
TEST_F(Installed, TheSharedLibraryCanNotPrintOrExit) {
    if (sanitized) GTEST_SKIP() << "a sanitizer can";
    const std::string used = run({"nm", "-D", "--undefined-only", shared()}, patient()).out;
    for (const char* call : {"exit", "quick_exit", "printf", "vprintf", "fprintf", "puts", "putchar",
                             "perror", "signal", "atexit", "syslog", "_ZSt4cout", "_ZSt4cerr"})
        EXPECT_FALSE(std::regex_search(used, std::regex(std::string(" ") + call + "(@|\n)"))) << call;
}

// ---- Debian packages

class Packages : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        if (sanitized) return;
        directory_ = std::make_unique<ScratchDirectory>();
        making_ = run(
            {CTR_CPACK, "-G", "DEB", "--config", CTR_BUILD "/CPackConfig.cmake", "-B", directory_->path()},
            patient());
    }
    static void TearDownTestSuite() {
        directory_.reset();
        making_.reset();
    }
    void SetUp() override {
        if (sanitized) GTEST_SKIP() << "nobody installs sanitized packages";
        for (const char* tool : {"dpkg-deb", "dpkg-shlibdeps"})
            if (!available(tool)) GTEST_SKIP() << tool << " isn't installed";
        ASSERT_EQ(making_->code, 0) << *making_;
    }

    static std::string file(const std::string& package) {
        for (const auto& entry : fs::directory_iterator(directory_->path()))
            if (entry.path().filename().string().starts_with(package + "_")) return entry.path();
        return "missing: " + package;
    }
    static std::string field(const std::string& package, const std::string& name) {
        return run({"dpkg-deb", "-f", file(package), name}).out;
    }
    static std::set<std::string> content(const std::string& package) {
        std::set<std::string> paths;
        for (const std::string& line : lines(run({"dpkg-deb", "-c", file(package)}).out)) {
            const std::string path = line.substr(line.find("./") + 1);
            if (line.starts_with('-') || line.starts_with('l'))
                paths.insert(path.substr(0, path.find(" -> ")));
        }
        return paths;
    }
    static std::string scratch(const std::string& name) { return directory_->path() + "/" + name; }

  private:
    static inline std::unique_ptr<ScratchDirectory> directory_;
    static inline std::optional<Outcome> making_;
};

const std::string abi = std::string(CTR_VERSION).substr(0, std::string(CTR_VERSION).rfind('.'));

// In few tests, because each makes the packages anew.
TEST_F(Packages, HoldWhatBelongsToThem) {
    const auto paths = content("ctr");
    EXPECT_TRUE(paths.contains("/usr/bin/ctr"));
    for (const char* path :
         {"/usr/share/man/man1/ctr.1", "/usr/share/man/man1/ctr-run.1",
          "/usr/share/bash-completion/completions/ctr", "/usr/share/zsh/site-functions/_ctr",
          "/usr/share/fish/vendor_completions.d/ctr.fish", "/usr/libexec/ctr/spawn"})
        EXPECT_TRUE(paths.contains(path)) << path;
    EXPECT_TRUE(paths.contains("/usr/share/doc/ctr/copyright"));
    for (const std::string& path : paths)
        EXPECT_FALSE(contains(path, "/include/") || contains(path, "libctr"));
    EXPECT_EQ(field("ctr", "Architecture"), "amd64\n");
    EXPECT_EQ(field("ctr", "Version"), CTR_VERSION "\n");
    const std::string depends = field("ctr", "Depends");
    // The latter is loaded by name.
    for (const char* library : {"libc6 (>=", "libzydis4.0"})
        EXPECT_TRUE(contains(depends, library)) << depends;
    EXPECT_FALSE(contains(depends, "libctr")) << depends;

    EXPECT_TRUE(content("libctr" + abi).contains("/usr/lib/libctr.so." + abi));
    EXPECT_TRUE(contains(field("libctr" + abi, "Depends"), "libzydis4.0"));
    const auto development = content("libctr-dev");
    for (const char* path :
         {"/usr/include/ctr/runtime/container.h", "/usr/lib/libctr.a", "/usr/lib/libctr.so",
          "/usr/lib/pkgconfig/ctr.pc", "/usr/lib/cmake/ctr/ctr-config.cmake"})
        EXPECT_TRUE(development.contains(path)) << path;
    EXPECT_FALSE(development.contains("/usr/lib/libctr.so." + abi));
    EXPECT_TRUE(contains(field("libctr-dev", "Depends"), "libctr" + abi + " (= " CTR_VERSION ")"));
}

TEST_F(Packages, WorkWhereTheyAreUnpacked) {
    ASSERT_EQ(run({"dpkg-deb", "-x", file("ctr"), scratch("root")}).code, 0);
    const Outcome command = run({scratch("root") + "/usr/bin/ctr", "run", "--", "sh", "-c", "echo $$"});
    EXPECT_EQ(command.code, 0) << command;
    EXPECT_EQ(command.out, "1\n") << command;

    for (const std::string& package : {"libctr" + abi, std::string("libctr-dev")})
        ASSERT_EQ(run({"dpkg-deb", "-x", file(package), scratch("dev")}).code, 0);
    const std::string library = scratch("dev") + "/usr/lib";
    const Outcome built = shell("PKG_CONFIG_PATH='" + library +
                                "/pkgconfig'; export PKG_CONFIG_PATH; " CTR_CXX " -std=c++23 '" CTR_SOURCE
                                "/examples/embed.cpp'"
                                " $(pkg-config --cflags --libs ctr) -o '" +
                                scratch("embed") + "'");
    ASSERT_EQ(built.code, 0) << built;
    RunOptions options = patient();
    options.env.emplace_back("LD_LIBRARY_PATH", library);
    const Outcome outcome = run({scratch("embed")}, options);
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(contains(outcome.out, "inside, I am process 1\n")) << outcome;
}

}  // namespace
}  // namespace ctr::test
