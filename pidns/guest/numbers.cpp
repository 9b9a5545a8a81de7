#include "pidns/guest/numbers.h"

#include <asm/mman.h>

namespace ctr::pidns::guest {

namespace {

constexpr uint64_t seek_end = 2;
constexpr uint64_t map_shared = 1, map_fixed_noreplace = 0x100000;
constexpr uint64_t read_write = PROT_READ | PROT_WRITE;

int64_t ask_for_file() {
    int64_t file = 0;
    do file = asked(SYS_prctl, layer_attach);
    while (file == eintr);
    return file;
}

void set_gs_base(uint64_t word) {
    __asm__ volatile("wrgsbase %0" ::"r"(word));
}

// One set bit, so that its place says all.
bool is_power_of_two(uint32_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace

void Mapping::be_quiet() {
    (void)get();  // is there a layer?
    const uint64_t base = gs_base();
    if ((base != 0 && !is_ours(base)) || base == no_layer) return;
    // From now on the monitor translates what its handlers get to see.
    while (!is_quiet() && asked(SYS_prctl, layer_quiet) == eintr) {
    }
    set_gs_base(quiet);
}

void Mapping::be_quiet_everywhere() {
    constexpr uint64_t map_private = 2, map_fixed = 16, map_anonymous = 32, no_file = ~uint64_t{0};
    const bool attached = get().has_value();
    be_quiet();
    if (attached)
        make(SYS_mmap, place, file_header_bytes, PROT_READ, map_private | map_fixed | map_anonymous, no_file,
             0);
}

void Mapping::leave() {
    const auto mapping = get();
    if (!mapping) return;
    const uint64_t size = file_bytes(mapping->model(), mapping->limits());
    be_quiet_everywhere();
    make(SYS_munmap, place + file_header_bytes, size - file_header_bytes, 0, 0, 0, 0);
}

// The mapping is there still, if it was.
void Mapping::be_loud() {
    if (gs_base() == quiet) set_gs_base(0);
}

// Two threads may come here at once, and a signal handler at any point: the mapping that is there is the one
// that there would be.
[[gnu::noinline]] std::optional<Mapping> Mapping::attach() {
    const int64_t file = ask_for_file();
    if (file == einval) set_gs_base(no_layer);
    if (file < 0) return {};
    const auto fd = static_cast<uint64_t>(file);
    const int64_t size = marked(SYS_lseek, fd, 0, seek_end);
    const int64_t at = make(SYS_mmap, place, static_cast<uint64_t>(size), read_write,
                            map_shared | map_fixed_noreplace, fd, 0);
    marked(SYS_close, fd);
    // Before Linux 4.17 the flag is unknown, and the mapping may be anywhere.
    if (at != static_cast<int64_t>(place) && at != eexist) return {};
    FileHeader header;
    __builtin_memcpy(&header, memory(), sizeof header);
    const uint32_t numbers = header.limits.numbers;
    if (!is_power_of_two(numbers) || numbers < 2 || numbers > host_limit) return {};
    header.limits = limits_for(numbers);  // the only ones that the register can name
    if (examine(header, static_cast<uint64_t>(size)) != FileFault::none) return {};
    const auto log = static_cast<uint64_t>(__builtin_ctz(numbers));
    const uint64_t word = place | tag | static_cast<uint64_t>(header.model) << model_shift | log << log_shift;
    set_gs_base(word);
    return Mapping(word);
}

// Views of the models are computed from the limits at every use, which costs little where the compiler sees
// through all of it: so each of the following is one piece.

[[gnu::flatten]] std::optional<Self> Self::find_again(HostPid known) {
    const auto mapping = Mapping::get();
    if (!mapping) return {};
    const NamespaceId space = mapping->with([&](const auto& model) {
        const EntryId entry = model.entry_of(known);
        return model.is_process(entry) ? model.namespace_of(entry) : NamespaceId::none;
    });
    if (space == NamespaceId::none) return {};
    return Self{*mapping, known, space};
}

std::optional<Self> Self::find_again() {
    if (!Mapping::get()) return {};
    return find_again(HostPid(static_cast<int>(marked(SYS_getpid))));
}

std::optional<Self> Self::find() {
    const auto self = find_again();
    return self && !self->mapping.attention().wanted(self->host) ? self : std::nullopt;
}

[[gnu::flatten]] VirtPid Self::number_of(HostPid other) const {
    return mapping.with([&](const auto& model) { return model.number_of(other, space); });
}

[[gnu::flatten]] HostPid Self::host_of(int number) const {
    return mapping.with([&](const auto& model) { return model.host_of(space, VirtPid(number)); });
}

}  // namespace ctr::pidns::guest
