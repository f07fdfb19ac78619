// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the types promise as types: structural, trivially copyable, of fixed size.
#include <axe/layout/layout.hpp>

#include <type_traits>

template <class T>
constexpr bool is_value = std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T> && std::is_trivially_destructible_v<T>;

static_assert(is_value<axe::Axis>);
static_assert(is_value<axe::Iter>);
static_assert(is_value<axe::Point>);
static_assert(is_value<axe::Shape>);
static_assert(is_value<axe::Region>);
static_assert(is_value<axe::Layout>);
static_assert(is_value<axe::BasicLayout<std::int32_t>>);
static_assert(std::is_trivially_copyable_v<axe::Result<axe::Layout>>);
static_assert(std::is_trivially_copyable_v<axe::Decision>);

static_assert(sizeof(axe::Axis) == 16);
static_assert(sizeof(axe::Iter) == 32);

// A layout may be a template argument, and equal values name one type.
template <axe::Layout L>
struct Named {};
constexpr axe::Layout lanes = *axe::make_layout({{8, 4, "lane"}, {2, 1, "reg"}});
constexpr axe::Layout lanes_again = *axe::make_layout({{8, 4, "lane"}, {2, 1, "reg"}}, {}, {});
constexpr axe::Layout registers = *axe::make_layout({{8, 4, "reg"}, {2, 1, "lane"}});
static_assert(std::is_same_v<Named<lanes>, Named<lanes_again>>);
static_assert(!std::is_same_v<Named<lanes>, Named<registers>>);

// Places that were used and given up are as if never used, so this holds after any history.
constexpr axe::Layout grown_and_shrunk = [] {
    axe::Layout layout = lanes;
    layout.shard.push_back({4, 16, "warp"});
    layout.shard.pop_back();
    layout.replica.insert(0, {2, 4, "warp"});
    layout.replica.erase(0);
    *layout.offset.entry("warp") = 0;
    layout.offset.drop_zeros();
    return layout;
}();
static_assert(std::is_same_v<Named<lanes>, Named<grown_and_shrunk>>);

static_assert(axe::AnyLayout<axe::Layout>);
static_assert(axe::AnyLayout<axe::BasicLayout<std::int32_t, 8, 2, 4>>);
static_assert(!axe::AnyLayout<axe::Iter>);
static_assert(std::is_same_v<axe::AxeLayout, axe::Layout>);

// Results and verdicts are asked, not converted.
static_assert(!std::is_convertible_v<axe::Result<std::int64_t>, std::int64_t>);
static_assert(!std::is_convertible_v<axe::Result<axe::Layout>, bool>);
static_assert(!std::is_convertible_v<axe::Decision, bool>);
static_assert(std::is_constructible_v<bool, axe::Decision>);
