// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/strides/mdspan.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>

#include <type_traits>

#if __has_include(<mdspan>)
#  include <mdspan>
#elif __has_include(<mdspan/mdspan.hpp>)
#  include <mdspan/mdspan.hpp>
#endif

using namespace axe::literals;
using axe::errc;

namespace {

/// As much of std::extents as mappings use: all extents dynamic.
template <class Index, std::size_t Rank>
struct Dynamic {
    using index_type = Index;
    using size_type = std::make_unsigned_t<Index>;
    using rank_type = std::size_t;
    Index extents[Rank == 0 ? 1 : Rank]{};
    static constexpr rank_type rank() noexcept { return Rank; }
    constexpr Index extent(rank_type r) const noexcept { return extents[r]; }
    friend constexpr bool operator==(const Dynamic&, const Dynamic&) = default;
};

/// All of them static.
template <class Index, Index... N>
struct Static {
    using index_type = Index;
    using size_type = std::make_unsigned_t<Index>;
    using rank_type = std::size_t;
    static constexpr rank_type rank() noexcept { return sizeof...(N); }
    constexpr Index extent(rank_type r) const noexcept
    {
        const Index all[] = {N...};
        return all[r];
    }
    friend constexpr bool operator==(const Static&, const Static&) = default;
};

/// As much of std::mdspan as needs a mapping.
template <class T, class E, class Policy>
struct Span {
    T* data;
    typename Policy::template mapping<E> mapping;
    template <class... I>
    constexpr T& operator()(I... i) const
    {
        return data[mapping(i...)];
    }
};

/// The standard's layout_left and a mapping that is not strided, in the small.
template <class E>
struct Left {
    using extents_type = E;
    using index_type = typename E::index_type;
    E on{};
    constexpr const E& extents() const noexcept { return on; }
    static constexpr bool is_strided() noexcept { return true; }
    constexpr index_type stride(typename E::rank_type r) const noexcept { return r == 0 ? 1 : on.extent(0); }
    constexpr index_type operator()(index_type i, index_type j) const noexcept { return i + j * on.extent(0); }
};
template <class E>
struct Morton : Left<E> {
    static constexpr bool is_strided() noexcept { return false; }
};

using E = Dynamic<int, 2>;
using Mapping = axe::layout_axe::mapping<E>;

// [mdspan.layout.reqmts]
static_assert(std::copyable<Mapping> && std::equality_comparable<Mapping>);
static_assert(std::is_nothrow_move_constructible_v<Mapping> && std::is_nothrow_move_assignable_v<Mapping> &&
              std::is_nothrow_swappable_v<Mapping>);
static_assert(std::is_trivially_copyable_v<Mapping>);
static_assert(std::is_same_v<Mapping::layout_type, axe::layout_axe> && std::is_same_v<Mapping::extents_type, E>);
static_assert(std::is_same_v<Mapping::index_type, int> && std::is_same_v<Mapping::size_type, unsigned>);
static_assert(std::is_same_v<decltype(std::declval<const Mapping&>().extents()), const E&>);
static_assert(noexcept(std::declval<const Mapping&>()(0, 0)) && noexcept(std::declval<const Mapping&>().required_span_size()));
static_assert(!Mapping::is_always_unique() && !Mapping::is_always_exhaustive() && !Mapping::is_always_strided());
static_assert(!std::is_invocable_v<const Mapping&, int> && std::is_invocable_v<const Mapping&, short, long>);

} // namespace

