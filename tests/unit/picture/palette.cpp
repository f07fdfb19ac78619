// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/picture/palette.hpp>
#include <catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace {

using axe::Color;
using Triple = std::array<double, 3>;

// ---- What eyes see, from the definitions --------------------------------------------------------------------------------------------

constexpr double pi = 3.14159265358979323846;

double linear(int part) // IEC 61966-2-1
{
    const double c = part / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}
Triple linear(Color c) { return {linear(c.red), linear(c.green), linear(c.blue)}; }

double luminance(Color c)
{
    const Triple l = linear(c);
    return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
}
/// WCAG 2.1, contrast ratio.
double contrast(Color a, Color b)
{
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

using Matrix = std::array<Triple, 3>;
/// Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB; the first is the eye that sees all colors.
const Matrix eyes[] = {
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}, // protanopia
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},  // deuteranopia
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}, // tritanopia
};

Triple times(const Matrix& m, const Triple& v)
{
    Triple out{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) out[i] += m[i][j] * v[j];
    return out;
}

/// CIE L*a*b* under D65, as seen by such an eye.
Triple lab(Color c, const Matrix& eye)
{
    Triple l = times(eye, linear(c));
    for (double& part : l) part = std::clamp(part, 0.0, 1.0);
    static const Matrix to_xyz = {
        {{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}};
    const Triple xyz = times(to_xyz, l);
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// CIEDE2000; about 1 is the least difference that is seen at all.
double difference(const Triple& p, const Triple& q)
{
    const auto radians = [](double degrees) { return degrees * pi / 180; };
    const auto seventh = [](double c) { return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7))); };
    const double g = 0.5 * (1 - seventh((std::hypot(p[1], p[2]) + std::hypot(q[1], q[2])) / 2));
    const double a1 = p[1] * (1 + g), a2 = q[1] * (1 + g), c1 = std::hypot(a1, p[2]), c2 = std::hypot(a2, q[2]);
    const auto hue = [](double a, double b) { return a == 0 && b == 0 ? 0.0 : std::fmod(std::atan2(b, a) * 180 / pi + 360, 360); };
    const double h1 = hue(a1, p[2]), h2 = hue(a2, q[2]), apart = h2 - h1;
    const double turn = c1 * c2 == 0 ? 0 : apart > 180 ? apart - 360 : apart < -180 ? apart + 360 : apart;
    const double dl = q[0] - p[0], dc = c2 - c1, dh = 2 * std::sqrt(c1 * c2) * std::sin(radians(turn / 2));
    const double l = (p[0] + q[0]) / 2, c = (c1 + c2) / 2;
    double h = h1 + h2;
    if (c1 * c2 != 0) h = std::abs(apart) <= 180 ? h / 2 : h < 360 ? (h + 360) / 2 : (h - 360) / 2;
    const double t = 1 - 0.17 * std::cos(radians(h - 30)) + 0.24 * std::cos(radians(2 * h)) + 0.32 * std::cos(radians(3 * h + 6)) -
                     0.20 * std::cos(radians(4 * h - 63));
    const double sl = 1 + 0.015 * (l - 50) * (l - 50) / std::sqrt(20 + (l - 50) * (l - 50)), sc = 1 + 0.045 * c,
                 sh = 1 + 0.015 * c * t;
    const double turned = -std::sin(radians(60 * std::exp(-(h - 275) / 25 * (h - 275) / 25))) * 2 * seventh(c);
    const double x = dl / sl, y = dc / sc, z = dh / sh;
    return std::sqrt(x * x + y * y + z * z + turned * y * z);
}

std::vector<Color> palette(int colors)
{
    std::vector<Color> out;
    for (int i = 0; i < colors; ++i) out.push_back(axe::cell_color(i, colors));
    return out;
}

} // namespace

