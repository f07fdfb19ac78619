// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"
#include "spyre_random.hpp"

#include <axe/interop/spyre/coordinates.hpp>
#include <axe/interop/spyre/device_view.hpp>
#include <axe/interop/spyre/equal.hpp>
#include <axe/interop/spyre/from_axe.hpp>
#include <axe/interop/spyre/rescale.hpp>
#include <axe/layout/complement.hpp>
#include <axe/layout/preimage.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/print.hpp>

#include <algorithm>
#include <map>
#include <set>

/// Tensors on Spyre, their elements one by one: by the definition, and by the algebra.
namespace {

using namespace laws;
using namespace laws::spyre;
namespace sp = axe::spyre;

Int host_address(const axe::Strided& host, const axe::Coord& c)
{
    Int address = host.offset;
    for (int d = 0; d < c.size(); ++d) address += c[d] * host.strides[d];
    return address;
}

/// Where the elements are, by `device_coordinate`, which the unit tests pin down.
struct Elements {
    std::vector<Int> address{};               ///< of each, row-major
    std::map<Int, axe::Coord> at{};           ///< the first element of each place
    std::set<std::vector<Int>> coordinates{}; ///< of the device, copies apart
};
Elements elements_of(const sp::Tensor& t)
{
    Elements out;
    each_coordinate(t.torch.shape, [&](const axe::Coord& c) {
        const auto d = sp::device_coordinate(t, c).value();
        const Int address = sp::device_offset(t.device, d);
        out.address.push_back(address);
        out.at.emplace(address, c);
        out.coordinates.insert({d.begin(), d.end()});
    });
    return out;
}

bool has_copies(const sp::Tensor& t)
{
    return std::any_of(t.digits.begin(), t.digits.end(), [](const sp::Digit& d) { return d.dim == sp::Digit::copies; });
}

/// Every place of the device: element or padding, as `slot_at` and the boxes have it, and as it is.
void check_slots(Report& report, const sp::Tensor& t, const Elements& truth)
{
    Int elements = 0, differ = 0;
    each_coordinate(t.device.device_size, [&](const axe::Coord& d) {
        axe::Coord first = d;
        for (int j = 0; j < d.size(); ++j)
            if (t.digits[j].dim == sp::Digit::copies) first[j] = 0;
        const auto slot = sp::slot_at(t, d);
        const auto found = truth.at.find(sp::device_offset(t.device, first));
        differ += !slot || slot->is_element != (found != truth.at.end()) || (slot->is_element && !(slot->element == found->second));
        elements += slot && slot->is_element;
    });
    report.that(differ == 0, "slot_at", words(t).c_str());
    std::set<std::vector<Int>> covered;
    Int in_boxes = 0;
    const Int boxes = sp::valid_box_count(t);
    for (Int i = 0; i < boxes; ++i) {
        const auto box = sp::valid_box(t, i);
        axe::Shape extents;
        for (const auto& range : box) extents.push_back(range.hi - range.lo);
        each_coordinate(extents, [&](const axe::Coord& c) {
            std::vector<Int> d;
            for (int j = 0; j < c.size(); ++j) d.push_back(t.digits[j].dim == sp::Digit::copies ? 0 : box[j].lo + c[j]);
            covered.insert(d);
            ++in_boxes;
        });
    }
    report.that(covered == truth.coordinates, "the boxes hold other coordinates", words(t).c_str());
    report.that(in_boxes == elements, "boxes meet", words(t).c_str());
}

/// The layout over PyTorch's dimensions (or the host's) against the elements.
void check_layout(Report& report, const sp::Tensor& t, const sp::Placed& p, const axe::Strided& over, const Elements& truth)
{
    std::size_t i = 0;
    Int differ = 0;
    each_coordinate(over.shape, [&](const axe::Coord& c) { differ += value(p.layout, p.shape, c) != truth.address[i++]; });
    report.that(differ == 0 && i == truth.address.size(), "other addresses", p.layout, p.shape, words(t).c_str());
    report.that(p.elements == *sp::device_elements(t.device), "elements", words(t).c_str());
    for (int d = 0; d < over.shape.size(); ++d)
        report.that(p.valid[d] == axe::Range{0, over.shape[d]} && p.shape[d] >= over.shape[d], "valid", words(t).c_str());
}

/// Element or padding, told by the algebra alone.
void check_padding(Report& report, Random& r, const sp::Tensor& t, const sp::Placed& p, const Elements& truth)
{
    if (has_copies(t)) return;
    for (int i = 0; i < 6; ++i) { // the way back
        const Int address = r.in(0, p.elements - 1);
        const auto back = axe::preimage(p.layout, p.shape, {{{}, address}});
        if (!report.that(back.error().ok(), "preimage", p.layout, p.shape, back.error().message().c_str())) return;
        bool is_element = false;
        Int looked = 0;
        for (const auto c : back) {
            bool valid = true;
            for (int d = 0; d < c.size(); ++d) valid = valid && c[d] < p.valid[d].hi;
            is_element = is_element || valid;
            if (++looked > 4000) break;
        }
        report.that(is_element == (truth.at.count(address) != 0), "preimage", p.layout, p.shape, address);
    }
    // All of them: what fills the layout up to the whole device reaches each place once.
    if (truth.at.size() != truth.address.size()) return; // several elements at one place
    const auto gaps = axe::complement(p.layout, p.elements);
    report.asked(gaps.has_value());
    if (!gaps || p.elements > 4000) return;
    Int padding = 0, wrong = 0;
    std::vector<Int> reached(static_cast<std::size_t>(p.elements), 0);
    for (const auto gap : oracle::table(*gaps).low)
        each_coordinate(p.shape, [&](const axe::Coord& c) {
            const Int address = value(p.layout, p.shape, c) + static_cast<Int>(gap);
            bool valid = gap == 0;
            for (int d = 0; d < c.size(); ++d) valid = valid && c[d] < p.valid[d].hi;
            ++reached[static_cast<std::size_t>(address)];
            padding += !valid;
            wrong += valid != (truth.at.count(address) != 0);
        });
    report.that(wrong == 0, "another padding", p.layout, p.shape, *gaps);
    report.that(std::count(reached.begin(), reached.end(), 1) == p.elements, "not each place once", p.layout, *gaps);
    report.that(padding == p.elements - static_cast<Int>(truth.at.size()), "padding", p.layout, *gaps);
}

} // namespace

