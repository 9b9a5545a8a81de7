#include "runtime/write_calls.h"

#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

#include "pidns/monitor/memory.h"

namespace ctr::write_calls {

namespace {

// How it is found out what a call writes.
enum class Form : uint8_t {
    count,      // `size`: the argument that says how many bytes
    vector,     // `size`: the argument that points to the parts, followed by how many there are
    requests,   // io_submit
    unbounded,  // the whole of a file in one call: refused
};

struct WriteCall {
    long number;
    uint8_t fd;
    Form form;
    uint8_t size;
    int error = 0;  // of what is refused
};

// copy_file_range with another file system's EXDEV and sendfile with EINVAL, as from a file system that
// can't: cp and its like ask for as much as there is, and read and write when it is refused. A program that
// has no other way to go on is told that it can't.
constexpr WriteCall table[] = {
    {SYS_write, 0, Form::count, 2},
    {SYS_pwrite64, 0, Form::count, 2},
    {SYS_writev, 0, Form::vector, 1},
    {SYS_pwritev, 0, Form::vector, 1},
    {SYS_pwritev2, 0, Form::vector, 1},
    {SYS_splice, 2, Form::count, 4},
    {SYS_io_submit, 0, Form::requests, 0},
    {SYS_sendfile, 0, Form::unbounded, 3, EINVAL},
    {SYS_copy_file_range, 2, Form::unbounded, 4, EXDEV},
};

constexpr auto numbers = [] {
    std::array<long, std::size(table)> found{};
    std::ranges::transform(table, found.begin(), &WriteCall::number);
    return found;
}();

constexpr std::array absent_calls{static_cast<long>(SYS_io_uring_setup)};

constexpr uint64_t most_in_one_call = 0x7ffff000;  // MAX_RW_COUNT
constexpr size_t most_parts = 1024;                // UIO_MAXIOV
constexpr uint64_t most_requests = 1024;           // that are looked at
constexpr uint64_t unknown = 1 << 20;              // what a call counts whose memory can't be read

const WriteCall& find(const pidns::Trap& trap) {
    return *std::ranges::find(table, trap.number, &WriteCall::number);
}

uint64_t bounded(uint64_t bytes) {
    return std::min(bytes, most_in_one_call);
}

uint64_t sum_of_parts(HostPid thread, uint64_t address, uint64_t count) {
    std::array<iovec, most_parts> parts;
    count = std::min<uint64_t>(count, parts.size());
    if (!pidns::read_present_bytes(thread, address, parts.data(), count * sizeof(iovec))) return unknown;
    uint64_t sum = 0;
    for (const iovec& part : std::span(parts).first(count)) sum = bounded(sum + bounded(part.iov_len));
    return sum;
}

Transfer transfer_of(HostPid thread, const iocb& request) {
    const auto fd = static_cast<int>(request.aio_fildes);
    if (request.aio_lio_opcode == IOCB_CMD_PWRITE) return {fd, bounded(request.aio_nbytes), 1};
    if (request.aio_lio_opcode == IOCB_CMD_PWRITEV)
        return {fd, sum_of_parts(thread, request.aio_buf, request.aio_nbytes), 1};
    return {};
}

std::vector<Transfer> requests_of(const pidns::Trap& trap) {
    std::vector<Transfer> found;
    std::vector<uint64_t> addresses(std::min(trap.arguments[1], most_requests));
    if (addresses.empty() || !pidns::read_present_bytes(trap.thread, trap.arguments[2], addresses.data(),
                                                        addresses.size() * sizeof(uint64_t)))
        return found;
    for (const uint64_t address : addresses) {
        iocb request{};
        if (!pidns::read_present_bytes(trap.thread, address, &request, sizeof request)) continue;
        if (const Transfer transfer = transfer_of(trap.thread, request); transfer.fd >= 0)
            found.push_back(transfer);
    }
    return found;
}

}  // namespace

std::span<const long> watched() {
    return numbers;
}

std::span<const long> absent() {
    return absent_calls;
}

std::vector<Transfer> transfers(const pidns::Trap& trap) {
    const WriteCall& call = find(trap);
    if (call.form == Form::requests) return requests_of(trap);
    const uint64_t size = trap.arguments[call.size];
    const uint64_t bytes = call.form == Form::vector
                               ? sum_of_parts(trap.thread, size, trap.arguments[call.size + 1])
                               : bounded(size);
    return {{static_cast<int>(trap.arguments[call.fd]), bytes, 1}};
}

long refusal(const pidns::Trap& trap) {
    return -static_cast<long>(find(trap).error);
}

}  // namespace ctr::write_calls
