#include "pidns/monitor/numbers.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <new>
#include <vector>

#include "pidns/model/collector.h"
#include "pidns/monitor/procfs.h"

namespace ctr::pidns {

namespace {

// Also true for a zombie, and for a process that this one may not signal.
bool exists(HostPid host) {
    return kill(raw(host), 0) == 0 || errno != ESRCH;
}

// Numbers in a row that a new process doesn't get. A container that has many of its tasks there must do with
// one of them.
constexpr size_t most_ambiguous = 64;

constexpr const char* step = "make the table of process numbers";

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

// Nothing of it is there until it is touched: neither memory nor a promise of memory.
Result<Fd> make_file(std::size_t bytes) {
    Fd file(memfd_create(file_name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL));
    // Linux before 6.3 doesn't know the last flag; later ones ask for it in the log.
    if (!file && errno == EINVAL) file.reset(memfd_create(file_name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file) return fail_call(step, "memfd_create");
    if (fchmod(file.get(), S_IRUSR | S_IWUSR) != 0) return fail_call(step, "fchmod");
    if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) {
        if (errno != EFBIG) return fail_call(step, "ftruncate");
        return fail_call(step, "ftruncate", EFBIG,
                         "files are limited to less than " + std::to_string(bytes >> 20) +
                             " MiB (most of which is never used)",
                         "ulimit -f unlimited, or a smaller --pid-max");
    }
    if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return fail_call(step, "fcntl(F_ADD_SEALS)");
    return file;
}

FileHeader& header_in(const Mapping& mapping) {
    return *std::launder(static_cast<FileHeader*>(mapping.get()));
}

}  // namespace

Result<Numbers> Numbers::create(Model model, uint32_t pid_max) {
    if (pid_max < 2 || pid_max > host_limit)
        return fail_input(step, "no namespace has " + std::to_string(pid_max) + " numbers");
    const Limits limits = limits_for(pid_max);
    const std::size_t bytes = file_bytes(model, limits);
    auto file = make_file(bytes);
    if (!file) return std::unexpected(std::move(file).error());
    Mapping mapping = map_file(file->get(), bytes, PROT_READ | PROT_WRITE);
    if (!mapping) return fail_call(step, "mmap");
    const FileHeader header{FileHeader::current_magic, FileHeader::current_version, model, limits,
                            HostPid::none};
    new (mapping.get()) FileHeader(header);
    return Numbers(std::move(*file), std::move(mapping), header);
}

Numbers::Numbers(Fd file, Mapping mapping, const FileHeader& header)
    : file_(std::move(file)),
      mapping_(std::move(mapping)),
      model_(with_type_of(header.model,
                          [&]<class M>(std::type_identity<M>) -> AnyModel {
                              return M(static_cast<std::byte*>(mapping_.get()) + model_offset(header.limits),
                                       header.limits);
                          })),
      attention_(static_cast<std::byte*>(mapping_.get()) + file_header_bytes, header.limits),
      pid_max_(header.limits.numbers),
      collected_(std::chrono::steady_clock::now()) {}

void Numbers::register_init(HostPid host) {
    with([&](auto& model) {
        const EntryId claim = model.allocate(NamespaceId::root, host);
        model.publish(claim, host, claim, claim);
    });
    std::atomic_ref(header_in(mapping_).init).store(host, std::memory_order_release);
}

void Numbers::note_procfs_elsewhere() {
    std::atomic_ref(header_in(mapping_).procfs_elsewhere).store(1, std::memory_order_release);
}

NamespaceId Numbers::create_namespace(NamespaceId parent, HostPid creator) {
    return with([&](auto& model) { return model.create_namespace(parent, creator); });
}

EntryId Numbers::reserve(NamespaceId space, HostPid creator) {
    const auto allocate = [&] { return with([&](auto& model) { return model.allocate(space, creator); }); };
    EntryId claim = allocate();
    if (claim == EntryId::none) {
        // Released numbers are free after two passes.
        collect();
        collect();
        claim = allocate();
    }
    std::vector<EntryId> ambiguous;
    while (claim != EntryId::none && ambiguous.size() < most_ambiguous && is_ambiguous(claim, space)) {
        ambiguous.push_back(claim);
        claim = allocate();
    }
    if (claim == EntryId::none && !ambiguous.empty()) {
        claim = ambiguous.back();
        ambiguous.pop_back();
    }
    for (const EntryId other : ambiguous) give_back(other, creator);
    return claim;
}

// A number that the kernel has given to a task of the container: its C library takes that for its thread's id
// (surface/calls.h), so tkill() and its like couldn't tell it from the new process.
bool Numbers::is_ambiguous(EntryId claim, NamespaceId space) const {
    const auto number_in = [&](NamespaceId at) {
        return with([&](const auto& model) { return model.number_in(claim, at); });
    };
    // The first in its namespace is 1, and nobody else.
    if (number_in(space) == VirtPid::init) return false;
    for (; space != NamespaceId::none; space = parent_of(space)) {
        const int number = raw(number_in(space));
        if (number <= 1 || !exists(HostPid(number))) continue;
        if (is_process(HostPid(number)) || is_process(process_of_thread(HostPid(number)))) return true;
    }
    return false;
}

void Numbers::give_back(EntryId claim, HostPid creator) {
    with([&](auto& model) {
        if (model.claimant_of(claim) == creator) model.cancel(claim);
    });
}

bool Numbers::shows(EntryId claim, NamespaceId space) const {
    return with([&](const auto& model) { return model.number_in(claim, space) != VirtPid::none; });
}

void Numbers::register_child(EntryId claim, HostPid host, HostPid creator, NamespaceId space) {
    const HostPid claimant = with([&](const auto& model) { return model.claimant_of(claim); });
    if (claimant != creator && !is_process(host)) claim = reserve(space, host);
    if (!is_process(host)) attention_.reset(host);
    with([&](auto& model) {
        const EntryId parent = model.entry_of(creator);
        model.publish(claim, host, model.group_of(parent), model.session_of(parent));
    });
    refresh(host);  // its creator's group may have been changed by another while it was being made
}

void Numbers::adopt(HostPid host, NamespaceId space, HostPid parent) {
    const bool may_be_another = may_be_orphan(host, parent);
    adopt_orphans();
    if (is_process(host)) return;
    // Its creator may be about to register it: with the only claim that it has, if so. An orphan's parent
    // isn't the creator, and the claim another child's.
    const EntryId promised = may_be_another
                                 ? EntryId::none
                                 : with([&](const auto& model) { return model.claim_for(host, parent); });
    if (promised != EntryId::none && parent != HostPid::none && is_process(parent))
        return register_child(promised, host, parent, space);
    const EntryId claim = reserve(space, host);
    if (claim == EntryId::none) return;
    if (!is_process(host)) attention_.reset(host);
    with([&](auto& model) { model.publish(claim, host, claim, claim); });
    refresh(host);
}

bool Numbers::is_promised(HostPid host) const {
    const HostPid parent = pidns::parent_of(host);
    const bool claimed =
        with([&](const auto& model) { return model.claim_for(host, parent); }) != EntryId::none;
    return claimed && may_be_orphan(host, parent);
}

void Numbers::end_namespace(NamespaceId space) {
    with([&](auto& model) { model.end_namespace(space); });
}

uint64_t Numbers::birth_of(HostPid host) const {
    return with([&](const auto& model) { return model.birth_of(model.entry_of(host)); });
}

bool Numbers::is_process(HostPid host) const {
    return with([&](const auto& model) { return model.is_process(model.entry_of(host)); });
}

bool Numbers::knows(HostPid host) const {
    return with([&](const auto& model) { return model.entry_of(host) != EntryId::none; });
}

NamespaceId Numbers::namespace_of(HostPid host) const {
    return with([&](const auto& model) { return model.namespace_of(model.entry_of(host)); });
}

NamespaceId Numbers::parent_of(NamespaceId space) const {
    return with([&](const auto& model) { return model.parent_of(space); });
}

HostPid Numbers::init_of(NamespaceId space) const {
    return with([&](const auto& model) {
        const EntryId init = model.find(space, VirtPid::init);
        return model.is_process(init) ? model.host_of(init) : HostPid::none;
    });
}

bool Numbers::is_within(NamespaceId space, NamespaceId ancestor) const {
    for (; space != NamespaceId::none; space = parent_of(space))
        if (space == ancestor) return true;
    return false;
}

VirtPid Numbers::last_number(NamespaceId space) const {
    return with([&](const auto& model) { return model.last_number(space); });
}

VirtPid Numbers::number_of(HostPid host, NamespaceId space) const {
    return with([&](const auto& model) { return model.number_of(host, space); });
}

HostPid Numbers::host_of(NamespaceId space, VirtPid number) const {
    return with([&](const auto& model) { return model.host_of(space, number); });
}

void Numbers::reported(HostPid host) {
    if (!exists(host)) with([&](auto& model) { model.release(model.entry_of(host)); });
}

void Numbers::refresh(HostPid host) {
    with([&](auto& model) {
        const EntryId entry = model.entry_of(host);
        model.set_group(entry, model.entry_of(HostPid(getpgid(raw(host)))));
        model.set_session(entry, model.entry_of(HostPid(getsid(raw(host)))));
    });
}

bool Numbers::collect_stale() {
    if (std::chrono::steady_clock::now() - collected_ < collect_interval) return false;
    collect();
    return true;
}

void Numbers::collect() {
    adopt_orphans();
    with([](auto& model) { Collector(model, exists, LostClaims::kept).collect(); });
    collected_ = std::chrono::steady_clock::now();
}

}  // namespace ctr::pidns