TEST_CASE("law: a tensor by an order of dimensions is a layout of its elements, and the rest is padding", "[interop][spyre]")
{
    Report report("to_axe of make_tensor"), back("from_axe");
    Random r(901);
    Int empty = 0, expanded = 0, sparse = 0;
    for (Int i = laws::cases(500); i > 0; --i) {
        auto host = random_host(r, 1500);
        const bool is_overlapping = r.one_in(10); // several indices of one host element: each has its own place on the device
        for (int d = 0; is_overlapping && d < host.shape.size(); ++d) host.strides[d] = r.in(0, 4);
        const auto t = sp::make_tensor(host, random_format(r), random_order(r, host.shape.size()));
        if (!report.that(t.has_value(), "make_tensor", t.error().message().c_str())) continue;
        if (*sp::device_elements(t->device) > 40000) continue;
        const auto truth = elements_of(*t);
        const auto p = sp::to_axe(*t);
        if (truth.address.empty()) {
            ++empty;
            report.that(p.code() == axe::errc::bad_extent, "empty", words(*t).c_str());
            report.that(sp::valid_box_count(*t) == 0, "boxes of an empty tensor", words(*t).c_str());
            continue;
        }
        expanded += std::count(host.strides.begin(), host.strides.end(), 0) != 0;
        sparse += t->device.stride_map.back() == sp::synthetic;
        if (!report.that(p.has_value(), "no layout", words(*t).c_str(), p.error().message().c_str())) continue;
        report.that(truth.at.size() == truth.address.size(), "two elements at one place", words(*t).c_str());
        check_layout(report, *t, *p, t->torch, truth);
        check_slots(report, *t, truth);
        check_padding(report, r, *t, *p, truth);

        // on two axes, and over the device's own coordinates
        const auto two = sp::to_axe_sticks(*t);
        const auto view = sp::over_device(*t);
        if (!report.that(two && view, "no layout on two axes", words(*t).c_str())) continue;
        std::size_t k = 0;
        const Int e = *sp::elements_per_stick(t->device.format);
        Int differ = 0;
        each_coordinate(host.shape, [&](const axe::Coord& c) {
            const auto d = sp::device_coordinate(*t, c).value();
            differ += value(two->layout, two->shape, c, {"stick"}) != truth.address[k] / e;
            differ += value(two->layout, two->shape, c, {"elem"}) != truth.address[k] % e;
            differ += value(view->address, view->shape, d) != truth.address[k];
            differ += value(view->host, view->shape, d) != host_address(host, c) || sp::host_offset(*t, d) != host_address(host, c);
            ++k;
        });
        report.that(differ == 0, "sticks and elements, or the view over the device", words(*t).c_str());

        // found again from the layout alone, and from Axe
        const auto placed = sp::place(host, t->device);
        bool is_one_element = false; // an expanded dimension of several sticks: nothing tells them from copies
        for (const auto& digit : t->digits)
            is_one_element = is_one_element || (digit.dim >= 0 && digit.outer >= 0 && host.strides[digit.dim] == 0);
        if (!is_one_element && !is_overlapping &&
            report.that(placed.has_value(), "place", words(*t).c_str(), placed.error().message().c_str())) {
            report.that(bool(sp::same_placement(*placed, *t)), "placed elsewhere", words(*t).c_str());
            report.that(*sp::to_axe(*placed) == *p, "another layout when placed", words(*t).c_str());
        }
        const auto again = sp::from_axe(*p, host, t->device.format);
        const auto from_two = sp::from_axe_sticks(*two, host, t->device.format);
        if (back.that(again && from_two, "from_axe", words(*t).c_str(), again.error().message().c_str())) {
            back.asked(true);
            back.that(bool(sp::same_placement(*again, *t)), "elsewhere", words(*t).c_str(), words(*again).c_str());
            back.that(*again == *from_two, "from two axes", words(*t).c_str());
            back.that(elements_of(*again).address == truth.address, "other addresses", words(*t).c_str(), words(*again).c_str());
        }
    }
    CHECK(empty > 0);
    CHECK(expanded > laws::cases(10));
    CHECK(sparse > laws::cases(20));
    CHECK(report.no() == 0); // a layout fills each of them up
    report.finish(false);
    back.finish(false);
}

