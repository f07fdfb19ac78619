// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/box.hpp>
#include <tests/laws/map_decide.hpp>

/// Boxes of images and of preimages, against all points.
namespace {

using namespace laws;

constexpr Int far = Int{1} << 62;

void widen(axe::IndexInterval& i, Int x, bool is_first)
{
    i = is_first ? axe::IndexInterval{x, x} : axe::IndexInterval{std::min(i.low, x), std::max(i.high, x)};
}

TEST_CASE("image_box and preimage_box are the least boxes that hold what enumeration finds")
{
    Random r(8811);
    Int some = 0, none = 0;
    for (Int k = 0; k < cases(6000); ++k) {
        DecideKind kind;
        kind.products = r.one_in(5);
        const axe::IndexingMap m = random_decided(r, kind);
        std::vector<axe::IndexInterval> target;
        for (std::size_t i = 0; i < m.results.size(); ++i) {
            const Int low = r.in(-20, 10);
            target.push_back({low, low + r.in(-1, 20)});
        }
        std::vector<axe::IndexInterval> image(m.results.size()), preimage(m.variables.size());
        bool is_first = true, is_first_inside = true;
        every_value(m, [&](const Numbers& p, const Numbers& out) {
            bool inside = true;
            for (std::size_t i = 0; i < out.size(); ++i) {
                widen(image[i], out[i], is_first);
                inside = inside && target[i].contains(out[i]);
            }
            is_first = false;
            if (!inside) return;
            for (std::size_t j = 0; j < p.size(); ++j) widen(preimage[j], p[j], is_first_inside);
            is_first_inside = false;
        });
        INFO(k << " " << axe::print(m));
        REQUIRE(axe::image_box(m).value() == image);
        REQUIRE(axe::preimage_box(m, target).value() == preimage);
        ++(is_first_inside ? none : some);
    }
    CHECK(some > 10);
    CHECK(none > 10);
}

TEST_CASE("boxes move with the domain, to the ends of the integer")
{
    Random r(8812);
    for (Int k = 0; k < cases(800); ++k) {
        const axe::IndexingMap m = random_decided(r, {});
        Numbers by;
        for (std::size_t j = 0; j < m.variables.size(); ++j) by.push_back(r.one_in(2) ? far : -far);
        INFO(k << " " << axe::print(m));
        REQUIRE(axe::image_box(moved(m, by)).value() == axe::image_box(m).value());
        const std::vector<axe::IndexInterval> everything(m.results.size(), {-1000000, 1000000});
        auto here = axe::preimage_box(m, everything).value();
        const auto there = axe::preimage_box(moved(m, by), everything).value();
        for (std::size_t j = 0; j < by.size(); ++j)
            if (!here[j].is_empty()) here[j] = {here[j].low + by[j], here[j].high + by[j]};
        REQUIRE(there == here);
    }
}

TEST_CASE("the image of 2^40 periods is that of one, moved to the last")
{
    Random r(8813);
    Int tried = 0;
    for (Int k = 0; k < cases(1500); ++k) {
        DecideKind kind;
        kind.divisor = 4;
        axe::IndexingMap m = axe::IndexingMap::over({1});
        m.results = {random_form(r, m.pool, 1, 3, kind)};
        const Int period = common_period(m.pool, m.results[0]), times = Int{1} << 40;
        if (period > 1000) continue;
        m.variables[0].bounds.high = period * times - 1;
        // e(x + period) = e(x) + step: the extremes are in the first period or in the last.
        axe::IndexInterval one;
        for (Int x = 0; x < period; ++x) widen(one, (*axe::evaluate_anywhere(m, {x}))[0], x == 0);
        const Int step = (*axe::evaluate_anywhere(m, {period}))[0] - (*axe::evaluate_anywhere(m, {0}))[0];
        const Int last = step * (times - 1);
        INFO(k << " " << axe::print(m));
        REQUIRE(axe::image_box(m).value()[0] ==
                axe::IndexInterval{one.low + std::min<Int>(0, last), one.high + std::max<Int>(0, last)});
        ++tried;
    }
    CHECK(tried > 10);
}

TEST_CASE("boxes of images do not change with the size of the variables")
{
    Random r(8814);
    for (Int k = 0; k < cases(1000); ++k) {
        DecideKind kind;
        kind.products = r.one_in(10);
        const axe::IndexingMap m = random_decided(r, kind);
        const auto image = axe::image_box(m).value();
        for (const Enlarging way : all_enlargings) {
            const axe::IndexingMap large = enlarged(m, way, Int{1} << 40, r.next());
            INFO(k << " " << axe::print(large));
            REQUIRE(axe::image_box(large).value() == image);
        }
    }
}

} // namespace
