// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/conversion.hpp>
#include <axe/interop/linear/encodings/blocked.hpp>
#include <axe/interop/linear/encodings/dot_operand.hpp>
#include <axe/interop/linear/encodings/slice.hpp>
#include <catch.hpp>

#include <string>

/// Conversions within threads and warps, by examples that are known by other means. The equations are in laws/interop_linear_conversions.
namespace {

using namespace axe;
using namespace axe::linear;

LinearLayout blocked(const Shape& tensor, const Shape& each, const Shape& lanes, const Shape& warps, const Shape& order = {1, 0})
{
    return to_linear_layout(BlockedEncoding{each, lanes, warps, order, {}}, tensor).value();
}

LinearLayout threads(InlineVector<std::uint64_t, LinearLayout::max_bits> bases, int registers, int lanes, int warps, int bits)
{
    return {{{"register", registers}, {"lane", lanes}, {"warp", warps}}, {{"dim0", bits}}, bases};
}

template <class R>
std::string sentence(const R& result)
{
    return result.error().message().c_str();
}

} // namespace

TEST_CASE("register_permutation: registers in another order")
{
    // A lane has 4×4 elements, by rows or by columns.
    const LinearLayout from = blocked({32, 32}, {4, 4}, {8, 4}, {1, 2}), to = blocked({32, 32}, {4, 4}, {8, 4}, {1, 2}, {0, 1});
    CHECK(reach_of(from, from).value() == Reach::nowhere);
    for (const LinearLayout& copies : {threads({0, 1, 2}, 2, 1, 0, 2), threads({1, 1, 2}, 2, 1, 0, 2)})
        CHECK(reach_of(copies, copies).value() == Reach::nowhere);
    CHECK(reach_of(threads({0, 1, 2}, 2, 1, 0, 2), threads({1, 0, 2}, 2, 1, 0, 2)).value() == Reach::registers);
    CHECK(reach_of(threads({1, 0, 2}, 2, 1, 0, 2), threads({1, 2}, 1, 1, 0, 2)).value() == Reach::registers); // fewer are others
    CHECK(sentence(register_permutation(from, to)) ==
          "the element that lane bit 0 selects is held by another thread"); // lanes by columns, too
    LinearLayout turned = from;
    for (int i = 0; i < 2; ++i) std::swap(turned.bases[i], turned.bases[2 + i]);
    const auto p = register_permutation(from, turned);
    REQUIRE(p);
    CHECK(p->uniform);
    for (std::uint64_t r = 0; r < 16; ++r) CHECK(apply(p->source, r) == (r >> 2 | (r & 3) << 2));
    CHECK(reach_of(from, turned).value() == Reach::registers);

    // The accumulator of one product as operand 0 of the next: nothing moves (f16, kWidth 2).
    const MmaEncoding mma{2, {4, 1}, {16, 8}, {}};
    const LinearLayout acc = to_linear_layout(mma, {64, 64}).value();
    const LinearLayout operand = to_linear_layout(DotOperandEncoding<MmaEncoding>{0, 2, mma}, {64, 64}).value();
    CHECK(reach_of(acc, operand).value() == Reach::nowhere);
    // With kWidth 4 (8 bits): lanes exchange.
    const LinearLayout bytes = to_linear_layout(DotOperandEncoding<MmaEncoding>{0, 4, mma}, {64, 64}).value();
    CHECK(reach_of(acc, bytes).value() == Reach::lanes);
    // The other operand is with other warps.
    const LinearLayout other = to_linear_layout(DotOperandEncoding<MmaEncoding>{1, 2, mma}, {64, 64}).value();
    CHECK(reach_of(acc, other).value() == Reach::warps);
    CHECK(sentence(shuffles(acc, other, 2)) == "the element that register bit 2 selects is held by another warp");
    CHECK(sentence(register_permutation(other, acc)) == "the element that register bit 0 selects is held by another thread");
}

