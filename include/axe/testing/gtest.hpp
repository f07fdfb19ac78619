// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTING_GTEST_HPP
#define AXE_TESTING_GTEST_HPP

#include <axe/testing/questions.hpp>
#include <axe/text/print_result.hpp>

#include <atomic>

#if defined(AXE_TESTING_CATCH_HPP)
#  error "axe/testing/gtest.hpp and axe/testing/catch.hpp name their matchers alike: a source includes one of them"
#endif
#if !__has_include(<gmock/gmock.h>)
#  error "axe/testing/gtest.hpp needs GoogleTest with gmock on the include path; axe/testing/predicates.hpp does without"
#endif
#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// Matchers for GoogleTest, and what it shows of the algebra's values.
namespace axe {
inline namespace v0 {
// A separate namespace: <axe/testing/catch.hpp> has functions of the same names and arguments, and another source of the program may
// include it.
inline namespace with_gtest {

/// A matcher that asks a question of the layout it is given, in any of its forms.
///
/// A question that cannot be decided is neither a match nor a mismatch: the matcher does not match, its `Not` does not match, and the test
/// fails with the message, so that a `Not` around other matchers cannot pass either.
template <class Question>
class LayoutMatcher {
  public:
    using is_gtest_matcher = void;

    /// @param wanted matches where the answer is yes, or else where it is no
    explicit LayoutMatcher(Question question, bool wanted = true) : question_(std::move(question)), wanted_(wanted) {}

    template <LayoutLike T>
    bool MatchAndExplain(const T& value, ::testing::MatchResultListener* listener) const
    {
        const detail::Subject<typename Question::layout_type> actual(value);
        const auto answer = question_.ask(actual);
        if (answer.undecided()) fail(actual, listener->IsInterested());
        if (listener->IsInterested()) *listener << question_.describe(actual);
        return wanted_ ? answer.yes() : answer.no();
    }
    void DescribeTo(std::ostream* out) const { *out << (wanted_ ? question_.claim : question_.denial); }
    void DescribeNegationTo(std::ostream* out) const { *out << (wanted_ ? question_.denial : question_.claim); }

    /// The matcher of the opposite answer.
    [[nodiscard]] LayoutMatcher negated() const { return LayoutMatcher(question_, !wanted_); }

  private:
    /// The test that this matcher has made fail. A copy has failed none.
    struct FailedTest {
        std::atomic<const ::testing::TestInfo*> test{nullptr};
        FailedTest() = default;
        FailedTest(const FailedTest&) noexcept {}
        FailedTest& operator=(const FailedTest&) noexcept { return *this; }
    };

    /// GoogleTest asks again, for the explanation, where an assertion does not hold: one failure of the test is enough.
    void fail(const detail::Subject<typename Question::layout_type>& actual, bool explains) const
    {
        const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
        const bool failed_already = failed_.test.exchange(test) == test && test != nullptr;
        if (!explains || !failed_already)
            ADD_FAILURE() << "not decided whether the layout " << question_.claim << "\n" << question_.describe(actual);
    }

    Question question_;
    bool wanted_;
    mutable FailedTest failed_;
};

/// `EXPECT_THAT(layout, axe::EqualsMap(expected))`: one map, as `equals_map` says.
///
/// Here and below, the layout may be a `BasicLayout`, `Grouped`, `Swizzled`, a `static_layout`, or a `Result` of these; where the
/// question cannot be decided the test fails with the message, also under `Not`.
template <LayoutLike B>
auto EqualsMap(const B& expected)
{
    return LayoutMatcher(detail::question_of_map(expected));
}

/// `EXPECT_THAT(layout, axe::Maps(shape, coord, {p, q}))`: exactly these points, as `maps` says.
template <AnyLayout L = Layout>
auto Maps(const Shape& shape, const Coord& coord, detail::PointList<typename L::Point> points)
{
    return LayoutMatcher(detail::question_of_points<L>(shape, coord, points));
}
/// The same of an index, or of a coordinate with a number for each iter.
template <AnyLayout L = Layout>
auto Maps(const Coord& coord, detail::PointList<typename L::Point> points)
{
    return LayoutMatcher(detail::question_of_points<L>(coord, points));
}

/// `EXPECT_THAT(layout, axe::GroupsBy({8, 16}))`: cut into dimension groups by the shape, as `groups_by` says.
template <AnyLayout L = Layout>
auto GroupsBy(const Shape& shape)
{
    return LayoutMatcher(detail::question_of_groups<L>(shape));
}

/// `EXPECT_THAT(layout, axe::TilesBy(tile, shape, tile_shape))`: made of copies of the tile, as `tiles_by` says.
template <LayoutLike B>
auto TilesBy(const B& tile, const Shape& shape, const Shape& tile_shape)
{
    return LayoutMatcher(detail::question_of_tiles(tile, shape, tile_shape));
}
/// The same, both taken in one dimension.
template <LayoutLike B>
auto TilesBy(const B& tile)
{
    return LayoutMatcher(detail::question_of_tiles(tile));
}

} // namespace with_gtest

/// What GoogleTest shows of a value: its text; of a result its value or error, of a decision yes, no and the index, or why not.
template <detail::HasText T>
void PrintTo(const T& value, std::ostream* out)
{
    *out << detail::text_of(value);
}
/// Of a result whose value has no text: what GoogleTest shows of the value.
template <class T>
    requires(!detail::HasText<Result<T>>)
void PrintTo(const Result<T>& result, std::ostream* out)
{
    *out << (result ? ::testing::PrintToString(*result) : detail::text_of(result.error()));
}
/// Of an answer of `equals_map` and the others: yes, or no and the reason.
template <class Found>
void PrintTo(const Finding<Found>& answer, std::ostream* out)
{
    if (answer.no())
        *out << "no: " << answer.reason().message().c_str();
    else
        *out << detail::text_of(static_cast<const Decision&>(answer));
}
/// Of a list that has no text: its items, as of a container.
template <class T, int N>
    requires(!detail::HasText<InlineVector<T, N>>)
void PrintTo(const InlineVector<T, N>& list, std::ostream* out)
{
    *out << ::testing::PrintToString(std::vector<T>(list.begin(), list.end()));
}
template <int N>
void PrintTo(const Text<N>& text, std::ostream* out)
{
    *out << text.c_str();
}

namespace detail {

/// The layout as it was cut for its shape.
template <AnyStaticLayout T>
void PrintTo(const T& layout, std::ostream* out)
{
    *out << text_of(layout);
}

} // namespace detail
} // namespace v0
} // namespace axe

namespace testing {

/// The `Not` of a matcher of layouts: a question that cannot be decided does not match it either.
template <class Question>
axe::LayoutMatcher<Question> Not(const axe::LayoutMatcher<Question>& matcher)
{
    return matcher.negated();
}

} // namespace testing

#endif
