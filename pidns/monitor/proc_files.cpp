#include "pidns/monitor/proc_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <utility>

#include "pidns/monitor/descriptors.h"
#include "pidns/monitor/memory.h"
#include "pidns/monitor/procfs.h"
#include "pidns/monitor/reader_view.h"
#include "pidns/surface/memory_name.h"
#include "pidns/surface/plain_names.h"
#include "runtime/base/sys.h"

namespace ctr::pidns {

namespace {

// A file whose place is too long for a name (surface/memory_name.h) has none, and isn't read again.
constexpr std::string_view file_prefix = memory_name_prefix.view();
constexpr size_t longest_name = 249;  // MFD_NAME_MAX_LEN
constexpr std::string_view memory_file = "/memfd:ctr:";

// Whole, from the beginning, wherever the file's position is.
std::optional<std::string> text_of(int fd) {
    std::string text;
    std::array<char, 16384> part;
    for (;;) {
        const ssize_t got = pread(fd, part.data(), part.size(), static_cast<off_t>(text.size()));
        if (got < 0) return {};
        if (got == 0) return text;
        text.append(part.data(), static_cast<size_t>(got));
    }
}

bool fill(int file, std::string_view text) {
    return ftruncate(file, 0) == 0 &&
           pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

// A file in memory with a text in it, open for reading.
Fd file_with(const std::string& birth, const std::string& place, std::string_view text) {
    std::string name = std::string(file_prefix) + birth + ':' + place;
    if (name.size() > longest_name) name = std::string(file_prefix) + ':';
    const Fd file(memfd_create(name.c_str(), MFD_CLOEXEC));
    if (!file || !fill(file.get(), text)) return {};
    fchmod(file.get(), S_IRUSR | S_IRGRP | S_IROTH);
    return Fd(::open(descriptor_path(HostPid(getpid()), file.get()).c_str(), O_RDONLY | O_CLOEXEC));
}

HostPid process_in(const std::string& place) {
    int number = 0;
    std::from_chars(place.data(), place.data() + place.size(), number);
    return HostPid(number);
}

// Whoever may see the directory may read these; the others the thread must open itself, with its own rights
// and in its own IPC namespace.
bool readable_by_all(Content content) {
    switch (content) {
        case Content::fdinfo:
        case Content::timers:
        case Content::call:
        case Content::shm:
        case Content::msg: return false;
        default: return true;
    }
}

// By the monitor, in the caller's place. A name of a translated file can be anybody's: what it names must be
// a file of the table, which its pattern fixes from end to end, and one that the caller could open as well.
bool may_be_opened(const Caller& caller, Content content, HostPid process) {
    if (content == Content::none) return false;
    if (readable_by_all(content)) return true;
    return process != HostPid::none && (process == caller.process || may_inspect(caller.thread, process));
}

// How a file is opened by the open family; nothing if it can't be read.
std::optional<uint64_t> flags_of(const Trap& trap) {
    switch (trap.number) {
        case SYS_open: return trap.arguments[1];
        case SYS_openat: return trap.arguments[2];
        case SYS_creat: return O_CREAT | O_WRONLY | O_TRUNC;
        case SYS_openat2: return ProcessMemory(trap.thread).read<uint64_t>(trap.arguments[2]);
        default: return {};
    }
}

bool only_reads(uint64_t flags) {
    constexpr uint64_t matters = O_ACCMODE | O_PATH | O_DIRECTORY | O_CREAT | O_EXCL | O_TRUNC | O_TMPFILE;
    return (flags & matters) == O_RDONLY;
}

constexpr std::string_view descriptors = "/dev/fd/";

// What openat2 asks of the way that a path takes.
uint64_t restrictions_of(const Trap& trap) {
    if (trap.number != SYS_openat2) return 0;
    const auto how = ProcessMemory(trap.thread).read<open_how>(trap.arguments[2]);
    return how ? how->resolve : 0;
}

// Its directory is the root of the path.
bool starts_at_directory(const Trap& trap) {
    return (restrictions_of(trap) & RESOLVE_IN_ROOT) != 0;
}

// The program's own thread stands and waits for the answer; had it read the file itself, it would run. (Of
// that it would see the call by which it reads, which isn't made yet.)
void show_running(Content content, std::string& text) {
    if (content == Content::call) text = "running\n";
    const size_t name_end = content == Content::stat ? text.rfind(") ") : std::string::npos;
    if (name_end != std::string::npos && name_end + 2 < text.size()) text[name_end + 2] = 'R';
    constexpr std::string_view field = "\nState:\t";
    const size_t state = content == Content::status ? text.find(field) : std::string::npos;
    if (state == std::string::npos) return;
    const size_t at = state + field.size();
    text.replace(at, text.find('\n', at) - at, "R (running)");
}

// The end of a path that only a directory's may have, and a way back out of what may be none, or not be
// there: the kernel finds that out.
bool wants_directory(std::string_view path) {
    return path.ends_with('/') || path.ends_with("/.");
}
bool turns_back(std::string_view path) {
    return path == ".." || path.starts_with("../") || path.ends_with("/..") ||
           path.find("/../") != std::string_view::npos;
}

bool describes(long number) {
    return number == SYS_fstat || number == SYS_newfstatat || number == SYS_statx;
}

bool is_readlink(long number) {
    return number == SYS_readlink || number == SYS_readlinkat;
}

// A place, as the kernel has named it to us, who have another root.
std::string as_seen_by(HostPid thread, const std::string& named) {
    return named.starts_with('/') ? join(ProcMounts::below_root(ProcMounts::root_of(thread), named)) : named;
}

// All files in memory are on one file system of the kernel's own.
dev_t device_of_memory() {
    const Fd file(memfd_create("ctr", MFD_CLOEXEC));
    struct stat facts {};
    return file && fstat(file.get(), &facts) == 0 ? facts.st_dev : 0;
}

}  // namespace

ProcFiles::ProcFiles(const Listener& listener, Numbers& numbers, const NestedNamespaces& nested,
                     const Translator& translator)
    : listener_(listener),
      numbers_(numbers),
      nested_(nested),
      translator_(translator),
      paths_(translator, mounts_),
      memory_device_(device_of_memory()) {}

void ProcFiles::note_mount_point(std::string_view point) {
    paths_.note_mount_point(point);
    if (paths_.knows_unusual_place()) numbers_.note_procfs_elsewhere();
}

void ProcFiles::note_mounts_of(HostPid thread) {
    for (const ProcMounts::Mount& mount : mounts_.of(thread))
        if (!mount.covers) note_mount_point(join(mount.point));
}

std::optional<ProcFiles::Meant> ProcFiles::meant_by(std::string_view link) {
    const auto name = memory_name_of(link);
    if (!name) return {};
    return Meant{std::string(name->birth), std::string(name->place)};
}

std::optional<ProcFiles::Named> ProcFiles::named_at(const Trap& trap, const Call& call,
                                                    PathArguments at) const {
    auto path = path_text(trap, call, at);
    if (!path) return {};
    // The text of a link below there is the only thing that a symbolic link which everybody has hides from
    // us.
    if (is_readlink(trap.number) && path->starts_with(descriptors))
        return Named{{}, "/proc/self/fd/" + path->substr(descriptors.size())};
    if (path->starts_with('/') && starts_at_directory(trap)) path->erase(0, path->find_first_not_of('/'));
    if (is_plain_path(path->c_str())) return {};
    const bool may_list_members = CgroupFiles::may_be_named(*path);
    if (path->starts_with('/'))
        return may_list_members || paths_.may_be_proc(*path) ? std::optional(Named{{}, std::move(*path)})
                                                             : std::nullopt;
    const int directory =
        at.directory == PathArguments::none ? AT_FDCWD : static_cast<int>(trap.arguments[at.directory]);
    std::string base = directory == AT_FDCWD ? link_text(proc_file(trap.thread, "cwd"))
                                             : descriptor_link(trap.thread, directory);
    if (path->empty()) {
        const bool ours = describes(trap.number) && base.starts_with(memory_file);
        const bool link = trap.number == SYS_readlinkat && paths_.may_be_proc(base);
        return ours || link ? std::optional(Named{std::move(base), ""}) : std::nullopt;
    }
    if (!base.starts_with('/') ||
        (!may_list_members && !paths_.may_be_proc(base) && !paths_.may_be_proc(*path)))
        return {};
    return Named{std::move(base), std::move(*path)};
}

bool ProcFiles::is_still(HostPid process, const Meant& meant) const {
    if (!meant.birth.starts_with(EntryBirth::sign)) return birth_of(process) == meant.birth;
    return numbers_.is_process(process) &&
           EntryBirth(static_cast<uint32_t>(numbers_.birth_of(process))).text() == meant.birth;
}

// fstat of a file of ours: what the file that it stands for is like. Nothing, if that is gone.
ProcFiles::Verdict ProcFiles::describe(const Caller& caller, const std::string& link) {
    const auto meant = meant_by(link);
    if (!meant || CgroupFiles::is_place(meant->place)) return {};
    const HostPid process = process_in(meant->place);
    if (process != HostPid::none && !is_still(process, *meant)) return {};
    const auto whole = mounts_.whole_of(caller.thread);
    if (!whole) return {};
    return {
        .next = Next::remake, .path = (*whole == "/" ? "" : *whole) + '/' + meant->place, .describes = true};
}

ProcFiles::Verdict ProcFiles::follow(const Trap& trap, const Call& call, const Caller& caller,
                                     const Named& named) {
    if (call.way == Way::paths || call.way == Way::address) return follow_names(trap, call, caller, named);
    if (named.path.empty() && describes(call.number)) return describe(caller, named.base);
    auto path = paths_.read(caller, named.base, named.path);
    if (!listener_.valid(trap)) return {};
    const bool in_proc = path && !path->below.empty();
    if (!in_proc && CgroupFiles::may_be_named(named.path) && flags_of(trap))
        return open_members(trap, caller, path && path->changed ? std::move(path->text) : std::string());
    if (!path) return {};
    if (is_readlink(call.number)) return read_link(trap, call, caller, std::move(*path));
    if (flags_of(trap)) return open(trap, caller, std::move(*path));
    // From here on another path leads into it.
    if (call.number == SYS_chroot || call.number == SYS_open_tree) note_mount_point({});
    if (!path->changed) return {};
    return {.next = Next::remake, .path = std::move(path->text)};
}

// Whether it is a cgroup's the thread finds out.
ProcFiles::Verdict ProcFiles::open_members(const Trap& trap, const Caller& caller, std::string path) {
    const uint64_t flags = flags_of(trap).value_or(O_PATH);
    const bool is_remade = !path.empty();
    Verdict remake{.next = Next::remake, .path = std::move(path)};
    if ((flags & O_PATH) != 0 || !cgroups_.are_mounted_for(caller.thread))
        return is_remade ? remake : Verdict{};
    remake.replaces = only_reads(flags);
    remake.may_take_members = (flags & O_ACCMODE) != O_RDONLY;
    remake.content = Content::pid_list;
    return remake;
}

ProcFiles::Verdict ProcFiles::open(const Trap& trap, const Caller& caller, ProcPath path) {
    const uint64_t flags = flags_of(trap).value_or(O_PATH);
    const std::string place = path.place();
    const Content content = path.is_descriptor() ? content_behind(caller, place) : content_of(place);
    if (path.is_namespace() && only_reads(flags) && !wants_directory(path.text) &&
        may_inspect(caller.thread, path.process()) &&
        give_namespace(trap, namespace_of(path.process(), path.is_namespace_for_children()),
                       (flags & O_CLOEXEC) != 0))
        return {.next = Next::answered};
    // Else the kernel finds out whether there is such a way.
    const bool is_plain = !wants_directory(path.text) && !turns_back(path.text) && !path.is_descriptor() &&
                          restrictions_of(trap) == 0;
    Verdict remake{.next = Next::remake, .path = std::move(path.text)};
    if (content == Content::none || !only_reads(flags)) return path.changed ? remake : Verdict{};
    remake.replaces = true;
    remake.content = content;
    if (!is_plain || !readable_by_all(content)) return remake;

    const Fd file(::open(("/proc/" + place).c_str(), O_RDONLY | O_CLOEXEC));
    const auto text = file ? text_of(file.get()) : std::nullopt;
    // The thread itself finds out what is wrong.
    const auto shown = text ? translated(caller, content, place, *text) : std::nullopt;
    if (!shown) return remake;
    const std::string birth = path.process() == HostPid::none ? "" : birth_of(path.process());
    const Fd copy = file_with(birth, place, *shown);
    if (!copy) {  // nobody is shown the host's numbers because something has run out here
        listener_.answer(trap, -ENFILE);
        return {.next = Next::answered};
    }
    if (const auto placed = listener_.place(trap, copy.get(), (flags & O_CLOEXEC) != 0))
        listener_.answer(trap, *placed);
    else
        listener_.answer(trap, errno == EMFILE ? -EMFILE : -EINTR);
    return {.next = Next::answered};
}

// Of a descriptor's link, by which a file that was opened with O_PATH is opened for reading.
Content ProcFiles::content_behind(const Caller& caller, const std::string& link) {
    const std::string target = link_text("/proc/" + link);
    const auto found = paths_.may_be_proc(target) ? paths_.place_of(caller, target) : std::nullopt;
    return found ? content_of(found->place()) : Content::none;
}

// To the kernel all of these files are the same: the host's namespace. What the program gets names the init
// of the one that it means here; setns() and the ioctls understand that.
bool ProcFiles::give_namespace(const Trap& trap, NamespaceId space, bool close_on_exec) const {
    const HostPid init = numbers_.init_of(space);
    if (init == HostPid::none) return false;
    const Fd file = file_with(birth_of(init), std::to_string(raw(init)) + "/ns/pid", "");
    const auto placed = file ? listener_.place(trap, file.get(), close_on_exec) : std::nullopt;
    if (placed) listener_.answer(trap, *placed);
    return placed.has_value();
}

// As ns_ioctl() of fs/nsfs.c and pidns_get_parent() of kernel/pid_namespace.c.
bool ProcFiles::relate(const Trap& trap, const Caller& caller) const {
    constexpr uint64_t of_handle = 0xff05,
                       of_handles_children = 0xff06;  // PIDFD_GET_PID_NAMESPACE and its sibling
    if (trap.arguments[1] == of_handle || trap.arguments[1] == of_handles_children)
        return give_namespace_by_handle(trap, caller, trap.arguments[1] == of_handles_children);
    const NamespaceId space = namespace_of(trap.thread, static_cast<int>(trap.arguments[0]));
    if (space == NamespaceId::none) return false;
    const auto number = static_cast<int>(trap.arguments[2]);
    const auto renumbered = [&](NamespaceId from, NamespaceId to) -> long {
        const HostPid host = numbers_.host_of(from, VirtPid(number));
        const int seen = numbers_.is_process(host) ? translator_.outward(raw(host), to) : 0;
        return seen == 0 ? -ESRCH : seen;
    };
    const auto request = static_cast<uint32_t>(trap.arguments[1]) & 0xffU;
    long result = -EPERM;  // the owner, which is the host's user namespace, can't be seen from inside
    switch (request) {
        case 2: {
            const NamespaceId parent = numbers_.parent_of(space);
            if (numbers_.is_within(parent, caller.space) && give_namespace(trap, parent, true)) return true;
            break;
        }
        case 3: result = CLONE_NEWPID; break;
        case 6:
        case 7: result = renumbered(space, caller.space); break;
        case 8:
        case 9: result = renumbered(caller.space, space); break;
        default: break;
    }
    listener_.answer(trap, result);
    return true;
}

NamespaceId ProcFiles::namespace_of(HostPid process, bool for_children) const {
    const NamespaceId own = numbers_.namespace_of(process);
    return for_children ? nested_.for_children({process, process, own}) : own;
}

// Whom the caller can't see or inspect the kernel refuses itself.
bool ProcFiles::give_namespace_by_handle(const Trap& trap, const Caller& caller, bool for_children) const {
    const HostPid process = process_of_pidfd(caller.thread, static_cast<int>(trap.arguments[0]));
    if (!numbers_.is_process(process) || !may_inspect(caller.thread, process) || !listener_.valid(trap))
        return false;
    return give_namespace(trap, namespace_of(process, for_children), true);
}

NamespaceId ProcFiles::namespace_of(HostPid thread, int fd) const {
    const auto meant = meant_by(descriptor_link(thread, fd));
    if (!meant || !meant->place.ends_with("/ns/pid")) return NamespaceId::none;
    const HostPid init = process_in(meant->place);
    return birth_of(init) == meant->birth ? numbers_.namespace_of(init) : NamespaceId::none;
}

std::optional<std::string> ProcFiles::translated(const Caller& caller, Content content,
                                                 const std::string& place, const std::string& text) const {
    const HostPid process = process_in(place);
    const bool inspects =
        process == HostPid::none || process == caller.process || may_inspect(caller.thread, process);
    // The kernel asks who reads it, and here it is the monitor.
    if (content == Content::call && !inspects) return {};
    const ReaderView view(numbers_, translator_, caller.space, inspects);
    std::string to(room_for(text.size()), 0);
    const auto size = translate(content, text, view, to);
    if (!size) return {};
    to.resize(*size);
    const size_t task = place.find("/task/");
    const HostPid thread = task == std::string::npos ? process : process_in(place.substr(task + 6));
    if (thread == caller.thread) show_running(content, to);
    return to;
}

// A link's target as the program is to see it; nothing if it is to see what the kernel says.
std::optional<std::string> ProcFiles::own_text(const Caller& caller, const std::string& target) {
    const auto meant = meant_by(target);
    if (meant && CgroupFiles::is_place(meant->place)) return cgroups_.path_of(meant->place, caller.thread);
    if (meant && meant->place.ends_with("/ns/pid"))
        return namespace_text(numbers_.namespace_of(process_in(meant->place)));
    const auto place = meant                        ? paths_.place_of(caller, "/proc/" + meant->place)
                       : paths_.may_be_proc(target) ? paths_.place_of(caller, target)
                                                    : std::nullopt;
    if (!place || place->below.empty()) return {};
    Components named = components_of(meant ? "/proc/" + meant->place : target);
    // The place's end is the text's end: the process stands where the place begins.
    const size_t at = named.size() - place->below.size();
    if (place->is_gone_process()) {  // and nobody knows its number any more
        named.at(at) = "0" + std::string(deleted_ending);
        return join(named);
    }
    const HostPid process = place->process();
    if (process == HostPid::none) return meant ? std::optional("/proc/" + meant->place) : std::nullopt;
    const int number = translator_.thread_outward(raw(process), caller.space);
    named.at(at) = std::to_string(number);
    if (place->below.size() >= 3 && place->below[1] == "task") {
        const int thread = static_cast<int>(std::strtol(named.at(at + 2).c_str(), nullptr, 10));
        named.at(at + 2) = std::to_string(translator_.thread_outward(thread, caller.space));
    }
    return join(named);
}

// The host's for the container's first, as nobody inside can compare; others get a number of their own.
std::optional<std::string> ProcFiles::namespace_text(NamespaceId space) {
    constexpr uint32_t first_of_ours =
        4'200'000'000;  // behind all that the kernel gives, from PROC_DYNAMIC_FIRST
    if (space == NamespaceId::none) return {};
    if (space == NamespaceId::root) return link_text("/proc/self/ns/pid");
    return "pid:[" + std::to_string(first_of_ours + raw(space)) + "]";
}

ProcFiles::Verdict ProcFiles::read_link(const Trap& trap, const Call& call, const Caller& caller,
                                        ProcPath path) {
    const unsigned at = call.path.path;
    std::optional<std::string> text;
    if (path.is_self) {
        const std::string number = std::to_string(translator_.outward(raw(caller.process), caller.space));
        const int thread = translator_.thread_outward(raw(caller.thread), caller.space);
        text = path.below.back() == "self" ? number : number + "/task/" + std::to_string(thread);
    } else if (path.is_namespace() && may_inspect(caller.thread, path.process())) {
        text = namespace_text(namespace_of(path.process(), path.is_namespace_for_children()));
    } else if (path.process() == caller.process) {
        // Readable to the program anyway, so it makes no difference who reads it.
        text = own_text(caller, as_seen_by(caller.thread, link_text("/proc/" + path.place())));
    } else if (path.changed || path.process() != HostPid::none) {
        // Unchanged: from a directory of that process.
        return {.next = Next::remake,
                .path = path.changed ? std::move(path.text) : std::string(),
                .translates = true};
    }
    if (!text) return path.changed ? Verdict{.next = Next::remake, .path = std::move(path.text)} : Verdict{};
    const auto room = static_cast<int>(trap.arguments[at + 2]);
    if (room <= 0) return {};
    if (text->size() > static_cast<size_t>(room)) text->resize(static_cast<size_t>(room));
    const bool written = ProcessMemory(trap.thread).write_bytes(trap.arguments[at + 1], *text);
    listener_.answer(trap, written ? static_cast<long>(text->size()) : -EFAULT);
    return {.next = Next::answered};
}

long ProcFiles::linked(const Caller& caller, const Call& call, const Registers::Arguments& made,
                       long length) {
    const unsigned at = call.path.path;
    const ProcessMemory memory(caller.thread);
    const auto target = memory.read_exactly(made[at + 1], static_cast<size_t>(length));
    auto text = target ? own_text(caller, *target) : std::nullopt;
    if (!text) return length;
    text->resize(std::min<size_t>(text->size(), static_cast<uint32_t>(made[at + 2])));
    const size_t seen = text->size();
    // Many expect zeroes behind it.
    if (seen < target->size()) text->resize(target->size());
    memory.write_bytes(made[at + 1], *text);
    return static_cast<long>(seen);
}

bool ProcFiles::opened(const Caller& caller, const Registers::Arguments& made, Content content, int fd) {
    const Fd file = copy_or_open_again(caller.process, fd);
    if (!file) return false;
    std::string birth;
    std::string place;
    if (content == Content::pid_list || content == Content::pid_list_v2) {
        const auto members = cgroups_.members(HostPid(getpid()), file.get(), caller.thread);
        if (!members) return false;
        content = members->content;
        place = members->place;
    } else {
        // Of the copy: the number may stand for another file meanwhile, which isn't for us to read.
        const auto found = paths_.place_of(caller, descriptor_link(HostPid(getpid()), file.get()));
        if (!found) return false;
        place = found->place();
        if (found->process() != HostPid::none) birth = birth_of(found->process());
    }
    const auto text = text_of(file.get());
    const auto shown = text ? translated(caller, content, place, *text) : std::nullopt;
    if (!shown) return false;
    Fd copy = file_with(birth, place, *shown);
    if (!copy) return false;
    replacements_.insert_or_assign(raw(caller.thread), Replacement{made, fd, std::move(copy)});
    return true;
}

Kind ProcFiles::written(const Caller& caller, int fd) {
    const auto members = cgroups_.members(caller.process, fd, caller.thread);
    return members && members->writable ? members->kind : Kind::none;
}

bool ProcFiles::replace(const Trap& trap) {
    const auto found = replacements_.find(raw(trap.thread));
    if (found == replacements_.end()) return false;
    const Replacement replacement = std::move(found->second);
    replacements_.erase(found);
    if (!std::equal(replacement.call.begin(), replacement.call.end(), std::begin(trap.arguments)))
        return false;
    const bool close_on_exec = (flags_of(trap).value_or(0) & O_CLOEXEC) != 0;
    if (!listener_.place(trap, replacement.file.get(), close_on_exec, replacement.fd)) return false;
    listener_.answer(trap, replacement.fd);
    return true;
}

// A thread that is killed before its call traps again leaves its file here.
void ProcFiles::forget_unused() {
    mounts_.forget_unused();
    std::erase_if(replacements_,
                  [](const auto& entry) { return kill(entry.first, 0) != 0 && errno == ESRCH; });
}

bool ProcFiles::may_reread(const Trap& trap) const {
    return descriptor_link(trap.thread, static_cast<int>(trap.arguments[0])).starts_with(memory_file);
}

std::optional<std::string> ProcFiles::shown_anew(const Caller& caller, const Meant& meant) {
    CgroupFiles::Source source;
    if (CgroupFiles::is_place(meant.place)) {
        source = cgroups_.reopen(meant.place);
    } else {
        const HostPid process = process_in(meant.place);
        const bool same = process == HostPid::none ||
                          (is_still(process, meant) && translator_.outward(raw(process), caller.space) != 0);
        source.content = content_of(meant.place);
        if (!same || !may_be_opened(caller, source.content, process)) return {};
        source.file.reset(::open(("/proc/" + meant.place).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    }
    const auto text = source.file ? text_of(source.file.get()) : std::nullopt;
    return text ? translated(caller, source.content, meant.place, *text) : std::nullopt;
}

bool ProcFiles::reread(const Trap& trap, const Caller& caller) {
    const auto fd = static_cast<int>(trap.arguments[0]);
    const Fd file = copy_or_open_again(caller.process, fd);
    // What was fetched can't be exchanged any more, so now its name counts. Only files in memory have seals,
    // and those of a tmpfs: one could be mounted at a place of that name, and be somebody else's.
    struct stat facts {};
    if (!file || !listener_.valid(trap) || fcntl(file.get(), F_GET_SEALS) < 0) return false;
    if (fstat(file.get(), &facts) != 0 || facts.st_dev != memory_device_) return false;
    const std::string here = descriptor_path(HostPid(getpid()), file.get());
    const auto meant = meant_by(link_text(here));
    if (!meant) return false;
    const std::optional<std::string> shown = shown_anew(caller, *meant);
    // Those of an IPC namespace are read in that namespace only, and a cgroup may be out of our sight; what
    // they have shown stays.
    if (!shown && process_in(meant->place) == HostPid::none) return false;
    if (!shown && trap.number != SYS_lseek) {
        listener_.answer(trap, -ESRCH);
        return true;
    }
    fchmod(file.get(), S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
    const Fd target(::open(here.c_str(), O_RDWR | O_CLOEXEC));
    fchmod(file.get(), S_IRUSR | S_IRGRP | S_IROTH);
    if (target) fill(target.get(), shown.value_or(""));
    return false;
}

bool ProcFiles::name_directory(const Trap& trap, const Caller& caller) {
    const std::string here = as_seen_by(trap.thread, link_text(proc_file(trap.thread, "cwd")));
    if (!paths_.may_be_proc(here) || here.ends_with(deleted_ending)) return false;
    auto text = own_text(caller, here);
    if (!text || !listener_.valid(trap)) return false;
    *text += '\0';
    const bool fits = text->size() <= trap.arguments[1];
    const bool written = fits && ProcessMemory(trap.thread).write_bytes(trap.arguments[0], *text);
    listener_.answer(trap, !fits ? -ERANGE : written ? static_cast<long>(text->size()) : -EFAULT);
    return true;
}

}  // namespace ctr::pidns
