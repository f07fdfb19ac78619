// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_SHAPE_HPP
#define AXE_MAP_OPERATIONS_SHAPE_HPP

#include <axe/map/constrain.hpp>
#include <axe/map/operations/operation.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// A count as the integer type of shapes and messages.
template <class List>
std::int64_t count(const List& list)
{
    return static_cast<std::int64_t>(list.size());
}
template <class List>
decltype(auto) entry(List& list, std::int64_t i)
{
    return list[static_cast<std::size_t>(i)];
}

// ---- checks: an Error without a code says that all is well ------------------------------------------------------------------------

inline Status check_result_shape(const IndexShape& shape)
{
    for (std::int64_t i = 0; i < count(shape); ++i)
        if (entry(shape, i) < 0)
            return Error(errc::bad_extent, static_cast<int>(i), "dimension {0} of the result is {1}; it must be 0 or more", i,
                         entry(shape, i));
    return {};
}

inline Status check_operands(const std::vector<IndexShape>& operands, std::int64_t needed)
{
    if (count(operands) != needed)
        return Error(errc::rank_mismatch, -1, "there are {0} operands; the operation takes {1}", count(operands), needed);
    for (std::int64_t k = 0; k < needed; ++k)
        for (std::int64_t i = 0; i < count(entry(operands, k)); ++i)
            if (const std::int64_t n = entry(entry(operands, k), i); n < 0)
                return Error(errc::bad_extent, static_cast<int>(k), "dimension {1} of operand {0} is {2}; it must be 0 or more", k,
                             i, n);
    return {};
}

inline Status check_rank(const std::vector<IndexShape>& operands, std::int64_t k, std::int64_t needed)
{
    if (count(entry(operands, k)) == needed) return {};
    return Error(errc::rank_mismatch, static_cast<int>(k), "operand {0} has {1} dimensions; it must have {2}", k,
                 count(entry(operands, k)), needed);
}

/// Is dimension i of operand k of size n?
inline Status check_dimension(const std::vector<IndexShape>& operands, std::int64_t k, std::int64_t i, std::int64_t n)
{
    if (entry(entry(operands, k), i) == n) return {};
    return Error(errc::size_mismatch, static_cast<int>(k), "dimension {1} of operand {0} must be {2}", k, i, n);
}

inline Status check_same_shape(const std::vector<IndexShape>& operands, std::int64_t k, const IndexShape& shape)
{
    if (const Status e = check_rank(operands, k, count(shape)); !e.ok()) return e;
    for (std::int64_t i = 0; i < count(shape); ++i)
        if (const Status e = check_dimension(operands, k, i, entry(shape, i)); !e.ok()) return e;
    return {};
}

/// Does an attribute have one number for each of `rank` dimensions?
template <class List>
Status check_length(const List& list, std::int64_t rank)
{
    if (count(list) == rank) return {};
    return Error(errc::rank_mismatch, -1, "an attribute has {0} entries; it must have one for each of {1} dimensions", count(list),
                 rank);
}

/// Are these different dimensions of an array of that rank? `used` (one for each dimension) remembers them from call to call.
inline Status check_dimensions(const std::vector<std::int64_t>& dimensions, std::vector<bool>& used)
{
    for (std::int64_t i = 0; i < count(dimensions); ++i) {
        const std::int64_t d = entry(dimensions, i);
        if (d < 0 || d >= count(used))
            return Error(errc::bad_argument, static_cast<int>(i), "dimension {0} does not exist; the array has {1} dimensions", d,
                         count(used));
        if (entry(used, d)) return Error(errc::bad_argument, static_cast<int>(i), "dimension {0} is named twice", d);
        entry(used, d) = true;
    }
    return {};
}
inline Status check_dimensions(const std::vector<std::int64_t>& dimensions, std::int64_t rank)
{
    std::vector<bool> used(static_cast<std::size_t>(rank));
    return check_dimensions(dimensions, used);
}

// ---- makers ----------------------------------------------------------------------------------------------------------------------

