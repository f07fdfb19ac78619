// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/echelon.hpp>
#include <tests/random.hpp>
#include <tests/unit/interop/linear/read.hpp>

#include <vector>

using namespace axe;
using namespace axe::linear;
using linear::detail::Echelon;
using linear::detail::Fields;
using Word = std::uint64_t;

namespace {

Word sum_of(const std::vector<Word>& columns, Word which)
{
    Word out = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) out ^= (which >> i & 1) != 0 ? columns[i] : 0;
    return out;
}

} // namespace

TEST_CASE("Echelon: what is left of a word is 0 iff columns sum to it, and then says of which")
{
    laws::Random random(3);
    for (int trial = 0; trial < 300; ++trial) {
        const int bits = static_cast<int>(random.in(1, 8)), count = static_cast<int>(random.in(0, 8));
        std::vector<Word> columns;
        Echelon e;
        std::vector<bool> spanned(std::size_t{1} << bits, false); // by enumeration
        spanned[0] = true;
        for (int i = 0; i < count; ++i) {
            columns.push_back(static_cast<Word>(random.in(0, (std::int64_t{1} << bits) - 1)));
            CHECK(e.add(columns.back(), i) == !spanned[columns.back()]);
            for (Word which = 0; which < Word{1} << columns.size(); ++which) spanned[sum_of(columns, which)] = true;
        }
        for (Word word = 0; word < Word{1} << bits; ++word) {
            Word of = 0;
            const Word left = e.reduce(word, of);
            REQUIRE((left == 0) == spanned[word]);
            REQUIRE((word ^ left) == sum_of(columns, of)); // what was taken out is what it says
            REQUIRE((left & e.pivots) == 0);
        }
    }
}

TEST_CASE("Echelon: words of 64 bits, and the order does not matter to the places")
{
    Echelon e;
    CHECK(e.add(Word{1} << 63 | 1, 0));
    CHECK(e.add(~Word{0}, 63));
    CHECK_FALSE(e.add((Word{1} << 63 | 1) ^ ~Word{0}, 1));
    CHECK_FALSE(e.add(0, 2));
    CHECK(e.pivots == (Word{3} << 62));
    Word of = 0;
    CHECK(e.reduce(~Word{0}, of) == 0);
    CHECK(of == Word{1} << 63);
    CHECK(linear::detail::highest_bit(1) == 0);
    CHECK(linear::detail::highest_bit(~Word{0}) == 63);
    static_assert([] {
        Echelon c;
        return c.add(3, 0) && c.add(1, 1) && !c.add(2, 2);
    }());
}

TEST_CASE("Fields: bits go to those of the same name, and back")
{
    const Dims from{{"a", 2}, {"b", 0}, {"c", 3}}, to{{"c", 4}, {"b", 1}, {"a", 2}};
    Fields fields;
    REQUIRE(linear::detail::match(from, to, fields).ok());
    CHECK(fields.count == 2); // nothing to move for b
    CHECK_FALSE(fields.same);
    for (Word word = 0; word < 32; ++word) {
        CHECK(fields(word) == ((word >> 2) | (word & 3) << 5));
        CHECK(fields.back(fields(word)) == word);
    }
    Fields none;
    REQUIRE(linear::detail::match(from, from, none).ok());
    CHECK(none.same);
    CHECK(none(31) == 31);
    Fields above;
    above.move(from, 0, to, 0, 2); // the upper bits of c
    CHECK(above(3) == 12);
    CHECK(above.back(12) == 3);
    // 62 bits, moved as far as they go
    const Dims low{{"x", 1}, {"y", 61}}, high{{"y", 61}, {"x", 1}};
    Fields far;
    REQUIRE(linear::detail::match(low, high, far).ok());
    CHECK(far(1) == Word{1} << 61);
    CHECK(far.back(Word{1} << 61) == 1);
}

TEST_CASE("match: refusals")
{
    const Dims two{{"a", 1}, {"b", 2}};
    Fields f;
    linear_tests::refused(linear::detail::match(two, Dims{{"a", 1}}, f), errc::rank_mismatch, -1,
                          "2 dimensions cannot be matched with 1; the names must be the same");
    linear_tests::refused(linear::detail::match(two, Dims{{"a", 1}, {"c", 2}}, f), errc::unknown_axis, 1,
                          "dimension 1 has no counterpart of the same name");
    linear_tests::refused(linear::detail::match(two, Dims{{"b", 1}, {"a", 1}}, f), errc::size_mismatch, 1,
                          "dimension 1 has 2 bits, its counterpart 1");
}
