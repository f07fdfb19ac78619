// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_DECIDE_BUILD_HPP
#define AXE_MAP_DECIDE_BUILD_HPP

#include <axe/map/decide_system.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline Error map_form_overflow() { return Error(errc::overflow, -1, "a number of the map leaves the integers of the decision"); }
inline Error map_undefined() { return Error(errc::bad_argument, -1, "the map is undefined: nothing can be decided of it"); }

/// Is there anything to decide of the map? Its pool's error otherwise, or that it is undefined.
inline Error map_is_decidable(const IndexingMap& map)
{
    if (map.is_undefined) return map_undefined();
    return map.pool.error();
}

/// Gives the variables of a system, still numbered by their values, their intervals.
inline void set_box(MapSystem& s, const std::vector<IndexInterval>& box)
{
    for (std::size_t j = 0; j < box.size(); ++j) {
        const MapInt last = static_cast<MapInt>(box[j].high) - box[j].low;
        s.axes[j] = {last};
        if (last < 0) s.is_empty = true;
        if (box[j].low == 0) continue;
        for (int r = 0; r < s.rows(); ++r)
            if (!add_multiple(s.row(r)[1 + j], box[j].low, s.row(r)[0])) s.is_unsound = true;
    }
}

/// Makes systems of maps over the same variables: expressions of several pools become forms over one list of atoms.
class MapSystemBuilder {
  public:
    /// @param first, second  the maps whose expressions are to come; the second may be null
    MapSystemBuilder(const IndexingMap& first, const IndexingMap* second, int goals, bool has_coordinates)
    {
        int atoms = 0;
        bool has_products = false;
        for (const IndexingMap* map : {&first, second}) {
            if (map == nullptr) continue;
            for (std::int32_t i = 0; i < map->pool.size(); ++i) {
                const IndexNode& n = map->pool[{i}];
                const bool is_product = n.op == IndexOp::mul && !map->pool.is_constant(n.right);
                has_products = has_products || is_product;
                atoms += is_product || n.op == IndexOp::floor_div || n.op == IndexOp::mod ? 1 : 0;
            }
        }
        system = MapSystem(static_cast<int>(first.variables.size()), atoms, has_products, goals, has_coordinates);
    }

    MapSystem system;

    /// The intervals of the variables, once all forms are there.
    void set_box(const std::vector<IndexInterval>& box) { detail::set_box(system, box); }

    /// Begins with a map's pool; what `form` gave before is forgotten.
    void use(const IndexPool& pool)
    {
        pool_ = &pool;
        forms_.assign(static_cast<std::size_t>(pool.size()), -1);
        cells_.clear();
        cells_.reserve(static_cast<std::size_t>(pool.size() * system.columns()));
    }
    /// The expression over the variables themselves: before `set_box`, and valid until the next.
    const MapInt* form(IndexExpr e)
    {
        if (forms_[static_cast<std::size_t>(e.id)] < 0) make(e);
        return cells_.data() + forms_[static_cast<std::size_t>(e.id)];
    }

  private:
    const IndexPool* pool_ = nullptr;
    std::vector<std::ptrdiff_t> forms_{}; ///< of each node: where in cells_ it begins, −1 for not made
    std::vector<MapInt> cells_{};

    /// A new row for the node: zeros.
    MapInt* append(IndexExpr e)
    {
        forms_[static_cast<std::size_t>(e.id)] = static_cast<std::ptrdiff_t>(cells_.size());
        cells_.resize(cells_.size() + static_cast<std::size_t>(system.columns()));
        return cells_.data() + forms_[static_cast<std::size_t>(e.id)];
    }
    void add(MapInt* out, const MapInt* form, MapInt factor)
    {
        for (int c = 0; c < system.columns(); ++c)
            if (form[c] != 0 && !add_multiple(form[c], factor, out[c])) system.is_unsound = true;
    }
    /// All nodes that e needs, operands first.
    void make(IndexExpr e)
    {
        std::vector<IndexExpr> open{e};
        while (!open.empty()) {
            const IndexExpr x = open.back();
            const IndexNode& n = (*pool_)[x];
            const auto is_missing = [&](IndexExpr y) { return y.id >= 0 && forms_[static_cast<std::size_t>(y.id)] < 0; };
            if (is_missing(n.left)) {
                open.push_back(n.left);
            } else if (is_missing(n.right)) {
                open.push_back(n.right);
            } else {
                if (!is_missing(x)) { // made since it was put here
                    open.pop_back();
                    continue;
                }
                make(x, n);
                open.pop_back();
            }
        }
    }
    void make(IndexExpr e, const IndexNode& n)
    {
        MapInt* out = append(e);
        const auto known = [&](IndexExpr x) { return cells_.data() + forms_[static_cast<std::size_t>(x.id)]; };
        switch (n.op) {
        case IndexOp::constant: out[0] = n.value; break;
        case IndexOp::variable: out[1 + n.value] = 1; break;
        case IndexOp::add:
            add(out, known(n.left), 1);
            add(out, known(n.right), 1);
            break;
        case IndexOp::mul:
            if (pool_->is_constant(n.right))
                add(out, known(n.left), (*pool_)[n.right].value);
            else
                out[system.of_atom(atom(0, known(n.left), 1, known(n.right)))] = 1;
            break;
        case IndexOp::floor_div:
        case IndexOp::mod: {
            // ⌊x/−k⌋ = ⌊−x/k⌋, and x mod k = x − k·⌊x/k⌋ for every k ≠ 0.
            const MapInt k = n.value;
            const int quotient = atom(magnitude(k), known(n.left), k < 0 ? -1 : 1, nullptr);
            if (n.op == IndexOp::mod) add(out, known(n.left), 1);
            out[system.of_atom(quotient)] += n.op == IndexOp::mod ? -k : 1;
            break;
        }
        }
    }
    /// ⌊sign·x / divisor⌋, or x·y where there is a y: found or appended.
    int atom(MapInt divisor, const MapInt* x, MapInt sign, const MapInt* y)
    {
        const int columns = system.columns();
        if (y != nullptr && std::lexicographical_compare(y, y + columns, x, x + columns)) std::swap(x, y);
        for (int i = 0; i < system.atom_count(); ++i) {
            const MapInt* row = system.row(i);
            bool is_same = system.at(i).divisor == divisor;
            for (int c = 0; c < columns && is_same; ++c) is_same = row[c] == sign * x[c];
            if (is_same && (y == nullptr || std::equal(y, y + columns, system.row(system.second_row(i))))) return i;
        }
        const int i = system.add_atom(divisor);
        for (int c = 0; c < columns; ++c) system.row(i)[c] = sign * x[c];
        if (y != nullptr) std::copy(y, y + columns, system.row(system.second_row(i)));
        return i;
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
