// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_ELEMENTWISE_HPP
#define AXE_MAP_OPERATIONS_ELEMENTWISE_HPP

#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The functions of which more is known than that they are elementwise.
struct ElementFunction {
    const char* name;
    std::int64_t operands;
    IndexExpr (*value)(IndexingMap& map); ///< of the value map's run-time variables; null where it is not an index arithmetic
};
inline constexpr ElementFunction element_functions[] = {
    {"convert", 1, [](IndexingMap& m) { return m.runtime(0); }},
    {"copy", 1, [](IndexingMap& m) { return m.runtime(0); }},
    {"negate", 1, [](IndexingMap& m) { return m.pool.mul(m.runtime(0), -1); }},
    {"add", 2, [](IndexingMap& m) { return m.pool.add(m.runtime(0), m.runtime(1)); }},
    {"subtract", 2, [](IndexingMap& m) { return m.pool.sub(m.runtime(0), m.runtime(1)); }},
    {"multiply", 2, [](IndexingMap& m) { return m.pool.mul(m.runtime(0), m.runtime(1)); }},
    {"select", 3, nullptr},
    {"clamp", 3, nullptr},
};

} // namespace detail

namespace op {

/// y[d] = f(x0[d], x1[d], …): one function for every element, of any number of operands.
///
/// The operands have one shape, the result's; a scalar among them is read by every element (the bounds of `clamp`, the predicate of
/// `select`). `add`, `subtract`, `multiply`, `negate`, `copy` and `convert` (of integers) have a value map; sums that wrap are not in it.
/// @returns errors of the shapes: every operand like the first one that is not a scalar.
struct Elementwise {
    std::string function = "map";

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        const detail::ElementFunction* known = nullptr;
        for (const detail::ElementFunction& f : detail::element_functions)
            if (function == f.name) known = &f;
        const std::int64_t needed = known != nullptr ? known->operands : std::max<std::int64_t>(detail::count(operands), 1);
        if (const Status e = detail::check_operands(operands, needed); !e.ok()) return e;
        IndexShape shape;
        for (const IndexShape& s : operands)
            if (shape.empty()) shape = s;
        OperationMaps out = detail::one_result(function.c_str(), operands, shape);
        for (std::int64_t k = 0; k < needed; ++k) {
            if (detail::entry(operands, k).empty()) {
                detail::relate_whole(out.results[0], k, {});
                continue;
            }
            if (const Status e = detail::check_same_shape(operands, k, shape); !e.ok()) return e;
            detail::relate(out.results[0], k, detail::identity_map(shape), detail::identity_map(shape));
        }
        if (known != nullptr && known->value != nullptr) detail::give_value(out, known->value);
        return detail::finished(std::move(out));
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
