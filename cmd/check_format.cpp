#include "cmd/check_format.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "cmd/printable.h"

namespace ctr::cmd {

namespace {

using check::Answer;
using check::Item;
using check::State;

const char* name_of(State state) {
    switch (state) {
        case State::yes: return "yes";
        case State::limited: return "limited";
        case State::no: break;
    }
    return "no";
}

constexpr size_t state_width = 9;
constexpr size_t longest_name = 18;  // that the columns behind are moved for; files have longer ones
constexpr size_t gap = 2;
constexpr const char* indent = "  ";

std::string padded(std::string text, size_t width) {
    text.resize(std::max(text.size() + gap, width), ' ');
    return text;
}

std::string without_blanks_at_end(std::string text) {
    text.resize(text.find_last_not_of(' ') + 1);
    return text;
}

size_t name_width(const Answer& answer) {
    size_t width = 0;
    for (const Item& item : answer.items) width = std::max(width, printable(item.name).size());
    return std::min(width, longest_name) + gap;
}

}  // namespace

std::string as_text(const Answer& answer) {
    const size_t width = name_width(answer);
    std::string text;
    std::string area;
    for (const Item& item : answer.items) {
        if (item.area != area) text += (area = item.area) + '\n';
        text += without_blanks_at_end(indent + padded(printable(item.name), width) +
                                      padded(name_of(item.state), state_width) + printable(item.reason)) +
                '\n';
        if (!item.advice.empty())
            text += indent + std::string(width + state_width, ' ') + "> " + printable(item.advice) + '\n';
    }
    text += answer.works ? "ctr run works here.\n" : "ctr run doesn't work here with its defaults.\n";
    return text;
}

std::string as_json(const Answer& answer) {
    using Json = nlohmann::ordered_json;
    std::string items;
    for (const Item& item : answer.items) {
        const Json object{{"area", item.area},
                          {"name", item.name},
                          {"state", name_of(item.state)},
                          {"reason", item.reason},
                          {"advice", item.advice}};
        // File names need not be UTF-8.
        items += (items.empty() ? "" : ",\n") + object.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    return std::string("{\"works\": ") + (answer.works ? "true" : "false") + ", \"items\": [\n" + items +
           "\n]}\n";
}

}  // namespace ctr::cmd
