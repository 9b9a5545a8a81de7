#include "pidns/monitor/numbers_view.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

namespace ctr::pidns {

namespace {

constexpr const char* step = "read a container's process numbers";

std::string reason(FileFault fault, const FileHeader& header) {
    switch (fault) {
        case FileFault::version:
            return "the file has format " + std::to_string(header.version) + ", this ctr knows format " +
                   std::to_string(FileHeader::current_version);
        case FileFault::model: return "the file is damaged: there is no such model";
        case FileFault::limits: return "the file is damaged: its limits are out of range";
        case FileFault::size: return "the file is damaged: its size isn't what its header says";
        case FileFault::magic:
        case FileFault::none: break;
    }
    return "the file is damaged or isn't one of ctr";
}

}  // namespace

Result<NumbersView> NumbersView::open(int fd) {
    // A file that could become shorter would kill whoever reads its mapping. Other files than memfds have no
    // seals.
    const int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return fail_input(step, "it isn't a file of ctr");
    struct stat status {};
    if (fstat(fd, &status) != 0) return fail_call(step, "fstat");
    FileHeader header{};
    const ssize_t got = pread(fd, &header, sizeof header, 0);
    if (got < 0) return fail_call(step, "pread");
    const FileFault fault = examine(header, static_cast<uint64_t>(status.st_size));
    if (fault != FileFault::none) return fail_input(step, reason(fault, header));
    Mapping mapping = map_file(fd, file_bytes(header.model, header.limits), PROT_READ);
    if (!mapping) return fail_call(step, "mmap");
    return NumbersView(header, std::move(mapping));
}

NumbersView::NumbersView(const FileHeader& header, Mapping mapping)
    : header_(header),
      mapping_(std::move(mapping)),
      model_(with_type_of(header.model, [&]<class M>(std::type_identity<M>) -> AnyModel {
          return M(static_cast<std::byte*>(mapping_.get()) + model_offset(header_.limits), header_.limits);
      })) {}

NamespaceId NumbersView::namespace_of(HostPid host) const {
    return with([&](const auto& model) {
        const EntryId entry = model.entry_of(host);
        return model.is_process(entry) ? model.namespace_of(entry) : NamespaceId::none;
    });
}

NamespaceId NumbersView::parent_of(NamespaceId space) const {
    return with([&](const auto& model) { return model.parent_of(space); });
}

VirtPid NumbersView::number_of(HostPid host, NamespaceId space) const {
    return with([&](const auto& model) { return model.number_of(host, space); });
}

std::vector<VirtPid> NumbersView::numbers_of(HostPid host) const {
    std::vector<VirtPid> numbers;
    NamespaceId space = namespace_of(host);
    for (unsigned level = 0; level < max_level && space != NamespaceId::none; ++level) {
        numbers.push_back(number_of(host, space));
        space = parent_of(space);
    }
    std::ranges::reverse(numbers);
    return numbers;
}

}  // namespace ctr::pidns