TEST_CASE("register_permutation: a thread chooses by its number")
{
    // Lane 1 has its two registers the other way round.
    const auto p = register_permutation(threads({1, 2}, 1, 1, 0, 2), threads({1, 3}, 1, 1, 0, 2));
    REQUIRE(p);
    CHECK(!p->uniform);
    for (std::uint64_t r = 0; r < 2; ++r)
        for (std::uint64_t l = 0; l < 2; ++l) CHECK(apply(p->source, r | l << 1) == (r ^ l));
    CHECK(reach_of(threads({1, 2}, 1, 1, 0, 2), threads({1, 3}, 1, 1, 0, 2)).value() == Reach::registers);
    // Registers that repeat others: of the first layout the lowest is taken; in the second each is filled.
    const auto q = register_permutation(threads({1, 1, 0}, 3, 0, 0, 1), threads({0, 1}, 2, 0, 0, 1));
    REQUIRE(q);
    CHECK(q->source.bases == InlineVector<std::uint64_t, LinearLayout::max_bits>{0, 1});
    CHECK(distinct_registers(threads({1, 1, 0, 2, 3, 4}, 5, 1, 0, 3)).value() == threads({1, 2, 4}, 2, 1, 0, 3));
}

TEST_CASE("shuffles: a transposition of registers and lanes")
{
    // 2^k registers, 2^k lanes, exchanged: each lane keeps one and takes the others from the others.
    for (int k = 1; k <= 5; ++k) {
        InlineVector<std::uint64_t, LinearLayout::max_bits> rows, columns;
        for (int i = 0; i < 2 * k; ++i) {
            rows.push_back(std::uint64_t{1} << i);
            columns.push_back(std::uint64_t{1} << (i + k) % (2 * k));
        }
        const auto s = shuffles(threads(rows, k, k, 0, 2 * k), threads(columns, k, k, 0, 2 * k), 4);
        REQUIRE(s);
        CHECK(s->count() == (1 << k) - 1);
        CHECK(s->own_rounds == 1);
        // Elements of 2 bytes are not beside each other in the lane that gives them.
        CHECK(shuffles(threads(rows, k, k, 0, 2 * k), threads(columns, k, k, 0, 2 * k), 2)->count() == (1 << k) - 1);
        CHECK(shuffles(threads(rows, k, k, 0, 2 * k), threads(columns, k, k, 0, 2 * k), 16)->count() == 4 * ((1 << k) - 1));
    }
}

TEST_CASE("shuffles: lanes in another order, words of several elements, copies")
{
    // Lanes reversed: no lane keeps all, two do keep; one shuffle a word.
    const LinearLayout from = threads({1, 2, 4, 8, 16}, 2, 3, 0, 5), to = threads({1, 2, 16, 8, 4}, 2, 3, 0, 5);
    CHECK(shuffles(from, to, 4)->count() == 4);
    CHECK(shuffles(from, to, 2)->count() == 2);
    CHECK(shuffles(from, to, 1)->count() == 1);
    CHECK(shuffles(from, to, 8)->count() == 8);
    CHECK(shuffles(from, to, 1)->moves.in[1].bits == 2);
    CHECK(shuffles(from, from, 4)->count() == 0);
    CHECK(shuffles(from, from, 4)->own_rounds == 4);
    // What one lane has, all are to have: they ask for the same word.
    const LinearLayout one = threads({1, 2, 4}, 0, 3, 0, 3), every = threads({1, 2, 4, 0, 0, 0}, 3, 3, 0, 3);
    CHECK(shuffles(one, every, 4)->count() == 7);
    // Half of the lanes are to have what the other half has: they ask with them, though a warp has more than is wanted.
    const auto half = shuffles(threads({1, 2, 4}, 1, 2, 0, 3), threads({1, 2, 0}, 1, 2, 0, 3), 4);
    REQUIRE(half);
    CHECK(half->count() == 2);
    for (std::uint64_t round = 0; round < 2; ++round)
        for (std::uint64_t lane = 0; lane < 4; ++lane)
            CHECK(apply(half->moves, round | lane << 1) == (round | round << 1 | (lane & 1) << 2)); // to, register, lane
    // The same where the lanes that ask with others take another register first.
    const auto other = shuffles(threads({1, 2, 4}, 1, 2, 0, 3), threads({1, 3, 3}, 1, 2, 0, 3), 4);
    REQUIRE(other);
    CHECK(other->count() == 2);
    // The accumulator as an operand of 8 bits.
    const MmaEncoding mma{2, {4, 1}, {16, 8}, {}};
    const LinearLayout acc = to_linear_layout(mma, {64, 64}).value();
    const LinearLayout bytes = to_linear_layout(DotOperandEncoding<MmaEncoding>{0, 4, mma}, {64, 64}).value();
    const auto s = shuffles(acc, bytes, 1);
    REQUIRE(s);
    CHECK(s->moves.in[1].bits == 2); // four a word
    CHECK(s->count() == 8);          // of 32 elements two other lanes have 16 each
    CHECK(shuffles(acc, bytes, 2)->count() == 16);
}

