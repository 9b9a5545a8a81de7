// For bench fastpath.
//
//     fastpath_helper filter COMMAND...      executes it under the filter of the pid layer, except that what
//     would
//                                            become a notification is allowed: what the filter's presence
//                                            costs
//     fastpath_helper instrument FILE COPY   writes the instrumented copy of an image
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "pidns/guest/code.h"
#include "pidns/image/instrument.h"
#include "pidns/surface/filter.h"
#include "runtime/base/sys.h"

namespace ctr::bench {
namespace {

int complain(const std::string& about) {
    std::cerr << "fastpath_helper: " << about << '\n';
    return 1;
}

int execute_filtered(char** command) {
    const auto constant = pidns::filter();
    std::vector<sock_filter> filter(constant.begin(), constant.end());
    for (sock_filter& instruction : filter)
        if (BPF_CLASS(instruction.code) == BPF_RET && instruction.k == SECCOMP_RET_USER_NOTIF)
            instruction.k = SECCOMP_RET_ALLOW;
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    if (sys::seccomp_set_filter(SECCOMP_FILTER_FLAG_SPEC_ALLOW, program) != 0)
        return complain(std::string("seccomp: ") + std::strerror(errno));
    execvp(command[0], command);
    return complain(std::string(command[0]) + ": " + std::strerror(errno));
}

int instrument(const char* from, const char* to) {
    std::ifstream file(from, std::ios::binary);
    const std::vector<char> original((std::istreambuf_iterator<char>(file)), {});
    const auto copy = pidns::image::instrument(std::as_bytes(std::span(original)), pidns::guest_code());
    if (!copy) return complain(copy.error().message());
    if (copy->bytes.empty()) return complain(std::string(from) + ": nothing of it can be patched");
    std::ofstream out(to, std::ios::binary);
    out.write(reinterpret_cast<const char*>(copy->bytes.data()),
              static_cast<std::streamsize>(copy->bytes.size()));
    out.close();
    if (!out || chmod(to, 0755) != 0) return complain(std::string(to) + ": " + std::strerror(errno));
    return 0;
}

}  // namespace
}  // namespace ctr::bench

int main(int count, char** words) {
    const std::string verb = count > 1 ? words[1] : "";
    if (verb == "filter" && count > 2) return ctr::bench::execute_filtered(words + 2);
    if (verb == "instrument" && count == 4) return ctr::bench::instrument(words[2], words[3]);
    return ctr::bench::complain("filter COMMAND... or instrument FILE COPY");
}
