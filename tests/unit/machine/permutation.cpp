// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/machine/permutation.hpp>
#include <catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

constexpr axe::Permutation of(std::initializer_list<std::int32_t> values)
{
    axe::Permutation p;
    for (const auto v : values) p.values.push_back(v);
    return p;
}

} // namespace

TEST_CASE("Permutation: values, inverse, identity")
{
    constexpr auto p = of({0, 2, 4, 1, 3});
    STATIC_REQUIRE(p.size() == 5);
    STATIC_REQUIRE(p[1] == 2);
    STATIC_REQUIRE(p.inverse() == of({0, 3, 1, 4, 2}));
    STATIC_REQUIRE(p.inverse().inverse() == p);
    STATIC_REQUIRE_FALSE(p.is_identity());
    STATIC_REQUIRE(of({0, 1, 2}).is_identity());
    STATIC_REQUIRE(axe::Permutation{}.is_identity());
    STATIC_REQUIRE_FALSE(of({1, 0}).is_identity());
}

TEST_CASE("Permutation: as a layout")
{
    const auto text = [](const axe::Permutation& p) { return std::string(axe::print(layout_of(p).value()).c_str()); };
    CHECK(text(of({0, 1, 2, 3})) == "4:1");
    CHECK(text(of({0, 2, 1, 3})) == "(2,2):(1,2)");
    CHECK(text(of({3, 2, 1, 0})) == "4:-1 + 3@m");
    CHECK(text(of({0, 3, 1, 4, 2, 5})) == "(3,2):(1,3)");
    CHECK(text(of({0})) == "():()");
    CHECK(text(axe::Permutation{}) == "():()");
    CHECK(std::string(axe::print(layout_of(of({1, 0}), axe::Axis{"reg"}).value()).c_str()) == "2:-1@reg + 1@reg");
    for (const auto& p : {of({1, 2, 0}), of({0, 1, 3, 2}), of({0, 2, 1}), of({0, 2, 3, 1})}) {
        const auto none = layout_of(p);
        CHECK(none.code() == axe::errc::no_layout);
    }
    // 0 1 | 3 2 : the second block runs the other way
    CHECK(std::string(layout_of(of({0, 1, 3, 2})).error().message().c_str()) ==
          "the value 2 of 3 does not continue those before it");
    CHECK(layout_of(of({0, 1, 3, 2})).error().position == 3);
}

TEST_CASE("Permutation: of all of up to 6 values, those that are a layout are those found so")
{
    // By definition: a layout of size n is a choice of extents with product n, a stride for each, and an offset.
    for (int n = 1; n <= 6; ++n) {
        std::vector<std::int32_t> values;
        for (int i = 0; i < n; ++i) values.push_back(i);
        int layouts = 0, all = 0;
        do {
            axe::Permutation p;
            for (const auto v : values) p.values.push_back(v);
            bool is_layout = n == 1;
            for (int inner = 1; inner <= n; ++inner) { // two digits are enough up to 6
                if (n % inner != 0) continue;
                bool this_way = true;
                for (int i = 0; i < n; ++i) {
                    const int step = inner > 1 ? p[1] - p[0] : 0, leap = inner < n ? p[inner] - p[0] : 0;
                    this_way = this_way && p[i] == p[0] + i % inner * step + i / inner * leap;
                }
                is_layout = is_layout || this_way;
            }
            const auto found = layout_of(p);
            CHECK(found.has_value() == is_layout);
            if (found)
                for (int i = 0; i < n; ++i) CHECK((*axe::evaluate(*found, i))[axe::Axis{}] == p[i]);
            layouts += is_layout;
            ++all;
        } while (std::next_permutation(values.begin(), values.end()));
        CHECK(layouts == std::vector<int>{0, 1, 2, 2, 8, 2, 14}[static_cast<std::size_t>(n)]);
        CHECK(all == std::vector<int>{0, 1, 2, 6, 24, 120, 720}[static_cast<std::size_t>(n)]);
    }
}
