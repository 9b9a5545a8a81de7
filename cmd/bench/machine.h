// Where the numbers come from: kernel, processors, mitigations, load ... in every report.
#pragma once

#include <string>
#include <vector>

namespace ctr::bench {

struct Fact {
    std::string name;  // "kernel"
    std::string value;
    bool passing = false;  // load, processes: expected to differ between two runs

    bool operator==(const Fact&) const = default;
};

struct Machine {
    std::vector<Fact> facts;
    const Fact* find(const std::string& name) const;  // null: it isn't there
};

// ROOT: where /proc and /sys are, "" for the real ones.
Machine look_at_machine(const std::string& root = "");

// What has changed since is added: the load afterwards.
void look_again(Machine& machine, const std::string& root = "");

// One line for the head of a table; WHY, if the machine is busy: more is running than it has processors.
std::string in_one_line(const Machine& machine);
std::string busy(const Machine& machine);

}  // namespace ctr::bench
