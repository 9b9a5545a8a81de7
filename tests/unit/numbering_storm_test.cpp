// Worker processes change one mapping and are killed with SIGKILL wherever they happen to be; so is the
// collector. Afterwards every process that exists has one entry, found from both sides, and nothing else is
// left.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <random>

#include "tests/unit/model_fixture.h"

namespace ctr::pidns {
namespace {

constexpr Limits limits{.numbers = 8192, .host_numbers = 1U << 16, .entries = 8192, .namespaces = 64};
constexpr int workers = 6;
constexpr int hosts_per_worker = 100;
constexpr int first_owner = 10'000;

// What the workers leave for the judge. Workers are real processes; those that they register are made up, and
// so are all numbers, so that nobody else on this host can come to bear one.
struct Truth {
    enum Fate : int { unborn, being_born, registered };
    std::array<std::atomic<int>, workers * hosts_per_worker> fate;  // by host number - first_host
    std::array<std::atomic<bool>, 1U << 16> running;  // by owner number, until the worker is reaped
    std::atomic<uint64_t> operations;
};
constexpr int first_host = 100;

// A worker's processes: a random one ends if it exists, and is born if it doesn't.
template <class M>
[[noreturn]] void work(M& model, Truth& truth, int worker, int owner, const std::vector<NamespaceId>& chain) {
    std::mt19937 random(static_cast<uint32_t>(owner));
    for (EntryId group = EntryId::none;;) {
        const auto slot = static_cast<std::size_t>(worker * hosts_per_worker) + random() % hosts_per_worker;
        const auto host = HostPid(first_host + static_cast<int>(slot));
        truth.operations.fetch_add(1, std::memory_order_relaxed);
        if (truth.fate[slot].load() != Truth::unborn) {
            const EntryId id = model.entry_of(host);
            truth.fate[slot].store(Truth::unborn);
            if (random() % 4 != 0) model.release(id);
            continue;
        }
        const NamespaceId space = random() % 64 == 0 ? model.create_namespace(chain.back(), HostPid(owner))
                                                     : chain[random() % chain.size()];
        const EntryId id = model.allocate(space, HostPid(owner));
        if (id == EntryId::none) continue;
        if (random() % 8 == 0) {
            model.cancel(id);
            continue;
        }
        truth.fate[slot].store(Truth::being_born);
        if (!model.is_process(group) || random() % 8 == 0) group = id;
        if (random() % 4 == 0) {  // the process registers itself as well
            const EntryId own = model.allocate(space, host);
            model.publish(own, host, own, own);
        }
        group = model.publish(id, host, group, group);
        truth.fate[slot].store(Truth::registered);
        model.set_session(group, group);
    }
}

template <class M>
class NumberingStorm : public ::testing::Test {
  protected:
    SharedMemory memory{M::bytes(limits)};
    M model{memory.get(), limits};
    SharedMemory truth_memory{sizeof(Truth)};
    Truth& truth = *static_cast<Truth*>(truth_memory.get());
    int next_owner = first_owner;

    bool exists(HostPid host) const {
        if (raw(host) < first_host) return true;
        if (raw(host) >= first_owner) return truth.running[static_cast<std::size_t>(raw(host))].load();
        const auto slot = static_cast<std::size_t>(raw(host) - first_host);
        return slot < truth.fate.size() && truth.fate[slot].load() != Truth::unborn;
    }

    void collect(unsigned passes) {
        Collector collector(model, [this](HostPid host) { return exists(host); });
        for (unsigned i = 0; i < passes; ++i) collector.collect();
    }

    template <class Body>
    pid_t start(Body body) {
        const pid_t child = fork();
        if (child == 0) {
            body();
            _exit(0);
        }
        return child;
    }

    static void end(pid_t child) {
        ASSERT_EQ(kill(child, SIGKILL), 0);
        ASSERT_EQ(waitpid(child, nullptr, 0), child);
    }

    struct Worker {
        pid_t pid = 0;
        int owner = 0;
    };

    Worker start_worker(int worker, const std::vector<NamespaceId>& chain) {
        const int owner = next_owner++;
        truth.running[static_cast<std::size_t>(owner)].store(true);
        return {start([&, owner] { work(model, truth, worker, owner, chain); }), owner};
    }

    void end(const Worker& worker) {
        end(worker.pid);
        truth.running[static_cast<std::size_t>(worker.owner)].store(false);
    }
};
TYPED_TEST_SUITE(NumberingStorm, AllModels, ModelName);

TYPED_TEST(NumberingStorm, LeavesNothingWrongAndNothingBehind) {
    std::vector<NamespaceId> chain{NamespaceId::root};
    for (int host = 1; host <= 3; ++host) {
        const EntryId init = this->model.allocate(chain.back(), HostPid(9));
        ASSERT_EQ(this->model.publish(init, HostPid(host), init, init), init);
        if (host < 3) chain.push_back(this->model.create_namespace(chain.back(), HostPid(9)));
    }

    std::mt19937 random(std::random_device{}());
    std::array<typename TestFixture::Worker, workers> crew;
    for (int w = 0; w < workers; ++w) crew[static_cast<std::size_t>(w)] = this->start_worker(w, chain);
    pid_t collector = 0;
    const auto start_collector = [&] {
        collector = this->start([&] {
            for (;;) this->collect(1);
        });
    };
    start_collector();

    for (int kills = 0; kills < 400 && !this->HasFatalFailure(); ++kills) {
        usleep(static_cast<useconds_t>(random() % 2000));  // only makes the moment random
        const auto victim = random() % (workers + 1);
        if (victim == workers) {
            this->end(collector);
            start_collector();
        } else {
            this->end(crew[victim]);
            crew[victim] = this->start_worker(static_cast<int>(victim), chain);
        }
    }
    this->end(collector);
    for (const auto& worker : crew) this->end(worker);
    EXPECT_GT(this->truth.operations.load(), 10'000u);

    this->collect(30);
    EXPECT_EQ(audit(this->model), "");
    // No claim of a worker is left. (One that was made for a process is that process's, which exists.)
    this->model.each_entry([&](EntryId id, Word word) {
        if (!word.is(State::claimed)) return;
        EXPECT_LT(raw(word.who()), first_owner) << "entry " << raw(id);
    });
    for (std::size_t slot = 0; slot < this->truth.fate.size(); ++slot) {
        const EntryId id = this->model.entry_of(HostPid(first_host + static_cast<int>(slot)));
        const int fate = this->truth.fate[slot].load();
        if (fate == Truth::registered) {
            EXPECT_TRUE(this->model.is_process(id)) << "host " << slot + first_host;
        }
        if (fate == Truth::unborn) {
            EXPECT_FALSE(this->model.is_process(id)) << "host " << slot + first_host;
        }
    }

    for (auto& fate : this->truth.fate) fate.store(Truth::unborn);
    this->collect(30);
    EXPECT_EQ(entries_in_use(this->model), 3u);
    EXPECT_EQ(namespaces_in_use(this->model), 3u);
    EXPECT_EQ(audit(this->model), "");
}

}  // namespace
}  // namespace ctr::pidns
