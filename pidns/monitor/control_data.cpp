#include "pidns/monitor/control_data.h"

#include <cstring>

namespace ctr::pidns {

std::vector<size_t> credentials_in(std::string_view control) {
    std::vector<size_t> found;
    for (size_t at = 0; at + sizeof(cmsghdr) <= control.size();) {
        cmsghdr part{};
        std::memcpy(&part, control.data() + at, sizeof part);
        if (part.cmsg_len < sizeof part || part.cmsg_len > control.size() - at) break;
        const bool credentials = part.cmsg_level == SOL_SOCKET && part.cmsg_type == SCM_CREDENTIALS &&
                                 part.cmsg_len >= shortest_credentials;
        if (credentials) found.push_back(at + CMSG_LEN(0));
        at += CMSG_ALIGN(part.cmsg_len);
    }
    return found;
}

}  // namespace ctr::pidns
