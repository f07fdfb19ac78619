// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each further static layout costs: a distinct value as a template argument and five operations on it, three by the compiler
// and two whose code is generated.
#include <axe/axe.hpp>

#if !defined(AXE_LAYOUTS)
#  define AXE_LAYOUTS 21
#endif

/// Eight rows of 16·N columns, in N blocks.
template <std::int64_t N>
struct Distinct {
    static constexpr axe::Layout layout{{{8, 16, "m"}, {N, 128, "m"}, {16, 1, "m"}}};
    static constexpr axe::Shape shape{8, 16 * N};

    static constexpr auto canonical = axe::canonicalize(layout).value();
    static constexpr auto right = axe::slice(layout, shape, {{0, 8}, {16 * N - 16, 16 * N}}).value();
    static constexpr auto tiled = axe::tile(axe::Layout{{{2, 1, "cta"}}}, {2, 1}, layout, shape).value();

    static std::int64_t at(std::int64_t row, std::int64_t column) { return axe::static_layout<layout, shape>{}(row, column); }
    static std::int64_t at(std::int64_t index) { return axe::static_layout<layout, shape>{}(index); }
};

template struct Distinct<2>;
#if AXE_LAYOUTS > 1
template struct Distinct<3>;
template struct Distinct<4>;
template struct Distinct<5>;
template struct Distinct<6>;
template struct Distinct<7>;
template struct Distinct<8>;
template struct Distinct<9>;
template struct Distinct<10>;
template struct Distinct<11>;
template struct Distinct<12>;
template struct Distinct<13>;
template struct Distinct<14>;
template struct Distinct<15>;
template struct Distinct<16>;
template struct Distinct<17>;
template struct Distinct<18>;
template struct Distinct<19>;
template struct Distinct<20>;
template struct Distinct<21>;
template struct Distinct<22>;
#endif
