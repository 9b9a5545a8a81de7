// Many threads allocate, register, look up and release at once, beside a collector. To be run under the
// thread sanitizer as well.
#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <random>
#include <thread>

#include "tests/unit/model_fixture.h"

namespace ctr::pidns {
namespace {

constexpr Limits limits{.numbers = 4096, .host_numbers = 8192, .entries = 4096, .namespaces = 64};
constexpr int hosts_per_thread = 64;
constexpr int first_host = 100;

template <class M>
class NumberingThreads : public ::testing::Test {
  protected:
    SharedMemory memory{M::bytes(limits)};
    M model{memory.get(), limits};
    std::array<std::atomic<bool>, limits.host_numbers> alive{};
    std::atomic<bool> done{false};
    std::atomic<int> wrong{0};

    bool exists(HostPid host) const { return alive[static_cast<std::size_t>(raw(host))].load(); }
    void set_alive(int host, bool value) { alive[static_cast<std::size_t>(host)].store(value); }

    void collect(unsigned passes) {
        Collector collector(model, [this](HostPid host) { return exists(host); });
        for (unsigned i = 0; i < passes; ++i) collector.collect();
    }

    std::thread collector_thread() {
        return std::thread([this] {
            while (!done.load()) {
                collect(1);
                std::this_thread::yield();
            }
        });
    }

    void check(bool right) {
        if (!right) wrong.fetch_add(1);
    }

    // A chain of three namespaces with an init each, held by process 1.
    std::vector<NamespaceId> make_chain() {
        set_alive(1, true);
        std::vector<NamespaceId> chain{NamespaceId::root};
        for (int level = 1; level <= 3; ++level) {
            const EntryId init = model.allocate(chain.back(), HostPid(1));
            set_alive(1 + level, true);
            EXPECT_EQ(model.publish(init, HostPid(1 + level), init, init), init);
            if (level < 3) chain.push_back(model.create_namespace(chain.back(), HostPid(1)));
        }
        return chain;
    }

    // What a process sees of itself, and of its group.
    void check_process(EntryId id, int host, NamespaceId space, EntryId group) {
        const VirtPid number = model.number_in(id, space);
        check(number != VirtPid::none);
        check(model.find(space, number) == id);
        check(model.host_of(space, number) == HostPid(host));
        check(model.entry_of(HostPid(host)) == id);
        check(model.number_of(HostPid(host), space) == number);
        check(model.namespace_of(id) == space);
        check(model.group_of(id) == group);
    }

    // One thread with a set of processes of its own; each leads a group or is in the group of the one before.
    void live(int thread, int rounds, const std::vector<NamespaceId>& chain) {
        std::mt19937 random(static_cast<uint32_t>(thread));
        struct Process {
            EntryId id = EntryId::none;
            NamespaceId space = NamespaceId::none;
            EntryId group = EntryId::none;
        };
        std::array<Process, hosts_per_thread> processes;
        const int base = first_host + thread * hosts_per_thread;
        EntryId group = EntryId::none;
        for (int round = 0; round < rounds; ++round) {
            const auto slot = random() % hosts_per_thread;
            const int host = base + static_cast<int>(slot);
            Process& p = processes[slot];
            if (p.id != EntryId::none) {
                check_process(p.id, host, p.space, p.group);
                set_alive(host, false);
                if (random() % 4 != 0) model.release(p.id);
                if (group == p.id) group = EntryId::none;
                p = Process();
            }
            const NamespaceId space = chain[random() % chain.size()];
            const EntryId id = model.allocate(space, HostPid(1));
            if (id == EntryId::none) continue;  // the collector is behind
            if (random() % 8 == 0) {
                model.cancel(id);
                continue;
            }
            set_alive(host, true);
            const EntryId joined = group == EntryId::none || random() % 4 == 0 ? id : group;
            check(model.publish(id, HostPid(host), joined, joined) == id);
            check_process(id, host, space, joined);
            p = {id, space, joined};
            group = id;
            // Somebody else's process: whatever the answer, it is one.
            const auto other = HostPid(first_host + static_cast<int>(random() % (8 * hosts_per_thread)));
            check(raw(model.entry_of(other)) < limits.entries);
        }
        for (std::size_t slot = 0; slot < processes.size(); ++slot)
            if (const Process& p = processes[slot]; p.id != EntryId::none)
                check_process(p.id, base + static_cast<int>(slot), p.space, p.group);
    }

