// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_MESH_MEMBERS_HPP
#define AXE_TESTS_UNIT_MESH_MEMBERS_HPP

#include <axe/mesh/reshard.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

/// What members of a mesh hold, and collectives among them: each member a list of values, row-major over its part, or nothing. Each
/// collective is done from its definition, by groups, and a member takes only what members of its group hold. Nothing here asks for a
/// layout.
namespace members {

using Int = std::int64_t;
using Values = std::vector<Int>;
using All = std::vector<std::optional<Values>>; // by the row-major number of the coordinate in the mesh

inline Int count(const axe::Shape& shape)
{
    Int n = 1;
    for (const Int extent : shape) n *= extent;
    return n;
}

/// Part and number of parts of a dimension that a member holds, from the lists of axes alone.
inline Int part(const axe::Sharding& s, int dim, const axe::Coord& at)
{
    Int p = 0;
    for (int i = dim < s.rank() ? s.begin(dim) : 0; dim < s.rank() && i < s.end(dim); ++i)
        p = p * s.mesh.shape[s.axes[i]] + at[s.axes[i]];
    return p;
}
inline Int parts(const axe::Sharding& s, int dim)
{
    Int n = 1;
    for (int i = dim < s.rank() ? s.begin(dim) : 0; dim < s.rank() && i < s.end(dim); ++i) n *= s.mesh.shape[s.axes[i]];
    return n;
}

/// The elements of a member's part, by their row-major number in the tensor, in the order of the part; none where it holds nothing.
inline std::optional<std::vector<Int>> elements(const axe::Sharding& s, const axe::Shape& shape, const axe::Coord& at)
{
    for (const int axis : s.undistributed)
        if (at[axis] != 0) return {};
    std::vector<Int> out;
    for (Int x = 0; x < count(shape); ++x) {
        const axe::Coord c = axe::coordinate(shape, x);
        bool mine = true;
        for (int d = 0; d < shape.size(); ++d) mine = mine && c[d] / (shape[d] / parts(s, d)) == part(s, d, at);
        if (mine) out.push_back(x);
    }
    return out;
}

/// The value of the tensor from what all members hold: sums over the partial axes. Throws where copies differ.
inline Values value(const axe::Sharding& s, const axe::Shape& shape, const All& all)
{
    const Int n = count(s.mesh.shape);
    std::vector<std::optional<Int>> out(static_cast<std::size_t>(count(shape)));
    // For each element, for each coordinate on the axes that are not partial, the sum over those that are: they must agree.
    std::vector<bool> done(static_cast<std::size_t>(n));
    for (Int m = 0; m < n; ++m) {
        const axe::Coord at = axe::coordinate(s.mesh.shape, m);
        bool first = true;
        for (const int axis : s.partial) first = first && at[axis] == 0;
        const auto mine = elements(s, shape, at);
        if (!first || !mine) continue;
        Values sum(mine->size());
        for (Int k = 0; k < n; ++k) {
            const axe::Coord other = axe::coordinate(s.mesh.shape, k);
            bool with = true;
            for (int a = 0; a < s.mesh.rank(); ++a)
                with = with && (other[a] == at[a] || std::find(s.partial.begin(), s.partial.end(), a) != s.partial.end());
            if (!with) continue;
            const auto& held = all[static_cast<std::size_t>(k)];
            if (!held || held->size() != sum.size()) throw std::runtime_error("a member holds no part");
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += (*held)[i];
        }
        for (std::size_t i = 0; i < sum.size(); ++i) {
            auto& x = out[static_cast<std::size_t>((*mine)[i])];
            if (x && *x != sum[i]) throw std::runtime_error("copies differ");
            x = sum[i];
        }
    }
    Values whole;
    for (const auto& x : out) whole.push_back(x.value());
    return whole;
}

/// A tensor distributed: terms of a partial sum are made up, and add up to the values.
inline All distributed(const axe::Sharding& s, const axe::Shape& shape, const Values& full)
{
    All out;
    for (Int m = 0; m < count(s.mesh.shape); ++m) {
        const axe::Coord at = axe::coordinate(s.mesh.shape, m);
        const auto mine = elements(s, shape, at);
        out.emplace_back();
        if (!mine) continue;
        Int term = 0, terms = 1;
        for (const int axis : s.partial) {
            term = term * s.mesh.shape[axis] + at[axis];
            terms *= s.mesh.shape[axis];
        }
        out.back().emplace();
        for (const Int x : *mine) {
            Int others = 0;
            for (Int k = 1; k < terms; ++k) others += (x * 7 + k * 5) % 11 - 4;
            const Int v = full[static_cast<std::size_t>(x)];
            out.back()->push_back(term == 0 ? v - others : (x * 7 + term * 5) % 11 - 4);
        }
    }
    return out;
}

/// One step, by groups: the members that differ on the axes of the step alone. Each member gets the elements of its part after it from
/// members of its group that hold them; of a reduction the sum over the group's terms, one for each coordinate on the axes reduced.
inline All done(const axe::Sharding& before, const axe::ReshardStep& step, const axe::Shape& shape, const All& all)
{
    using Kind = axe::CollectiveKind;
    const axe::Shape& mesh = before.mesh.shape;
    const Int n = count(mesh);
    const bool local = step.kind == Kind::local,
               reduces = step.kind == Kind::reduce || step.kind == Kind::all_reduce || step.kind == Kind::reduce_scatter;
    All out;
    for (Int m = 0; m < n; ++m) {
        const axe::Coord at = axe::coordinate(mesh, m);
        const auto wanted = elements(step.after, shape, at);
        out.emplace_back();
        if (!wanted) continue;
        out.back().emplace();
        for (const Int x : *wanted) {
            Int sum = 0;
            std::set<Int> terms; // coordinates on the axes reduced of which a term was added
            for (Int k = 0; k < n; ++k) {
                const axe::Coord other = axe::coordinate(mesh, k);
                bool in = !local || k == m;
                for (int a = 0; a < mesh.size(); ++a)
                    in = in && (other[a] == at[a] || std::find(step.axes.begin(), step.axes.end(), a) != step.axes.end());
                const auto held = in ? elements(before, shape, other) : std::nullopt;
                if (!held) continue;
                const auto found = std::find(held->begin(), held->end(), x);
                if (found == held->end()) continue;
                Int term = 0;
                for (const int axis : before.partial)
                    if (reduces && std::find(step.axes.begin(), step.axes.end(), axis) != step.axes.end())
                        term = term * mesh[axis] + other[axis];
                if (!terms.insert(term).second) continue; // another copy
                const auto& values = all[static_cast<std::size_t>(k)];
                sum += values.value()[static_cast<std::size_t>(found - held->begin())];
            }
            Int needed = 1;
            for (const int axis : before.partial)
                if (reduces && std::find(step.axes.begin(), step.axes.end(), axis) != step.axes.end()) needed *= mesh[axis];
            if (static_cast<Int>(terms.size()) != needed) throw std::runtime_error("the group does not hold what a member wants");
            out.back()->push_back(sum);
        }
    }
    return out;
}

/// Every sharding of a tensor of two dimensions over a mesh: each axis B, P, U or in one of the dimensions, in every order.
inline std::vector<axe::Sharding> all_shardings(const axe::Mesh& mesh, bool with_undistributed)
{
    std::vector<axe::Sharding> out;
    const int rank = mesh.rank();
    std::vector<int> state(static_cast<std::size_t>(rank), 0);
    const int states = with_undistributed ? 5 : 4; // S0, S1, B, P, U
    for (int code = 0, n = 1; code == 0 || code < n; ++code) {
        n = 1;
        int rest = code;
        for (int a = 0; a < rank; ++a, n *= states) {
            state[static_cast<std::size_t>(a)] = rest % states;
            rest /= states;
        }
        std::vector<int> order;
        for (int a = 0; a < rank; ++a) order.push_back(a);
        std::set<std::vector<std::vector<int>>> seen;
        do {
            std::vector<std::vector<int>> lists(2);
            for (const int a : order)
                if (state[static_cast<std::size_t>(a)] < 2)
                    lists[static_cast<std::size_t>(state[static_cast<std::size_t>(a)])].push_back(a);
            if (!seen.insert(lists).second) continue;
            axe::Sharding s;
            s.mesh = mesh;
            for (const auto& list : lists) {
                for (const int a : list) s.axes.push_back(a);
                s.ends.push_back(s.axes.size());
            }
            for (int a = 0; a < rank; ++a) {
                if (state[static_cast<std::size_t>(a)] == 3) s.partial.push_back(a);
                if (state[static_cast<std::size_t>(a)] == 4) s.undistributed.push_back(a);
            }
            out.push_back(s);
        } while (std::next_permutation(order.begin(), order.end()));
    }
    return out;
}

/// The states of the axes, `S0.1 B`: a split by its dimension and digit.
inline std::string states(const axe::Sharding& s)
{
    std::string out;
    for (int a = 0; a < s.mesh.rank(); ++a) {
        const auto state = axe::state_of(s, a);
        out += letter(state.state);
        if (state.dim >= 0) out += std::to_string(state.dim) + "." + std::to_string(state.digit);
        out += ' ';
    }
    return out;
}

} // namespace members

#endif
