#include "cmd/bench/curves.h"

#include <algorithm>
#include <array>

#include "cmd/bench/decimal.h"
#include "cmd/bench/plot.h"
#include "cmd/bench/report_parts.h"

namespace ctr::bench {

namespace {

constexpr double width = 760;
constexpr double height = 300;
constexpr double left = 70;
constexpr double right = 640;  // names of the curves are behind it
constexpr double top = 30;
constexpr double bottom = 250;
constexpr std::array colours = {"#3572b0", "#c0392b", "#2e8b57", "#8e44ad", "#b9770e", "#555555"};

struct Logarithmic {
    double least = 1;
    double most = 10;
    double from = 0;  // where least is
    double to = 1;

    double at(double value) const {
        const double span = std::max(decimal_logarithm(most / least), 1e-9);
        return from + decimal_logarithm(value / least) / span * (to - from);
    }
};

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
    return "<text x=\"" + number(x, 1) + "\" y=\"" + number(y, 1) + "\" text-anchor=\"" + anchor + "\">" +
           escaped(text) + "</text>\n";
}

std::string grid_line(double x1, double y1, double x2, double y2) {
    return "<line x1=\"" + number(x1, 1) + "\" y1=\"" + number(y1, 1) + "\" x2=\"" + number(x2, 1) +
           "\" y2=\"" + number(y2, 1) + "\" class=\"grid\"/>\n";
}

// At 1, 2 and 5 times the powers of ten in between.
std::string value_grid(const Logarithmic& y) {
    std::string svg;
    for (double power = power_of_ten(decimal_exponent(y.least)); power <= y.most; power *= 10)
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double value = factor * power;
            if (value < y.least || value > y.most) continue;
            svg += grid_line(left, y.at(value), right, y.at(value));
            svg += text_at(left - 6, y.at(value) + 4, "end", significant(value));
        }
    return svg;
}

std::string curve_svg(const Curve& curve, const char* colour, const std::vector<unsigned>& xs,
                      const Logarithmic& x, const Logarithmic& y) {
    std::string points;
    std::string dots;
    for (size_t i = 0; i < xs.size() && i < curve.values.size(); ++i) {
        if (!curve.values[i] || *curve.values[i] <= 0) continue;
        const std::string px = number(x.at(xs[i]), 1);
        const std::string py = number(y.at(*curve.values[i]), 1);
        points.append(points.empty() ? "" : " ").append(px).append(",").append(py);
        dots.append("<circle cx=\"").append(px).append("\" cy=\"").append(py);
        dots.append("\" r=\"3\" fill=\"").append(colour).append("\"/>\n");
    }
    return "<polyline points=\"" + points + "\" fill=\"none\" stroke=\"" + colour + "\"/>\n" + dots;
}

}  // namespace

std::string curves_svg(const std::string& title, const std::string& x_title, const std::vector<unsigned>& xs,
                       const std::vector<Curve>& curves) {
    std::vector<double> all;
    for (const Curve& curve : curves)
        for (const auto& value : curve.values)
            if (value && *value > 0) all.push_back(*value);
    if (all.empty() || xs.empty()) return {};
    const Logarithmic x{static_cast<double>(std::max(1U, std::ranges::min(xs))),
                        static_cast<double>(std::ranges::max(xs)), left + 10, right - 10};
    const Logarithmic y{std::ranges::min(all) / 1.2, std::ranges::max(all) * 1.2, bottom, top};
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width, 0) + ' ' +
                      number(height, 0) + "\" role=\"img\">\n" + text_at(left, top - 12, "start", title);
    svg += value_grid(y);
    for (const unsigned one : xs) {
        svg += grid_line(x.at(one), top, x.at(one), bottom);
        svg += text_at(x.at(one), bottom + 16, "middle", std::to_string(one));
    }
    svg += text_at((left + right) / 2, bottom + 36, "middle", x_title);
    for (size_t i = 0; i < curves.size(); ++i) {
        const char* colour = colours.at(i % colours.size());
        const double name_y = top + 12 + 18 * static_cast<double>(i);
        svg += curve_svg(curves[i], colour, xs, x, y);
        svg += "<circle cx=\"" + number(right + 14, 1) + "\" cy=\"" + number(name_y - 4, 1) +
               "\" r=\"4\" fill=\"" + colour + "\"/>\n" +
               text_at(right + 24, name_y, "start", curves[i].name);
    }
    return svg + "</svg>\n";
}

}  // namespace ctr::bench
