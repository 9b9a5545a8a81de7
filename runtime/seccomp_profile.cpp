// Profiles as text.
#include <linux/seccomp.h>
#include <seccomp.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <nlohmann/json.hpp>

#include "runtime/base/path.h"
#include "runtime/caps.h"
#include "runtime/seccomp.h"

// The C headers of the oldest supported distribution lack the newer ones.
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

extern "C" const char ctr_seccomp_default[];
extern "C" const char ctr_seccomp_default_end[];

namespace ctr::seccomp {

namespace {

using Json = nlohmann::json;

template <class T>
struct Word {
    std::string_view text;
    T value;
};

enum class Action { kill_process, kill_thread, trap, error, trace, log, allow };
constexpr Word<Action> actions[] = {{"SCMP_ACT_KILL", Action::kill_thread},
                                    {"SCMP_ACT_KILL_THREAD", Action::kill_thread},
                                    {"SCMP_ACT_KILL_PROCESS", Action::kill_process},
                                    {"SCMP_ACT_TRAP", Action::trap},
                                    {"SCMP_ACT_ERRNO", Action::error},
                                    {"SCMP_ACT_TRACE", Action::trace},
                                    {"SCMP_ACT_LOG", Action::log},
                                    {"SCMP_ACT_ALLOW", Action::allow}};
constexpr Word<int> operators[] = {{"SCMP_CMP_NE", SCMP_CMP_NE},
                                   {"SCMP_CMP_LT", SCMP_CMP_LT},
                                   {"SCMP_CMP_LE", SCMP_CMP_LE},
                                   {"SCMP_CMP_EQ", SCMP_CMP_EQ},
                                   {"SCMP_CMP_GE", SCMP_CMP_GE},
                                   {"SCMP_CMP_GT", SCMP_CMP_GT},
                                   {"SCMP_CMP_MASKED_EQ", SCMP_CMP_MASKED_EQ}};
constexpr Word<uint32_t> flags[] = {{"SECCOMP_FILTER_FLAG_TSYNC", SECCOMP_FILTER_FLAG_TSYNC},
                                    {"SECCOMP_FILTER_FLAG_LOG", SECCOMP_FILTER_FLAG_LOG},
                                    {"SECCOMP_FILTER_FLAG_SPEC_ALLOW", SECCOMP_FILTER_FLAG_SPEC_ALLOW}};
// Those whose programs can run here; of others the rules say nothing.
constexpr Word<uint32_t> architectures[] = {{"SCMP_ARCH_X86_64", SCMP_ARCH_X86_64},
                                            {"SCMP_ARCH_X86", SCMP_ARCH_X86},
                                            {"SCMP_ARCH_X32", SCMP_ARCH_X32}};

uint32_t action_with(Action action, uint16_t number) {
    switch (action) {
        case Action::kill_process: return SCMP_ACT_KILL_PROCESS;
        case Action::kill_thread: return SCMP_ACT_KILL_THREAD;
        case Action::trap: return SCMP_ACT_TRAP;
        case Action::error: return SCMP_ACT_ERRNO(number);
        case Action::trace: return SCMP_ACT_TRACE(number);
        case Action::log: return SCMP_ACT_LOG;
        case Action::allow: break;
    }
    return SCMP_ACT_ALLOW;
}

// A value of the text, with its place for errors. Every read that fails throws: only parse() is outside.
class Place {
  public:
    Place(const Json& value, std::string name) : value_(&value), name_(std::move(name)) {}

    [[noreturn]] void refuse(const std::string& why) const {
        std::string text = value_->dump();
        constexpr size_t most = 60;
        if (text.size() > most) text = text.substr(0, most) + "...";
        throw fail_input("read the seccomp profile", (name_.empty() ? "" : name_ + ": ") + text + " " + why)
            .error();
    }

