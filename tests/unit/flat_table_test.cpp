#include "pidns/model/flat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace ctr::pidns {
namespace {

class FlatTableTest : public testing::Test {
  protected:
    explicit FlatTableTest(uint32_t virt_limit = 1000) : limits_{virt_limit, 100'000} {
        memory_.resize(FlatTable::bytes(limits_) / sizeof(uint64_t) + 1);
        table_.emplace(memory_.data(), limits_);
    }

    // A process that leads its own group and session, as init does.
    VirtPid leader(int host) {
        const VirtPid number = table_->allocate();
        table_->publish(number, HostPid(host), number, number);
        return number;
    }
    VirtPid child(int host, VirtPid group, VirtPid session) {
        const VirtPid number = table_->allocate();
        table_->publish(number, HostPid(host), group, session);
        return number;
    }

    FlatTable::Limits limits_;
    std::vector<uint64_t> memory_;
    std::optional<FlatTable> table_;
};

TEST_F(FlatTableTest, NumbersStartAtOneAndGoUp) {
    EXPECT_EQ(leader(5000), VirtPid(1));
    EXPECT_EQ(leader(5001), VirtPid(2));
    EXPECT_EQ(table_->number_of(HostPid(5001)), VirtPid(2));
    EXPECT_EQ(table_->host_of(VirtPid(2)), HostPid(5001));
}

TEST_F(FlatTableTest, UnknownAndImpossibleNumbersAreNone) {
    leader(5000);
    for (const int host : {0, -1, 1, 5001, 99'999, 100'000, 2'000'000'000, -2'000'000'000})
        EXPECT_EQ(table_->number_of(HostPid(host)), VirtPid::none) << host;
    for (const int number : {0, -1, 2, 999, 1000, 2'000'000'000, -2'000'000'000})
        EXPECT_EQ(table_->host_of(VirtPid(number)), HostPid::none) << number;
}

TEST_F(FlatTableTest, AnAllocatedNumberIsInvisibleUntilPublished) {
    const VirtPid number = table_->allocate();
    EXPECT_EQ(table_->host_of(number), HostPid::none);
    EXPECT_FALSE(table_->is_process(number));
    EXPECT_NE(table_->allocate(), number);
}

TEST_F(FlatTableTest, ACancelledNumberLeavesNoGap) {
    leader(5000);
    table_->cancel(table_->allocate());
    EXPECT_EQ(leader(5001), VirtPid(2));
}

TEST_F(FlatTableTest, CancellingAProcessDoesNothing) {
    const VirtPid number = leader(5000);
    table_->cancel(number);
    EXPECT_EQ(table_->number_of(HostPid(5000)), number);
}

TEST_F(FlatTableTest, ANumberLivesWhileItsGroupHasMembers) {
    const VirtPid init = leader(5000);
    const VirtPid shell = child(5001, init, init);
    table_->set_group(shell, shell);
    const VirtPid member = child(5002, shell, init);
    table_->release(shell);
    EXPECT_FALSE(table_->is_process(shell));
    EXPECT_EQ(table_->host_of(shell), HostPid(5001)) << "the group still bears the number";
    EXPECT_EQ(table_->number_of(HostPid(5001)), shell);
    table_->release(member);
    EXPECT_EQ(table_->host_of(shell), HostPid::none);
    EXPECT_EQ(table_->number_of(HostPid(5001)), VirtPid::none);
}

TEST_F(FlatTableTest, ANumberLivesWhileItsSessionHasMembers) {
    const VirtPid init = leader(5000);
    const VirtPid daemon = child(5001, init, init);
    table_->set_group(daemon, daemon);
    table_->set_session(daemon, daemon);
    const VirtPid member = child(5002, daemon, daemon);
    table_->set_group(member, member);
    table_->release(daemon);
    EXPECT_EQ(table_->host_of(daemon), HostPid(5001));
    table_->set_session(member, init);
    EXPECT_EQ(table_->host_of(daemon), HostPid::none);
}

TEST_F(FlatTableTest, ReleasingTwiceIsReleasingOnce) {
    const VirtPid init = leader(5000);
    const VirtPid one = child(5001, init, init);
    table_->release(one);
    table_->release(one);
    EXPECT_TRUE(table_->is_process(init));
    EXPECT_EQ(table_->number_of(HostPid(5000)), init);
}

TEST_F(FlatTableTest, AHostNumberThatComesAgainMeansTheNewProcess) {
    leader(5000);
    const VirtPid before = leader(5001);
    table_->release(before);
    const VirtPid after = leader(5001);
    EXPECT_EQ(table_->number_of(HostPid(5001)), after);
    EXPECT_NE(before, after);
}

class SmallFlatTable : public FlatTableTest {
  protected:
    SmallFlatTable() : FlatTableTest(310) {}
};

TEST_F(SmallFlatTable, WrapsAroundAboveTheReservedNumbersAndReportsExhaustion) {
    for (int n = 1; n < 310; ++n) ASSERT_EQ(leader(5000 + n), VirtPid(n));
    EXPECT_EQ(table_->allocate(), VirtPid::none);
    table_->release(VirtPid(7));
    EXPECT_EQ(table_->allocate(), VirtPid::none)
        << "below 300 is reserved after the first round, as in the kernel";
    table_->release(VirtPid(305));
    EXPECT_EQ(leader(6000), VirtPid(305));
}

// Long random histories against the obvious model: maps and counting by hand.
TEST_F(FlatTableTest, AgreesWithAMapThroughRandomHistories) {
    struct Process {
        int host;
        int group;
        int session;
    };
    const auto seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto pick = [&](int below) { return std::uniform_int_distribution<int>(0, below - 1)(random); };

    std::map<int, Process> alive;  // by number
    std::map<int, int> hosts;      // of every number in use
    int next_host = 10'000;
    const auto in_use = [&](int number) {
        if (alive.contains(number)) return true;
        return std::ranges::any_of(
            alive, [&](const auto& p) { return p.second.group == number || p.second.session == number; });
    };
    const auto any_alive = [&] { return std::next(alive.begin(), pick(static_cast<int>(alive.size()))); };

    alive[raw(leader(9999))] = {9999, 1, 1};
    hosts[1] = 9999;
    for (int i = 0; i < 20'000; ++i) {
        const auto it = any_alive();
        const int number = it->first;
        switch (pick(5)) {
            case 0:
            case 1: {
                if (alive.size() > 200) break;
                const int host = next_host++;
                const VirtPid made = child(host, VirtPid(it->second.group), VirtPid(it->second.session));
                ASSERT_FALSE(hosts.contains(raw(made))) << "handed out while in use";
                alive[raw(made)] = {host, it->second.group, it->second.session};
                hosts[raw(made)] = host;
                break;
            }
            case 2:
                if (number == 1) break;
                table_->release(VirtPid(number));
                alive.erase(it);
                break;
            case 3:
                table_->set_group(VirtPid(number), VirtPid(number));
                it->second.group = number;
                break;
            default:
                table_->set_group(VirtPid(number), VirtPid(number));
                table_->set_session(VirtPid(number), VirtPid(number));
                it->second.group = it->second.session = number;
        }
        std::erase_if(hosts, [&](const auto& entry) { return !in_use(entry.first); });
        if (i % 100 != 0) continue;
        for (int n = 1; n < 1000; ++n) {
            const auto expected = hosts.find(n);
            const int host = expected == hosts.end() ? 0 : expected->second;
            ASSERT_EQ(raw(table_->host_of(VirtPid(n))), host) << "number " << n << " after step " << i;
            if (host != 0) {
                ASSERT_EQ(raw(table_->number_of(HostPid(host))), n);
            }
        }
    }
}

}  // namespace
}  // namespace ctr::pidns
