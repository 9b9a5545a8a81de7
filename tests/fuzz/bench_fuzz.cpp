// What ctr bench reads: configurations, patterns of figures and reports, as a target for libFuzzer; see
// model_fuzz.cpp for how to build it. The first byte says which of them it is. What is taken must say the
// same when it is written and read again.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cmd/bench/configuration.h"
#include "cmd/bench/report.h"
#include "cmd/bench/workload.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);

namespace {

using namespace ctr::bench;

void expect(bool good) {
    if (!good) std::abort();
}

void try_configuration(const std::string& text) {
    const auto once = parse_configuration(text);
    if (!once) return;
    const auto twice = parse_configuration(to_text(*once));
    expect(twice && to_text(*twice) == to_text(*once));
    expect(!command_line(*once, "ctr", {"x"}).empty());
}

void try_figure(const std::string& text) {
    if (const auto figure = parse_figure(text)) (void)find_figure(*figure, text);
}

void try_report(const std::string& text) {
    const auto once = parse_report(text);
    if (!once) return;
    const auto twice = parse_report(as_json(*once));
    expect(twice && as_json(*twice) == as_json(*once));
    (void)as_text(*once);
    (void)as_html(*once);
    (void)compare_text(*once, *twice);
}

constexpr void (*tries[])(const std::string& text) = {try_configuration, try_figure, try_report};

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    if (size > 0) tries[data[0] % std::size(tries)](std::string(data + 1, data + size));
    return 0;
}
