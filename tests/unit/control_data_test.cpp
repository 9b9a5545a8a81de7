#include "pidns/monitor/control_data.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

namespace ctr::pidns {
namespace {

// One part, as a program would lay it down. stated: the length that its header claims.
std::string part(int level, int type, size_t size, size_t stated) {
    std::string bytes(CMSG_SPACE(size), 'x');
    cmsghdr header{};
    header.cmsg_len = stated;
    header.cmsg_level = level;
    header.cmsg_type = type;
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
}
std::string part(int type, size_t size) {
    return part(SOL_SOCKET, type, size, CMSG_LEN(size));
}
const std::string credentials = part(SCM_CREDENTIALS, sizeof(ucred));

using Offsets = std::vector<size_t>;

TEST(ControlData, HasTheNumbersOfAllCredentials) {
    EXPECT_EQ(credentials_in(credentials), Offsets{CMSG_LEN(0)});
    const std::string descriptors = part(SCM_RIGHTS, 3 * sizeof(int));
    EXPECT_EQ(credentials_in(descriptors), Offsets{});
    EXPECT_EQ(credentials_in(descriptors + credentials + descriptors + credentials),
              (Offsets{descriptors.size() + CMSG_LEN(0),
                       2 * descriptors.size() + credentials.size() + CMSG_LEN(0)}));
}

TEST(ControlData, OfAnotherLevelOrTypeHasNone) {
    EXPECT_EQ(credentials_in(part(SOL_SOCKET + 1, SCM_CREDENTIALS, sizeof(ucred), CMSG_LEN(sizeof(ucred)))),
              Offsets{});
    EXPECT_EQ(credentials_in(part(SCM_CREDENTIALS + 1, sizeof(ucred))), Offsets{});
}

TEST(ControlData, CutOffBehindTheNumberStillHasIt) {
    EXPECT_EQ(credentials_in(part(SCM_CREDENTIALS, sizeof(pid_t))), Offsets{CMSG_LEN(0)});
    EXPECT_EQ(credentials_in(part(SCM_CREDENTIALS, sizeof(pid_t) - 1)), Offsets{});
}

TEST(ControlData, EndsWhereALengthIsImpossible) {
    for (const size_t stated : {size_t{0}, size_t{1}, sizeof(cmsghdr) - 1, size_t{4096}, SIZE_MAX,
                                SIZE_MAX - sizeof(cmsghdr), SIZE_MAX / 2 + 1})
        EXPECT_EQ(credentials_in(credentials + part(SOL_SOCKET, SCM_CREDENTIALS, sizeof(ucred), stated) +
                                 credentials),
                  Offsets{CMSG_LEN(0)})
            << stated;
    // A header may be all that there is, and the next one starts behind it.
    EXPECT_EQ(credentials_in(part(SCM_CREDENTIALS, 0) + credentials), Offsets{CMSG_SPACE(0) + CMSG_LEN(0)});
}

TEST(ControlData, OfAnyLengthIsReadWithinItsBounds) {
    const std::string all = credentials + part(SCM_RIGHTS, sizeof(int)) + credentials;
    for (size_t size = 0; size <= all.size(); ++size) {
        const std::string exactly = all.substr(0, size);  // the address sanitizer watches its end
        for (const size_t at : credentials_in(exactly)) EXPECT_LE(at + sizeof(pid_t), size);
    }
    EXPECT_EQ(credentials_in(""), Offsets{});
}

// Whatever lies there: each number found is within, and right behind a header that says so.
TEST(ControlData, OfHostileProgramsIsReadWithinItsBounds) {
    std::mt19937_64 random(20260211);
    const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
    constexpr int rounds = 20000;
    size_t numbers = 0;
    for (int round = 0; round < rounds; ++round) {
        std::string control;
        for (size_t parts = below(6); parts > 0; --parts) {
            const size_t size = below(40);
            const size_t odd[] = {CMSG_LEN(size), CMSG_LEN(size), below(64), random(), SIZE_MAX - below(32)};
            control += part(SOL_SOCKET + (below(8) == 0 ? 1 : 0), static_cast<int>(1 + below(3)), size,
                            odd[below(std::size(odd))]);
        }
        for (size_t flips = below(4); flips > 0 && !control.empty(); --flips)
            control[below(control.size())] = static_cast<char>(random());
        control.resize(below(control.size() + 1));
        size_t last = 0;
        for (const size_t at : credentials_in(control)) {
            ASSERT_GE(at, last + sizeof(cmsghdr));
            ASSERT_LE(at + sizeof(pid_t), control.size());
            cmsghdr header{};
            std::memcpy(&header, control.data() + at - CMSG_LEN(0), sizeof header);
            ASSERT_EQ(header.cmsg_level, SOL_SOCKET);
            ASSERT_EQ(header.cmsg_type, SCM_CREDENTIALS);
            ASSERT_GE(header.cmsg_len, shortest_credentials);
            ASSERT_LE(header.cmsg_len, control.size() - (at - CMSG_LEN(0)));
            last = at;
            ++numbers;
        }
    }
    EXPECT_GT(numbers, 1000u) << "the test no longer finds anything";
}

}  // namespace
}  // namespace ctr::pidns
