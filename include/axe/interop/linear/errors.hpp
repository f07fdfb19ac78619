// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_ERRORS_HPP
#define AXE_INTEROP_LINEAR_ERRORS_HPP

#include <axe/interop/linear/linear_layout.hpp>

/// The messages that several headers of linear layouts give, each of them once.
namespace axe {
inline namespace v0 {
namespace linear {
namespace detail {

constexpr Error encoding_rank(std::int64_t rank) noexcept
{
    return Error(errc::rank_mismatch, -1, "an encoding needs a tensor of 1 to {0} dimensions, got {1}", LinearLayout::max_dims,
                 rank);
}
constexpr Error no_power_of_two(int dim, std::int64_t extent) noexcept
{
    return Error(errc::bad_extent, dim, "dimension {0} of the tensor is {1}; linear layouts have powers of two", dim, extent);
}
constexpr Error bits_capacity() noexcept
{
    return Error(errc::capacity, -1, "an input of a linear layout has at most {0} bits", LinearLayout::max_bits);
}
constexpr Error tensor_capacity(std::int64_t bits) noexcept
{
    return Error(errc::capacity, -1, "the tensor has 2^{0} elements; a linear layout has at most 2^{1}", bits,
                 LinearLayout::max_bits);
}
constexpr Error matrix_rank(std::int64_t rank) noexcept
{
    return Error(errc::rank_mismatch, -1, "a matrix has at least 2 dimensions, this tensor {0}", rank);
}
constexpr Error names_capacity(std::int64_t names) noexcept
{
    return Error(errc::capacity, Names::capacity, "at most {0} dimensions can be named, not {1}", Names::capacity, names);
}
constexpr Error element_bytes_problem(std::int64_t bytes) noexcept
{
    return Error(errc::bad_argument, -1, "elements must have 1, 2, 4, 8 or 16 bytes, got {0}", bytes);
}

} // namespace detail
} // namespace linear
} // namespace v0
} // namespace axe

#endif
