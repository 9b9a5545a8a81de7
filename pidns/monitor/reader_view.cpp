#include "pidns/monitor/reader_view.h"

#include <algorithm>
#include <array>

#include "pidns/monitor/procfs.h"

namespace ctr::pidns {

size_t ReaderView::numbers(int host, int member, int* to, size_t capacity) const {
    const bool is_process = numbers_.is_process(HostPid(member));
    const HostPid owner = is_process ? HostPid(member) : process_of_thread(HostPid(member));
    if (numbers_.number_of(owner, space_) == VirtPid::none) return 0;
    // From the member's own namespace up to the reader's.
    std::array<NamespaceId, max_level> levels{};
    size_t depth = 0;
    for (NamespaceId space = numbers_.namespace_of(owner); depth < levels.size(); ++depth) {
        levels.at(depth) = space;
        if (space == space_ || space == NamespaceId::none) break;
        space = numbers_.parent_of(space);
    }
    const size_t count = std::min({depth + 1, levels.size(), capacity});
    for (size_t i = 0; i < count; ++i) to[i] = translator_.thread_outward(host, levels.at(count - 1 - i));
    return count;
}

}  // namespace ctr::pidns
