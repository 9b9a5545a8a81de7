#include "runtime/report.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace ctr {

namespace {

constexpr size_t max_datagram = 16384;
constexpr size_t max_text = 3000;  // five texts fit

// A datagram: the variant's index, then its members one after the other.
class Writer {
  public:
    void number(int value) { append(&value, sizeof value); }
    void text(std::string_view value) {
        value = value.substr(0, max_text);
        number(static_cast<int>(value.size()));
        append(value.data(), value.size());
    }
    const std::string& bytes() const { return bytes_; }

  private:
    void append(const void* data, size_t size) { bytes_.append(static_cast<const char*>(data), size); }
    std::string bytes_;
};

// Reads nothing past the end: what is missing reads as 0 or empty.
class Reader {
  public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}
    int number() {
        int value = 0;
        const std::string_view part = take(sizeof value);
        if (part.size() == sizeof value) std::memcpy(&value, part.data(), sizeof value);
        return value;
    }
    std::string text() { return std::string(take(static_cast<size_t>(number()))); }

  private:
    std::string_view take(size_t size) {
        const std::string_view part = bytes_.substr(0, size);
        bytes_.remove_prefix(part.size());
        return part;
    }
    std::string_view bytes_;
};

constexpr size_t most_descriptors = 2;

struct Encoder {
    Writer& out;
    std::vector<int> fds;
    void operator()(const Notice& notice) {
        out.number(static_cast<int>(notice.kind));
        out.text(notice.text);
    }
    void operator()(const Started& started) {
        out.number(raw(started.init));
        for (const Fd* fd : {&started.pidfd, &started.listener})
            if (*fd) fds.push_back(fd->get());
    }
    void operator()(const Failed& failed) {
        const Error& e = failed.error;
        for (const std::string& text : {e.step, e.call, e.why, e.hint}) out.text(text);
        out.number(e.err);
        out.number(e.exit_code);
    }
    void operator()(const Ended& ended) { out.number(ended.status); }
};

std::optional<Report> decode(std::string_view bytes, std::array<Fd, most_descriptors> fds) {
    Reader in(bytes);
    switch (in.number()) {
        case 0: {
            const auto last = static_cast<int>(Notice::Kind::warning);
            const auto kind = static_cast<Notice::Kind>(std::clamp(in.number(), 0, last));
            return Notice{kind, in.text()};
        }
        case 1: return Started{HostPid(in.number()), std::move(fds[0]), std::move(fds[1])};
        case 2: {
            Failed failed;
            for (std::string Error::*member : {&Error::step, &Error::call, &Error::why, &Error::hint})
                failed.error.*member = in.text();
            failed.error.err = in.number();
            failed.error.exit_code = in.number();
            return failed;
        }
        case 3: return Ended{in.number()};
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
    Writer out;
    out.number(static_cast<int>(report.index()));
    Encoder encoder{out, {}};
    std::visit(encoder, report);

    std::string bytes = out.bytes();
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(most_descriptors * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (const size_t size = encoder.fds.size() * sizeof(int); size != 0) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(size);
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(size);
        std::memcpy(CMSG_DATA(header), encoder.fds.data(), size);
    }
    // What only informs is not worth waiting for a reader.
    const int flags = std::holds_alternative<Notice>(report) ? MSG_NOSIGNAL | MSG_DONTWAIT : MSG_NOSIGNAL;
    return sendmsg(sender.get(), &message, flags) >= 0;
}

std::optional<Report> receive_report(const Fd& receiver) {
    std::array<char, max_datagram> bytes;
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(most_descriptors * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t got = 0;
    do got = recvmsg(receiver.get(), &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got <= 0) return {};
    std::array<Fd, most_descriptors> fds;
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message);
        header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < std::min(count, fds.size()); ++i) {
            int number = -1;
            std::memcpy(&number, CMSG_DATA(header) + i * sizeof number, sizeof number);
            fds.at(i).reset(number);
        }
    }
    return decode({bytes.data(), static_cast<size_t>(got)}, std::move(fds));
}

}  // namespace ctr