TEST_CASE("an mdspan through a tiled layout", "[interop][strides]")
{
    const auto m = axe::layout_axe::make("(2,2,3,2):(12,2,4,1)"_axe, E{{4, 6}});
    REQUIRE(m);
    int data[24];
    for (int i = 0; i < 24; ++i) data[i] = i;
    const Span<int, E, axe::layout_axe> span{data, *m};
    CHECK(span(0, 0) == 0);
    CHECK(span(0, 2) == 4);
    CHECK(span(1, 0) == 2);
    CHECK(span(3, 5) == 23);
    CHECK(m->required_span_size() == 24);
    CHECK(m->is_unique());
    CHECK(m->is_exhaustive());
    CHECK_FALSE(m->is_strided());
    CHECK(axe::from_mapping(*m).code() == errc::no_layout);
    CHECK(*m == *axe::layout_axe::make("(2,2,3,2):(12,2,4,1)"_axe, E{{4, 6}}));
    CHECK_FALSE(*m == *axe::layout_axe::make("24:1"_axe, E{{4, 6}}));
    CHECK_FALSE(*axe::layout_axe::make("24:1"_axe, E{{6, 4}}) == *axe::layout_axe::make("24:1"_axe, E{{4, 6}}));
    static_assert(axe::layout_axe::make("24:1"_axe, E{{4, 6}}).value()(3, 5) == 23);
}

TEST_CASE("strides, uniqueness and gaps are told as they are", "[interop][strides]")
{
    const auto padded = axe::layout_axe::make("(4,6):(8,1) + 3@m"_axe, E{{4, 6}}).value();
    CHECK(padded.is_strided());
    CHECK(padded.stride(0) == 8);
    CHECK(padded.stride(1) == 1);
    CHECK(padded(1, 2) == 13);
    CHECK(padded.required_span_size() == 33);
    CHECK_FALSE(padded.is_exhaustive());
    const auto row = axe::layout_axe::make("(4,6):(0,1)"_axe, E{{4, 6}}).value();
    CHECK_FALSE(row.is_unique());
    CHECK(row.is_exhaustive());
    const auto back = axe::layout_axe::make("24:-1 + 23@m"_axe, E{{4, 6}}).value();
    CHECK(back.stride(0) == -6);
    CHECK(back.is_exhaustive());
    const auto unsigned_back = axe::layout_axe::make("24:-1 + 23@m"_axe, Dynamic<unsigned, 2>{{4, 6}}).value();
    CHECK_FALSE(unsigned_back.is_strided()); // the index type has no -6
    CHECK(unsigned_back(3u, 5u) == 0u);
    const auto scalar = axe::layout_axe::make("():() + 5@m"_axe, Dynamic<int, 0>{}).value();
    CHECK(scalar() == 5);
    CHECK(scalar.required_span_size() == 6);
    CHECK(axe::layout_axe::make("24:1@P"_axe, E{{4, 6}}, axe::Axis{"P"}).value()(1, 1) == 7);
}

TEST_CASE("a dimension of one index is strided, whatever its stride would be", "[interop][strides]")
{
    using Wide = Dynamic<int, 2>;
    const auto far = axe::layout_axe::make("2:1073741824"_axe, Wide{{1, 2}}).value(); // 2^31 is not an int
    CHECK(far.is_strided());
    CHECK(far.stride(0) == 1);
    CHECK(far.stride(1) == 1 << 30);
    CHECK(far(0, 1) == 1 << 30);
    CHECK(axe::layout_axe::make("2:1073741823"_axe, Wide{{1, 2}})->stride(0) == 2147483646); // as a C-contiguous array
}

TEST_CASE("a default mapping is row-major", "[interop][strides]")
{
    using Fixed = Static<int, 4, 6>;
    const axe::layout_axe::mapping<Fixed> m;
    CHECK(m(1, 1) == 7);
    CHECK(m.required_span_size() == 24);
    CHECK(m.layout() == "24:1"_axe);
    CHECK(Mapping{}.required_span_size() == 0);
    CHECK(axe::layout_axe::mapping<Dynamic<int, 0>>{}.required_span_size() == 1);
    CHECK(axe::layout_axe::mapping<Dynamic<int, 17>>{}.required_span_size() == 0); // no layout has so many dimensions
}

