#include "cmd/ps_format.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "cmd/printable.h"

namespace ctr::cmd {

namespace {

constexpr size_t columns = 6;
using Row = std::array<std::string, columns>;
constexpr size_t command_column = columns - 1;
constexpr size_t state_column = 4;

std::string number(int value) {
    return value == 0 ? "-" : std::to_string(value);
}

std::string numbers_of(const ListedProcess& listed) {
    std::string text;
    for (const VirtPid one : listed.numbers) text += (text.empty() ? "" : "/") + number(raw(one));
    return text.empty() ? "-" : text;
}

std::string command_of(const Process& process) {
    if (process.args.empty())
        return "[" + printable(process.comm) + "]" + (process.state == 'Z' ? " <defunct>" : "");
    std::string text;
    for (const std::string& word : process.args) text += (text.empty() ? "" : " ") + printable(word);
    return text;
}

Row row_of(const ListedProcess& listed, size_t depth) {
    const std::string indent = depth == 0 ? "" : std::string(4 * (depth - 1), ' ') + " \\_ ";
    return {number(raw(listed.container)),
            number(raw(listed.process.here)),
            numbers_of(listed),
            listed.parent ? std::to_string(raw(*listed.parent)) : "-",
            std::string(1, listed.process.state),
            indent + command_of(listed.process)};
}

std::string aligned(const std::vector<Row>& rows) {
    std::array<size_t, columns> widths{};
    for (const Row& row : rows)
        for (size_t i = 0; i < command_column; ++i) widths.at(i) = std::max(widths.at(i), row.at(i).size());
    std::string text;
    for (const Row& row : rows) {
        for (size_t i = 0; i < command_column; ++i) {
            const std::string blanks(widths.at(i) - row.at(i).size(), ' ');
            text += i == state_column ? row.at(i) + blanks + "  " : blanks + row.at(i) + "  ";
        }
        text += row.at(command_column) + '\n';
    }
    return text;
}

const Row headline{"CONTAINER", "HOST", "PID", "PPID", "STAT", "COMMAND"};

}  // namespace

std::string as_table(const std::vector<ListedProcess>& processes) {
    std::vector<Row> rows{headline};
    for (const ListedProcess& listed : processes) rows.push_back(row_of(listed, 0));
    return aligned(rows);
}

std::string as_tree(const std::vector<ListedProcess>& processes) {
    std::set<HostPid> all;
    std::multimap<HostPid, const ListedProcess*> children;
    for (const ListedProcess& listed : processes) all.insert(listed.process.here);
    struct Place {
        const ListedProcess* listed;
        size_t depth;
    };
    std::vector<Place> stack;
    for (const ListedProcess& listed : processes) {
        const HostPid parent = listed.process.parent;
        if (all.contains(parent) && parent != listed.process.here) {
            children.emplace(parent, &listed);
        } else {
            stack.push_back({&listed, 0});
        }
    }
    std::ranges::reverse(stack);
    std::vector<Row> rows{headline};
    while (!stack.empty()) {
        const auto [listed, depth] = stack.back();
        stack.pop_back();
        rows.push_back(row_of(*listed, depth));
        const auto [first, last] = children.equal_range(listed->process.here);
        for (auto child = last; child != first;) stack.push_back({(--child)->second, depth + 1});
    }
    return aligned(rows);
}

std::string as_json(const std::vector<ListedProcess>& processes) {
    using Json = nlohmann::ordered_json;
    std::string text;
    for (const ListedProcess& listed : processes) {
        Json pids = Json::array();
        for (const VirtPid one : listed.numbers) pids.push_back(raw(one));
        const bool contained = listed.container != HostPid::none;
        const Json object{{"container", contained ? Json(raw(listed.container)) : Json()},
                          {"host", raw(listed.process.here)},
                          {"pids", std::move(pids)},
                          {"ppid", listed.parent ? Json(raw(*listed.parent)) : Json()},
                          {"state", std::string(1, listed.process.state)},
                          {"comm", listed.process.comm},
                          {"args", listed.process.args}};
        // Programs choose their names and arguments, which need not be UTF-8.
        text += (text.empty() ? "" : ",\n") + object.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    return text.empty() ? "[]\n" : "[\n" + text + "\n]\n";
}

}  // namespace ctr::cmd