    // Members, none of which may be unknown. Null is as good as absent.
    void check_members(std::initializer_list<std::string_view> known) const {
        if (!value_->is_object()) refuse("is no object");
        for (const auto& [key, value] : value_->items())
            if (std::ranges::find(known, key) == known.end())
                Place(value, at(key)).refuse("is not understood: no such member is known");
    }
    std::optional<Place> member(const std::string& key) const {
        const auto found = value_->find(key);
        if (found == value_->end() || found->is_null()) return std::nullopt;
        return Place(*found, at(key));
    }
    std::vector<Place> elements() const {
        if (!value_->is_array()) refuse("is no list");
        std::vector<Place> list;
        for (const Json& element : *value_)
            list.emplace_back(element, name_ + "[" + std::to_string(list.size()) + "]");
        return list;
    }
    std::string text() const {
        if (!value_->is_string()) refuse("is no text");
        return value_->get<std::string>();
    }
    uint64_t number(uint64_t most) const {
        if (!value_->is_number_unsigned() || value_->get<uint64_t>() > most)
            refuse("is no number from 0 to " + std::to_string(most));
        return value_->get<uint64_t>();
    }
    template <class T, size_t N>
    T one_of(const Word<T> (&words)[N]) const {
        const std::string word = text();
        std::string known;
        for (const Word<T>& candidate : words) {
            if (candidate.text == word) return candidate.value;
            known += (known.empty() ? "" : ", ") + std::string(candidate.text);
        }
        refuse("is none of " + known);
    }

  private:
    std::string at(const std::string& key) const { return name_.empty() ? key : name_ + "." + key; }

