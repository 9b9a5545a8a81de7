#include "cmd/image_format.h"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace ctr::cmd {

namespace {

using pidns::image::call_name;
using pidns::image::Entry;
using pidns::image::Findings;
using pidns::image::Site;
using pidns::image::State;

bool constant(const Site& site) {
    return site.number != pidns::image::dynamic_number;
}

const char* name_of(Entry entry) {
    switch (entry) {
        case Entry::generic:
        case Entry::cancellable: return "made inside";
        case Entry::create: return "made near";
        case Entry::prepare: break;
    }
    return "passed on";
}

size_t count(const Findings& findings, State state) {
    return static_cast<size_t>(std::ranges::count(findings.sites, state, &Site::state));
}

std::string hexadecimal(uint64_t address) {
    char text[24];
    std::snprintf(text, sizeof text, "%lx", address);
    return text;
}

void pad(std::string& line, size_t column) {
    if (line.size() < column) line.resize(column, ' ');
}

}  // namespace

std::string as_text(const Findings& findings) {
    constexpr size_t call_column = 12, state_column = 34;
    std::string text = std::to_string(findings.sites.size()) + " system calls can carry a process number: " +
                       std::to_string(count(findings, State::patched)) + " patched, " +
                       std::to_string(count(findings, State::left)) + " left. " +
                       std::to_string(findings.others) + " others can't.\n";
    if (!findings.sites.empty()) text += "ADDRESS     CALL                  STATE\n";
    for (const Site& site : findings.sites) {
        std::string line = hexadecimal(site.address);
        pad(line, call_column - 1);
        line += ' ' + (constant(site) ? call_name(site.number) : "any");
        pad(line, state_column - 1);
        line += site.state == State::patched ? std::string(" patched, ") + name_of(site.entry)
                                             : std::string(" left: ") + site.why;
        text += line + '\n';
    }
    return text;
}

std::string as_json(const Findings& findings) {
    using Json = nlohmann::ordered_json;
    Json sites = Json::array();
    for (const Site& site : findings.sites) {
        const bool patched = site.state == State::patched;
        sites.push_back({{"address", site.address},
                         {"call", constant(site) ? Json(call_name(site.number)) : Json()},
                         {"number", constant(site) ? Json(site.number) : Json()},
                         {"entry", name_of(site.entry)},
                         {"patched", patched},
                         {"why", patched ? Json() : Json(site.why)}});
    }
    const Json object{{"patched", count(findings, State::patched)},
                      {"left", count(findings, State::left)},
                      {"others", findings.others},
                      {"sites", std::move(sites)}};
    return object.dump(1) + '\n';
}

}  // namespace ctr::cmd
