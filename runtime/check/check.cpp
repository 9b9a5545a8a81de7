#include "runtime/check/check.h"

#include <iterator>

#include "runtime/check/groups.h"
#include "runtime/check/images.h"
#include "runtime/check/modes.h"
#include "runtime/check/probes.h"

namespace ctr::check {

namespace {

void append(std::vector<Item>& items, std::vector<Item> more) {
    items.insert(items.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Result<Situation> look_around(const Request& request) {
    auto facts = read_host_facts();
    if (!facts) return std::unexpected(std::move(facts).error());
    Situation situation{std::move(*facts), {}, {}};
    situation.spec.rootfs = request.rootfs;
    situation.spec.rehearse = true;
    if (auto valid = validate(situation.spec); !valid) return std::unexpected(std::move(valid).error());
    const auto identity = idmap::choose(situation.spec, situation.facts);
    if (!identity) return std::unexpected(identity.error());
    situation.identity = *identity;
    return situation;
}

}  // namespace

Result<Answer> check(const Request& request) {
    const auto situation = look_around(request);
    if (!situation) return std::unexpected(situation.error());
    Answer answer;
    append(answer.items, check_namespaces(*situation));
    for (const Probe& probe : probes()) {
        Finding found = probe.look(*situation);
        answer.items.push_back(
            {probe.area, probe.name, found.state, std::move(found.reason), std::move(found.advice)});
    }
    append(answer.items, check_groups());
    append(answer.items, check_images(*situation, request.files));
    auto modes = check_modes(*situation, answer.items);
    answer.works = modes.front().state != State::no;
    append(answer.items, std::move(modes));
    return answer;
}

}  // namespace ctr::check
