// fstat and its like of a file in memory that stands for one of /proc: as of that one. stdio asks it of
// whatever it reads.
#include <fcntl.h>

#include "pidns/guest/kernel.h"
#include "pidns/guest/numbers.h"
#include "pidns/guest/proc.h"
#include "pidns/guest/proc_name.h"
#include "pidns/surface/memory_name.h"

namespace ctr::pidns::guest {

namespace {

// A process that is seen from here, and the same still.
bool is_still(const Self& self, HostPid host, std::string_view birth) {
    return self.mapping.with([&](const auto& model) {
        const EntryId entry = model.entry_of(host);
        return model.is_process(entry) && model.number_in(entry, self.space) != VirtPid::none &&
               same(EntryBirth(model.birth_of(entry)).text(), birth);
    });
}

int64_t describe_file(const Frame& frame, const char* path) {
    constexpr auto here = static_cast<uint64_t>(AT_FDCWD);
    const auto text = reinterpret_cast<uint64_t>(path);
    const uint64_t* arguments = frame.arguments;
    const auto by_name = [](uint64_t flags) { return flags & ~uint64_t{AT_EMPTY_PATH}; };
    switch (frame.number) {
        case SYS_fstat: return marked(SYS_stat, text, arguments[1]);
        case SYS_newfstatat: return marked(SYS_newfstatat, here, text, arguments[2], by_name(arguments[3]));
        default: return make(SYS_statx, here, text, by_name(arguments[2]), arguments[3], arguments[4], mark);
    }
}

}  // namespace

bool describe_as_proc(const Frame& frame) {
    char link[128];
    const DescriptorPath path(static_cast<int>(frame.arguments[0]));
    const int64_t size = marked(SYS_readlink, reinterpret_cast<uint64_t>(path.text()),
                                reinterpret_cast<uint64_t>(link), sizeof link);
    if (size <= 0 || size == sizeof link) return false;
    const auto name = memory_name_of({link, static_cast<size_t>(size)});
    if (!name) return false;
    Rest place(name->place);
    const auto host = place.take_number();
    if (!host || *host <= 0 || !place.skip({"/", 1}) || !is_plain_name(place.text())) return false;
    const auto self = Self::find();
    return self && is_still(*self, HostPid(*host), name->birth) &&
           describe_file(frame, ProcText(*host, place.text()).text()) == 0;
}

}  // namespace ctr::pidns::guest
