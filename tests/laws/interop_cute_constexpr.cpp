// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute.hpp>
#include <catch.hpp>

#include <array>
#include <cstddef>

/// Every operation of CuTe's in a constant expression, on a list of layouts, and the same at run time: value for value, error for error.
namespace {

using namespace axe::literals;
using namespace axe::cute;
using axe::Result;

template <class T>
using List = std::array<T, 6>;

/// Compact, nested, with what moves nothing, with strides that are not a chain, of extents that are not powers of two, and none at all.
constexpr List<Layout> layouts{"(8,4):(1,8)"_cute,      "((2,4),(3,2)):((24,6),(2,1))"_cute, "((2,2),3,1):((0,1),2,7)"_cute,
                               "(4,6,2):(1,7,42)"_cute, "(5,(3,2)):(6,(1,3))"_cute,          Layout{}};
constexpr List<Layout> others{"4:2"_cute, "(2,(3,2)):(1,(2,12))"_cute, "(3,2):(4,1)"_cute, "(2,2):(1,4)"_cute, "5:1"_cute,
                              "8:1"_cute};
constexpr List<Tiler> tilers{Tiler{"(4,2):(1,1)"_cute, 0, 0}, Tiler{"((2,2),3):((1,1),1)"_cute, 0, 2},
                             Tiler{"(2,3):(1,1)"_cute, 2, 0}, Tiler{"(2):(1)"_cute, 0, 0},
                             Tiler{"(5,3):(1,1)"_cute, 0, 0}, Tiler{"4:1"_cute, 0, 0}};
constexpr List<Composed> swizzled{"Sw<1,0,2> o 0 o (4,4):(1,4)"_composed,  "Sw<2,0,3> o 0 o (8,8):(8,1)"_composed,
                                  "Sw<1,0,1> o 0 o (4,4):(8,1)"_composed,  "Sw<0,0,0> o 3 o (4,6):(1,8)"_composed,
                                  "Sw<1,1,-2> o 0 o (2,8):(8,1)"_composed, Composed{}};

template <class T>
constexpr bool same(const Result<T>& a, const Result<T>& b)
{
    if (a.has_value() != b.has_value()) return false;
    return a ? *a == *b : a.code() == b.code() && a.error().position == b.error().position;
}
template <class A, class B>
bool same(const A& a, const B& b)
{
    return a == b;
}

template <class F, class... Lists>
constexpr auto in_compiler(F f, const Lists&... lists)
{
    List<decltype(f(lists[0]...))> out{};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = f(lists[i]...);
    return out;
}
template <class Answers, class F, class... Lists>
void at_run_time(const char* name, const Answers& answers, F f, Lists... lists)
{
    int refused = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        INFO(name << ", row " << i);
        const auto now = f(lists[i]...);
        CHECK(same(answers[i], now));
        if constexpr (requires { now.code(); }) refused += !now;
    }
    CHECK(refused < 6);
}

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): a name, and two uses of one expression
#define AXE_BOTH(name, lists_1, ...)                                                                                               \
    {                                                                                                                              \
        static constexpr auto answers = in_compiler([](const auto& a) { return __VA_ARGS__; }, lists_1);                           \
        at_run_time(name, answers, [](const auto& a) { return __VA_ARGS__; }, lists_1);                                            \
    }
#define AXE_BOTH_OF_TWO(name, lists_1, lists_2, ...)                                                                               \
    {                                                                                                                              \
        static constexpr auto answers = in_compiler([](const auto& a, const auto& b) { return __VA_ARGS__; }, lists_1, lists_2);   \
        at_run_time(name, answers, [](const auto& a, const auto& b) { return __VA_ARGS__; }, lists_1, lists_2);                    \
    }

} // namespace

