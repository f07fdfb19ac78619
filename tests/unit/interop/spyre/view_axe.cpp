// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/view_axe.hpp>
#include <axe/layout/evaluate.hpp>
#include <tests/unit/interop/spyre/said.hpp>

#include <algorithm>
#include <vector>

using namespace axe::spyre;
using axe::Axis;
using axe::Coord;
using axe::errc;
using axe::Shape;
using axe::Strided;
using said::f16;
using said::tensor;
using Int = std::int64_t;

namespace {

/// The device address of an element, in device elements.
Int address(const View& view, const Coord& c)
{
    const auto d = device_coordinate(view, c).value();
    const auto strides = device_strides(view.base.device);
    Int out = 0;
    for (int j = 0; j < d.size(); ++j) out += d[j] * strides[j];
    return out;
}

/// Does each element lie where the layout has it?
bool lies_so(const View& view, const axe::spyre::Placed& placed, const Axis& axis = {})
{
    const Shape& sizes = view.torch.shape;
    Int count = 1;
    for (const Int n : sizes) count *= n;
    for (Int x = 0; x < count; ++x) {
        Coord c = sizes;
        Int rest = x;
        for (int d = sizes.size() - 1; d >= 0; --d) {
            c[d] = rest % sizes[d];
            rest /= sizes[d];
        }
        if (axe::evaluate(placed.layout, placed.shape, c).value()[axis] != address(view, c)) return false;
    }
    return true;
}

template <class T>
void refused(const T& result, errc code, int position, const char* sentence)
{
    said::refused(result, code, sentence);
    CHECK(result.error().position == position);
}

} // namespace

TEST_CASE("to_axe of a view: a slice is a layout iff it begins where its digits do, by enumeration", "[interop][spyre]")
{
    // Element j of a row of 140 is in stick ⌊j/64⌋, and sticks of one row are 3·64 elements apart.
    const View whole = view_of(tensor({3, 140}));
    int layouts = 0, refusals = 0;
    for (Int step : {1, 2, 3, 4, 48, 64, 96})
        for (Int begin = 0; begin < 140; ++begin)
            for (Int end = begin + 1; end <= 140; end += step) {
                const View view = slice(whole, 1, begin, end, step).value();
                const Int n = view.torch.shape[1], digit = 64 / axe::detail::gcd(Int{64}, step);
                std::vector<Int> at;
                for (Int k = 0; k < n; ++k) at.push_back(address(view, {0, k}) - address(view, {0, 0}));
                const auto is_digits = [&](Int w) { // k ↦ ⌊k/w⌋·at(w) + (k mod w)·at(1)
                    for (Int k = 0; k < n; ++k)
                        if (at[static_cast<std::size_t>(k)] !=
                            (k >= w ? k / w * at[static_cast<std::size_t>(w)] : 0) + (k % w == 0 ? 0 : k % w * at[1]))
                            return false;
                    return true;
                };
                const auto got = to_axe(view);
                INFO("[" << begin << ", " << end << ") by " << step);
                REQUIRE(got.has_value() == is_digits(digit));
                if (!got) {
                    REQUIRE(got.code() == errc::no_layout);
                    REQUIRE(got.error().position == 1);
                    ++refusals;
                    continue;
                }
                REQUIRE(lies_so(view, *got));
                REQUIRE(got->valid == axe::Region{{0, 3}, {0, n}});
                REQUIRE(got->shape == Shape{3, n <= digit ? n : (n + digit - 1) / digit * digit});
                REQUIRE(got->elements == 3 * 3 * 64);
                ++layouts;
            }
    CHECK(layouts > 500);
    CHECK(refusals > 500);
}

TEST_CASE("to_axe of a view: permuted, expanded, reshaped and selected elements are at their addresses", "[interop][spyre]")
{
    const View x = view_of(tensor({4, 6, 128})), one = view_of(tensor({1, 128}, said::f32));
    const View views[] = {
        x,
        permute(x, {2, 0, 1}).value(),
        select(x, 0, 3).value(),
        select(select(x, 2, 70).value(), 0, 1).value(),
        reshape(x, {24, 128}).value(),
        reshape(x, {2, 2, 3, 2, 2, 64}).value(),
        slice(slice(x, 1, 1, 6, 2).value(), 2, 64, 128).value(),
        expand(one, {3, 5, 128}).value(),
        as_strided(x, {{2, 2, 32}, {128, 128, 2}, 64}).value(), // rows that overlap
        as_strided(x, {{}, {}, 200}).value(),
    };
    for (const View& view : views) {
        const auto placed = to_axe(view, Axis{"spyre"});
        REQUIRE(placed);
        CHECK(lies_so(view, *placed, Axis{"spyre"}));
        CHECK(placed->shape == view.torch.shape); // whole digits
        CHECK(placed->elements == stick_count(view.base.device).value() * elements_per_stick(view.base.device.format).value());
    }
    CHECK(to_axe(x)->layout == to_axe(tensor({4, 6, 128}))->layout);
}

TEST_CASE("to_axe of a view: refusals, and where they are", "[interop][spyre]")
{
    const View x = view_of(tensor({4, 100}));
    refused(to_axe(slice(x, 0, 2, 2).value()), errc::bad_extent, 0, "dimension 0 is empty; a layout has at least one element");
    refused(to_axe(slice(x, 1, 0, 0).value()), errc::bad_extent, 1, "dimension 1 is empty; a layout has at least one element");
    refused(to_axe(reshape(x, {400}).value()), errc::no_layout, 0,
            "dimension 0 has digits of 64 within 100 on the device, but 64 does not divide 100");
    refused(to_axe(slice(x, 1, 32, 96).value()), errc::no_layout, 1,
            "dimension 1 crosses the end of a digit, which a layout cannot do");
    refused(to_axe(View{x.base, {{5, 100}, {100, 1}, 0}}), errc::out_of_domain, -1, "the view has elements outside its base");
    refused(to_axe(View{x.base, {{4, 100}, {100, 1}, 1}}), errc::out_of_domain, -1, "the view has elements outside its base");
    refused(to_axe(View{x.base, {{4, 100}, {100, 1}, -1}}), errc::bad_argument, -1,
            "the storage offset is -1; it must be at least 0");
    refused(to_axe(view_of(make_tensor({{4, 4}, {1, 1}}, f16).value())), errc::bad_argument, 1,
            "elements of the base share addresses on the host, in dimension 1 of stride 1");
}

TEST_CASE("address_of and weights_of: the digits of an offset, and where steps begin them anew", "[interop][spyre]")
{
    Side side;
    side.levels.push_back({100, 0, 4}); // a bound adds nothing
    side.levels.push_back({64, 1000, 0});
    side.levels.push_back({16, 7, 0});
    side.levels.push_back({1, 1, 0});
    for (Int o = 0; o < 300; ++o) CHECK(axe::spyre::detail::address_of(side, o) == o / 64 * 1000 + o % 64 / 16 * 7 + o % 16);
    // A weight is the least count of steps that whole digits are.
    for (Int step = 0; step < 70; ++step)
        for (const Int n : {1, 3, 8, 64, 1000}) {
            std::vector<Int> expected{1};
            for (const Int weight : {64, 16, 1}) {
                Int count = 1;
                while (step > 0 && count * step % weight != 0) ++count;
                if (step > 0 && count < n) expected.push_back(count);
            }
            std::sort(expected.begin(), expected.end());
            expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
            const auto got = axe::spyre::detail::weights_of(side, step, n);
            REQUIRE(std::vector<Int>(got.begin(), got.end()) == expected);
        }
}
