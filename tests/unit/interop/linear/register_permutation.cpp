// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/register_permutation.hpp>
#include <tests/unit/interop/linear/read.hpp>
#include <tests/unit/interop/linear/threads.hpp>

#include <algorithm>
#include <vector>

using namespace linear_tests;
using namespace axe::linear;
using axe::errc;

namespace {

/// The first bit whose thread lacks what it is to have, as the refusal says it; empty when there is none.
axe::Status missing(const LinearLayout& from, const LinearLayout& to)
{
    const auto lacks = [&](Word r, Word l, Word w) { return elements(from, l, w).count(element(to, r, l, w)) == 0; };
    for (int i = 0; i < to.in[0].bits; ++i)
        if (lacks(Word{1} << i, 0, 0))
            return {errc::no_layout, i, "the element that register bit {0} selects is held by another thread", i};
    for (int i = 0; i < to.in[1].bits; ++i)
        if (lacks(0, Word{1} << i, 0))
            return {errc::no_layout, i, "the element that lane bit {0} selects is held by another thread", i};
    for (int i = 0; i < to.in[2].bits; ++i)
        if (lacks(0, 0, Word{1} << i))
            return {errc::no_layout, i, "the element that warp bit {0} selects is held by another thread", i};
    return {};
}

/// Against every register of every thread: to(r, l, w) = from(source(r, l, w), l, w), with the lowest register that holds it.
void check(const LinearLayout& from, const LinearLayout& to)
{
    INFO(text(from) << " to " << text(to));
    const int registers = to.in[0].bits, lanes = to.in[1].bits, warps = to.in[2].bits;
    bool exists = true, uniform = true;
    std::vector<Word> least;
    for (Word w = 0; w < Word{1} << warps; ++w)
        for (Word l = 0; l < Word{1} << lanes; ++l)
            for (Word r = 0; r < Word{1} << registers; ++r) {
                Word s = 0;
                while (s < Word{1} << from.in[0].bits && element(from, s, l, w) != element(to, r, l, w)) ++s;
                exists = exists && s < Word{1} << from.in[0].bits;
                uniform = uniform && (least.size() <= r || s == least[r]);
                least.push_back(s);
            }
    const auto got = register_permutation(from, to);
    REQUIRE(got.has_value() == exists);
    if (!exists) {
        const axe::Status expected = missing(from, to);
        REQUIRE(got.error().position == expected.error().position);
        REQUIRE(std::string(got.error().message().c_str()) == expected.error().message().c_str());
        return;
    }
    REQUIRE(axe::linear::check(got->source).ok());
    REQUIRE(got->source.in == to.in);
    REQUIRE(got->source.out == Dims{from.in[0]});
    REQUIRE(got->uniform == uniform);
    for (Word x = 0; x < least.size(); ++x) REQUIRE(apply(got->source, x) == least[x]);
}

} // namespace

TEST_CASE("register_permutation: all pairs of layouts of few bits")
{
    // Registers of both, lanes, warps, and the bits of the tensor.
    for (const auto& [a, b, lanes, warps, bits] : {std::array{1, 1, 1, 0, 2},
                                                   {2, 1, 1, 0, 2},
                                                   {1, 2, 0, 1, 2},
                                                   {1, 1, 1, 1, 1},
                                                   {3, 2, 0, 0, 2},
                                                   {0, 0, 1, 1, 2},
                                                   {0, 1, 1, 0, 1}}) {
        const auto all = [&](int registers) {
            const int count = registers + lanes + warps;
            std::vector<LinearLayout> out;
            for (Word code = 0; code < Word{1} << (count * bits); ++code) {
                Bases bases;
                for (int i = 0; i < count; ++i) bases.push_back(code >> (i * bits) & ((Word{1} << bits) - 1));
                out.push_back(threads(bases, registers, lanes, warps, bits));
            }
            return out;
        };
        for (const LinearLayout& from : all(a))
            for (const LinearLayout& to : all(b)) check(from, to);
    }
}

