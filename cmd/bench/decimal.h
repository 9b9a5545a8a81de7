// Decimal places, without the mathematical library: ctr would be started with one more shared object for it.
#pragma once

namespace ctr::bench {

// The power of ten at or below VALUE, which is positive: 2 for 345.
constexpr int decimal_exponent(double value) {
    int exponent = 0;
    for (; value >= 10 && exponent < 400; ++exponent) value /= 10;
    for (; value < 1 && exponent > -400; --exponent) value *= 10;
    return exponent;
}

constexpr double power_of_ten(int exponent) {
    double power = 1;
    for (; exponent > 0; --exponent) power *= 10;
    for (; exponent < 0; ++exponent) power /= 10;
    return power;
}

// As exact as a plot needs it: an exponent, and the rest by the series of atanh.
constexpr double decimal_logarithm(double value) {
    constexpr double of_ten = 2.302585092994046;
    const int exponent = decimal_exponent(value);
    const double mantissa = value / power_of_ten(exponent);
    const double ratio = (mantissa - 1) / (mantissa + 1);
    double sum = 0;
    double power = ratio;
    for (int i = 1; i < 100; i += 2, power *= ratio * ratio) sum += power / i;
    return exponent + 2 * sum / of_ten;
}

// The multiple of STEP at or below VALUE.
constexpr double multiple_below(double value, double step) {
    const double rough = static_cast<double>(static_cast<long long>(value / step)) * step;
    return rough > value ? rough - step : rough;
}

}  // namespace ctr::bench
