// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/view_axe.hpp>
#include <axe/target/spyre/compiler/restickify.hpp>
#include <catch.hpp>
#include <tests/laws/spyre_tensors.hpp>

#include <map>

/// Views against the definition: the element of the base at the same host offset; sticks by looking at every element.
namespace {

using namespace spyres;
using axe::Coord;
using axe::Shape;
using axe::spyre::View;

/// The place of each host offset that the base has an element at.
std::map<Int, Int> places_by_offset(const axe::spyre::Tensor& base)
{
    std::map<Int, Int> out;
    laws::spyre::each_coordinate(base.torch.shape,
                                 [&](const Coord& c) { out.insert({address(base.torch, c), places(base, c).front()}); });
    return out;
}

/// One more operation, if it can be done.
View step(Random& r, const View& v)
{
    const int rank = v.torch.shape.size();
    axe::Result<View> next(v);
    const int d = rank == 0 ? 0 : static_cast<int>(r.in(0, rank - 1));
    switch (r.in(0, 5)) {
    case 0:
        if (rank > 0) {
            const Int begin = r.in(0, v.torch.shape[d]);
            next = axe::spyre::slice(v, d, begin, r.in(begin, v.torch.shape[d]), r.one_in(2) ? 1 : r.in(1, 3));
        }
        break;
    case 1:
        if (rank > 0 && v.torch.shape[d] > 0) next = axe::spyre::select(v, d, r.in(0, v.torch.shape[d] - 1));
        break;
    case 2: {
        axe::InlineVector<int, axe::max_rank> order;
        for (int i = 0; i < rank; ++i) order.insert(static_cast<int>(r.in(0, i)), i);
        next = axe::spyre::permute(v, order);
        break;
    }
    case 3: {
        Shape sizes = v.torch.shape;
        for (Int& n : sizes)
            if (n == 1 && r.one_in(2)) n = r.in(1, 3);
        if (r.one_in(3) && rank < 5) sizes.insert(0, 2);
        next = axe::spyre::expand(v, sizes);
        break;
    }
    default: {
        Shape sizes = v.torch.shape;
        if (rank > 1 && r.one_in(2)) { // two as one
            const int i = static_cast<int>(r.in(0, rank - 2));
            sizes[i] *= sizes[i + 1];
            sizes.erase(i + 1);
        } else if (rank > 0 && rank < 6 && sizes[d] % 2 == 0) {
            const Int part = sizes[d] % 64 == 0 && r.one_in(2) ? 64 : sizes[d] / 2;
            if (part > 0) {
                sizes.insert(d + 1, part);
                sizes[d] /= part;
            }
        }
        next = axe::spyre::reshape(v, sizes);
    }
    }
    return next ? *next : v;
}

/// The dimension in sticks by definition; −2 when there is none that will do.
int stick_by_looking(const View& v, const std::map<Int, Int>& at, Int per_stick)
{
    for (int i = -1; i < v.torch.shape.size(); ++i) {
        if (i >= 0 && v.torch.shape[i] < 2) continue;
        bool yes = true;
        laws::spyre::each_coordinate(v.torch.shape, [&](const Coord& c) {
            yes = yes && at.at(address(v.torch, c)) % per_stick == (i < 0 ? 0 : c[i] % per_stick);
        });
        if (yes) return i;
    }
    return -2;
}

/// The nests of a part of a tensor, which know the layout and the offset alone: if there are any, they move the view's elements.
bool check_window(const View& v, const std::map<Int, Int>& at)
{
    const auto& base = v.base;
    for (int e = 0; e < base.host.shape.size(); ++e)
        if (base.host.strides[e] == 0 || !(base.host == base.torch)) return false;
    const axe::Strided rows{v.torch.shape, v.torch.strides, 0};
    const auto part = axe::spyre::place(rows, base.device);
    if (!part || v.torch.offset == base.torch.offset) return false;
    const auto d = axe::spyre::dma(*part, v.torch, v.torch.offset - base.torch.offset);
    if (!d || d->nests.empty()) return false;
    std::map<Int, Int> written; // device to host
    spyres::each_move(*d, [&](Int host, Int device) { written[device] = host; });
    bool is_right = true;
    laws::spyre::each_coordinate(v.torch.shape, [&](const Coord& c) {
        const auto found = written.find(at.at(address(v.torch, c)));
        is_right = is_right && found != written.end() && found->second == address(v.torch, c);
    });
    CHECK(is_right);
    return true;
}

/// The view as a layout, if it is one: the same addresses.
bool check_layout(const View& v, const std::map<Int, Int>& at)
{
    const auto placed = axe::spyre::to_axe(v);
    if (!placed) {
        CHECK((placed.code() == axe::errc::no_layout || placed.code() == axe::errc::bad_extent));
        return false;
    }
    REQUIRE(axe::volume(placed->shape).value() == axe::size(placed->layout).value());
    bool is_right = true;
    laws::spyre::each_coordinate(v.torch.shape, [&](const Coord& c) {
        is_right = is_right && laws::spyre::value(placed->layout, placed->shape, c) == at.at(address(v.torch, c));
    });
    CHECK(is_right);
    return true;
}

} // namespace