TEST_CASE("register_permutation: larger layouts, of which half keep what each thread has")
{
    laws::Random random(5);
    for (int trial = 0; trial < 400; ++trial) {
        const int registers = static_cast<int>(random.in(1, 4)), lanes = static_cast<int>(random.in(0, 3)),
                  warps = static_cast<int>(random.in(0, 2)), bits = static_cast<int>(random.in(1, 6));
        const LinearLayout from = threads(random_bases(random, registers + lanes + warps, bits), registers, lanes, warps, bits);
        Bases bases = random_bases(random, registers + lanes + warps, bits);
        if (random.one_in(2)) { // each a sum of registers, and of its own lane or warp
            bases.clear();
            for (int i = 0; i < registers + lanes + warps; ++i)
                bases.push_back(element(from, random.next() & ((Word{1} << registers) - 1), 0, 0) ^
                                (i < registers ? 0 : from.bases[i]));
        }
        check(from, threads(bases, registers, lanes, warps, bits));
    }
}

TEST_CASE("register_permutation: dimensions in another order, and refusals")
{
    const LinearLayout from = line("lane=[4] register=[1,2] -> dim0:8"), to = line("register=[2,1] warp=[] lane=[5] -> dim0:8");
    const auto p = register_permutation(from, to);
    REQUIRE(p);
    CHECK(text(p->source) == "register=[2,1] lane=[1] warp=[] -> register:4");
    CHECK_FALSE(p->uniform);
    refused(register_permutation(from, line("register=[2,1] lane=[5] -> dim0:16")), errc::size_mismatch, -1,
            "the layouts are of different tensors");
    refused(register_permutation(from, line("register=[2,1] warp=[5] -> dim0:8")), errc::size_mismatch, -1,
            "the layouts have 2^1 and 2^1 threads, or split them into different warps");
    refused(register_permutation(line("register=[1] cluster=[] -> dim0:2"), from), errc::unknown_axis, 1,
            "input dimension 1 is not register, lane, warp or block");
    refused(register_permutation(from, line("block=[1] -> dim0:8")), errc::bad_argument, 0,
            "elements move within a block; the layout has 1 block bits");
    // All the bits that a layout has.
    LinearLayout wide{{{"register", 62}}, {{"dim0", 62}}, {}};
    for (int i = 0; i < 62; ++i) wide.bases.push_back(Word{1} << (61 - i));
    CHECK(register_permutation(wide, wide)->source.bases[61] == Word{1} << 61);
}

TEST_CASE("distinct_registers: each thread keeps each of its elements once, in the lowest register")
{
    laws::Random random(6);
    for (int trial = 0; trial < 400; ++trial) {
        const int registers = static_cast<int>(random.in(0, 5)), lanes = static_cast<int>(random.in(0, 2)),
                  warps = static_cast<int>(random.in(0, 1)), bits = static_cast<int>(random.in(1, 4));
        const LinearLayout layout = threads(random_bases(random, registers + lanes + warps, bits), registers, lanes, warps, bits);
        INFO(text(layout));
        const auto got = distinct_registers(layout);
        REQUIRE(got);
        REQUIRE(axe::linear::check(*got).ok());
        REQUIRE(got->out == layout.out);
        for (Word w = 0; w < Word{1} << warps; ++w)
            for (Word l = 0; l < Word{1} << lanes; ++l) {
                std::vector<Word> firsts; // each element where it is first met
                for (Word r = 0; r < Word{1} << registers; ++r) {
                    const Word x = element(layout, r, l, w);
                    if (std::find(firsts.begin(), firsts.end(), x) == firsts.end()) firsts.push_back(x);
                }
                REQUIRE(firsts.size() == std::size_t{1} << got->in[0].bits);
                for (Word r = 0; r < firsts.size(); ++r) REQUIRE(element(*got, r, l, w) == firsts[r]);
            }
    }
    // Other dimensions stay, repeating or not, wherever the registers are.
    CHECK(text(distinct_registers(line("lane=[1,1] register=[2,0,3,1,2,4] block=[2] -> dim0:8"))) ==
          "lane=[1,1] register=[2,3,4] block=[2] -> dim0:8");
    CHECK(text(distinct_registers(line("-> dim0:2"))) == "-> dim0:2");
    LinearLayout broken;
    broken.bases.push_back(0);
    refused(distinct_registers(broken), errc::size_mismatch, -1, "0 input bits need as many bases, got 1");
}
