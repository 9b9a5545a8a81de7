#include "runtime/mounting_plan.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <iterator>
#include <utility>

namespace ctr::mounting_plan {

namespace {

Result<Fd> open_source(const Bind& bind) {
    Fd fd(open(bind.source.c_str(), O_PATH | O_CLOEXEC));
    if (fd) return fd;
    const char* why = errno == ENOENT ? "there is no such file or directory" : "";
    return fail_call("open \"" + bind.source + "\", to be mounted on \"" + bind.target + "\"", "open", errno,
                     why, "a source that exists: none is made");
}

std::string octal(mode_t mode) {
    char text[16];
    snprintf(text, sizeof text, "%04o", mode);
    return text;
}

bool is_below(const std::string& path, const std::string& top) {
    return path.starts_with(top) && (top.ends_with('/') || path.substr(top.size()).starts_with('/'));
}

// One visitor for the kinds of mounts; it keeps what the next ones depend on.
class Builder {
  public:
    Builder(bool hosts_root, devices::Options options) : hosts_root_(hosts_root), options_(options) {}

    Status operator()(const Bind& bind) {
        auto source = open_source(bind);
        if (!source) return std::unexpected(source.error());
        struct stat status {};
        if (fstat(source->get(), &status) != 0) return fail_call("look at \"" + bind.source + "\"", "fstat");
        const bool is_directory = S_ISDIR(status.st_mode);
        uint64_t attributes = bind.read_only ? MOUNT_ATTR_RDONLY : 0;
        // There is no device cgroup that would judge a node made with CAP_MKNOD. A node that was asked for
        // itself is meant to be used.
        if (is_directory) attributes |= MOUNT_ATTR_NODEV;
        mounts_.push_back(
            {"bind \"" + bind.source + "\" to \"" + bind.target + "\"",
             action::BindSource{held_.size(), bind.target, is_directory, attributes, makes(bind.target)}});
        held_.push_back({bind.source, std::move(*source)});
        return {};
    }

    Status operator()(const Tmpfs& tmpfs) {
        action::Mount mount{
            "tmpfs", tmpfs.target,       {{"mode", octal(tmpfs.mode)}}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
            0755,    makes(tmpfs.target)};
        if (tmpfs.size != 0) mount.options.emplace_back("size", std::to_string(tmpfs.size));
        mounts_.push_back({"mount a private \"" + tmpfs.target + "\"", std::move(mount)});
        in_memory_.push_back(tmpfs.target);
        return {};
    }

    Status operator()(const Devices& devices) {
        options_.make_target = makes(devices.target);
        auto steps = devices::steps(devices.target, options_);
        std::move(steps.begin(), steps.end(), std::back_inserter(mounts_));
        in_memory_.push_back(devices.target);
        return {};
    }

    Steps take() {
        Steps steps;
        if (!held_.empty())
            steps.before.push_back(
                {"take hold of what will be bound", action::HoldSources{std::move(held_)}});
        steps.mounts = std::move(mounts_);
        return steps;
    }

  private:
    bool makes(const std::string& target) const {
        if (!hosts_root_) return true;
        for (const std::string& top : in_memory_)
            if (is_below(target, top)) return true;
        return false;
    }

    bool hosts_root_;
    devices::Options options_;
    std::vector<std::string> in_memory_;
    std::vector<action::Held> held_;
    std::vector<Step> mounts_;
};

}  // namespace

Result<Steps> steps(const Spec& spec, devices::Options options) {
    Builder builder(spec.rootfs.empty(), options);
    for (const MountRequest& mount : spec.mounts)
        if (const auto built = std::visit(builder, mount); !built) return std::unexpected(built.error());
    return builder.take();
}

}  // namespace ctr::mounting_plan
