#include "runtime/mounts.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>

#include "cmd/options.h"
#include "runtime/caps.h"
#include "runtime/plan.h"
#include "tests/support/host_facts.h"

namespace ctr {
namespace {

void expect_refused(const MountRequest& mount, const std::string& words) {
    const Status status = validate(std::vector{mount});
    ASSERT_FALSE(status) << words;
    EXPECT_NE(status.error().message().find(words), std::string::npos) << status.error().message();
}

TEST(Mounts, TargetsAreAbsoluteAndNotTheRoot) {
    EXPECT_TRUE(validate({Bind{"a", "/b"}, Tmpfs{"/t"}, Devices{"/dev"}}));
    expect_refused(Tmpfs{"tmp"}, "\"tmp\" is not absolute");
    expect_refused(Tmpfs{""}, "\"\" is not absolute");
    for (const char* root : {"/", "//", "/./", "/.."}) expect_refused(Bind{"/a", root}, "is the root");
    expect_refused(Devices{"/" + std::string(511, 'x')}, "511 bytes");
    expect_refused(Bind{"", "/b"}, "\"/b\" has no source");
    expect_refused(Bind{std::string("a\0b", 3), "/b"}, "NUL");
    expect_refused(Tmpfs{"/t", 0, 010000}, "\"/t\"");
}

std::vector<MountRequest> parsed(const std::vector<std::string>& words) {
    const auto options = cmd::parse_run(words, {});
    EXPECT_TRUE(options) << options.error().message();
    return options ? options->spec.mounts : std::vector<MountRequest>();
}

std::string refusal(const std::vector<std::string>& words) {
    const auto options = cmd::parse_run(words, {});
    return options ? "" : options.error().message();
}

TEST(MountOptions, KeepTheirOrderWhateverTheirNames) {
    const auto mounts = parsed({"--tmpfs", "/a", "--ro-bind=/x:/b", "-v/y:/c", "--tmpfs=/d", "--dev", "/dev",
                                "--bind", "z:/e", "true"});
    const std::vector<std::string> targets = {"/a", "/b", "/c", "/d", "/dev", "/e"};
    ASSERT_EQ(mounts.size(), targets.size());
    for (size_t i = 0; i < targets.size(); ++i) EXPECT_EQ(target_of(mounts[i]), targets[i]);
    EXPECT_TRUE(std::get<Bind>(mounts[1]).read_only);
    EXPECT_FALSE(std::get<Bind>(mounts[2]).read_only);
    EXPECT_EQ(std::get<Bind>(mounts[5]).source, "z");
}

TEST(MountOptions, VolumesAreReadAsDockerReadsThem) {
    EXPECT_TRUE(std::get<Bind>(parsed({"-v", "/a:/b:ro", "x"}).at(0)).read_only);
    EXPECT_FALSE(std::get<Bind>(parsed({"-v", "/a:/b:rw", "x"}).at(0)).read_only);
    EXPECT_EQ(std::get<Bind>(parsed({"-v", "/a:b:/c", "x"}).at(0)).source, "/a:b");
    EXPECT_NE(refusal({"-v", "/a:/b:z", "x"}).find("\"z\" of \"/a:/b:z\""), std::string::npos);
    EXPECT_NE(refusal({"-v", "data:/b", "x"}).find("\"data\" names a volume"), std::string::npos);
    for (const char* text : {"/a", "/a:b", ":/b", ""})
        EXPECT_NE(refusal({"-v", text, "x"}).find("\"" + std::string(text) + "\""), std::string::npos);
    EXPECT_NE(refusal({"--bind", "/a:/b:ro", "x"}).find("\"/a:/b:ro\""), std::string::npos);
}

TEST(MountOptions, ATmpfsHasSizeAndMode) {
    const auto tmpfs = std::get<Tmpfs>(parsed({"--tmpfs", "/t:size=2m,mode=0755", "x"}).at(0));
    EXPECT_EQ(tmpfs.size, 2U << 20);
    EXPECT_EQ(tmpfs.mode, 0755U);
    for (const char* word : {"size=2q", "size=", "size=2m/s", "mode=8", "mode=", "mode=10000", "exec", ""})
        EXPECT_NE(refusal({"--tmpfs", "/t:" + std::string(word), "x"}).find("\"" + std::string(word) + "\""),
                  std::string::npos)
            << word;
}

using test::root_facts;

Spec with(std::vector<MountRequest> mounts, std::string rootfs = {}) {
    Spec spec;
    spec.command = {"true"};
    spec.mounts = std::move(mounts);
    spec.rootfs = std::move(rootfs);
    return spec;
}

Plan plan_of(const Spec& spec, const HostFacts& facts = root_facts(),
             std::vector<action::Placement> placements = {}) {
    auto plan = make_plan(spec, facts, std::move(placements));
    EXPECT_TRUE(plan) << plan.error().message();
    return plan ? std::move(*plan) : Plan{};
}

// The lines with these texts come in this order.
void expect_order(const Plan& plan, const std::vector<std::string>& texts) {
    const std::string lines = describe(plan);
    size_t last = 0;
    for (const std::string& text : texts) {
        const size_t found = lines.find(text, last);
        ASSERT_NE(found, std::string::npos) << text << "\n" << lines;
        last = found + text.size();
    }
}

template <class Kind>
std::vector<const Kind*> all(const Plan& plan) {
    std::vector<const Kind*> found;
    for (const Step& step : plan.steps)
        if (const auto* action = std::get_if<Kind>(&step.action)) found.push_back(action);
    return found;
}

TEST(MountSteps, SourcesAreHeldBeforeAnythingIsMounted) {
    expect_order(plan_of(with({Tmpfs{"/usr"}, Bind{"/usr", "/mnt", true}, Bind{"/dev/null", "/n"}}, "/")),
                 {"mounts private", "take hold of what will be bound [/usr /dev/null]", "bind the root",
                  "mask /proc/kcore", "private \"/usr\"", "bind \"/usr\" to \"/mnt\" [read-only]",
                  "bind \"/dev/null\" to \"/n\"", "\"/\" the root"});
}

TEST(MountSteps, DirectoriesAreBoundWithoutDevices) {
    const Plan plan = plan_of(with({Bind{"/usr", "/a"}, Bind{"/dev/null", "/b", true}}, "/"));
    const auto binds = all<action::BindSource>(plan);
    ASSERT_EQ(binds.size(), 2U);
    EXPECT_EQ(binds[0]->attributes, uint64_t{MOUNT_ATTR_NODEV});
    EXPECT_TRUE(binds[0]->is_directory);
    EXPECT_EQ(binds[1]->attributes, uint64_t{MOUNT_ATTR_RDONLY});
    EXPECT_FALSE(binds[1]->is_directory);
}

TEST(MountSteps, InTheHostsRootTargetsAreMadeInMemoryOnly) {
    const std::vector<MountRequest> mounts = {Bind{"/usr", "/a"}, Tmpfs{"/tmp"}, Bind{"/usr", "/tmp/a/b"},
                                              Bind{"/usr", "/tmpx"}};
    const Plan plan = plan_of(with(mounts));
    const auto binds = all<action::BindSource>(plan);
    ASSERT_EQ(binds.size(), 3U);
    EXPECT_FALSE(binds[0]->make_target);
    EXPECT_TRUE(binds[1]->make_target);
    EXPECT_FALSE(binds[2]->make_target);
    const Plan own_root = plan_of(with(mounts, "/"));
    for (const auto* bind : all<action::BindSource>(own_root)) EXPECT_TRUE(bind->make_target);
}

TEST(MountSteps, AMissingSourceIsNamed) {
    const auto plan = make_plan(with({Bind{"/no/such/source", "/a"}}), root_facts());
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().err, ENOENT);
    EXPECT_NE(plan.error().message().find("\"/no/such/source\""), std::string::npos);
}

std::vector<action::Placement> one_placement() {
    std::vector<action::Placement> placements;
    placements.push_back({.target = "/lib/libc.so.6", .name = "libc.so.6", .copy = "/var/cache/copy"});
    return placements;
}

// The copies are found by the host's paths, which a mount in the host's root may hide, while one in another
// root may bring the image.
TEST(MountSteps, ImagesArePlacedBeforeThemInTheHostsRootAndAfterThemInAnother) {
    expect_order(plan_of(with({Tmpfs{"/mnt"}}), root_facts(), one_placement()),
                 {"instrumented images", "private \"/mnt\""});
    expect_order(plan_of(with({Tmpfs{"/mnt"}}, "/"), root_facts(), one_placement()),
                 {"private \"/mnt\"", "instrumented images"});
}

TEST(ReadOnlyRoot, IsSealedWhenAllMountPointsAreMade) {
    Spec spec = with({Tmpfs{"/mnt"}}, "/");
    spec.read_only = true;
    const Plan plan = plan_of(spec, root_facts(), one_placement());
    expect_order(plan, {"bind the root", "private \"/mnt\"", "instrumented images", "make the root read-only",
                        "\"/\" the root"});
    EXPECT_TRUE(all<action::BindRoot>(plan).at(0)->read_only_below);
}

TEST(ReadOnlyRoot, OfTheHostComesBeforeTheMountsThatMayBeWritten) {
    Spec spec = with({Tmpfs{"/mnt"}});
    spec.read_only = true;
    expect_order(plan_of(spec), {"mounts private", "has mounted read-only", "private \"/mnt\""});
}

TEST(Overlay, NeedsARoot) {
    Spec spec = with({});
    spec.overlay = Overlay{};
    ASSERT_FALSE(validate(spec));
    EXPECT_NE(validate(spec).error().message().find("--overlay"), std::string::npos);
}

TEST(Overlay, HasItsWorkDirectoryBesideTheUpperOne) {
    Spec spec = with({}, "/");
    spec.overlay = Overlay{"/up/"};
    const Plan plan = plan_of(spec);
    const auto overlays = all<action::OverlayRoot>(plan);
    ASSERT_EQ(overlays.size(), 1U);
    EXPECT_EQ(overlays[0]->upper, "/up");
    EXPECT_EQ(overlays[0]->work, "/up.work");
    EXPECT_TRUE(all<action::BindRoot>(plan).empty());
    spec.overlay = Overlay{};
    EXPECT_NE(describe(plan_of(spec)).find("[written to memory]"), std::string::npos);
}

// Only they can't have trusted.overlay.*
TEST(Overlay, KeepsItsMarksInUserAttributesWhereTheUserNamespaceIsNotTheFirst) {
    Spec spec = with({}, "/");
    spec.overlay = Overlay{};
    const auto marked = [&](const HostFacts& facts) {
        const Plan plan = plan_of(spec, facts);
        const auto& options = all<action::OverlayRoot>(plan).at(0)->options;
        return std::ranges::any_of(options, [](const auto& option) { return option.first == "userxattr"; });
    };
    HostFacts user = root_facts();
    user.uid = user.gid = 1000;
    user.effective = 0;
    HostFacts inner = root_facts();
    inner.initial_user_namespace = false;
    EXPECT_FALSE(marked(root_facts()));
    EXPECT_TRUE(marked(user));
    EXPECT_TRUE(marked(inner));
}

}  // namespace
}  // namespace ctr
