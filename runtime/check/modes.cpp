#include "runtime/check/modes.h"

#include <string_view>

#include "runtime/check/images.h"
#include "runtime/container.h"
#include "runtime/rehearsal.h"

namespace ctr::check {

namespace {

struct Mode {
    const char* name;
    PidMode mode;
    bool layer;  // numbers in user space
};
constexpr Mode modes[] = {{"flat", PidMode::flat, true},
                          {"multi", PidMode::multi, true},
                          {"kernel", PidMode::kernel, false},
                          {"host", PidMode::host, false}};

// What a mode of the layer can do without, but not as well.
struct Limit {
    const char* area;
    const char* name;
    const char* words;
};
constexpr Limit limits[] = {
    {"kernel", "Landlock", "signals to processes outside are held back by user ids and capabilities only"},
    {"seccomp", "killable wait", "a signal can end a call that is being served"},
};

class Remarks {
  public:
    void add(std::string_view text) {
        if (!text_.empty()) text_ += "; ";
        text_ += text;
    }
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

// Below an outer ctr it is that one's listener and that one's copies that count.
void add_limits_below(const std::vector<Item>& items, Remarks& remarks) {
    for (const Item& item : items)
        if (item.area == images_area && item.state == State::no) remarks.add("no fast path for " + item.name);
}

void add_limits(const std::vector<Item>& items, Remarks& remarks) {
    for (const Limit& limit : limits)
        for (const Item& item : items)
            if (item.area == limit.area && item.name == limit.name && item.state != State::yes)
                remarks.add(limit.words);
}

Item failed(const Mode& mode, const Error& error) {
    return {modes_area, mode.name, State::no, error.step + ": " + reason_of(error), error.hint};
}

// Of a rehearsal that did not end as it should; empty: it did.
std::string fault_of(const Exit& end) {
    if (end.signal != 0) return "the first process was killed by signal " + std::to_string(end.signal);
    if (end.status == rehearsal::wrong_numbers) return "processes see other numbers than they should";
    if (end.status != 0) return "the first process could not make a child: " + errno_name(end.status);
    return {};
}

// What the rehearsal's calls need, which go through the monitor, most programs' don't where there is the fast
// path.
bool is_spared(const Exit& end, bool fast) {
    return fast && end.signal == 0 && end.status != rehearsal::wrong_numbers;
}

Item ended(const Mode& mode, const Exit& end, bool fast, const Remarks& remarks) {
    constexpr const char* advice = "see the lines with \"no\" above";
    const std::string fault = fault_of(end);
    if (fault.empty()) {
        const bool whole = remarks.text().empty();
        return {modes_area, mode.name, whole ? State::yes : State::limited, remarks.text(), ""};
    }
    if (is_spared(end, fast))
        return {modes_area, mode.name, State::limited,
                "for programs with the fast path only; without it " + fault, advice};
    return {modes_area, mode.name, State::no, fault, advice};
}

Item rehearse(const Mode& mode, const Situation& situation, const std::vector<Item>& items) {
    Spec spec = situation.spec;
    spec.pidns = mode.mode;
    const bool below = situation.facts.numbered;
    Remarks remarks;
    auto container = Container::start(spec, [&](const Notice& notice) {
        if (!below) remarks.add(notice.text);
    });
    if (!container) return failed(mode, container.error());
    const auto end = container->wait();
    if (!end) return failed(mode, end.error());
    const bool fast = mode.layer && remarks.text().empty();
    if (mode.layer) (below ? add_limits_below : add_limits)(items, remarks);
    return ended(mode, *end, fast, remarks);
}

}  // namespace

std::vector<Item> check_modes(const Situation& situation, const std::vector<Item>& items) {
    std::vector<Item> found;
    for (const Mode& mode : modes) found.push_back(rehearse(mode, situation, items));
    return found;
}

}  // namespace ctr::check
