#include "runtime/fastpath.h"

#include <memory>
#include <utility>

#include "runtime/environment.h"
#include "runtime/images.h"
#include "runtime/namespaces.h"

namespace ctr::fastpath {

namespace {

bool is_wanted(const Spec& spec) {
    return spec.pid_fastpath == PidFastpath::automatic &&
           (spec.pidns == PidMode::flat || spec.pidns == PidMode::multi);
}

// Why there can be no fast path at all; empty: there can.
std::string obstacle(const Spec& spec, const HostFacts& facts) {
    if ((shared_kinds(spec) & CLONE_NEWNS) != 0)
        return "the mount namespace is shared with others, who have copies or don't";
    // Who replaces a library inside would be held up by a copy that the outer one's monitor doesn't know of.
    if (facts.numbered && !spec.rootfs.empty())
        return "this runs inside of another container, which takes off no copies but its own";
    if (facts.numbered) return "this runs inside of another container, whose copies are in place already";
    if (!facts.fsgsbase) return "the processor, or the kernel, lacks the FSGSBASE instructions";
    // Numbers are found by the low bits of a host's number.
    if ((spec.pid_max & (spec.pid_max - 1)) != 0) return "--pid-max is no power of two";
    return {};
}

Prepared without(const std::string& why) {
    return {{}, {"no fast path: " + why}};
}

action::Placement placement_of(const images::Image& image, bool layered) {
    return {.target = image.path,
            .name = image.name,
            .device = image.status.st_dev,
            .inode = image.status.st_ino,
            .changed = image.status.st_ctim,
            .layered = layered};
}

// A start makes copies of what will surely run; others it takes where they are.
Result<pidns::ImageCache::Copy> copy_for(const pidns::ImageCache& cache, const images::Image& image) {
    if (!image.noted) return cache.copy_of(image.file);
    if (auto copy = cache.known_copy_of(image.file)) return std::move(*copy);
    return fail_input("find a copy", "it is made when the program is seen");
}

}  // namespace

std::vector<std::string> cache_directories(const HostFacts& facts) {
    std::vector<std::string> directories;
    if (facts.uid == 0) directories.emplace_back("/var/cache/ctr/images");
    const auto below = [&](const char* variable, const char* name) {
        const auto directory = environment::find(facts.env, variable).value_or("");
        if (!directory.empty()) directories.push_back(directory + name);
        return !directory.empty();
    };
    if (!below("XDG_CACHE_HOME", "/ctr")) below("HOME", "/.cache/ctr");
    below("XDG_RUNTIME_DIR", "/ctr-images");  // not with the containers (registry.h)
    return directories;
}

Prepared prepare(const Spec& spec, const HostFacts& facts, const Instrumenter& instrumenter) {
    if (!is_wanted(spec)) return {};
    if (const std::string why = obstacle(spec, facts); !why.empty()) return without(why);
    auto opened = pidns::ImageCache::open(cache_directories(facts), instrumenter.make,
                                          {.version = instrumenter.version});
    if (!opened) return without(opened.error().message());
    const auto cache = std::make_shared<const pidns::ImageCache>(std::move(*opened));
    Prepared prepared;
    for (const images::Image& image : images::find(spec, facts, cache->programs())) {
        auto copy = copy_for(*cache, image);
        if (!copy) {
            if (copy.error().why == no_calls) continue;
            prepared.remarks.push_back("no fast path for " + image.path + ": " + copy.error().why);
            continue;
        }
        action::Placement placement = placement_of(image, spec.overlay.has_value());
        placement.copy = std::move(copy->path);
        placement.expected = std::move(copy->file);
        prepared.placements.push_back(std::move(placement));
    }
    prepared.make_copy = [cache](const Fd& image, const std::string& path) {
        if (cache->copy_of(image)) cache->add_program(path);
    };
    return prepared;
}

Prepared outline(const Spec& spec, const HostFacts& facts) {
    Prepared prepared;
    if (!is_wanted(spec) || !obstacle(spec, facts).empty()) return prepared;
    for (const images::Image& image : images::find(spec, facts))
        prepared.placements.push_back(placement_of(image, spec.overlay.has_value()));
    return prepared;
}

}  // namespace ctr::fastpath
