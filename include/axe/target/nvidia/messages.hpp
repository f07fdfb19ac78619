// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_MESSAGES_HPP
#define AXE_TARGET_NVIDIA_MESSAGES_HPP

#include <axe/program/messages.hpp>
#include <axe/tensor/dtype.hpp>

#include <vector>

/// What the matrix instructions of several generations say alike. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

inline std::string product_rank_text(int rank) { return worded("a product of rank {0}; it must be 2", {rank}); }
inline std::string no_product_text(DType a, DType b, DType d)
{
    return worded("no form multiplies {0} and {1} into {2}", {name(a), name(b), name(d)});
}
inline std::string depth_text(std::int64_t depth, std::int64_t k)
{
    return worded(hinted("K is {0}, not a multiple of {1}, the K of wgmma", "pad with zeros"), {depth, k});
}
inline constexpr const char* product_operands_text = "the operands must be D [M, N], A [M, K] and B [K, N]";
inline std::string not_shared_text(const std::string& name, const std::string& memory)
{
    return worded("{0} is in {1}; the operand must be in shared memory", {name, memory});
}
// Of bulk copies, with and without a map.
inline std::string load_needs_mbarrier_text()
{
    return worded("a bulk copy to shared memory completes on an mbarrier, and no `completes_on` is given", {});
}
inline std::string load_without_mbarrier_text() { return worded("a copy to shared memory completes on an mbarrier, got none", {}); }
inline std::string store_with_mbarrier_text()
{
    return worded("a copy to global memory completes by commit and wait, got an mbarrier", {});
}
inline std::string not_asynchronous_text() { return worded("it is not asynchronous: `async` is not given", {}); }
inline std::string copies_parameter_text() { return worded("its parameter is how many copies it starts, at least 1", {}); }
inline std::string store_on_mbarrier_text(int mbarrier)
{
    return worded("a bulk copy to global memory completes by commit and wait, not on mbarrier {0}", {mbarrier});
}
inline std::string pieces_text(int bytes)
{
    return worded("the tile has pieces of {0} bytes; they must be multiples of 16", {bytes});
}
inline std::string no_reduction_text(DType type, const char* function)
{
    return worded("no reduction of {0} by {1} exists", {name(type), function});
}
inline std::string index_of_other_lanes_text(const std::string& index)
{
    return worded("{0} is in registers; lane 0 of the agent that starts the copies must hold all of the index", {index});
}
inline std::string not_a_flag_text(std::int64_t parameter) { return worded("a parameter is {0}; it must be 0 or 1", {parameter}); }
inline std::string integers_negated_text() { return worded("products of integers are not negated", {}); }
inline std::string starters_text(int agents) { return worded("{0} agents start it; it must be 1", {agents}); }
/// Of a schedule: the tile of an operand at (row, column).
inline std::string no_descriptor_text(const std::string& name, std::int64_t row, std::int64_t column, const std::string& why)
{
    return worded("no descriptor reads the tile of {0} at ({1},{2}): {3}", {name, row, column, why});
}
/// Of a run: the tile from an element on.
inline std::string no_descriptor_text(const std::string& name, const std::string& coord, const std::string& why)
{
    return worded("no descriptor reads the tile of {0} from {1} on: {2}", {name, coord, why});
}
/// A place in an operand: of A by row and k, of B by column and k.
inline std::string in_tile_text(bool of_a, std::int64_t i, std::int64_t k, const std::string& name)
{
    return worded("{0} ({1},{2}) of the tile of {3}", {std::string(of_a ? "row, k" : "column, k"), i, k, name});
}

/// `to`: the shape of a copy
inline std::string other_copies_text(const std::string& tensor, const std::string& to)
{
    return worded("{0} does not have the copies of each row that {1} writes", {tensor, to});
}
inline std::string store_to_copies_text(const std::string& tensor)
{
    return worded("{0} has several copies of its elements; a store writes one", {tensor});
}

inline std::string rows_of_small_elements_text(int bits)
{
    return worded("rows are copied four at a time of elements of at least 8 bits, got {0}", {bits});
}

inline std::string scaled_sums_text(const char* kind) { return worded("kind {0} does not scale D; f16 and tf32 do", {kind}); }
inline std::string operand_column_text(const std::string& tensor, std::int64_t element, std::int64_t in_column)
{
    return worded("{0} begins at element {1} of its lanes; products read it from a column on, of {2} elements",
                  {tensor, element, in_column});
}
inline std::string not_shifted_text(const std::string& tensor, const std::string& memory)
{
    return worded("{0} is in {1}; rows are shifted in tensor memory", {tensor, memory});
}
inline std::string shifted_copies_text(const std::string& tensor)
{
    return worded("{0} has several copies of its elements; a shift moves one", {tensor});
}
inline std::string shifted_column_text(const std::string& agent, const std::string& tensor, std::int64_t byte)
{
    return worded("{0} shifts {1} from byte {2} of its lanes on; it must be a multiple of 4, a column", {agent, tensor, byte});
}
/// `copies`: where the product reads them, in lanes
inline std::string operand_copies_text(const std::string& tensor, const std::vector<std::int64_t>& copies)
{
    if (copies.size() == 1) return worded("{0} has several copies of its rows; the product reads one", {tensor});
    return worded("{0} does not have its rows as often as the product reads them, which is {1} times, {2} lanes apart",
                  {tensor, copies.size(), copies[1]});
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
