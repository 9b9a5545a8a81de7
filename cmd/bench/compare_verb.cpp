// ctr bench compare: what two runs found out, beside each other.
#include "cmd/bench/outputs.h"
#include "cmd/bench/report.h"
#include "cmd/bench/verbs.h"
#include "runtime/base/path.h"

namespace ctr::bench {

namespace {

Result<Report> read_report(const std::string& name) {
    const auto text = path::read_text(name);
    if (!text) return std::unexpected(text.error());
    auto report = parse_report(*text);
    if (!report) return std::unexpected(std::move(report).error().within(name));
    return report;
}

}  // namespace

Result<int> compare_verb(const Call& call) {
    if (call.operands.size() != 2)
        return fail_input("read the arguments", "there aren't two reports",
                          "ctr bench compare BEFORE.json AFTER.json");
    const auto before = read_report(call.operands[0]);
    if (!before) return std::unexpected(before.error());
    const auto after = read_report(call.operands[1]);
    if (!after) return std::unexpected(after.error());
    if (auto printed = print(compare_text(*before, *after)); !printed)
        return std::unexpected(printed.error());
    return 0;
}

}  // namespace ctr::bench