namespace {

/// Is there a padded dimension whose first values these are? The innermost digit ends where the values stop being multiples.
bool is_layout(const std::vector<Int>& f)
{
    const Int n = static_cast<Int>(f.size());
    Int q = 2;
    while (q < n && f[static_cast<std::size_t>(q)] == q * f[1]) ++q;
    if (q >= n) return true;
    std::vector<Int> outer;
    for (Int x = 0; x < n; ++x) {
        if (f[static_cast<std::size_t>(x)] != f[static_cast<std::size_t>(x - x % q)] + f[static_cast<std::size_t>(x % q)])
            return false;
        if (x % q == 0) outer.push_back(f[static_cast<std::size_t>(x)]);
    }
    return is_layout(outer);
}

/// An explicit layout of a contiguous host: digits of any weights, side by side or within each other, in any order.
axe::SpyreLayout random_explicit(Random& r, Int count)
{
    axe::SpyreLayout out;
    std::vector<std::pair<Int, Int>> dims; // size, step
    Int rest = count;
    while (rest > 1) {
        Int w = r.one_in(3) ? 1 : r.in(1, rest - 1);
        if (r.one_in(2))
            while (rest % w != 0) --w;
        if (dims.size() > 4) w = 1;
        dims.emplace_back((rest - 1) / w + 1 + (r.one_in(3) ? r.in(0, 2) : 0), w);
        rest = w;
    }
    if (r.one_in(6)) dims.emplace_back(r.in(2, 3), 0);
    if (r.one_in(6)) dims.emplace_back(1, -1);
    for (std::size_t i = dims.size(); i > 1; --i)
        std::swap(dims[i - 1], dims[static_cast<std::size_t>(r.in(0, static_cast<Int>(i) - 1))]);
    if (dims.empty() || dims.back().first > 64) dims.emplace_back(64, -1);
    for (const auto& [size, step] : dims) {
        out.device_size.push_back(size);
        out.stride_map.push_back(step);
    }
    return out;
}

} // namespace