TEST_CASE("a layout that no mdspan can serve is refused", "[interop][strides]")
{
    const auto why = [](const axe::Layout& l) {
        return std::string(axe::layout_axe::make(l, E{{4, 6}}).error().message().c_str());
    };
    CHECK(why("24:-1 + 22@m"_axe) == "the least address is -1; an mdspan has no address before its data handle");
    CHECK(why("24:1 + 2147483647@m"_axe) == "the greatest address is 2147483670, which overflows the index type of the extents");
    CHECK(why("25:1"_axe) == "the shape has 24 elements, the layout 25");
    CHECK(why("24:1@lane"_axe) == "iter 0 moves on an axis other than the address axis");
    CHECK(axe::layout_axe::make("24:1 + [2:24]"_axe, E{{4, 6}}).code() == errc::not_single_valued);
    CHECK(axe::layout_axe::make("24:1"_axe, E{{0, 6}}).code() == errc::bad_extent);
    CHECK(axe::layout_axe::make("1:1 + 127@m"_axe, Dynamic<signed char, 1>{{1}}).code() == errc::overflow);
    CHECK(axe::layout_axe::make("1:1 + 126@m"_axe, Dynamic<signed char, 1>{{1}}).value()(0) == 126);
    CHECK(axe::layout_axe::make("1:1 + 255@m"_axe, Dynamic<unsigned char, 1>{{1}}).code() == errc::overflow);
    CHECK(axe::layout_axe::make("1:1 + 9223372036854775806@m"_axe, Dynamic<long, 1>{{1}}).value()(0) == 9223372036854775806);
    CHECK(axe::layout_axe::make("1:1"_axe, Dynamic<int, 17>{}).code() == errc::capacity);
}

TEST_CASE("strided mappings of others become layouts", "[interop][strides]")
{
    const Left<E> left{{{3, 4}}};
    CHECK(axe::to_axe(*axe::from_mapping(left)).value() == "(3,4):(1,3)"_axe);
    CHECK(std::string(axe::from_mapping(Morton<E>{{{{3, 4}}}}).error().message().c_str()) == "the mapping is not strided");
    CHECK(axe::to_axe(*axe::from_mapping(Left<E>{{{3, 0}}})).code() == errc::bad_extent);
    const auto m = axe::layout_axe::make("(4,6):(8,1) + 3@m"_axe, E{{4, 6}}).value();
    CHECK(axe::to_axe(*axe::from_mapping(m)).value() == "(4,6):(8,1) + 3@m"_axe);
    CHECK(axe::from_mapping(axe::layout_axe::make("():() + 5@m"_axe, Dynamic<int, 0>{}).value())->offset == 5);
}

#if defined(__cpp_lib_mdspan) || __has_include(<mdspan/mdspan.hpp>)
#  if defined(__cpp_lib_mdspan)
namespace md = std;
#  else
namespace md = Kokkos;
#  endif

TEST_CASE("the real mdspan takes it", "[interop][strides]")
{
    using Real = md::dextents<int, 2>;
    int data[24];
    for (int i = 0; i < 24; ++i) data[i] = i;
    const auto tiled = axe::layout_axe::make("(2,2,3,2):(12,2,4,1)"_axe, Real(4, 6)).value();
    const md::mdspan<int, Real, axe::layout_axe> span(data, tiled);
    int sum = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 6; ++j) {
            const int at[] = {i, j};
            CHECK(&span[std::array{i, j}] == data + tiled(i, j));
            sum += span[std::array{at[0], at[1]}];
        }
    CHECK(sum == 23 * 12);
    CHECK(span.is_unique());
    CHECK(span.size() == 24);
    CHECK(axe::to_axe(*axe::from_mapping(md::layout_right::mapping<Real>(Real(3, 4)))).value() == "12:1"_axe);
    CHECK(axe::to_axe(*axe::from_mapping(md::layout_left::mapping<Real>(Real(3, 4)))).value() == "(3,4):(1,3)"_axe);
    CHECK(axe::to_axe(*axe::from_mapping(md::layout_stride::mapping<Real>(Real(3, 4), std::array{1, 5}))).value() ==
          "(3,4):(1,5)"_axe);
}
#endif
