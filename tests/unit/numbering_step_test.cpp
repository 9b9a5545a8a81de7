// What a process leaves behind that is killed between two instructions: a child works on the mapping one
// instruction at a time, and after each one that changed it, a copy is taken, in which the child is dead. The
// copy must let others go on at once, and be whole again after a collection.
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "tests/unit/model_fixture.h"

namespace ctr::pidns {
namespace {

constexpr Limits limits{.numbers = 16, .host_numbers = 64, .entries = 16, .namespaces = 8};
constexpr NamespaceId root = NamespaceId::root;

// Worker, its child, a grandchild that nobody has registered, and a neighbour who is not involved.
constexpr HostPid worker{10}, neighbour{20}, child{30}, grandchild{40};

template <class M>
class NumberingSteps : public ::testing::Test {
  protected:
    SharedMemory memory{M::bytes(limits)};
    M model{memory.get(), limits};
    NamespaceId inner = NamespaceId::none;
    EntryId leader = EntryId::none;

    // The root's init is the neighbour; an inner namespace with the worker as init.
    void SetUp() override {
        const EntryId init = model.allocate(root, neighbour);
        ASSERT_EQ(model.publish(init, neighbour, init, init), init);
        inner = model.create_namespace(root, neighbour);
        leader = model.allocate(inner, neighbour);
        ASSERT_EQ(model.publish(leader, worker, leader, leader), leader);
    }

    static void collect(M& table, bool (*exists)(HostPid), unsigned passes) {
        Collector collector(table, exists);
        for (unsigned i = 0; i < passes; ++i) collector.collect();
    }

    // Runs the act in a child and calls judge() for each state of the memory on the way, which is in `state`
    // then. Returns how many there were; 0: tracing is not allowed here.
    int step_through(const std::function<void()>& act, const std::function<void()>& judge) {
        const pid_t pid = fork();
        if (pid == 0) {
            if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(refused);
            raise(SIGSTOP);
            act();
            _exit(0);
        }
        int states = 0;
        int status = 0;
        std::memcpy(state.get(), memory.get(), memory.size());
        while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
            if (std::memcmp(state.get(), memory.get(), memory.size()) != 0) {
                ++states;
                std::memcpy(state.get(), memory.get(), memory.size());
                judge();
            }
            ptrace(PTRACE_SINGLESTEP, pid, nullptr, nullptr);
        }
        if (WIFEXITED(status) && WEXITSTATUS(status) == refused) return 0;
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
            << "the child ended with status " << status;
        return states;
    }

    // A table of its own with the state as its contents.
    struct Copy {
        explicit Copy(const SharedMemory& state) : memory(state.size()), table(memory.get(), limits) {
            std::memcpy(memory.get(), state.get(), state.size());
        }
        SharedMemory memory;
        M table;
    };

    // After a collection: whole, without claims, without dead entries and namespaces that nobody uses.
    void expect_whole(M& table) const {
        EXPECT_EQ(audit(table), "");
        std::set<EntryId> used;
        table.each_process([&](EntryId id) { used.insert({id, table.group_of(id), table.session_of(id)}); });
        table.each_entry(
            [&](EntryId id, Word) { EXPECT_TRUE(used.contains(id)) << "entry " << raw(id) << " is left"; });
        std::set<NamespaceId> inhabited{root, inner};
        table.each_entry([&](EntryId id, Word) { inhabited.insert(table.namespace_of(id)); });
        table.each_namespace(
            [&](NamespaceId id) { EXPECT_TRUE(inhabited.contains(id)) << raw(id) << " is left"; });
        EXPECT_EQ(table.number_of(neighbour, root), VirtPid(1));
    }

    // What another process does at once, without waiting for a collection.
    void use(M& table) {
        const EntryId claim = table.allocate(inner, neighbour);
        EXPECT_NE(claim, EntryId::none);
        table.cancel(claim);
        const EntryId own = table.allocate(inner, child);
        const EntryId now = table.publish(own, child, own, own);
        EXPECT_NE(now, EntryId::none);
        EXPECT_EQ(table.entry_of(child), now);
        EXPECT_EQ(table.find(inner, table.number_in(now, inner)), now);
    }

