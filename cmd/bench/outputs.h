// Where reports go.
#pragma once

#include <string>

#include "cmd/bench/report.h"
#include "runtime/base/error.h"

namespace ctr::bench {

// Beside the text on standard output; "-": there, in place of the text.
struct Outputs {
    std::string json;
    std::string csv;
    std::string html;
    std::string svg;  // by gnuplot, as png
    std::string png;
};

// On standard output.
Status print(const std::string& text);

// At most one of them goes to standard output, and none of gnuplot's.
Status check(const Outputs& outputs);

// Writes all of them, and the text where none has taken its place.
Status write_outputs(const Report& report, const Outputs& outputs);

}  // namespace ctr::bench
