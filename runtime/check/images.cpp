#include "runtime/check/images.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "pidns/guest/code.h"
#include "pidns/image/cache.h"
#include "pidns/image/instrument.h"
#include "runtime/base/path.h"
#include "runtime/fastpath.h"
#include "runtime/images.h"

namespace ctr::check {

namespace {

constexpr const char* area = images_area;
constexpr const char* through_monitor = "the monitor serves its calls, which takes longer";

// "178 calls patched, 2 left (1 too close to another, 1 ...)"
std::string count(const pidns::image::Findings& findings) {
    size_t patched = 0;
    std::map<std::string, size_t> left;
    for (const pidns::image::Site& site : findings.sites) {
        if (site.state == pidns::image::State::patched)
            ++patched;
        else
            ++left[site.why];
    }
    std::string text = std::to_string(patched) + " calls patched, " +
                       std::to_string(findings.sites.size() - patched) + " left";
    const char* before = " (";
    for (const auto& [why, times] : left) {
        text += before + std::to_string(times) + ": " + why;
        before = ", ";
    }
    return left.empty() ? text : text + ")";
}

// INSIDE: of a container of ours, whose libraries are copies if it has the fast path.
Finding judge(const Result<pidns::image::Instrumented>& made, bool inside) {
    if (!made) return {State::no, reason_of(made.error()), through_monitor};
    if (made->sites.empty()) return {State::yes, fastpath::no_calls, {}};
    if (made->bytes.empty()) return {State::no, count(*made), through_monitor};
    if (inside)
        return {
            State::no,
            "no instrumented copy lies over it: it was replaced since the container began, or never had one",
            through_monitor};
    const bool all = std::ranges::all_of(
        made->sites, [](const auto& site) { return site.state == pidns::image::State::patched; });
    return {all ? State::yes : State::limited, count(*made),
            all ? "" : "the monitor serves those that are left"};
}

Item look_at(const std::string& name, const Fd& file, bool inside) {
    const auto bytes = pidns::ImageCache::read(file);
    if (!bytes) return {area, name, State::no, reason_of(bytes.error()), through_monitor};
    if (pidns::image::is_copy(*bytes)) return {area, name, State::yes, "it is an instrumented copy", {}};
    Finding found = judge(pidns::image::instrument(*bytes, pidns::guest_code()), inside);
    return {area, name, found.state, std::move(found.reason), std::move(found.advice)};
}

Item cache(const HostFacts& facts) {
    constexpr const char* name = "cache directory";
    const auto directory = pidns::CacheDirectory::open(fastpath::cache_directories(facts));
    if (directory) return {area, name, State::yes, directory->path(), {}};
    return {area, name, State::no, reason_of(directory.error()),
            "a home directory, or XDG_CACHE_HOME, of one's own and without noexec"};
}

}  // namespace

std::vector<Item> check_images(const Situation& situation, const std::vector<std::string>& files) {
    const HostFacts& facts = situation.facts;
    std::vector<Item> items;
    items.push_back(facts.fsgsbase
                        ? Item{area, "FSGSBASE", State::yes, "", ""}
                        : Item{area, "FSGSBASE", State::no,
                               "the processor, or the kernel (5.9 or later), lacks these instructions",
                               "there is no fast path: the monitor serves all calls"});
    items.push_back(cache(facts));
    for (const images::Image& image : images::find(situation.spec, facts))
        items.push_back(look_at(image.path, image.file, facts.numbered));
    const std::string& root_path = situation.spec.rootfs;
    const Fd root(open(root_path.empty() ? "/" : root_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (const std::string& file : files) {
        const bool relative = !file.starts_with('/') && root_path.empty();
        const std::string whole = relative ? facts.working_directory + "/" + file : file;
        const Fd fd(path::open_in_root(root.get(), whole.c_str(), O_PATH));
        if (fd)
            items.push_back(look_at(file, fd, facts.numbered));
        else
            items.push_back({area, file, State::no,
                             errno == ENOENT ? "there is no such file in the root file system"
                                             : "openat2: " + errno_name(errno),
                             ""});
    }
    return items;
}

}  // namespace ctr::check
