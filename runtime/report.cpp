#include "runtime/report.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "runtime/wire.h"

namespace ctr {

namespace {

constexpr size_t max_datagram = 16384;
constexpr size_t max_text = 3000;  // five texts fit

// A record says which of them it has, by bits.
constexpr std::array descriptors_of_started{&Started::pidfd, &Started::terminal, &Started::listener};

constexpr size_t most_descriptors = descriptors_of_started.size();
constexpr size_t control_size = CMSG_SPACE(most_descriptors * sizeof(int));
using Descriptors = std::array<Fd, most_descriptors>;

// A datagram: the variant's index, then its members one after the other.
struct Encoder {
    wire::Writer& out;
    std::vector<int> descriptors;
    void operator()(const Notice& notice) {
        out.number(static_cast<int>(notice.kind));
        text(notice.text);
    }
    void operator()(const Started& started) {
        out.number(raw(started.init));
        out.number(raw(started.command));
        int present = 0;
        for (size_t i = 0; i < descriptors_of_started.size(); ++i) {
            const Fd& fd = started.*descriptors_of_started[i];
            if (!fd) continue;
            present |= 1 << i;
            descriptors.push_back(fd.get());
        }
        out.number(present);
    }
    void operator()(const Failed& failed) {
        const Error& e = failed.error;
        for (const std::string& part : {e.step, e.call, e.why, e.hint}) text(part);
        out.number(e.err);
        out.number(e.exit_code);
    }
    void operator()(const Ended& ended) { out.number(ended.status); }

    void text(std::string_view value) { out.text(value.substr(0, max_text)); }
};

std::optional<Report> decode(std::string_view bytes, Descriptors fds) {
    wire::Reader in(bytes);
    switch (in.number<int>()) {
        case 0: {
            const auto last = static_cast<int>(Notice::Kind::warning);
            const auto kind = static_cast<Notice::Kind>(std::clamp(in.number<int>(), 0, last));
            return Notice{kind, in.text()};
        }
        case 1: {
            Started started;
            started.init = HostPid(in.number<int>());
            started.command = HostPid(in.number<int>());
            const int present = in.number<int>();
            for (size_t i = 0, next = 0; i < descriptors_of_started.size(); ++i)
                if ((present & 1 << i) != 0) started.*descriptors_of_started[i] = std::move(fds[next++]);
            return started;
        }
        case 2: {
            Failed failed;
            for (std::string Error::*member : {&Error::step, &Error::call, &Error::why, &Error::hint})
                failed.error.*member = in.text();
            failed.error.err = in.number<int>();
            failed.error.exit_code = in.number<int>();
            return failed;
        }
        case 3: return Ended{in.number<int>()};
        default: return {};
    }
}

}  // namespace

Result<ReportPipe> make_report_pipe() {
    std::array<int, 2> fds{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds.data()) != 0)
        return fail_call("make the report channel", "socketpair");
    return ReportPipe{Fd(fds[0]), Fd(fds[1])};
}

bool send_report(const Fd& sender, const Report& report) {
    wire::Writer out;
    out.number(static_cast<int>(report.index()));
    Encoder encoder{out, {}};
    std::visit(encoder, report);

    std::string bytes = out.bytes();
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::array<char, control_size> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (const size_t size = encoder.descriptors.size() * sizeof(int); size != 0) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(size);
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(size);
        std::memcpy(CMSG_DATA(header), encoder.descriptors.data(), size);
    }
    // What only informs is not worth waiting for a reader.
    const int flags = std::holds_alternative<Notice>(report) ? MSG_NOSIGNAL | MSG_DONTWAIT : MSG_NOSIGNAL;
    return sendmsg(sender.get(), &message, flags) >= 0;
}

std::optional<Report> receive_report(const Fd& receiver) {
    std::array<char, max_datagram> bytes;
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::array<char, control_size> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t got = 0;
    do got = recvmsg(receiver.get(), &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got <= 0) return {};
    Descriptors fds;
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message);
        header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        std::array<int, most_descriptors> numbers{};
        const size_t size = std::min(header->cmsg_len - CMSG_LEN(0), sizeof numbers);
        std::memcpy(numbers.data(), CMSG_DATA(header), size);
        for (size_t i = 0; i < size / sizeof(int); ++i) fds[i].reset(numbers[i]);
    }
    return decode({bytes.data(), static_cast<size_t>(got)}, std::move(fds));
}

}  // namespace ctr