    unsigned count_alive() const {
        return static_cast<unsigned>(
            std::count_if(alive.begin() + 2, alive.end(), [](auto& a) { return a.load(); }));
    }
};
TYPED_TEST_SUITE(NumberingThreads, AllModels, ModelName);

TYPED_TEST(NumberingThreads, LiveTogether) {
    for (const int count : {2, 8}) {
        const auto chain = this->make_chain();
        this->done = false;
        std::thread collector = this->collector_thread();
        std::vector<std::thread> threads;
        for (int t = 0; t < count; ++t)
            threads.emplace_back([this, t, &chain] { this->live(t, 20'000, chain); });
        for (auto& thread : threads) thread.join();
        this->done = true;
        collector.join();

        EXPECT_EQ(this->wrong.load(), 0);
        this->collect(2);
        EXPECT_EQ(audit(this->model), "");
        // Dead leaders of groups are left, for their members; and when all have gone, nothing.
        unsigned processes = 0;
        this->model.each_process([&](EntryId) { ++processes; });
        EXPECT_EQ(processes, this->count_alive());
        for (auto& host : this->alive) host.store(false);
        this->collect(40);
        EXPECT_EQ(entries_in_use(this->model), 0u);
        EXPECT_EQ(namespaces_in_use(this->model), 1u);
        EXPECT_EQ(audit(this->model), "");
    }
}

// Hardly more numbers than there are processes, and nested namespaces, in which a process often has the same
// number on several levels.
TYPED_TEST(NumberingThreads, WantTheSameFewNumbers) {
    constexpr Limits few{.numbers = 8, .host_numbers = 64, .entries = 64, .namespaces = 8};
    SharedMemory small{TypeParam::bytes(few)};
    TypeParam crowded(small.get(), few);
    const EntryId init = crowded.allocate(NamespaceId::root, HostPid(1));
    ASSERT_EQ(crowded.publish(init, HostPid(1), init, init), init);
    const std::array spaces{NamespaceId::root, crowded.create_namespace(NamespaceId::root, HostPid(1))};
    const EntryId inner_init = crowded.allocate(spaces.back(), HostPid(1));
    ASSERT_EQ(crowded.publish(inner_init, HostPid(2), inner_init, inner_init), inner_init);
    std::array<std::array<std::atomic<bool>, few.numbers>, spaces.size()> taken{};
    std::atomic<int> made{0};

    const auto set_taken = [&](EntryId id, bool now) {
        for (std::size_t level = 0; level < spaces.size(); ++level)
            if (const VirtPid number = crowded.number_in(id, spaces[level]); number != VirtPid::none)
                this->check(taken[level][static_cast<std::size_t>(raw(number))].exchange(now) != now);
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (int round = 0; round < 200'000; ++round) {
                const EntryId id = crowded.allocate(spaces.back(), HostPid(1));
                if (id == EntryId::none) continue;
                made.fetch_add(1);
                set_taken(id, true);
                set_taken(id, false);
                crowded.cancel(id);
            }
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(this->wrong.load(), 0);
    EXPECT_GT(made.load(), 0);
}

TYPED_TEST(NumberingThreads, ParentAndChildRegisterAtOnceAndAgree) {
    this->make_chain();
    constexpr int rounds = 5000;
    constexpr int host = 500;
    std::array<EntryId, 2> answers{};
    std::barrier meeting(2);
    std::thread collector = this->collector_thread();

    // There is no room while the collector doesn't get to run.
    const auto claim_as = [&](HostPid owner) {
        for (;; std::this_thread::yield())
            if (const EntryId id = this->model.allocate(NamespaceId::root, owner); id != EntryId::none)
                return id;
    };
    const auto side = [&](std::size_t who) {
        for (int round = 0; round < rounds; ++round) {
            // The parent claims before the child exists.
            EntryId claim = EntryId::none;
            if (who == 0) {
                claim = claim_as(HostPid(1));
                this->set_alive(host, true);
            }
            meeting.arrive_and_wait();
            if (who == 1) claim = claim_as(HostPid(host));
            answers[who] = this->model.publish(claim, HostPid(host), claim, claim);
            meeting.arrive_and_wait();
            if (who == 0) {
                this->check(answers[0] == answers[1] && answers[0] != EntryId::none);
                this->check(this->model.entry_of(HostPid(host)) == answers[0]);
                const VirtPid number = this->model.number_in(answers[0], NamespaceId::root);
                this->check(this->model.find(NamespaceId::root, number) == answers[0]);
                unsigned live = 0;
                this->model.each_entry(
                    [&](EntryId, Word word) { live += word.bears(HostPid(host)) ? 1U : 0U; });
                this->check(live == 1);
                this->set_alive(host, false);
                this->model.release(answers[0]);
            }
            meeting.arrive_and_wait();
        }
    };
    std::thread parent(side, 0);
    std::thread child(side, 1);
    parent.join();
    child.join();
    this->done = true;
    collector.join();
    EXPECT_EQ(this->wrong.load(), 0);
    this->collect(2);
    EXPECT_EQ(audit(this->model), "");
    EXPECT_EQ(entries_in_use(this->model), 3u);
}

// Each number is handed out once before it comes again, whoever asks: together the threads get 1..n.
TYPED_TEST(NumberingThreads, TogetherGetDenseNumbers) {
    this->set_alive(1, true);
    constexpr int threads = 4;
    constexpr int each = 500;
    std::array<std::vector<int>, threads> got;
    std::vector<std::thread> workers;
    for (auto& mine : got)
        workers.emplace_back([this, &mine] {
            for (int i = 0; i < each; ++i)
                mine.push_back(raw(this->model.number_in(this->model.allocate(NamespaceId::root, HostPid(1)),
                                                         NamespaceId::root)));
        });
    for (auto& worker : workers) worker.join();
    std::set<int> all;
    for (const auto& mine : got) {
        EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
        all.insert(mine.begin(), mine.end());
    }
    EXPECT_EQ(all.size(), std::size_t{threads * each});
    EXPECT_EQ(*all.begin(), 1);
    EXPECT_EQ(*all.rbegin(), threads * each);
}

}  // namespace
}  // namespace ctr::pidns