    const Json* value_;
    std::string name_;
};

std::vector<std::string> read_texts(const std::optional<Place>& place) {
    std::vector<std::string> texts;
    if (place)
        for (const Place& element : place->elements()) texts.push_back(element.text());
    return texts;
}

constexpr uint64_t largest_errno = 4095;

uint32_t read_action(const Place& object, const char* key, const char* errno_key) {
    const auto word = object.member(key);
    if (!word) object.refuse(std::string("has no ") + key);
    if (word->text() == "SCMP_ACT_NOTIFY") word->refuse("needs an agent that answers, and ctr has none");
    const auto number = object.member(errno_key);
    return action_with(word->one_of(actions),
                       number ? static_cast<uint16_t>(number->number(largest_errno)) : EPERM);
}

KernelVersion read_version(const Place& place) {
    const std::string text = place.text();
    KernelVersion version;
    const char* end = text.data() + text.size();
    const auto [point, error] = std::from_chars(text.data(), end, version.major);
    if (error != std::errc() || point == end || *point != '.') place.refuse("is no version such as 4.8");
    const auto [rest, minor_error] = std::from_chars(point + 1, end, version.minor);
    if (minor_error != std::errc() || rest != end) place.refuse("is no version such as 4.8");
    return version;
}

Condition read_condition(const std::optional<Place>& place) {
    Condition condition;
    if (!place) return condition;
    place->check_members({"caps", "arches", "minKernel"});
    if (const auto list = place->member("caps"))
        for (const Place& element : list->elements()) {
            const auto capability = caps::parse(element.text());
            if (!capability) element.refuse("is no capability");
            condition.capabilities |= caps::bit(*capability);
        }
    condition.architectures = read_texts(place->member("arches"));
    if (const auto version = place->member("minKernel")) condition.least_kernel = read_version(*version);
    return condition;
}

Comparison read_comparison(const Place& place) {
    place.check_members({"index", "value", "valueTwo", "op"});
    const auto index = place.member("index");
    const auto op = place.member("op");
    const auto value = place.member("value");
    if (!index || !op || !value) place.refuse("has no index, op or value");
    constexpr uint64_t last_argument = 5;
    Comparison comparison;
    comparison.argument = static_cast<unsigned>(index->number(last_argument));
    comparison.op = op->one_of(operators);
    comparison.value = value->number(UINT64_MAX);
    if (const auto two = place.member("valueTwo")) comparison.value_two = two->number(UINT64_MAX);
    return comparison;
}

Rule read_rule(const Place& place) {
    place.check_members(
        {"name", "names", "action", "errnoRet", "errno", "args", "comment", "includes", "excludes"});
    Rule rule;
    rule.names = read_texts(place.member("names"));
    if (const auto name = place.member("name")) rule.names.push_back(name->text());
    if (rule.names.empty()) place.refuse("has no names");
    if (place.member("errno") && !place.member("errnoRet")) place.refuse("has an errno but no errnoRet");
    rule.action = read_action(place, "action", "errnoRet");
    if (const auto list = place.member("args"))
        for (const Place& element : list->elements()) rule.comparisons.push_back(read_comparison(element));
    rule.includes = read_condition(place.member("includes"));
    rule.excludes = read_condition(place.member("excludes"));
    return rule;
}

void add_architecture(const Place& place, std::vector<uint32_t>& found) {
    const std::string name = place.text();
    std::string lower = name.starts_with("SCMP_ARCH_") ? name.substr(sizeof "SCMP_ARCH_" - 1) : "";
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (seccomp_arch_resolve_name(lower.c_str()) == 0) place.refuse("is no architecture");
    for (const auto& known : architectures)
        if (known.text == name) found.push_back(known.value);
}

// Docker's form: for each architecture that a host may have, the others whose programs it can run.
void add_mapped_architectures(const Place& place, std::vector<uint32_t>& found) {
    for (const Place& entry : place.elements()) {
        entry.check_members({"architecture", "subArchitectures"});
        const auto host = entry.member("architecture");
        if (!host) entry.refuse("has no architecture");
        if (host->text() != "SCMP_ARCH_X86_64") continue;
        if (const auto list = entry.member("subArchitectures"))
            for (const Place& element : list->elements()) add_architecture(element, found);
    }
}

Profile read_profile(const Place& place) {
    place.check_members({"defaultAction", "defaultErrnoRet", "defaultErrno", "architectures", "archMap",
                         "flags", "syscalls", "listenerPath", "listenerMetadata", "comment"});
    if (const auto listener = place.member("listenerPath"))
        listener->refuse("names an agent that answers, and ctr has none");
    Profile profile;
    profile.default_action = read_action(place, "defaultAction", "defaultErrnoRet");
    if (place.member("architectures") && place.member("archMap"))
        place.refuse("has both architectures and archMap");
    if (const auto list = place.member("architectures"))
        for (const Place& element : list->elements()) add_architecture(element, profile.architectures);
    if (const auto map = place.member("archMap")) add_mapped_architectures(*map, profile.architectures);
    if (const auto list = place.member("flags"))
        for (const Place& element : list->elements()) profile.flags |= element.one_of(flags);
    if (const auto list = place.member("syscalls"))
        for (const Place& element : list->elements()) profile.rules.push_back(read_rule(element));
    return profile;
}

}  // namespace

Result<Profile> parse(std::string_view json) {
    try {
        const Json value = Json::parse(json);
        return read_profile(Place(value, ""));
    } catch (const Json::exception& error) {
        return fail_input("read the seccomp profile", error.what());
    } catch (Error& error) {
        return std::unexpected(std::move(error));
    }
}

std::string_view default_profile() {
    return {ctr_seccomp_default, static_cast<size_t>(ctr_seccomp_default_end - ctr_seccomp_default)};
}

Result<Profile> find(const std::string& name) {
    if (name == "default") return parse(default_profile());
    const std::string step = "read the seccomp profile \"" + name + "\"";
    const auto text = path::read_text(name);
    if (!text)
        return fail_call(step, text.error().call, text.error().err, "",
                         "--seccomp with a file, with default or with off");
    auto profile = parse(*text);
    if (!profile) profile.error().step = step;
    return profile;
}

}  // namespace ctr::seccomp
