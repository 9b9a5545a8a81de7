// What numbering costs: one lookup in either direction and one life of a number, for each model, depth and
// crowd.
//
//     bench_numbering --benchmark_filter='warm.*live:1000' --benchmark_repetitions=5
//         --benchmark_report_aggregates_only
//
// (the row _min is the one that others on the machine have disturbed least).
// Lookups are chained (each begins when the one before has its result), so a row is a latency. warm: random
// processes of the crowd, again and again. cold: everything has been pushed out of the caches and the TLB
// before; each process is looked up once, in as many tables as it takes to have enough of them. The rows
// `array` are one access to an array in the same harness: what a lookup is to be compared with.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>

#include "tests/bench/crowd.h"

namespace ctr::bench {
namespace {

using namespace pidns;

constexpr int cold_lookups = 512;  // for one eviction

// What is looked up, as one number from 0 on in each table.
struct ArrayAccess {
    using Table = ArrayCrowd;
    static uint64_t look(Table& table, int i) { return table.at(i); }
};

// Host number to the number in the innermost namespace: every getpid() and every result of wait().
template <class M>
struct NumberOfHost {
    using Table = Crowd<M>;
    static uint64_t look(Table& table, int i) {
        return static_cast<uint64_t>(raw(table.model().number_of(table.host(i), table.innermost())));
    }
};

// The same to the number in the root namespace: how an outer level sees it (flat: 0, "cannot be seen", below
// level 2).
template <class M>
struct NumberInRoot {
    using Table = Crowd<M>;
    static uint64_t look(Table& table, int i) {
        return static_cast<uint64_t>(raw(table.model().number_of(table.host(i), NamespaceId::root)));
    }
};

// Number in the innermost namespace to host number: every kill().
template <class M>
struct HostOfNumber {
    using Table = Crowd<M>;
    static uint64_t look(Table& table, int i) {
        return static_cast<uint64_t>(raw(table.model().host_of(table.innermost(), table.number(i))));
    }
};

template <class Lookup>
void warm(benchmark::State& state) {
    static std::unique_ptr<typename Lookup::Table> table;  // shared by the threads of a run
    static std::vector<int> order;
    const int live = static_cast<int>(state.range(1));
    if (state.thread_index() == 0) {
        table = std::make_unique<typename Lookup::Table>(static_cast<unsigned>(state.range(0)), live);
        order = permutation(live);
    }
    std::size_t at = 0;
    uint64_t zero = 0;
    benchmark::DoNotOptimize(zero);
    uint64_t result = 0;
    for (auto _ : state) {
        result = Lookup::look(*table, order[at] + static_cast<int>(result & zero));
        if (++at == order.size()) at = 0;
    }
    benchmark::DoNotOptimize(result);
}

void touch(const void* memory, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += 8) benchmark::DoNotOptimize(static_cast<const char*>(memory)[i]);
}

template <class Lookup>
void cold(benchmark::State& state) {
    const int live = static_cast<int>(state.range(1));
    const int each = std::min(live, cold_lookups);
    std::vector<std::unique_ptr<typename Lookup::Table>> tables;
    for (int made = 0; made < cold_lookups; made += each)
        tables.push_back(
            std::make_unique<typename Lookup::Table>(static_cast<unsigned>(state.range(0)), live));
    std::vector<std::pair<typename Lookup::Table*, int>> targets;
    const std::vector<int> order = permutation(live);
    for (int i = 0; i < cold_lookups; ++i)
        targets.emplace_back(tables[static_cast<std::size_t>(i / each)].get(),
                             order[static_cast<std::size_t>(i % each)]);
    std::shuffle(targets.begin(), targets.end(), std::mt19937(7));

    const Eviction evict;
    uint64_t zero = 0;
    benchmark::DoNotOptimize(zero);
    for (auto _ : state) {
        benchmark::DoNotOptimize(evict());
        // What is in every caller's cache is in it again: the list of what to look up, and the views.
        for (const auto& [table, i] : targets) touch(table, sizeof *table), benchmark::DoNotOptimize(i);
        uint64_t result = 0;
        const auto start = std::chrono::steady_clock::now();
        for (const auto& [table, i] : targets)
            result = Lookup::look(*table, i + static_cast<int>(result & zero));
        const auto end = std::chrono::steady_clock::now();
        benchmark::DoNotOptimize(result);
        state.SetIterationTime(std::chrono::duration<double>(end - start).count() / cold_lookups);
    }
}

// A number's whole life beside a crowd: allocate, publish in the group of a living process, release; a
// collection after each thousand, in the time.
template <class M>
void life(benchmark::State& state) {
    static std::unique_ptr<Crowd<M>> crowd;
    if (state.thread_index() == 0)
        crowd = std::make_unique<Crowd<M>>(static_cast<unsigned>(state.range(0)),
                                           static_cast<int>(state.range(1)));
    constexpr int per_thread = 4096;
    const int base = 40'000 + state.thread_index() * per_thread;
    int turn = 0;
    int refused = 0;
    for (auto _ : state) {
        M& model = crowd->model();
        const auto host = HostPid(base + turn);
        const EntryId group = model.entry_of(crowd->host(0));
        EntryId id = model.allocate(crowd->innermost(), HostPid(1));
        if (id == EntryId::none) {
            ++refused;
        } else {
            id = model.publish(id, host, group, group);
            model.release(id);
        }
        if (++turn == per_thread) turn = 0;
        if (turn % 1000 == 0 && state.thread_index() == 0)
            Collector(model, [](HostPid) { return true; }).collect();
    }
    state.counters["refused"] = refused;
}

double least(const std::vector<double>& times) {
    return *std::min_element(times.begin(), times.end());
}

void shapes(benchmark::internal::Benchmark* row) {
    row->ArgNames({"depth", "live"})->ComputeStatistics("min", least);
    for (const int depth : {1, 2, 4, 8, 16, 32})
        for (const int live : {10, 1000, 30'000}) row->Args({depth, live});
}

void array_shapes(benchmark::internal::Benchmark* row) {
    row->ArgNames({"depth", "live"})->ComputeStatistics("min", least);
    for (const int live : {10, 1000, 30'000}) row->Args({1, live});
}

template <class Lookup>
void add_lookup(const std::string& name, void (*shape)(benchmark::internal::Benchmark*)) {
    benchmark::RegisterBenchmark((name + "/warm").c_str(), warm<Lookup>)->Apply(shape);
    benchmark::RegisterBenchmark((name + "/cold").c_str(), cold<Lookup>)
        ->Apply(shape)
        ->UseManualTime()
        ->Iterations(9);
    benchmark::RegisterBenchmark((name + "/warm").c_str(), warm<Lookup>)
        ->Apply(shape)
        ->Threads(2)
        ->UseRealTime();
}

template <class M>
void add(const std::string& model) {
    add_lookup<NumberOfHost<M>>(model + "/number_of", shapes);
    add_lookup<NumberInRoot<M>>(model + "/number_in_root", shapes);
    add_lookup<HostOfNumber<M>>(model + "/host_of", shapes);
    benchmark::RegisterBenchmark((model + "/life").c_str(), life<M>)->Apply(shapes);
    benchmark::RegisterBenchmark((model + "/life").c_str(), life<M>)
        ->Apply(shapes)
        ->Threads(2)
        ->UseRealTime();
}

}  // namespace
}  // namespace ctr::bench

int main(int argc, char** argv) {
    using namespace ctr::bench;
    using namespace ctr::pidns;
    add_lookup<ArrayAccess>("array", array_shapes);
    add<FlatNumbering>("flat");
    add<HashNumbering>("hash");
    add<ListNumbering>("list");
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