TEST_CASE("shuffles: refusals")
{
    const LinearLayout from = threads({1, 2, 4}, 1, 1, 1, 3);
    CHECK(sentence(shuffles(from, threads({2, 4, 1}, 1, 1, 1, 3), 4)) ==
          "the element that lane bit 0 selects is held by another warp");
    CHECK(sentence(shuffles(from, threads({1, 2, 0}, 1, 1, 1, 3), 4)) ==
          "the element that warp bit 0 selects is held by another warp");
    CHECK(sentence(shuffles(from, threads({4, 2, 1}, 1, 1, 1, 3), 4)) ==
          "the element that register bit 0 selects is held by another warp");
    CHECK(sentence(shuffles(from, threads({1, 1, 2, 4}, 2, 1, 1, 3), 4)) ==
          "the basis of register bit 1 depends on those before it\nhint: remove the repeated registers");
    CHECK(sentence(shuffles(from, from, 6)) == "elements must have 1, 2, 4, 8 or 16 bytes, got 6");
    CHECK(sentence(shuffles(from, threads({1, 2, 4}, 1, 2, 0, 3), 4)) ==
          "the layouts have 2^2 and 2^2 threads, or split them into different warps");
    CHECK(sentence(shuffles(from, threads({1, 2, 4}, 1, 1, 1, 4), 4)) == "the layouts are of different tensors");
    // A warp has 2 registers of one lane; both lanes want one of them at once, and a lane gives one word.
    CHECK(sentence(shuffles(threads({1, 2}, 1, 1, 0, 2), threads({1}, 0, 1, 0, 2), 4)) ==
          "lanes that differ in bit 0 would read different words from one lane");
    CHECK(reach_of(threads({1, 2}, 1, 1, 0, 2), threads({1}, 0, 1, 0, 2)).value() == Reach::warps);
    LinearLayout wrong = from;
    wrong.bases.pop_back();
    CHECK(shuffles(wrong, from, 4).code() == errc::size_mismatch);
    CHECK(register_permutation(from, wrong).code() == errc::size_mismatch);
    CHECK(reach_of(wrong, from).code() == errc::size_mismatch);
    CHECK(distinct_registers(wrong).code() == errc::size_mismatch);
    InlineVector<std::uint64_t, LinearLayout::max_bits> many;
    for (int i = 0; i < 62; ++i) many.push_back(0);
    CHECK(sentence(shuffles(threads(many, 58, 4, 0, 1), threads({0, 0, 0, 0}, 0, 4, 0, 1), 4)).empty());
    CHECK(sentence(shuffles(threads({1, 0}, 1, 1, 0, 62), threads(many, 61, 1, 0, 62), 4)) ==
          "63 bits of registers and threads are more than the 62 of a linear layout");
}