TEST_CASE("law: of explicit layouts those are layouts whose digits divide: all have a view over the device", "[interop][spyre]")
{
    Report report("to_axe of place"), merged("to_axe_merged"), back("from_axe of explicit layouts");
    Random r(902);
    Int copies = 0, crossing = 0;
    for (Int i = laws::cases(900); i > 0; --i) {
        axe::Shape sizes{r.in(1, 90)};
        if (r.one_in(2)) sizes = {r.in(1, 12), r.in(1, 12)};
        if (r.one_in(4)) sizes = {r.in(1, 6), r.in(1, 6), r.in(1, 6)};
        const auto host = sp::contiguous(sizes);
        const auto t = sp::place(host, random_explicit(r, *sp::element_count(host)));
        if (!t) continue;
        if (*sp::device_elements(t->device) > 60000) continue;
        const auto truth = elements_of(*t);
        if (*sp::device_elements(t->device) < 6000) check_slots(report, *t, truth);
        copies += has_copies(*t);
        crossing += !(t->host.shape == host.shape);

        // over the host's dimensions the question is one of each dimension
        bool exists = true;
        for (int d = 0; d < t->host.shape.size(); ++d) {
            std::vector<Int> f;
            Int pitch = 1;
            for (int e = d + 1; e < t->host.shape.size(); ++e) pitch *= t->host.shape[e];
            for (Int x = 0; x < t->host.shape[d]; ++x) f.push_back(truth.address[static_cast<std::size_t>(x * pitch)]);
            exists = exists && is_layout(f);
        }
        const auto over_host = sp::to_axe_merged(*t);
        merged.asked(exists);
        merged.that(exists == over_host.has_value(), "existence", words(*t).c_str(), over_host.error().message().c_str());
        if (over_host) check_layout(merged, *t, *over_host, t->host, truth);
        const auto p = sp::to_axe(*t);
        report.asked(p.has_value());
        report.that(!p || exists, "over PyTorch's dimensions, but not over the host's", words(*t).c_str());
        report.that(p || p.error().is_none(), "an error, not none", words(*t).c_str());
        if (p) {
            check_layout(report, *t, *p, t->torch, truth);
            check_padding(report, r, *t, *p, truth);
        }
        // whole sticks are always found again
        const bool whole = t->device.device_size.back() == 64 || t->digits.back().dim == sp::Digit::none;
        if (over_host) {
            const auto again = sp::from_axe(*over_host, t->host, t->device.format);
            back.asked(again.has_value());
            if (again)
                back.that(elements_of(*again).address == truth.address, "other addresses", words(*t).c_str(),
                          words(*again).c_str());
            if (whole) back.that(again.has_value(), "not found", words(*t).c_str(), again.error().message().c_str());
        }
        if (p) {
            const auto again = sp::from_axe(*p, host, t->device.format);
            if (again) back.that(bool(sp::same_placement(*again, *t)), "elsewhere", words(*t).c_str(), words(*again).c_str());
            if (whole)
                back.that(again.has_value(), "not found over PyTorch's dimensions", words(*t).c_str(),
                          again.error().message().c_str());
        }
    }
    CHECK(copies > laws::cases(5));
    CHECK(crossing > laws::cases(20));
    report.finish();
    merged.finish();
    back.finish(false);
}

TEST_CASE("law: one placement, whatever the layout leaves open", "[interop][spyre]")
{
    Report report("same_placement");
    Random r(903);
    for (Int i = laws::cases(600); i > 0; --i) {
        const auto host = random_host(r, 200, false);
        const auto format = random_format(r);
        const auto a = sp::make_tensor(host, format, random_order(r, host.shape.size())).value();
        const auto b = r.one_in(2) ? sp::make_tensor(host, format, random_order(r, host.shape.size()))
                                   : sp::place(host, random_explicit(r, *sp::element_count(host)));
        if (!b) continue;
        const auto x = elements_of(a), y = elements_of(*b);
        const auto copies = [](const sp::Tensor& t) {
            std::set<Int> at{0};
            for (int j = 0; j < t.digits.size(); ++j) {
                if (t.digits[j].dim != sp::Digit::copies) continue;
                std::set<Int> more;
                for (const Int v : at)
                    for (Int k = 0; k < t.device.device_size[j]; ++k) more.insert(v + k * sp::device_strides(t.device)[j]);
                at = more;
            }
            return at;
        };
        const bool alike = *sp::device_elements(a.device) == *sp::device_elements(b->device) &&
                           sp::elements_per_stick(format).value() == sp::elements_per_stick(b->device.format).value() &&
                           copies(a) == copies(*b);
        const auto verdict = sp::same_placement(a, *b);
        const bool truth = alike && x.address == y.address;
        report.asked(truth);
        if (!report.that(bool(verdict) == truth, "verdict", words(a).c_str(), words(*b).c_str())) continue;
        if (truth || !alike) continue;
        Int first = 0;
        while (x.address[static_cast<std::size_t>(first)] == y.address[static_cast<std::size_t>(first)]) ++first;
        report.that(verdict.witness() == first, "witness", verdict.witness(), first, words(a).c_str(), words(*b).c_str());
    }
    report.finish();
}