TEST_CASE("palette: the measures are the ones of the standards")
{
    // Sharma, Wu and Dalal 2005, table 1, pairs 1, 7, 17 and 25
    CHECK(std::abs(difference({50, 2.6772, -79.7751}, {50, 0, -82.7485}) - 2.0425) < 1e-4);
    CHECK(std::abs(difference({50, 0, 0}, {50, -1, 2}) - 2.3669) < 1e-4);
    CHECK(std::abs(difference({50, 2.5, 0}, {73, 25, -18}) - 27.1492) < 1e-4);
    CHECK(std::abs(difference({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}) - 1.2644) < 1e-4);
    CHECK(std::abs(contrast({0, 0, 0}, {255, 255, 255}) - 21) < 1e-9);
    CHECK(std::abs(contrast({119, 119, 119}, {255, 255, 255}) - 4.48) < 0.01); // the gray that just fails
    CHECK(std::abs(lab({255, 255, 255}, eyes[0])[0] - 100) < 0.01);
}

TEST_CASE("palette: text on every cell has a contrast of at least 4.5 to 1")
{
    for (int colors = 1; colors <= axe::max_colors; ++colors)
        for (const Color c : palette(colors)) {
            const Color text = axe::text_color(c);
            REQUIRE(contrast(c, text) >= 4.55);
            REQUIRE((text == Color{0, 0, 0} || text == Color{255, 255, 255}));
        }
    for (const axe::Theme& theme : {axe::light_theme, axe::dark_theme}) {
        CHECK(contrast(theme.paper, theme.ink) >= 7);
        CHECK(contrast(theme.paper, theme.soft) >= 4.5);
        CHECK(contrast(theme.paper, theme.line) >= 3);
        CHECK(contrast(theme.paper, theme.hole) >= 3);
    }
}

TEST_CASE("palette: hues stay apart for every eye")
{
    for (const Matrix& eye : eyes)
        for (int colors = 2; colors <= axe::max_hues; ++colors) {
            const auto list = palette(colors);
            for (std::size_t i = 0; i < list.size(); ++i)
                for (std::size_t k = 0; k < i; ++k) REQUIRE(difference(lab(list[i], eye), lab(list[k], eye)) > 11);
        }
}

TEST_CASE("palette: a ramp rises in lightness for every eye, in steps that are seen up to 32")
{
    for (const Matrix& eye : eyes)
        for (int colors = axe::max_hues + 1; colors <= 64; ++colors) {
            const auto list = palette(colors);
            for (std::size_t i = 1; i < list.size(); ++i) {
                const Triple a = lab(list[i - 1], eye), b = lab(list[i], eye);
                REQUIRE(a[0] < b[0]);
                if (colors <= 32) REQUIRE(difference(a, b) > 1);
            }
        }
}

TEST_CASE("palette: values share colors only when there are more of them, and in order")
{
    for (const std::int64_t count : {1, 2, 8, 9, 32, 128, 129, 1000, 65536}) {
        const int colors = axe::color_count(count);
        CHECK(colors == std::min<std::int64_t>(count, axe::max_colors));
        int before = -1;
        std::vector<bool> used(static_cast<std::size_t>(colors));
        for (std::int64_t rank = 0; rank < count; ++rank) {
            const int index = axe::color_index(rank, count);
            REQUIRE((index >= before && index <= before + 1 && index < colors));
            if (count <= axe::max_colors) REQUIRE(index == rank);
            used[static_cast<std::size_t>(index)] = true;
            before = index;
        }
        CHECK(std::all_of(used.begin(), used.end(), [](bool u) { return u; }));
    }
    static_assert(axe::color_index((std::int64_t{1} << 48) - 1, std::int64_t{1} << 48) == axe::max_colors - 1);
}

TEST_CASE("palette: the marks of the ramp are met, and colors are spelled as SVG has them")
{
    CHECK(axe::cell_color(0, 9) == Color{68, 1, 84});
    CHECK(axe::cell_color(4, 9) == Color{33, 144, 141});
    CHECK(axe::cell_color(8, 9) == Color{253, 231, 37});
    CHECK(axe::cell_color(127, 128) == Color{253, 231, 37});
    CHECK(std::string(Color{0, 171, 255}.hex().c_str()) == "#00abff");
}
