// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTING_CATCH_HPP
#define AXE_TESTING_CATCH_HPP

#include <axe/testing/questions.hpp>

#include <stdexcept>

// Catch2 2 or 3: the one included already, under whatever name, or else the one that is there.
#if !defined(CATCH_VERSION_MAJOR) || CATCH_VERSION_MAJOR >= 3
#  if __has_include(<catch2/matchers/catch_matchers.hpp>)
#    include <catch2/catch_tostring.hpp>
#    include <catch2/matchers/catch_matchers.hpp>
#  elif !defined(CATCH_VERSION_MAJOR)
#    if __has_include(<catch2/catch.hpp>)
#      include <catch2/catch.hpp>
#    else
#      error "axe/testing/catch.hpp needs Catch2, version 2 or 3, on the include path; axe/testing/predicates.hpp does without"
#    endif
#  endif
#endif

namespace axe {
inline namespace v0 {
namespace detail {

/// Where the base of matchers is.
#if defined(CATCH_VERSION_MAJOR) && CATCH_VERSION_MAJOR < 3
template <class T>
using CatchMatcher = Catch::MatcherBase<T>;
#else
template <class T>
using CatchMatcher = Catch::Matchers::MatcherBase<T>;
#endif

/// A matcher that asks a question of the layout it is given, in any of its forms.
///
/// What cannot be decided is not a mismatch, which a negation would turn into a match: it throws, and so fails the assertion with its
/// message in either case.
template <class Question>
class Matcher final : public CatchMatcher<Subject<typename Question::layout_type>> {
  public:
    explicit Matcher(Question question) : question_(std::move(question)) {}

    bool match(const Subject<typename Question::layout_type>& actual) const override
    {
        this->m_cachedToString.clear(); // else Catch shows the text of the matcher's last use
        mismatch_.clear();
        const auto answer = question_.ask(actual);
        if (answer.undecided()) {
#if defined(__cpp_exceptions)
            throw std::invalid_argument(question_.describe(actual));
#else
            fail_access(answer.error());
#endif
        }
        if (!answer) mismatch_ = "\n" + question_.describe(actual);
        return static_cast<bool>(answer);
    }

  protected:
    std::string describe() const override { return mismatch_.empty() ? question_.claim : mismatch_; }

  private:
    Question question_;
    mutable std::string mismatch_;
};

} // namespace detail

/// `CHECK_THAT(layout, axe::EqualsMap(expected))`: one map, as `equals_map` says.
///
/// Here and below, the layout may be a `BasicLayout`, `Grouped`, `Swizzled`, a `static_layout`, or a `Result` of these; where the
/// question cannot be decided the assertion fails with the message, negated or not.
template <LayoutLike B>
auto EqualsMap(const B& expected)
{
    return detail::Matcher(detail::question_of_map(expected));
}

/// `CHECK_THAT(layout, axe::Maps(shape, coord, {p, q}))`: exactly these points, as `maps` says.
template <AnyLayout L = Layout>
auto Maps(const Shape& shape, const Coord& coord, detail::PointList<typename L::Point> points)
{
    return detail::Matcher(detail::question_of_points<L>(shape, coord, points));
}
/// The same of an index, or of a coordinate with a number for each iter.
template <AnyLayout L = Layout>
auto Maps(const Coord& coord, detail::PointList<typename L::Point> points)
{
    return detail::Matcher(detail::question_of_points<L>(coord, points));
}

/// `CHECK_THAT(layout, axe::GroupsBy({8, 16}))`: cut into dimension groups by the shape, as `groups_by` says.
template <AnyLayout L = Layout>
auto GroupsBy(const Shape& shape)
{
    return detail::Matcher(detail::question_of_groups<L>(shape));
}

/// `CHECK_THAT(layout, axe::TilesBy(tile, shape, tile_shape))`: made of copies of the tile, as `tiles_by` says.
template <LayoutLike B>
auto TilesBy(const B& tile, const Shape& shape, const Shape& tile_shape)
{
    return detail::Matcher(detail::question_of_tiles(tile, shape, tile_shape));
}
/// The same, both taken in one dimension.
template <LayoutLike B>
auto TilesBy(const B& tile)
{
    return detail::Matcher(detail::question_of_tiles(tile));
}

namespace detail {

/// What Catch shows of a value: its text; of a result, the value or why it does not exist, as in the command's output; of an answer, yes or
/// no and the reason.
struct Shown {
    template <class T>
    static std::string convert(const T& value)
    {
        return text_of(value);
    }
    template <int N>
    static std::string convert(const Text<N>& text)
    {
        return text.c_str();
    }
    static std::string convert(const Decision& v)
    {
        if (v.undecided()) return "error: " + text_of(v.error());
        if (v) return "yes";
        return v.witness() < 0 ? "no" : "no at " + std::to_string(v.witness());
    }
    template <class Found>
    static std::string convert(const Finding<Found>& f)
    {
        if (!f.undecided() && !f) return std::string("no: ") + f.reason().message().c_str();
        return convert(static_cast<const Decision&>(f));
    }
    static std::string convert(const Status& status) { return status.ok() ? "ok" : "error: " + text_of(status.error()); }
    template <class T>
    static std::string convert(const Result<T>& result)
    {
        if (result) return Catch::Detail::stringify(*result);
        if (result.error().is_none()) return std::string("none: ") + result.error().message().c_str();
        return "error: " + text_of(result.error());
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

/// One text for each type of the library, whether `operator<<` is there or not.
namespace Catch {

template <class Int, int S, int R, int A>
struct StringMaker<axe::BasicLayout<Int, S, R, A>> : axe::detail::Shown {};
template <class L>
struct StringMaker<axe::Grouped<L>> : axe::detail::Shown {};
template <class L>
struct StringMaker<axe::Swizzled<L>> : axe::detail::Shown {};
template <axe::AnyStaticLayout T>
struct StringMaker<T> : axe::detail::Shown {};
template <class Int>
struct StringMaker<axe::BasicIter<Int>> : axe::detail::Shown {};
template <>
struct StringMaker<axe::Axis> : axe::detail::Shown {};
template <class T>
struct StringMaker<axe::Result<T>> : axe::detail::Shown {};
template <class Found>
struct StringMaker<axe::Finding<Found>> : axe::detail::Shown {};
template <>
struct StringMaker<axe::Decision> : axe::detail::Shown {};
template <>
struct StringMaker<axe::Error> : axe::detail::Shown {};
template <>
struct StringMaker<axe::errc> : axe::detail::Shown {};

// These are ranges as well, which Catch would show item by item: one text says more.
template <class T, int N>
    requires axe::detail::HasText<axe::InlineVector<T, N>>
struct StringMaker<axe::InlineVector<T, N>> : axe::detail::Shown {};
template <class T, int N>
struct is_range<axe::InlineVector<T, N>> {
    static const bool value = !axe::detail::HasText<axe::InlineVector<T, N>>;
};
template <class Int, int N>
struct StringMaker<axe::BasicPoint<Int, N>> : axe::detail::Shown {};
template <class Int, int N>
struct is_range<axe::BasicPoint<Int, N>> {
    static const bool value = false;
};
template <int N>
struct StringMaker<axe::Text<N>> : axe::detail::Shown {};
template <int N>
struct is_range<axe::Text<N>> {
    static const bool value = false;
};

} // namespace Catch

#endif
