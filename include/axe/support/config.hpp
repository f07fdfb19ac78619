// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SUPPORT_CONFIG_HPP
#define AXE_SUPPORT_CONFIG_HPP

#if __cplusplus < 202002L
#  error axe needs C++20: compile with -std=c++20 or newer
#  define AXE_STOP "axe-needs-C++20" // a header that does not exist: the compiler stops here, before what else it would say
#  include AXE_STOP
#endif

#include <cstdint>

/// Marks what a device kernel calls: evaluation of a layout. The algebra itself runs on the host or in the compiler.
#if defined(__CUDACC__)
#  define AXE_HOST_DEVICE __host__ __device__
#else
#  define AXE_HOST_DEVICE
#endif

/// Marks what many operations share: one copy, so that including code stays small.
#define AXE_NOINLINE [[gnu::noinline]]

/// Marks the rare paths, so that they stay out of the caller's code.
#define AXE_COLD [[gnu::noinline, gnu::cold]]

/// Before a loop of few steps, known when it is compiled: no loop is left. -O2 does not see to that by itself, and arrays that a loop
/// goes through are kept in memory.
#if defined(__clang__)
#  define AXE_UNROLL _Pragma("unroll")
#else
#  define AXE_UNROLL _Pragma("GCC unroll 16")
#endif

/// Marks a function that a header declares and whose definition is in the folder impl/ beside it, since it takes long to compile.
/// By default the header includes the definition, and the library is headers only. Where AXE_COMPILED is defined, for all sources of a
/// program, headers have declarations only, and one source, or the library axe::kernels, has what <axe/definitions.hpp> includes.
#if defined(AXE_COMPILED)
#  define AXE_DECL
#else
#  define AXE_DECL inline
#endif

namespace axe {
inline namespace v0 {

/// Twice the width of an integer: room for a product or for a sum of many terms.
template <class Int>
struct wider;
template <>
struct wider<std::int32_t> {
    using type = std::int64_t;
    using modular = std::uint64_t;
};
template <>
struct wider<std::int64_t> {
    __extension__ using type = __int128;
    __extension__ using modular = unsigned __int128;
};
template <class Int>
using wider_t = typename wider<Int>::type;
/// The same width, arithmetic modulo its power of two.
template <class Int>
using modular_t = typename wider<Int>::modular;

namespace detail {

/// Keeps a parameter from taking part in deduction, so that `{64, 128}` may be passed for a shape.
template <class T>
struct same_as_deduced {
    using type = T;
};
template <class T>
using same = typename same_as_deduced<T>::type;

/// Are two texts the same, character by character?
constexpr bool same_text(const char* a, const char* b) noexcept
{
    while (*a != '\0' && *a == *b) ++a, ++b;
    return *a == *b;
}

} // namespace detail

} // namespace v0
} // namespace axe

#endif
