// Who am I? The kernel says it in the host's numbers.
#include "pidns/guest/numbers.h"
#include "pidns/guest/serve.h"
#include "pidns/guest/translate.h"

namespace ctr::pidns::guest {

namespace {

Action result(Frame& frame, int64_t value) {
    frame.result = value;
    return Action::done;
}

}  // namespace

Action answer(Frame& frame, const Row& row) {
    const auto self = Self::find();
    if (!self) return ask(frame, row);
    const auto seen = [&](int64_t host) { return result(frame, host > 0 ? self->outward(host) : host); };
    switch (frame.number) {
        case SYS_getpid: return result(frame, self->outward(raw(self->host)));
        case SYS_gettid: {
            const int64_t thread = marked(SYS_gettid);
            return result(frame, thread == raw(self->host) ? self->outward(thread) : thread);
        }
        case SYS_getppid:
        case SYS_getpgrp: return seen(marked(static_cast<long>(frame.number)));
        case SYS_getpgid:
        case SYS_getsid: {
            const auto number = static_cast<int>(frame.arguments[0]);
            const auto host = inward(*self, Kind::process, number, 0);
            if (!host || number < 0) return ask(frame, row);
            return seen(marked(static_cast<long>(frame.number), extend(*host)));
        }
        default: return ask(frame, row);
    }
}

}  // namespace ctr::pidns::guest
