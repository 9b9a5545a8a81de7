#include "pidns/surface/contents.h"

#include "pidns/surface/contents_parts.h"
#include "pidns/surface/contents_stat.h"
#include "pidns/surface/contents_status.h"

namespace ctr::pidns {

using namespace std::string_view_literals;

namespace {

// A lock whose owner can't be seen isn't shown, nor is who waits for it. Who waits for one that is shown
// always is, as 0 if need be.
bool put_locks(std::string_view text, const View& view, Output& out) {
    bool shown = true;
    for (Rest rest(text); !rest.empty();) {
        const auto line = rest.take_line();
        if (!line) return false;
        const auto lock = lock_of(*line);
        if (!lock) return false;
        if (!lock->waits) shown = lock->owner <= 0 || seen(view, Bearer::process, lock->owner) != 0;
        if (!shown) continue;
        put_lock(*lock, view, out);
        out.put('\n');
    }
    return true;
}

// "0.20 0.18 0.12 1/80 11206": the last number given out is the last word.
bool put_loadavg(std::string_view text, const View& view, Output& out) {
    Rest rest(text);
    const auto line = rest.take_line();
    if (!line || !rest.empty()) return false;
    Rest words(*line);
    constexpr int words_before = 4;
    for (int word = 0; word < words_before; ++word)
        if (words.take_until(' ').empty() || !words.skip(" "sv)) return false;
    if (!number_of(words.text())) return false;
    out.put(std::string_view(line->data(), line->size() - words.text().size()));
    out.put_number(view.last());
    out.put('\n');
    return true;
}

bool put_single(std::string_view text, int number, Output& out) {
    Rest rest(text);
    const auto line = rest.take_line();
    if (!line || !number_of(*line) || !rest.empty()) return false;
    out.put_number(number);
    out.put('\n');
    return true;
}

bool put_pid_max(std::string_view text, const View& view, Output& out) {
    return put_single(text, view.limit(), out);
}

bool put_ns_last_pid(std::string_view text, const View& view, Output& out) {
    return put_single(text, view.last(), out);
}

// A row of /proc/sysvipc: two processes in columns next to each other, printed with " %5u %5u".
bool put_ipc_row(std::string_view row, int words_before, const View& view, Output& out) {
    constexpr size_t width = 5;
    Rest rest(row);
    for (int word = 0; word < words_before; ++word) {
        rest.take_blanks();
        if (rest.take_until(' ').empty()) return false;
    }
    out.put(std::string_view(row.data(), row.size() - rest.text().size()));
    for (int column = 0; column < 2; ++column) {
        if (!rest.skip(" "sv)) return false;
        const size_t blanks = rest.take_blanks().size();
        const size_t before = rest.text().size();
        const auto host = rest.take_number();
        const size_t digits = before - rest.text().size();
        const bool aligned = digits < width ? blanks + digits == width : blanks == 0;
        if (!host || *host < 0 || !aligned) return false;
        out.put(' ');
        out.put_number(seen(view, Bearer::process, *host), width);
    }
    if (rest.empty() || rest.text()[0] != ' ') return false;
    out.put(rest.text());
    return true;
}

bool put_ipc(std::string_view text, int words_before, const View& view, Output& out) {
    Rest rest(text);
    for (bool heading = true; !rest.empty(); heading = false) {
        const auto line = rest.take_line();
        if (!line) return false;
        if (heading)
            out.put(*line);
        else if (!put_ipc_row(*line, words_before, view, out))
            return false;
        out.put('\n');
    }
    return true;
}

bool put_shm(std::string_view text, const View& view, Output& out) {
    return put_ipc(text, 4, view, out);  // key, id, permissions, size
}

bool put_msg(std::string_view text, const View& view, Output& out) {
    return put_ipc(text, 5, view, out);  // key, id, permissions, bytes, messages
}

enum class Invisible : uint8_t { left_out, zero };

bool put_numbers(std::string_view text, std::string_view after, Bearer bearer, Invisible invisible,
                 const View& view, Output& out) {
    for (Rest rest(text); !rest.empty();) {
        const auto host = rest.take_number();
        if (!host || *host < 0 || !rest.skip(after)) return false;
        const int number = seen(view, bearer, *host);
        if (number == 0 && *host != 0 && invisible == Invisible::left_out) continue;
        out.put_number(number);
        out.put(after);
    }
    return true;
}

bool put_children(std::string_view text, const View& view, Output& out) {
    return put_numbers(text, " "sv, Bearer::process, Invisible::left_out, view, out);
}

bool put_pid_list(std::string_view text, const View& view, Output& out) {
    return put_numbers(text, "\n"sv, Bearer::thread, Invisible::left_out, view, out);
}

bool put_pid_list_v2(std::string_view text, const View& view, Output& out) {
    return put_numbers(text, "\n"sv, Bearer::thread, Invisible::zero, view, out);
}

bool put_unchanged(std::string_view text, const View&, Output& out) {
    out.put(text);
    return true;
}

struct Translator {
    Content content;
    bool (*put)(std::string_view text, const View& view, Output& out);
};

constexpr Translator translators[] = {
    {Content::none, put_unchanged},
    {Content::stat, put_stat<View>},
    {Content::status, put_status<View>},
    {Content::children, put_children},
    {Content::sched, put_sched},
    {Content::fdinfo, put_fdinfo},
    {Content::timers, put_timers},
    {Content::call, put_call},
    {Content::loadavg, put_loadavg},
    {Content::locks, put_locks},
    {Content::shm, put_shm},
    {Content::msg, put_msg},
    {Content::pid_max, put_pid_max},
    {Content::ns_last_pid, put_ns_last_pid},
    {Content::pid_list, put_pid_list},
    {Content::pid_list_v2, put_pid_list_v2},
};

}  // namespace

std::optional<Lock> lock_of(std::string_view line) {
    Lock lock;
    Rest rest(line);
    while (!rest.empty() && is_digit(rest.text()[0])) rest.take(1);
    if (rest.text().size() == line.size() || !rest.skip(":"sv) || rest.take_blanks().empty())
        return std::nullopt;
    lock.waits = rest.skip("-> "sv);
    constexpr int words_before_owner = 3;  // kind, state, mode
    for (int word = 0; word < words_before_owner; ++word)
        if (rest.take_until(' ').empty() || rest.take_blanks().empty()) return std::nullopt;
    lock.before = std::string_view(line.data(), line.size() - rest.text().size());
    const auto owner = rest.take_number();
    if (!owner || rest.text().empty() || rest.text()[0] != ' ') return std::nullopt;
    lock.owner = *owner;
    lock.after = rest.text();
    return lock;
}

void put_lock(const Lock& lock, const View& view, Output& out) {
    out.put(lock.before);
    out.put_number(seen(view, Bearer::process, lock.owner));
    out.put(lock.after);
}

std::optional<size_t> translate(Content content, std::string_view text, const View& view,
                                std::span<char> to) {
    if (text.empty()) return 0;
    Output out(to);
    for (const Translator& translator : translators)
        if (translator.content == content && translator.put(text, view, out) && out.fits()) return out.size();
    return std::nullopt;
}

}  // namespace ctr::pidns