TEST_CASE("an element of a view is where the base has it, and sticks are found as by looking", "[laws][spyre]")
{
    Random r(515);
    const Int n = laws::cases(250);
    int aligned = 0, others = 0, moved = 0, windows = 0, layouts = 0;
    for (Int k = 0; k < n; ++k) {
        const auto base = random_tensor(r);
        const auto at = places_by_offset(base);
        View v = axe::spyre::view_of(base);
        for (Int s = r.in(0, 3); s > 0; --s) v = step(r, v);
        INFO("case " << k << ": " << laws::spyre::words(base));
        for (const Int e : v.torch.shape) UNSCOPED_INFO("size " << e);
        for (const Int e : v.torch.strides) UNSCOPED_INFO("stride " << e);
        bool is_right = true;
        laws::spyre::each_coordinate(v.torch.shape, [&](const Coord& c) {
            const auto d = axe::spyre::device_coordinate(v, c);
            is_right = is_right && d && axe::spyre::device_offset(base.device, *d) == at.at(address(v.torch, c));
        });
        CHECK(is_right);
        const auto elements = axe::spyre::element_count(v.torch).value();
        const auto stick = axe::spyre::stick_dimension(v);
        const Int per_stick = axe::spyre::elements_per_stick(base.device.format).value();
        if (elements > 0) CHECK(stick.has_value() == (stick_by_looking(v, at, per_stick) != -2));
        if (elements > 0 && stick) CHECK(*stick == stick_by_looking(v, at, per_stick));
        (stick ? aligned : others) += 1;
        windows += check_window(v, at);
        layouts += check_layout(v, at);
        if (elements == 0 || elements > 2000) continue;

        // Moved to sticks of its own: the same elements, one after the other.
        const auto made = axe::spyre::make_tensor(axe::spyre::contiguous(v.torch.shape), axe::spyre::DataFormat::sen169_fp16,
                                                  laws::spyre::random_order(r, v.torch.shape.size()));
        if (!made || axe::spyre::stick_count(made->device).value() > 2000) continue;
        axe::RelayoutOptions options;
        options.from_type = options.to_type = axe::DType::f16;
        options.padding = 7;
        const auto plan = axe::spyre::plan_restickify(*made, v, options);
        if (!plan && plan.error().code == axe::errc::capacity) continue;
        INFO(plan.error().text);
        REQUIRE(plan);
        std::vector<std::uint16_t> from(static_cast<std::size_t>(axe::spyre::stick_count(base.device).value() * per_stick));
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint16_t>(1000 + i);
        std::vector<std::uint16_t> to(static_cast<std::size_t>(axe::spyre::stick_count(made->device).value() * 64)),
            want(to.size(), 7);
        laws::spyre::each_coordinate(v.torch.shape, [&](const Coord& c) {
            want[static_cast<std::size_t>(places(*made, c).front())] = from[static_cast<std::size_t>(at.at(address(v.torch, c)))];
        });
        REQUIRE(plan->run(to.data(), 2 * to.size(), from.data(), 2 * from.size()).ok());
        CHECK((to == want));
        ++moved;

        // Home as it is, and back into the same places.
        options.padding.reset();
        const auto rows = axe::spyre::contiguous(v.torch.shape);
        std::vector<std::uint16_t> home(static_cast<std::size_t>(elements)), again(from.size(), 5), kept(from.size(), 5);
        REQUIRE(axe::spyre::plan_to_host(v, rows, options)
                    .value()
                    .run(home.data(), 2 * home.size(), from.data(), 2 * from.size())
                    .ok());
        bool is_home = true;
        laws::spyre::each_coordinate(v.torch.shape, [&](const Coord& c) {
            const auto place = static_cast<std::size_t>(at.at(address(v.torch, c)));
            is_home = is_home && home[static_cast<std::size_t>(address(rows, c))] == from[place];
            kept[place] = from[place];
        });
        CHECK(is_home);
        const auto back = axe::spyre::plan_to_device(v, rows, options);
        if (!back) continue;
        REQUIRE(back->run(again.data(), 2 * again.size(), home.data(), 2 * home.size()).ok());
        CHECK((again == kept));
    }
    CHECK(aligned > n / 10);
    CHECK(others > n / 10);
    CHECK(moved > n / 3);
    CHECK(windows > n / 20);
    CHECK(layouts > n / 5);
}