/// Results of these shapes, which read nothing yet.
inline OperationMaps with_results(const char* name, const std::vector<IndexShape>& operands, const std::vector<IndexShape>& shapes)
{
    OperationMaps out{name, operands, {}};
    const std::vector<std::vector<OperandMap>> nothing(operands.size());
    for (const IndexShape& shape : shapes) out.results.push_back({shape, nothing, nothing});
    return out;
}
inline OperationMaps one_result(const char* name, const std::vector<IndexShape>& operands, const IndexShape& shape)
{
    return with_results(name, operands, {shape});
}
inline void relate(ResultMaps& result, std::int64_t operand, OperandMap from_output, OperandMap to_output)
{
    entry(result.from_output, operand).push_back(std::move(from_output));
    entry(result.to_output, operand).push_back(std::move(to_output));
}
inline void relate(ResultMaps& result, std::int64_t operand, IndexingMap from_output, IndexingMap to_output)
{
    relate(result, operand, OperandMap{std::move(from_output), {}}, OperandMap{std::move(to_output), {}});
}

/// (d…)[s…] -> (d…)
inline IndexingMap identity_map(const IndexShape& shape, const IndexShape& loops = {})
{
    IndexingMap map = IndexingMap::over(shape, loops);
    map.results = map.pool.variables(shape.size());
    return map;
}
/// (d…)[s…] -> (s…): every index of `shape` belongs to every one of `other`.
inline IndexingMap whole_map(const IndexShape& shape, const IndexShape& other)
{
    IndexingMap map = IndexingMap::over(shape, other);
    for (int i = 0; i < map.ranges; ++i) map.results.push_back(map.range(i));
    return map;
}

/// The operand is read whole by every element: a scalar mostly.
inline void relate_whole(ResultMaps& result, std::int64_t operand, const IndexShape& shape)
{
    relate(result, operand, whole_map(result.shape, shape), whole_map(shape, result.shape));
}

/// Appends run-time variables that are `operand`'s value at `at`, and returns the first one's number.
inline IndexExpr add_runtime(OperandMap& out, const IndexInterval& bounds, std::int64_t operand, IndexingMap at)
{
    out.map.variables.push_back({bounds, {}, IndexKind::none});
    out.runtimes.push_back({static_cast<int>(operand), std::move(at)});
    return out.map.runtime(out.map.runtimes() - 1);
}

/// The value map (index){rt0, …} -> (what `of` makes of the map): one run-time variable for each operand, of any value.
template <class Of>
void give_value(OperationMaps& operation, Of of, std::int64_t result = 0)
{
    ResultMaps& r = entry(operation.results, result);
    r.value = IndexingMap::over(r.shape);
    r.value.variables.resize(r.value.variables.size() + operation.operands.size(), {every_integer, {}, IndexKind::none});
    r.value.results.push_back(of(r.value));
}
/// The operation moves elements: the value is what operand k has.
inline void copies_operand(OperationMaps& operation, std::int64_t k, std::int64_t result = 0)
{
    give_value(operation, [k](IndexingMap& map) { return map.runtime(static_cast<int>(k)); }, result);
}
/// ⌊e/n⌋, and 0 for n = 0, where a map that needs it holds nowhere.
inline IndexExpr floor_div_size(IndexPool& pool, IndexExpr e, std::int64_t n)
{
    return n == 0 ? pool.constant(0) : pool.floor_div(e, n);
}
inline IndexExpr mod_size(IndexPool& pool, IndexExpr e, std::int64_t n) { return n == 0 ? pool.constant(0) : pool.mod(e, n); }

/// The operation, or what overflowed in one of its maps.
inline Result<OperationMaps> finished(OperationMaps operation)
{
    for (const ResultMaps& result : operation.results)
        for (const auto* side : {&result.from_output, &result.to_output})
            for (const std::vector<OperandMap>& maps : *side)
                for (const OperandMap& m : maps)
                    if (!m.map.pool.error().ok()) return m.map.pool.error();
    return operation;
}

/// An operation that moves the elements of its one operand (or of operand k), or what overflowed in its maps.
inline Result<OperationMaps> moves_elements(const char* name, const std::vector<IndexShape>& operands, const IndexShape& shape,
                                            IndexingMap from_output, IndexingMap to_output, std::int64_t k = 0)
{
    OperationMaps out = one_result(name, operands, shape);
    relate(out.results[0], k, std::move(from_output), std::move(to_output));
    copies_operand(out, k);
    return finished(std::move(out));
}
} // namespace detail
} // namespace v0
} // namespace axe

#endif
