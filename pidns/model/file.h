// The numbers of one container as a file: a page that says what it is, a byte for each number of the host
// (attention.h), then the mapping of a model.
//
// The file is a memfd that the container's monitor makes and keeps. Whoever holds a descriptor of it can read
// the numbers without asking anybody. Its size is sealed, so that a mapping of it never ends in SIGBUS.
//
// Its contents may have been written by a workload: a reader copies the header once, examines the copy, and
// never looks at the original again. What it gets to read may be wrong then, and harms it no more than that.
#pragma once

#include <array>
#include <type_traits>

#include "pidns/model/attention.h"
#include "pidns/model/flat_numbering.h"
#include "pidns/model/hash_numbering.h"
#include "pidns/model/list_numbering.h"

namespace ctr::pidns {

// What the memfd is called: /proc/PID/fd/N of the monitor is a link to "/memfd:ctr-numbers (deleted)".
inline constexpr const char* file_name = "ctr-numbers";

struct FileHeader {
    // To be raised with every change of the header or of a model's layout.
    static constexpr uint32_t current_version = 3;
    static constexpr std::array<char, 8> current_magic{'c', 't', 'r', '-', 'n', 'u', 'm', '\n'};

    std::array<char, 8> magic;
    uint32_t version;
    Model model;
    Limits limits;
    HostPid init;  // of the container, in the pid namespace of its monitor; none: not registered yet

    // Not 0: a procfs may be seen at a place without "proc" in its name. Read by the code inside workloads.
    uint32_t procfs_elsewhere = 0;
};
static_assert(std::is_trivially_copyable_v<FileHeader> && sizeof(FileHeader) == 40);

inline constexpr std::size_t file_header_bytes = 4096;

// Of the host's numbers: kernel.pid_max can be raised while we run, but not beyond PID_MAX_LIMIT. Untouched
// pages of the mapping cost nothing.
inline constexpr uint32_t host_limit = 1U << number_bits;

// Namespaces at a time, in one container. Each has an array of numbers in the flat model.
inline constexpr uint32_t namespace_limit = 1024;

// Entries are needed for processes, and for dead ones until they are collected.
constexpr Limits limits_for(uint32_t pid_max) {
    const uint32_t most = 1U << number_bits;
    return {pid_max, host_limit, pid_max < most / 4 ? 4 * pid_max : most, namespace_limit};
}

// Where the model's mapping begins.
constexpr std::size_t model_offset(const Limits& limits) {
    return file_header_bytes +
           (Attention::bytes(limits) + file_header_bytes - 1) / file_header_bytes * file_header_bytes;
}
static_assert(file_header_bytes % cache_line == 0);

// Calls action(std::type_identity<M>) with the type of that model; another value counts as flat.
template <class Action>
constexpr decltype(auto) with_type_of(Model model, Action action) {
    switch (model) {
        case Model::hash: return action(std::type_identity<HashNumbering>());
        case Model::list: return action(std::type_identity<ListNumbering>());
        case Model::flat: break;
    }
    return action(std::type_identity<FlatNumbering>());
}

constexpr std::size_t file_bytes(Model model, const Limits& limits) {
    return model_offset(limits) + with_type_of(model, [&]<class M>(std::type_identity<M>) -> std::size_t {
               return M::bytes(limits);
           });
}

// Why a header can't be used.
enum class FileFault { none, magic, version, model, limits, size };

constexpr FileFault examine(const FileHeader& header, uint64_t size) {
    if (header.magic != FileHeader::current_magic) return FileFault::magic;
    if (header.version != FileHeader::current_version) return FileFault::version;
    if (header.model != Model::flat && header.model != Model::hash && header.model != Model::list)
        return FileFault::model;
    if (!valid(header.limits)) return FileFault::limits;
    return size == file_bytes(header.model, header.limits) ? FileFault::none : FileFault::size;
}

}  // namespace ctr::pidns
