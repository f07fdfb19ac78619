// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/alpa.hpp>
#include <axe/interop/sharding/place.hpp>
#include <axe/layout/points.hpp>
#include <tests/unit/interop/sharding/said.hpp>

#include <set>

namespace sh = axe::sharding;

namespace {

sh::Mesh two_by_three() { return *sh::make_mesh({{"a", 2}, {"b", 3}}); }

} // namespace

TEST_CASE("Alpa: every spec of three dimensions over two axes, printed and read, and who holds what by definition")
{
    const sh::Mesh mesh = two_by_three();
    const char* const words[] = {"R", "S0", "S1", "S01", "S10"};
    int read = 0, refused = 0;
    for (const std::string first : words)
        for (const std::string second : words)
            for (const std::string third : words) {
                const std::string text = first + second + third;
                INFO(text);
                int used[2] = {};
                for (const char c : text)
                    if (c == '0' || c == '1') ++used[c - '0'];
                const auto spec = sh::parse_alpa(text, mesh);
                CHECK(spec.has_value() == (used[0] <= 1 && used[1] <= 1)); // an axis splits one dimension
                if (!spec) {
                    CHECK(spec.code() == axe::errc::bad_argument);
                    ++refused;
                    continue;
                }
                ++read;
                CHECK(said::text(sh::print_alpa(*spec)) == text);
                const axe::Shape shape{6, 6, 12};
                const auto placed = sh::place(*spec, shape);
                REQUIRE(placed);
                const std::string dims[] = {first, second, third};
                for (std::int64_t x = 0; x < *axe::volume(shape); x += 7) {
                    std::set<std::int64_t> got, expected;
                    for (const axe::Point& p : axe::points(placed->layout, x)) got.insert(p[sh::device_axis]);
                    const axe::Coord c = axe::coordinate(shape, x);
                    for (std::int64_t device = 0; device < 6; ++device) {
                        bool holds = true;
                        for (int d = 0; d < 3; ++d) {
                            std::int64_t block = 0, blocks = 1;
                            for (const char axis : dims[d]) {
                                if (axis == '0') block = block * 2 + device / 3, blocks *= 2;
                                if (axis == '1') block = block * 3 + device % 3, blocks *= 3;
                            }
                            holds = holds && c[d] / (shape[d] / blocks) == block;
                        }
                        if (holds) expected.insert(device);
                    }
                    CHECK(got == expected);
                }
            }
    CHECK(read == 1 + 3 * 2 + 3 * 2 + 6); // no axis; one axis; both in one dimension, in two orders; each its own
    CHECK(refused == 125 - read);
}

TEST_CASE("Alpa: a text is read whole or not at all")
{
    const sh::Mesh mesh = two_by_three();
    for (int code = 0; code < 128; ++code) {
        const std::string text = std::string("S0") + static_cast<char>(code);
        const auto spec = sh::parse_alpa(text, mesh);
        const bool goes_on = code == 'R' || code == '1';
        const bool blank = code == ' ' || code == '\t' || code == '\n' || code == '\r' || code == '\v' || code == '\f';
        if (spec.has_value() && !goes_on && !blank) FAIL("read S0 and character " << code);
        if (goes_on && !spec) FAIL("did not read " << text);
    }
}
