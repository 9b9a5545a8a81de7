#include "tests/layering/include_graph.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>

namespace ctr::test {
namespace {

struct Room {
    std::string_view name;
    std::vector<std::string_view>
        may_use;  // besides itself; a room includes the rooms below its directory only if named
};

// Arrows point downward only. pidns and cgroup don't know each other; base knows nobody.
const std::vector<Room>& rooms() {
    static const std::vector<Room> all{
        {"cmd", {"runtime", "pidns", "cgroup", "runtime/base"}},
        {"runtime", {"pidns", "pidns/model", "pidns/surface", "cgroup", "runtime/base"}},
        {"pidns", {"pidns/model", "pidns/surface", "runtime/base"}},
        {"pidns/surface", {"runtime/base"}},
        {"pidns/model", {}},
        {"cgroup", {"runtime/base"}},
        {"runtime/base", {}},
        {"examples", {"runtime", "cgroup", "runtime/base"}},
        {"tests",
         {"cmd", "runtime", "pidns", "pidns/model", "pidns/surface", "cgroup", "runtime/base", "examples"}},
    };
    return all;
}

// Code that also runs inside workloads, without a C library: only headers that need none.
constexpr std::array<std::string_view, 4> freestanding_places{
    "pidns/model/", "pidns/surface/mark.h", "pidns/surface/contents", "pidns/surface/text.h"};
constexpr std::array<std::string_view, 5> freestanding_project_headers{
    "runtime/base/ids.h", "pidns/surface/mark.h", "pidns/model/", "pidns/surface/contents",
    "pidns/surface/text.h"};
// optional and string_view are freestanding from C++26 on, apart from the members that throw.
constexpr std::array<std::string_view, 14> freestanding_headers{
    "array",   "atomic", "bit",      "climits", "compare",     "concepts",    "cstddef",
    "cstdint", "limits", "optional", "span",    "string_view", "type_traits", "utility"};

bool starts_with_any(std::string_view text, auto const& prefixes) {
    return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

const Room* room_of(std::string_view file) {
    const Room* best = nullptr;
    for (const Room& room : rooms()) {
        const bool inside = file.starts_with(room.name) && file.substr(room.name.size()).starts_with('/');
        if (inside && (best == nullptr || room.name.size() > best->name.size())) best = &room;
    }
    return best;
}

struct Include {
    std::string_view name;
    bool system = false;  // <...>
};

std::optional<Include> parse_include(std::string_view line) {
    const auto skip_blanks = [&] {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    };
    skip_blanks();
    if (!line.starts_with('#')) return std::nullopt;
    line.remove_prefix(1);
    skip_blanks();
    if (!line.starts_with("include")) return std::nullopt;
    line.remove_prefix(std::string_view("include").size());
    skip_blanks();
    if (line.empty() || (line.front() != '"' && line.front() != '<')) return std::nullopt;
    const bool system = line.front() == '<';
    line.remove_prefix(1);
    return Include{line.substr(0, line.find(system ? '>' : '"')), system};
}

// Why this include is wrong there; empty if it isn't.
std::string judge(std::string_view file, const Room& room, const Include& include) {
    const std::string name(include.name);
    const bool freestanding = starts_with_any(file, freestanding_places);
    if (include.system) {
        if (freestanding &&
            std::ranges::find(freestanding_headers, include.name) == freestanding_headers.end())
            return "<" + name + "> isn't freestanding, and this code must run without a C library";
        return {};
    }
    if (freestanding)
        return starts_with_any(include.name, freestanding_project_headers)
                   ? std::string()
                   : "\"" + name + "\" isn't among the freestanding headers that this code may use";
    const Room* target = room_of(include.name);
    if (target == nullptr) {
        // A neighbour by its bare name: plain C programs below tests/ do so; nobody else.
        const bool neighbour = name.find('/') == std::string::npos && room.name == "tests";
        return neighbour ? std::string() : "\"" + name + "\" isn't written from the top of the repository";
    }
    if (target == &room || std::ranges::find(room.may_use, target->name) != room.may_use.end()) return {};
    return std::string(room.name) + " may not include " + std::string(target->name) + " (\"" + name + "\")";
}

bool is_source(const std::filesystem::path& file) {
    static const std::array<std::string_view, 4> endings{".h", ".cpp", ".c", ".hpp"};
    return std::ranges::find(endings, file.extension().string()) != endings.end();
}

std::vector<std::filesystem::path> sources(const std::filesystem::path& top) {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(top)) {
        const std::string name = entry.path().filename().string();
        if (!entry.is_directory() || name.starts_with('.') || name.starts_with("build")) continue;
        for (const auto& file : std::filesystem::recursive_directory_iterator(entry.path()))
            if (file.is_regular_file() && is_source(file.path())) found.push_back(file.path());
    }
    return found;
}

}  // namespace

std::vector<Violation> check_file(std::string_view file, std::string_view text) {
    const Room* room = room_of(file);
    if (room == nullptr) return {{std::string(file), 0, "lies outside of all rooms"}};
    std::vector<Violation> violations;
    int number = 0;
    while (!text.empty()) {
        ++number;
        const size_t end = std::min(text.find('\n'), text.size());
        if (const auto include = parse_include(text.substr(0, end)))
            if (std::string why = judge(file, *room, *include); !why.empty())
                violations.push_back({std::string(file), number, std::move(why)});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return violations;
}

std::vector<Violation> check_tree(const std::filesystem::path& top) {
    std::vector<Violation> violations;
    for (const auto& path : sources(top)) {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        auto found = check_file(path.lexically_relative(top).string(), text.str());
        violations.insert(violations.end(), std::make_move_iterator(found.begin()),
                          std::make_move_iterator(found.end()));
    }
    return violations;
}

size_t count_sources(const std::filesystem::path& top) {
    return sources(top).size();
}

}  // namespace ctr::test