TEST_CASE("cute: each operation on one layout, in the compiler and at run time"){
    AXE_BOTH("coalesce", layouts, coalesce(a)) AXE_BOTH("coalesce by profile", layouts, coalesce(a, "(1,1):(0,0)"_cute))
        AXE_BOTH("filter", layouts, filter(a)) AXE_BOTH("filter by profile", layouts, filter(a, "(1,1):(0,0)"_cute))
            AXE_BOTH("filter_zeros", layouts, filter_zeros(a)) AXE_BOTH("nullspace", layouts,
                                                                        nullspace(a)) AXE_BOTH("complement", layouts, complement(a))
                AXE_BOTH("complement up to", layouts, complement(a, 96)) AXE_BOTH("left_inverse", layouts, left_inverse(a))
                    AXE_BOTH("right_inverse", layouts, right_inverse(a)) AXE_BOTH("upcast", layouts, upcast(a, 2))
                        AXE_BOTH("downcast", layouts, downcast(a, 4)) AXE_BOTH("recast", layouts, recast(a, 32, 8))
                            AXE_BOTH("domain_distribute", layouts, domain_distribute(a, 12)) AXE_BOTH("tile_to_shape", layouts,
                                                                                                      tile_to_shape(a, {40, 60, 2}))
                                AXE_BOTH("tile_to_shape in order", layouts, tile_to_shape(a, {40, 60, 2}, {2, 1, 3}))
                                    AXE_BOTH("to_axe_linear", layouts, to_axe_linear(a)) AXE_BOTH("to_axe_by_coordinate", layouts,
                                                                                                  to_axe_by_coordinate(a))
                                        AXE_BOTH("linear, back", layouts, from_axe_linear(to_axe_linear(a).value_or(axe::Layout{})))
                                            AXE_BOTH("by coordinate, back", layouts,
                                                     from_axe_by_coordinate(to_axe_by_coordinate(a).value_or(OnShape{}).layout,
                                                                            to_axe_by_coordinate(a).value_or(OnShape{}).shape))
                                                AXE_BOTH("to_axe_thread_value", layouts, to_axe_thread_value(a, {8, 4}))
                                                    AXE_BOTH("from_axe_thread_value", layouts,
                                                             from_axe_thread_value(
                                                                 to_axe_thread_value(a, {8, 4}).value_or(axe::Layout{}), {8, 4}))
                                                        AXE_BOTH("evaluate", layouts, a.nodes.empty() ? 0 : evaluate(a, 7))
                                                            AXE_BOTH("coordinate", layouts, coordinate(a, 5))
                                                                AXE_BOTH("print", layouts, print(a).size)
                                                                    AXE_BOTH("read", layouts,
                                                                             parse_layout({print(a).c_str(), print(a).size}))
                                                                        AXE_BOTH("flatten", layouts, flatten(a))}

TEST_CASE("cute: each operation on two layouts, in the compiler and at run time"){
    AXE_BOTH_OF_TWO("composition", layouts, others, composition(a, b)) AXE_BOTH_OF_TWO("composition the other way", others, layouts,
                                                                                       composition(a, b))
        AXE_BOTH_OF_TWO("logical_divide", layouts, others, logical_divide(a, b)) AXE_BOTH_OF_TWO("zipped_divide", layouts, others,
                                                                                                 zipped_divide(a, b))
            AXE_BOTH_OF_TWO("tiled_divide", layouts, others, tiled_divide(a, b)) AXE_BOTH_OF_TWO("flat_divide", layouts, others,
                                                                                                 flat_divide(a, b))
                AXE_BOTH_OF_TWO("logical_product", layouts, others,
                                logical_product(a, b)) AXE_BOTH_OF_TWO("zipped_product", layouts, others, zipped_product(a, b))
                    AXE_BOTH_OF_TWO("tiled_product", layouts, others, tiled_product(a, b))
                        AXE_BOTH_OF_TWO("flat_product", layouts, others, flat_product(a, b))
                            AXE_BOTH_OF_TWO("blocked_product", layouts, others, blocked_product(a, b))
                                AXE_BOTH_OF_TWO("raked_product", layouts, others, raked_product(a, b))
                                    AXE_BOTH_OF_TWO("max_common_layout", layouts, others, max_common_layout(a, b))
                                        AXE_BOTH_OF_TWO("max_common_vector", layouts, others, max_common_vector(a, b))
                                            AXE_BOTH_OF_TWO("composition by mode", layouts, tilers, composition(a, b))
                                                AXE_BOTH_OF_TWO("logical_divide by mode", layouts, tilers, logical_divide(a, b))
                                                    AXE_BOTH_OF_TWO("zipped_divide by mode", layouts, tilers, zipped_divide(a, b))
                                                        AXE_BOTH_OF_TWO("tiled_divide by mode", layouts, tilers, tiled_divide(a, b))
                                                            AXE_BOTH_OF_TWO("flat_divide by mode", layouts, tilers,
                                                                            flat_divide(a, b))
                                                                AXE_BOTH_OF_TWO("logical_product by mode", layouts, tilers,
                                                                                logical_product(a, b))
                                                                    AXE_BOTH_OF_TWO("zipped_product by mode", layouts, tilers,
                                                                                    zipped_product(a, b))}

TEST_CASE("cute: each operation under a swizzle, in the compiler and at run time")
{
    AXE_BOTH("coalesce", swizzled, coalesce(a))
    AXE_BOTH("left_inverse", swizzled, left_inverse(a))
    AXE_BOTH("right_inverse", swizzled, right_inverse(a))
    AXE_BOTH("composition with itself", swizzled, composition(a, a))
    AXE_BOTH("to_axe_linear", swizzled, to_axe_linear(a))
    AXE_BOTH("by coordinate", swizzled, to_axe_by_coordinate(a))
    AXE_BOTH_OF_TWO("composition after a layout", layouts, swizzled, composition(a, b))
    AXE_BOTH_OF_TWO("composition before one", swizzled, others, composition(a, b))
    AXE_BOTH_OF_TWO("logical_divide", swizzled, others, logical_divide(a, b))
    AXE_BOTH_OF_TWO("logical_product", swizzled, others, logical_product(a, b))
    AXE_BOTH("print and read", swizzled, parse_composed({print(a).c_str(), print(a).size}))
}

#undef AXE_BOTH
#undef AXE_BOTH_OF_TWO