    static constexpr int refused = 99;
    SharedMemory state{M::bytes(limits)};
};
TYPED_TEST_SUITE(NumberingSteps, AllModels, ModelName);

TYPED_TEST(NumberingSteps, WorkerKilledAfterAnyInstructionLeavesNothingWrong) {
    const auto without_worker = [](HostPid host) {
        return host == neighbour || host == child || host == grandchild;
    };
    const auto act = [this] {
        auto& m = this->model;
        m.cancel(m.allocate(this->inner, worker));
        const EntryId late = m.allocate(this->inner, worker);
        const EntryId id = m.allocate(this->inner, worker);
        m.publish(id, child, this->leader, this->leader);
        m.set_group(id, id);
        m.set_session(id, id);
        // Comes second, to a process that has been registered since it was claimed: is withdrawn.
        m.publish(late, child, id, id);
        // A namespace and its init, who ends.
        const NamespaceId space = m.create_namespace(this->inner, worker);
        const EntryId init = m.allocate(space, worker);
        m.publish(init, grandchild, init, init);
        m.release(init);
        // Its host number comes again, twice; the first time nobody has seen the end.
        m.publish(m.allocate(this->inner, worker), grandchild, id, id);
        m.publish(m.allocate(this->inner, worker), grandchild, id, id);
    };
    bool registered = false;
    const int states = this->step_through(act, [&] {
        typename TestFixture::Copy copy(this->state);
        registered = registered || copy.table.is_process(copy.table.entry_of(child));
        this->collect(copy.table, without_worker, 30);
        this->expect_whole(copy.table);
        EXPECT_GE(copy.table.is_process(copy.table.entry_of(child)), registered);

        typename TestFixture::Copy other(this->state);
        this->use(other.table);
        this->collect(other.table, without_worker, 30);
        this->expect_whole(other.table);
        EXPECT_TRUE(other.table.is_process(other.table.entry_of(child)));
    });
    if (states == 0) GTEST_SKIP() << "tracing a child is not allowed here";
    EXPECT_GT(states, 50);
}

TYPED_TEST(NumberingSteps, CollectorKilledAfterAnyInstructionIsSucceededByAnother) {
    const auto without_worker = [](HostPid host) { return host == neighbour || host == child; };
    auto& m = this->model;
    // A leader who is gone with a member who isn't, an entry whose host number has come again, a claim whose
    // owner is dead, a process that nobody waited for, a namespace that ends.
    const EntryId former = m.allocate(this->inner, worker);
    m.publish(former, child, former, former);
    const EntryId id = m.allocate(this->inner, worker);
    m.publish(id, child, this->leader, this->leader);
    m.allocate(this->inner, worker);
    const NamespaceId space = m.create_namespace(this->inner, worker);
    const EntryId init = m.allocate(space, worker);
    m.publish(init, grandchild, init, init);

    const int states = this->step_through([&] { this->collect(m, without_worker, 10); },
                                          [&] {
                                              typename TestFixture::Copy copy(this->state);
                                              this->use(copy.table);
                                              this->collect(copy.table, without_worker, 30);
                                              this->expect_whole(copy.table);
                                              EXPECT_TRUE(copy.table.is_process(id));
                                              EXPECT_EQ(copy.table.group_of(id), this->leader);
                                              EXPECT_EQ(entries_in_use(copy.table), 3u);
                                              EXPECT_EQ(namespaces_in_use(copy.table), 2u);
                                          });
    if (states == 0) GTEST_SKIP() << "tracing a child is not allowed here";
    EXPECT_GT(states, 20);
    EXPECT_EQ(entries_in_use(m), 3u);
}

}  // namespace
}  // namespace ctr::pidns