TEST_CASE("law: orders inside sticks are permutations of the device's elements", "[interop][spyre]")
{
    Report report("shuffle");
    Random r(904);
    for (Int i = laws::cases(120); i > 0; --i) {
        // a stick dimension of whole pairs of sticks anywhere among others
        axe::Shape sizes;
        const int rank = static_cast<int>(r.in(1, 3));
        const int stick = static_cast<int>(r.in(0, rank - 1));
        for (int d = 0; d < rank; ++d) sizes.push_back(d == stick ? 64 * r.in(1, 3) : r.in(1, 3));
        sp::DimOrder order;
        for (int d = 0; d < rank; ++d)
            if (d != stick) order.insert(static_cast<int>(r.in(0, order.size())), d);
        order.push_back(stick);
        const bool widened = r.one_in(2);
        const auto plain =
            sp::make_tensor(sp::contiguous(sizes), widened ? DataFormat::ieee_fp32 : DataFormat::sen169_fp16, order).value();
        const auto t = sp::arrange(plain, widened ? sp::Arrangement::dl16_to_fp32 : sp::Arrangement::fp32_to_dl16);
        report.asked(t.has_value());
        if (!report.that(t.has_value(), "refused", words(plain).c_str(), t.error().message().c_str())) continue;
        const auto p = sp::to_axe(*t);
        if (!report.that(p.has_value(), "no layout", words(plain).c_str(), p.error().message().c_str())) continue;
        const auto moved = oracle::table(sp::shuffle(*t).value()).low;
        report.that(std::set<oracle::Value>(moved.begin(), moved.end()).size() == moved.size(), "no permutation",
                    words(plain).c_str());
        const Int e = *sp::elements_per_stick(plain.device.format);
        const auto strides = sp::device_strides(plain.device);
        const int count = plain.digits.back().outer;
        Int differ = 0;
        each_coordinate(sizes, [&](const axe::Coord& c) {
            const auto d = sp::device_coordinate(plain, c).value();
            const Int column = c[stick];
            Int to = column / 64, place = column % 32 / 4 * 8 + column % 64 / 32 * 4 + column % 4;
            if (widened) {
                to = 2 * (column / 64) + column % 8 / 4;
                place = column % 64 / 8 * 4 + column % 4;
            }
            const Int base = sp::device_offset(plain.device, d) - column % e - column / e * strides[count];
            differ += value(p->layout, p->shape, c) != base + to * strides[count] + place;
        });
        report.that(differ == 0, "other places", words(plain).c_str(), p->layout);
    }
    for (Int i = laws::cases(40); i > 0; --i) { // sticks of two rows
        const Int rows = 2 * r.in(1, 6), columns = 64 * r.in(1, 5);
        const bool by_rows = r.one_in(2); // or transposed on the host
        const auto host = by_rows ? axe::Strided{{rows, columns}, {columns, 1}} : axe::Strided{{columns, rows}, {rows, 1}};
        const auto plain = sp::make_tensor(host, DataFormat::sen143_fp8, by_rows ? sp::DimOrder{0, 1} : sp::DimOrder{1, 0}).value();
        const auto t = sp::arrange(plain, sp::Arrangement::qfp8wt);
        if (!report.that(t.has_value(), "refused", words(plain).c_str(), t.error().message().c_str())) continue;
        const auto p = sp::to_axe(*t).value();
        const auto moved = oracle::table(sp::shuffle(*t).value()).low;
        report.that(std::set<oracle::Value>(moved.begin(), moved.end()).size() == moved.size(), "no permutation",
                    words(plain).c_str());
        Int differ = 0;
        each_coordinate(host.shape, [&](const axe::Coord& c) {
            const Int k = c[by_rows ? 0 : 1], n = c[by_rows ? 1 : 0];
            differ += value(p.layout, p.shape, c) != k % 2 + 2 * (n % 64) + 128 * (k / 2) + 128 * (rows / 2) * (n / 64);
        });
        report.that(differ == 0, "other places", words(plain).c_str(), p.layout);
    }
    report.finish(false);
}

