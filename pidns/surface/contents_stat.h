// /proc/PID/stat; only for who translates texts.
#pragma once

#include "pidns/surface/contents_parts.h"

namespace ctr::pidns {

namespace stat_parts {

using namespace std::string_view_literals;

enum class Treatment : uint8_t {
    none,
    process,
    hidden,          // 0 for who may not inspect the process
    hidden_as_text,  // 1 for them if there is any, as start and end of the code
};

struct Fields {
    size_t first;  // as in proc(5), from 1
    size_t last;
    Treatment treatment;
};

constexpr Fields stat_fields[] = {
    {4, 6, Treatment::process},           // parent, group, session
    {8, 8, Treatment::process},           // foreground group of the terminal
    {26, 27, Treatment::hidden_as_text},  // code
    {28, 30, Treatment::hidden},          // stack; stack and instruction pointer
    {35, 35, Treatment::hidden},          // wait channel
    {45, 52, Treatment::hidden},          // data, heap, arguments, environment; exit code
};
constexpr size_t last_stat_field = 52;

constexpr Treatment treatment_of(size_t number) {
    for (const Fields& fields : stat_fields)
        if (number >= fields.first && number <= fields.last) return fields.treatment;
    return Treatment::none;
}

template <class Reader>
bool put_stat_field(size_t number, std::string_view value, const Reader& view, Output& out) {
    const Treatment treatment = treatment_of(number);
    if (treatment == Treatment::process) {
        const auto host = number_of(value);
        if (host) out.put_number(seen(view, Bearer::process, *host));
        return host.has_value();
    }
    if (treatment == Treatment::none || view.may_inspect() || same(value, "0"sv))
        out.put(value);
    else
        out.put(treatment == Treatment::hidden ? '0' : '1');
    return !value.empty();
}

// "4711 (name) S 1 4711 ..." The name may hold anything, what comes after it no parenthesis.
template <class Reader>
bool put_stat(std::string_view text, const Reader& view, Output& out) {
    Rest rest(text);
    const auto own = rest.take_number();
    size_t end = rest.text().size();
    while (end > 0 && rest.text()[end - 1] != ')') --end;
    const std::string_view name = rest.take(end);
    const auto line = rest.take_line();
    if (!own || !Rest(name).skip(" ("sv) || !line || !rest.empty()) return false;
    out.put_number(seen(view, Bearer::thread, *own));
    out.put(name);
    size_t number = 2;
    for (Rest fields(*line); !fields.empty();) {
        if (!fields.skip(" "sv)) return false;
        out.put(' ');
        if (!put_stat_field(++number, fields.take_until(' '), view, out)) return false;
    }
    out.put('\n');
    return number >= last_stat_field;
}

}  // namespace stat_parts

using stat_parts::put_stat;

}  // namespace ctr::pidns
