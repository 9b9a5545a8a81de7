// What holds for the translation of every text, whatever it is. Fails by abort(), which both fuzzers and
// tests see.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "pidns/surface/contents.h"

namespace ctr::pidns {

constexpr int largest_number = 4'194'303;

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "doesn't hold: %s\n", what);
    std::abort();
}

// Everybody is seen under the host's number, in one namespace.
class IdentityView final : public View {
  public:
    IdentityView() = default;
    IdentityView(int limit, int last) : limit_(limit), last_(last) {}

    int process(int host) const override {
        require(host > 0, "only positive numbers are asked for");
        return host;
    }
    int thread(int host) const override { return process(host); }
    size_t numbers(int host, int member, int* to, size_t capacity) const override {
        require(host > 0 && member > 0 && capacity > 0, "only positive numbers are asked for");
        *to = host;
        return 1;
    }
    int limit() const override { return limit_; }
    int last() const override { return last_; }
    bool may_inspect() const override { return true; }

  private:
    int limit_ = largest_number + 1;
    int last_ = largest_number;
};

// One in three can't be seen, one in three is a thread, the others have long numbers on as many levels as
// there can be.
class LargestView final : public View {
  public:
    int process(int host) const override { return host % 3 == 0 ? largest_number : 0; }
    int thread(int host) const override { return host % 3 == 1 ? host % largest_number + 1 : process(host); }
    size_t numbers(int host, int member, int* to, size_t capacity) const override {
        if (thread(member) == 0) return 0;
        for (size_t i = 0; i < capacity; ++i) to[i] = process(host);
        return capacity;
    }
    int limit() const override { return largest_number + 1; }
    int last() const override { return largest_number; }
    bool may_inspect() const override { return false; }
};

// In memory of exactly that size, so that a sanitizer sees a step beyond it.
inline std::optional<std::string> translate_within(Content content, std::string_view text, const View& view,
                                                   size_t capacity) {
    const std::unique_ptr<char[]> source(new char[text.size()]);
    text.copy(source.get(), text.size());
    const std::unique_ptr<char[]> to(new char[capacity]);
    const auto size = translate(content, {source.get(), text.size()}, view, {to.get(), capacity});
    if (!size) return std::nullopt;
    require(*size <= capacity, "no more than the room is used");
    return std::string(to.get(), *size);
}

inline std::optional<std::string> check_room(Content content, std::string_view text, const View& view) {
    const auto translated = translate_within(content, text, view, room_for(text.size()));
    if (!translated) {
        require(!translate_within(content, text, view, 2 * room_for(text.size())), "room_for() is enough");
        return translated;
    }
    require(translate_within(content, text, view, translated->size()) == translated,
            "its own size is enough");
    if (!translated->empty())
        require(!translate_within(content, text, view, translated->size() - 1), "one less isn't enough");
    return translated;
}

inline void check_translation(Content content, std::string_view text) {
    check_room(content, text, LargestView());
    const IdentityView identity;
    const auto same = check_room(content, text, identity);
    if (!same) return;
    require(check_room(content, *same, identity) == same, "what has been translated is of the same form");
    const bool from_view_alone =
        content == Content::loadavg || content == Content::pid_max || content == Content::ns_last_pid;
    const bool has_lists = text.find("NS") != std::string_view::npos;  // the levels below are the view's
    if (!from_view_alone && !has_lists) require(*same == text, "nobody's number changed, so nothing did");
}

}  // namespace ctr::pidns
