// A View from a table of who bears which number in which namespace.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "pidns/surface/contents.h"

namespace ctr::test {

struct TableView final : pidns::View {
    // A namespace, by a name of the test's choice, and the number there.
    using Number = std::pair<int, int>;

    // From the reader's namespace down. A group or session that outlived its leader is here as well.
    std::map<int, std::vector<Number>> processes;
    std::map<int, int> leader_of;  // of threads that don't lead
    int pid_max = 4'194'304;
    int last_number = 0;
    bool inspects = true;

    int process(int host) const override {
        const auto found = processes.find(host);
        return found == processes.end() ? 0 : found->second.front().second;
    }
    int thread(int host) const override {
        const auto leader = leader_of.find(host);
        if (leader == leader_of.end()) return process(host);
        return process(leader->second) == 0 ? 0 : host;
    }
    size_t numbers(int host, int member, int* to, size_t capacity) const override {
        const auto leader = leader_of.find(member);
        const auto levels = processes.find(leader == leader_of.end() ? member : leader->second);
        if (levels == processes.end()) return 0;
        size_t count = 0;
        for (const auto& [space, number] : levels->second)
            if (count < capacity) to[count++] = number_in(host, space);
        return count;
    }
    int limit() const override { return pid_max; }
    int last() const override { return last_number; }
    bool may_inspect() const override { return inspects; }

  private:
    int number_in(int host, int space) const {
        const auto found = processes.find(host);
        if (found == processes.end()) return 0;
        for (const auto& [where, number] : found->second)
            if (where == space) return number;
        return 0;
    }
};

}  // namespace ctr::test
