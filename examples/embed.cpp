// A container from a program of one's own: links ctr::runtime, starts a shell in a container and waits for
// it.
#include <cstdio>

#include "runtime/container.h"

int main() {
    ctr::Spec spec;
    spec.command = {"/bin/sh", "-c", "echo \"inside, I am process $$\"; exit 3"};
    spec.hostname = "embedded";

    auto container = ctr::Container::start(spec);
    if (!container) {
        std::fprintf(stderr, "embed: %s\n", container.error().message().c_str());
        return container.error().exit_code;
    }
    std::printf("outside, it is process %d\n", ctr::raw(container->init()));
    std::fflush(stdout);

    const auto end = container->wait();
    if (!end) {
        std::fprintf(stderr, "embed: %s\n", end.error().message().c_str());
        return end.error().exit_code;
    }
    std::printf("it ended with %d\n", end->status);
}
