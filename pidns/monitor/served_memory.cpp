// Memory that isn't there yet, in a container which serves files itself (FUSE).
//
// A page of a mapped file is read when it is touched first, even if who touches it is the monitor. It would
// wait for the file's server, and that, a process of the container, with its next call for the monitor. (A
// container's root file system that fuse-overlayfs serves inside of another: every program's constant paths
// lie in such pages.) So the thread that made the call fetches the page, and then makes its call once more.
//
// For what the arguments themselves point at. Who lays a pointer behind a pointer, or drops the page at the
// right moment, can let the monitor of his own container wait.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "pidns/monitor/server.h"

// Linux 5.14; absent from older headers.
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

namespace ctr::pidns {

namespace {

constexpr uint64_t lowest = 65536;  // below nothing can be mapped (vm.mmap_min_addr)
constexpr uint64_t highest = uint64_t{1} << 47U;
constexpr uint64_t usual = 256;  // of what lies there; a longer path is rare

}  // namespace

Errand CallServer::touch(std::vector<uint64_t> pages) {
    for (const uint64_t page : pages) co_await Made{SYS_madvise, {page, page_size, MADV_POPULATE_READ}};
    co_return std::nullopt;
}

// True: the thread does it, and its call traps again.
bool CallServer::fetch_memory(const Trap& trap, const Call& call) {
    const auto fetched = fetched_.find(raw(trap.thread));
    if (fetched != fetched_.end()) {
        const Trap before = fetched->second;
        fetched_.erase(fetched);
        if (before.number == trap.number && std::ranges::equal(before.arguments, trap.arguments))
            return false;
    }
    if (call.all_used || tracee(trap.thread)) return false;
    std::vector<uint64_t> pages;
    for (const uint64_t argument : trap.arguments) {
        if (argument < lowest || argument >= highest) continue;
        pages.push_back(argument / page_size * page_size);
        const uint64_t end = (argument + usual) / page_size * page_size;
        if (end != pages.back()) pages.push_back(end);
    }
    if (!pages.empty()) pages = absent_pages(trap.thread, pages).value_or(pages);
    if (pages.empty()) return false;
    const Caller caller{trap.thread, process_of(trap)};
    Rewrite rewrite = as_made(trap, call, caller);
    rewrite.traps_again = true;
    rewrite.errand.emplace(touch(std::move(pages)));
    fetched_.insert_or_assign(raw(trap.thread), trap);
    begin(trap, std::move(rewrite));
    return true;
}

}  // namespace ctr::pidns
