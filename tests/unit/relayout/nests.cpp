// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/relayout/nests.hpp>
#include <catch.hpp>
#include <tests/relayout_refinements.hpp>

#include <string>

namespace {

using axe::CopyLoop;
using axe::CopyNest;
using axe::Region;
using axe::Shape;
using axe::detail::AddressDigit;
using axe::detail::DigitList;
using refinements::digits;
using Int = std::int64_t;

CopyNest nest_of(Int to, Int from, std::initializer_list<CopyLoop> loops)
{
    CopyNest nest{to, from};
    for (const CopyLoop& l : loops) nest.loops.push_back(l);
    return nest;
}

/// "to 0 from 4: (extent, to, from)…"
std::string text_of(const CopyNest& nest)
{
    std::string text = "to " + std::to_string(nest.to) + " from " + std::to_string(nest.from) + ":";
    for (const CopyLoop& l : nest.loops)
        text += " (" + std::to_string(l.extent) + "," + std::to_string(l.to) + "," + std::to_string(l.from) + ")";
    return text;
}

std::string simplified(CopyNest nest)
{
    axe::simplify(nest);
    return text_of(nest);
}

std::string groups_of(const Region& region, const Shape& to, const Shape& from)
{
    std::string text;
    for (const auto& g : axe::detail::group_dimensions(region, to, from))
        text += "[" + std::to_string(g.lo) + "," + std::to_string(g.hi) + ") of " + std::to_string(g.to_extent) + "|" +
                std::to_string(g.from_extent) + " from " + std::to_string(g.first_dimension) + "; ";
    return text;
}

} // namespace

TEST_CASE("nest: simplified, it has the fewest loops, the widest step of the destination first")
{
    CHECK(simplified(nest_of(0, 0, {{4, 4, 4}, {3, 16, 16}})) == "to 0 from 0: (12,4,4)");
    CHECK(simplified(nest_of(0, 0, {{1, 8, 8}, {4, 4, 64}, {3, 16, 4}, {1, 0, 0}})) == "to 0 from 0: (3,16,4) (4,4,64)");
    CHECK(simplified(nest_of(8, 8, {})) == "to 8 from 8:");
    // Merged in the destination only: two loops stay.
    CHECK(simplified(nest_of(0, 0, {{4, 4, 4}, {3, 16, 17}})) == "to 0 from 0: (3,16,17) (4,4,4)");
}

TEST_CASE("nest: backward loops are walked forward")
{
    CHECK(simplified(nest_of(12, 0, {{4, -4, 4}})) == "to 0 from 12: (4,4,-4)");
    CHECK(simplified(nest_of(12, 12, {{4, -4, -4}})) == "to 0 from 0: (4,4,4)");
    CHECK(simplified(nest_of(0, 12, {{4, 0, -4}})) == "to 0 from 0: (4,0,4)");
    CHECK(simplified(nest_of(44, 44, {{3, -16, -16}, {4, -4, -4}})) == "to 0 from 0: (12,4,4)");
}

TEST_CASE("nest: steps whose products overflow are not merged")
{
    constexpr Int large = Int{1} << 61;
    CHECK(simplified(nest_of(0, 0, {{2, large, 0}, {large, 1, 4}})) ==
          "to 0 from 0: (2," + std::to_string(large) + ",0) (" + std::to_string(large) + ",1,4)");
}

TEST_CASE("nests: dimensions that are whole on both sides are counted as one")
{
    CHECK(groups_of({{0, 2}, {0, 3}, {0, 4}}, {2, 3, 4}, {2, 3, 4}) == "[0,24) of 24|24 from 0; ");
    CHECK(groups_of({}, {}, {}).empty());
    // Padded in the middle: the last dimension is whole, the first begins anew.
    CHECK(groups_of({{0, 2}, {0, 3}, {0, 4}}, {2, 5, 4}, {2, 3, 4}) == "[0,12) of 20|12 from 1; [0,2) of 2|2 from 0; ");
    CHECK(groups_of({{0, 2}, {0, 3}, {0, 4}}, {2, 3, 4}, {2, 3, 8}) == "[0,4) of 4|8 from 2; [0,6) of 6|6 from 0; ");
    // A slab of the padding.
    CHECK(groups_of({{0, 2}, {3, 5}, {0, 4}}, {2, 5, 4}, {2, 5, 4}) == "[12,20) of 20|20 from 1; [0,2) of 2|2 from 0; ");
}

TEST_CASE("nests: digits are taken from a side as far as they divide")
{
    const auto take = [](DigitList list, Int n, bool divides, std::initializer_list<AddressDigit> taken,
                         std::initializer_list<AddressDigit> left) {
        const auto same = [](const DigitList& a, std::initializer_list<AddressDigit> b) {
            return static_cast<std::size_t>(a.size()) == b.size() &&
                   std::equal(a.begin(), a.end(), b.begin(), [](const AddressDigit& x, const AddressDigit& y) {
                       return x.extent == y.extent && x.step == y.step;
                   });
        };
        DigitList out;
        return axe::detail::take_digits(list, n, out) == divides && (!divides || (same(out, taken) && same(list, left)));
    };
    CHECK(take(digits({{4, 1}, {6, 8}}), 4, true, {{4, 1}}, {{6, 8}}));
    CHECK(take(digits({{4, 1}, {6, 8}}), 8, true, {{4, 1}, {2, 8}}, {{3, 16}}));
    CHECK(take(digits({{4, 1}, {6, 8}}), 2, true, {{2, 1}}, {{2, 2}, {6, 8}}));
    CHECK(take(digits({{4, 1}, {6, 8}}), 1, true, {}, {{4, 1}, {6, 8}}));
    CHECK(take(digits({{4, 1}, {6, 8}}), 24, true, {{4, 1}, {6, 8}}, {}));
    CHECK(take(digits({{4, 1}, {6, 8}}), 3, false, {}, {}));
    CHECK(take(digits({{4, 1}, {6, 8}}), 16, false, {}, {}));
    CHECK(take(digits({{4, 1}}), 8, false, {}, {}));
}

TEST_CASE("nests: more than allowed, or digits across padded dimensions, are none")
{
    axe::detail::AddressMap to, from;
    to.digits = digits({{1000, 2}, {1003, 5000}});
    from.digits = digits({{1003, 3}, {1000, 7000}});
    const Region whole{{0, 1003000}};
    std::vector<CopyNest> nests;
    CHECK_FALSE(axe::detail::append_nests(to, from, whole, {1003000}, {1003000}, 100, nests));
    nests.clear();
    CHECK(axe::detail::append_nests(to, from, whole, {1003000}, {1003000}, 3000, nests));
    CHECK(nests.size() == 2002);

    // A destination of 3 × 4, of which 2 × 3 are the tensor, cut in 4 and 3: rows of 4 end within a digit of 3 and one of 4.
    to.digits = digits({{3, 4}, {4, 1}});
    from.digits = digits({{6, 1}});
    nests.clear();
    CHECK_FALSE(axe::detail::append_nests(to, from, {{0, 2}, {0, 3}}, {3, 4}, {2, 3}, 100, nests));
}
