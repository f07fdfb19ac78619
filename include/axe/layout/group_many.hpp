// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_GROUP_MANY_HPP
#define AXE_LAYOUT_GROUP_MANY_HPP

#include <axe/layout/exact/cut.hpp>

namespace axe {
inline namespace v0 {
/// One layout cut into dimension groups for each of several shapes.
template <AnyLayout L, int Shapes>
struct GroupedMany {
    L layout{};
    InlineVector<int, max_rank> ends[Shapes]{};

    [[nodiscard]] constexpr int begin(int shape, int dim) const noexcept { return dim == 0 ? 0 : ends[shape][dim - 1]; }
    [[nodiscard]] constexpr int end(int shape, int dim) const noexcept { return ends[shape][dim]; }
    friend constexpr bool operator==(const GroupedMany&, const GroupedMany&) = default;
};

/// The coarsest refinement of D that has dimension groups for every one of the shapes.
///
/// Each boundary of a shape (a suffix product) becomes a boundary of iters. Exists iff each shape groups the layout and, inside every
/// iter, the boundaries of all shapes divide into one chain (`errc::not_grouped` with the number of the shape otherwise).
/// Errors: those of `group`. Cost: linear in iters and dimensions, times the number of shapes.
template <AnyLayout L, class... Shapes>
    requires(sizeof...(Shapes) >= 1)
constexpr Result<GroupedMany<L, static_cast<int>(sizeof...(Shapes))>> group_many(const L& layout, const Shapes&... shapes) noexcept
{
    using Int = typename L::integer;
    constexpr int count = static_cast<int>(sizeof...(Shapes));
    using Out = GroupedMany<L, count>;
    const typename L::Shape* list[] = {&static_cast<const typename L::Shape&>(shapes)...};
    for (int i = 0; i < count; ++i)
        if (const Status e = detail::check_admission(layout, *list[i]); !e.ok()) return e;
    Result<Out> result;
    Out& out = *result;
    if (const Status e = detail::canonicalize_into(layout, out.layout); !e.ok()) return e;
    // Cutting for one shape after another splits at every boundary, and nowhere else; a boundary that does not divide through the
    // piece it falls in forms no chain with the others.
    for (int i = 0; i < count; ++i) {
        typename L::Shard pieces;
        int ends[max_rank];
        if (const Status e = detail::cut<detail::PlainReader>(out.layout.shard, list[i]->items, list[i]->size(), pieces, ends);
            !e.ok()) {
            if (e.code() != errc::not_grouped) return e;
            return Error(errc::not_grouped, i,
                         "shape {0} has a boundary inside a piece of the shapes before it that it does not divide", i);
        }
        out.layout.shard = pieces;
    }
    for (int i = 0; i < count; ++i) {
        out.ends[i].count = list[i]->size();
        Int want = 1;
        int k = 0;
        for (int d = 0; d < list[i]->size(); ++d) {
            want = (*list[i])[d];
            for (Int have = 1; have < want; ++k) have *= out.layout.shard[k].extent;
            out.ends[i][d] = k;
        }
    }
    return result;
}

} // namespace v0
} // namespace axe

#endif
