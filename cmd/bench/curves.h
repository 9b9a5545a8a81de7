// Curves as SVG, both axes logarithmic. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ctr::bench {

struct Curve {
    std::string name;
    std::vector<std::optional<double>> values;  // one for each x; what isn't above 0 isn't drawn
};

// Empty: there is no value.
std::string curves_svg(const std::string& title, const std::string& x_title, const std::vector<unsigned>& xs,
                       const std::vector<Curve>& curves);

}  // namespace ctr::bench
