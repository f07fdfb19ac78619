// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interop_laws.hpp"

#include <axe/axe.hpp>

#include <algorithm>

namespace fuzz {
namespace {

using axe::Axis, axe::Coord, axe::Shape, axe::Decision;

constexpr Int most_elements = 256; ///< of what is looked at element by element

/// Every step through a larger domain, so that its ends are looked at as well.
template <class F>
void for_some(Int size, F f)
{
    const Int step = std::max<Int>(1, size / most_elements);
    for (Int x = 0; x < size - step; x += step) f(x);
    if (size > 0) f(size - 1);
}

/// The coordinate on the axis; nothing else may move, and there must be one point.
template <class L>
Int only(const Input& in, const L& layout, Int index)
{
    const auto points = axe::points(layout, index);
    in.that(points.count() && *points.count() == 1, "a layout of one point an element has several");
    const axe::Point point = *points.begin();
    for (const auto& entry : point) in.that(entry.axis == Axis{} || entry.value == 0, "a value on another axis");
    return point[Axis{}];
}

// ---- CuTe -----------------------------------------------------------------------------------------------------------------------

/// The same function of the index and of the coordinate, there and back.
template <class Cute>
void check_cute(const Input& in, const Cute& cute)
{
    const Int size = axe::cute::size(cute);
    const auto linear = axe::cute::to_axe_linear(cute);
    if (linear) {
        for_some(size, [&](Int x) { in.that(only(in, *linear, x) == evaluate(cute, x), "another function of the index"); });
        const auto back = axe::cute::from_axe_linear(*linear);
        if (back) {
            in.that(axe::cute::size(*back) == size, "another size comes back");
            for_some(size, [&](Int x) { in.that(evaluate(*back, x) == evaluate(cute, x), "another function comes back"); });
        }
    }
    const auto on_shape = axe::cute::to_axe_by_coordinate(cute);
    if (!on_shape) return;
    const auto back = axe::cute::from_axe_by_coordinate(on_shape->layout, on_shape->shape);
    for_some(size, [&](Int x) {
        Int row_major = 0, rest = x; // the leftmost mode is fastest, the rightmost dimension
        Coord at;
        for (const Int n : on_shape->shape) at.push_back(rest % n), rest /= n;
        for (int d = 0; d < at.size(); ++d) row_major = row_major * on_shape->shape[d] + at[d];
        in.that(only(in, on_shape->layout, row_major) == evaluate(cute, x), "another function of the coordinate");
        if (back) in.that(evaluate(*back, x) == evaluate(cute, x), "another function of the coordinate comes back");
    });
}

} // namespace

void check_laws(const Input& in, const axe::cute::Layout& layout)
{
    if (axe::cute::is_plain(layout)) check_cute(in, layout); // else its values are not numbers
}
void check_laws(const Input& in, const axe::cute::Composed& composed)
{
    if (axe::cute::is_plain(composed.layout)) check_cute(in, composed);
}

// ---- linear layouts ---------------------------------------------------------------------------------------------------------------

namespace {

using axe::linear::LinearLayout;

bool is_identity(const LinearLayout& l)
{
    for (int j = 0; j < l.bases.size(); ++j)
        if (l.bases[j] != std::uint64_t{1} << j) return false;
    return true;
}

void check_inverses(const Input& in, const LinearLayout& layout)
{
    if (const auto inverse = axe::linear::invert(layout)) {
        const auto one = axe::linear::compose(layout, *inverse), other = axe::linear::compose(*inverse, layout);
        in.that(one && is_identity(*one), "the inverse after the layout is not the identity");
        in.that(other && is_identity(*other), "the layout after the inverse is not the identity");
    }
    if (const auto pseudo = axe::linear::pseudo_invert(layout)) {
        const auto one = axe::linear::compose(*pseudo, layout);
        in.that(one && is_identity(*one), "the layout after the pseudo-inverse is not the identity");
    }
}

} // namespace

void check_laws(const Input& in, const LinearLayout& layout)
{
    using namespace axe::linear;
    check_inverses(in, layout);
    const auto swizzled = to_swizzled(layout, 1, all_names);
    if (!swizzled) return;
    const auto back = to_linear(*swizzled, shape_of(layout), all_names);
    if (!back) return in.that(false, "what it is as a layout does not come back");
    for (int d = 0; d < layout.in.size(); ++d) {
        if (layout.in[d].bits == 0) continue;
        const Axis name = detail::dim_of(all_names, detail::axis_of(all_names, layout.in[d].name));
        const int k = index_of(back->in, name);
        in.that(k >= 0 && back->in[k].bits == layout.in[d].bits, "an input dimension comes back otherwise");
        for (int b = 0; b < layout.in[d].bits; ++b) {
            const int here = first_bit(layout.in, d) + b, there = first_bit(back->in, k) + b;
            for (int o = 0; o < layout.out.size(); ++o)
                in.that(detail::coordinate(layout, here, o) == detail::coordinate(*back, there, o), "another image comes back");
        }
    }
}

// ---- strides ----------------------------------------------------------------------------------------------------------------------

namespace {

Shape some_shape(int rank)
{
    constexpr Int extents[] = {5, 3, 8, 2, 7, 4, 1, 6};
    Shape shape;
    for (int d = 0; d < rank; ++d) shape.push_back(extents[d % 8]);
    return shape;
}

/// The layout comes back as a format of the same map.
template <class Back>
void check_padded(const Input& in, const axe::Padded& padded, const Shape& shape, Back back)
{
    in.that(*axe::volume(padded.shape) == *axe::size(padded.layout), "the padded shape has another size");
    in.that(padded.shape.size() == shape.size(), "the padded shape has another rank");
    for (int d = 0; d < shape.size(); ++d)
        in.that(padded.shape[d] >= shape[d] && padded.valid[d].hi - padded.valid[d].lo == shape[d], "padding loses elements");
    const auto again = back(padded.layout, padded.shape, shape);
    if (!again) return;
    // Gaps in memory are closed by padding: then it is the elements that are where they were.
    const bool has_gaps = *axe::volume(padded.shape) < padded.elements;
    in.that(has_gaps || again->shape == padded.shape, "another padded shape comes back");
    const auto before = axe::slice(padded.layout, padded.shape, padded.valid);
    const auto after = axe::slice(again->layout, again->shape, padded.valid);
    in.that(before.has_value() == after.has_value(), "the elements are not a layout any more");
    const Decision same = again->shape == padded.shape ? axe::equal(again->layout, padded.layout)
                          : before                     ? axe::equal(*after, *before)
                                                       : Decision(true);
    in.that(same.undecided() || same, "another layout comes back");
}

} // namespace

void check_laws(const Input& in, const axe::onednn::Tag& tag)
{
    const Shape shape = some_shape(tag.order.size());
    const auto padded = axe::onednn::to_axe(tag, shape);
    if (!padded) return;
    check_padded(in, *padded, shape, [](const axe::Layout& l, const Shape& whole, const Shape& part) -> axe::Result<axe::Padded> {
        const auto found = axe::onednn::to_tag(l, whole, part);
        return found ? axe::onednn::to_axe(*found, part) : found.error();
    });
}

void check_laws(const Input& in, const axe::xla::TiledLayout& tiled)
{
    const Shape shape = some_shape(tiled.minor_to_major.size());
    const auto padded = axe::xla::to_axe(tiled, shape);
    const auto merged = axe::xla::merge(tiled, shape);
    if (padded) in.that(merged.has_value(), "what has a layout does not merge");
    if (merged) in.that(*axe::volume(merged->shape) == *axe::volume(shape), "merging loses elements");
    if (!padded) return;
    check_padded(in, *padded, shape, [](const axe::Layout& l, const Shape& whole, const Shape& part) -> axe::Result<axe::Padded> {
        const auto found = axe::xla::to_tiled(l, whole, part);
        return found ? axe::xla::to_axe(*found, part) : found.error();
    });
}

// ---- sharding ---------------------------------------------------------------------------------------------------------------------

namespace {

namespace sh = axe::sharding;

Shape divisible_shape(int rank)
{
    Shape shape;
    for (int d = 0; d < rank; ++d) shape.push_back(24);
    return shape;
}

axe::Result<sh::Placed> place_on(const sh::Spec& spec, const Shape& shape, Int) { return sh::place(spec, shape); }
axe::Result<sh::Placed> place_on(const sh::HloSharding& hlo, const Shape& shape, Int devices)
{
    return sh::place(hlo, shape, hlo.kind == sh::HloSharding::Kind::tiled ? 0 : devices); // a tiled one says how many there are
}

/// What is found for a placement places alike.
template <class Found>
void check_found(const Input& in, const sh::Placed& placed, const Shape& shape, Int devices, const Found& found)
{
    if (!found) return;
    const auto again = place_on(*found, shape, devices);
    if (!again) return in.wrong(string("what was found is not placed: ") + again.error().message().c_str());
    const Decision same = axe::equal(again->layout, placed.layout);
    in.that(same.undecided() || same, "another placement comes back");
}

} // namespace

void check_laws(const Input& in, const sh::Spec& spec)
{
    const Shape shape = divisible_shape(spec.rank());
    const auto placed = sh::place(spec, shape);
    if (!placed) return;
    const Int devices = sh::device_count(spec.mesh);
    check_found(in, *placed, shape, devices, sh::find_spec(*placed, shape, spec.mesh));
    check_found(in, *placed, shape, devices, sh::find_spec(*placed, shape));
    check_found(in, *placed, shape, devices, sh::find_hlo(*placed, shape));
    check_found(in, *placed, shape, devices, sh::to_hlo(spec));
    if (const auto words = sh::to_placements(spec))
        check_found(in, *placed, shape, devices, sh::to_spec(*words, spec.mesh, spec.rank()));
}

void check_laws(const Input& in, const sh::Placements& placements, const sh::Mesh& mesh)
{
    if (const auto spec = sh::to_spec(placements, mesh, 3)) check_laws(in, *spec);
}

void check_laws(const Input& in, const sh::HloSharding& hlo)
{
    constexpr Int devices = 4; // where the text does not say
    const bool tiled = hlo.kind == sh::HloSharding::Kind::tiled;
    const Shape shape = divisible_shape(tiled ? hlo.tile.size() - hlo.subgroups.size() : 2);
    const auto placed = place_on(hlo, shape, devices);
    if (placed) check_found(in, *placed, shape, devices, sh::find_hlo(*placed, shape));
}

} // namespace fuzz