TEST_CASE("law: a tensor in another format is the one made in it", "[interop][spyre]")
{
    Report report("rescale");
    Random r(905);
    for (Int i = laws::cases(600); i > 0; --i) {
        const auto host = random_host(r, 1500, false);
        const auto order = random_order(r, host.shape.size());
        const auto from = random_format(r), to = random_format(r);
        const auto a = sp::make_tensor(host, from, order).value(), b = sp::make_tensor(host, to, order).value();
        const auto moved = sp::rescale(a, to);
        report.asked(true);
        if (report.that(moved.has_value(), "refused", words(a).c_str(), name(to), moved.error().message().c_str()))
            report.that(bool(sp::same_placement(*moved, b)), "elsewhere", words(a).c_str(), words(*moved).c_str());
        if (order.empty()) continue;
        const int stick = order[order.size() - 1];
        const auto layout = sp::rescale(a.device, to, stick == sp::synthetic ? 1 : host.shape[stick]);
        if (report.that(layout.has_value(), "refused", words(a).c_str(), name(to), layout.error().message().c_str()))
            report.that(layout->device_size == b.device.device_size && layout->stride_map == b.device.stride_map, "another layout",
                        words(a).c_str(), name(to), sp::print(*layout).c_str());
    }
    report.finish(false);
}

TEST_CASE("law: coordinates of a view are those of its elements, and stay in their range", "[interop][spyre]")
{
    Report report("device_coordinates");
    Random r(906);
    for (Int i = laws::cases(40); i > 0; --i) {
        const auto host = random_host(r, 400, false);
        const auto t = sp::make_tensor(host, random_format(r), random_order(r, host.shape.size())).value();
        // a window of the tensor, steps along some dimensions, or its offsets in a row
        axe::Shape sizes;
        axe::Coord start, step;
        for (const Int n : host.shape) {
            start.push_back(r.in(0, n - 1));
            step.push_back(r.in(1, 3));
            sizes.push_back(r.in(1, (n - 1 - start.back()) / step.back() + 1));
        }
        auto index = axe::IndexingMap::over({sizes.begin(), sizes.end()});
        auto sum = index.pool.constant(host_address(host, start));
        for (int d = 0; d < sizes.size(); ++d)
            sum = index.pool.add(sum, index.pool.mul(index.dimension(d), step[d] * host.strides[d]));
        index.results = {sum};
        const auto found = sp::device_coordinates(t, index);
        report.asked(true);
        if (!report.that(found.has_value(), "refused", words(t).c_str(), found.error().message().c_str())) continue;
        Int differ = 0;
        each_coordinate(sizes, [&](const axe::Coord& c) {
            axe::Coord element;
            for (int d = 0; d < c.size(); ++d) element.push_back(host.strides[d] == 0 ? 0 : start[d] + c[d] * step[d]);
            const auto d = sp::device_coordinate(t, element).value();
            const auto at = axe::evaluate(*found, {c.begin(), c.end()});
            differ += !at || !std::equal(at->begin(), at->end(), d.begin(), d.end());
        });
        report.that(differ == 0, "other coordinates", words(t).c_str(), axe::print(*found).c_str());
        // by the stride map alone: the same offsets, where they are sums of its steps
        if (host.offset != 0) continue;
        const auto by_strides = sp::device_coordinates(t.device, index);
        if (!by_strides) continue;
        each_coordinate(sizes, [&](const axe::Coord& c) {
            const auto at = axe::evaluate(*by_strides, {c.begin(), c.end()}).value();
            sp::DeviceCoord d;
            bool inside = true;
            for (int j = 0; j < t.device.device_size.size(); ++j) {
                d.push_back(at[static_cast<std::size_t>(j)]);
                inside = inside && d[j] >= 0 && d[j] < t.device.device_size[j];
            }
            differ += !inside || sp::host_offset(t, d) != axe::evaluate(index, {c.begin(), c.end()})->front();
        });
        report.that(differ == 0, "other offsets", words(t).c_str(), axe::print(*by_strides).c_str());
    }
    report.finish(false);
}
