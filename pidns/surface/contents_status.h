// /proc/PID/status, and what other files have in common with it: lines that begin with what they are about.
// Only for who translates texts.
#pragma once

#include <span>

#include "pidns/surface/contents_parts.h"

namespace ctr::pidns {

namespace status_parts {

using namespace std::string_view_literals;

// A number in each namespace of a process, from the reader's down.
struct Levels {
    static constexpr size_t most = 33;  // the kernel's MAX_PID_NS_LEVEL and the initial one
    int number[most] = {};
    size_t count = 0;
};

template <class Reader>
Levels levels_of(const Reader& view, Bearer bearer, int host, int member) {
    Levels levels;
    const bool only_thread = host > 0 && bearer == Bearer::thread && view.process(host) == 0;
    const bool same_in_all = host <= 0 || only_thread;
    const size_t count =
        member > 0 ? view.numbers(same_in_all ? member : host, member, levels.number, Levels::most) : 0;
    levels.count = count == 0 ? 1 : count;  // somebody who can't be seen is one 0
    if (same_in_all || count == 0)
        for (size_t i = 0; i < levels.count; ++i) levels.number[i] = seen(view, bearer, host);
    return levels;
}

// A list as the host's kernel printed it; its first number is the host's. Those after it would be of kernel
// namespaces below, in whose place the layer's are seen.
constexpr std::optional<int> first_of_list(std::string_view list) {
    Rest rest(list);
    const auto first = rest.take_number();
    while (!rest.empty())
        if (!rest.skip("\t"sv) || !rest.take_number()) return std::nullopt;
    return first;
}

enum class Form : uint8_t { number, list };

// At a line's start: a lookalike in the process's name is none, because there the kernel escapes line ends.
struct Label {
    Literal<12> name;
    Form form;
    Bearer bearer = Bearer::process;
    bool member = false;  // names the process whose namespaces the lists below are about
};

// The kernel itself doesn't translate Ngid, so shows the host's number. It serves for comparison only, which
// it still does this way.
constexpr Label status_labels[] = {
    {"Tgid:\t", Form::number, Bearer::process, true},
    {"Ngid:\t", Form::number, Bearer::thread},
    {"Pid:\t", Form::number, Bearer::thread},
    {"PPid:\t", Form::number},
    {"TracerPid:\t", Form::number, Bearer::thread},
    {"NStgid:\t", Form::list},
    {"NSpid:\t", Form::list, Bearer::thread},
    {"NSpgid:\t", Form::list},
    {"NSsid:\t", Form::list},
};

template <class Reader>
class Labelled {
  public:
    Labelled(std::span<const Label> labels, const Reader& view, Output& out)
        : labels_(labels), view_(view), out_(out) {}

    bool put_line(Rest line) {
        for (const Label& label : labels_)
            if (line.skip(label.name.view())) {
                out_.put(label.name.view());
                return put_value(label, line.text());
            }
        out_.put(line.text());
        return true;
    }

  private:
    bool put_value(const Label& label, std::string_view value) {
        const auto host = label.form == Form::list ? first_of_list(value) : number_of(value);
        if (!host) return false;
        if (label.member) member_ = *host;
        if (label.form == Form::number) {
            out_.put_number(seen(view_, label.bearer, *host));
            return true;
        }
        const Levels levels = levels_of(view_, label.bearer, *host, member_);
        for (size_t i = 0; i < levels.count; ++i) {
            if (i > 0) out_.put('\t');
            out_.put_number(levels.number[i]);
        }
        return true;
    }

    std::span<const Label> labels_;
    const Reader& view_;
    Output& out_;
    int member_ = 0;
};

}  // namespace status_parts

template <class Reader>
bool put_status(std::string_view text, const Reader& view, Output& out) {
    status_parts::Labelled lines(status_parts::status_labels, view, out);
    for (Rest rest(text); !rest.empty(); out.put('\n')) {
        const auto line = rest.take_line();
        if (!line || !lines.put_line(Rest(*line))) return false;
    }
    return true;
}

}  // namespace ctr::pidns
