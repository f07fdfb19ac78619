// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/thread_bases.hpp>
#include <tests/unit/interop/linear/read.hpp>
#include <tests/unit/interop/linear/threads.hpp>

using namespace linear_tests;
using namespace axe::linear::detail;
using axe::errc;
using axe::linear::LinearLayout;

TEST_CASE("read_threads: an element is the sum of what its register, lane and warp lead to, in any order of the dimensions")
{
    // The word of a register, lane and warp holds their bits where the text has them.
    struct Case {
        const char* text;
        int lowest[3]; // of register, lane and warp
    };
    const Case cases[] = {
        {"register=[1,2] lane=[4,9] warp=[16] -> dim0:32", {0, 2, 4}},
        {"warp=[16] lane=[4,9] register=[1,2] -> dim0:32", {3, 1, 0}},
        {"lane=[4,9] block=[] register=[1,2] warp=[16] -> dim0:32", {2, 0, 4}},
        {"lane=[4,9] register=[1,2] -> dim0:32", {2, 0, 4}},
        {"warp=[16] -> dim0:32", {1, 1, 0}},
    };
    for (const Case& c : cases) {
        INFO(c.text);
        const LinearLayout layout = line(c.text);
        ThreadBases t;
        REQUIRE(read_threads(layout, t).ok());
        CHECK(t.registers.size() + t.lanes.size() + t.warps.size() == layout.bases.size());
        for (Word r = 0; r < Word{1} << t.registers.size(); ++r)
            for (Word l = 0; l < Word{1} << t.lanes.size(); ++l)
                for (Word w = 0; w < Word{1} << t.warps.size(); ++w)
                    REQUIRE((sum_of(t.registers, r) ^ sum_of(t.lanes, l) ^ sum_of(t.warps, w)) ==
                            apply(layout, r << c.lowest[0] | l << c.lowest[1] | w << c.lowest[2]));
    }
    ThreadBases none;
    CHECK(read_threads(line("-> dim0:4"), none).ok());
    CHECK((none.registers.empty() && none.lanes.empty() && none.warps.empty()));
}

TEST_CASE("read_threads: refusals")
{
    ThreadBases t;
    refused(read_threads(line("register=[1] bank=[] -> dim0:2"), t), errc::unknown_axis, 1,
            "input dimension 1 is not register, lane, warp or block");
    refused(read_threads(line("lane=[1] warp=[] block=[1,0] -> dim0:2"), t), errc::bad_argument, 2,
            "elements move within a block; the layout has 2 block bits");
    LinearLayout broken;
    broken.bases.push_back(0);
    refused(read_threads(broken, t), errc::size_mismatch, -1, "0 input bits need as many bases, got 1");
}

TEST_CASE("read_pair: two layouts of one tensor and the same threads")
{
    const LinearLayout from = line("register=[1] lane=[2] warp=[4] -> dim0:8"),
                       to = line("warp=[1] lane=[4] register=[2,4] -> dim0:8");
    ThreadBases a, b;
    REQUIRE(read_pair(from, to, a, b).ok());
    CHECK(a.registers == Words{1});
    CHECK(a.lanes == Words{2});
    CHECK(a.warps == Words{4});
    CHECK(b.registers == Words{2, 4});
    CHECK(b.lanes == Words{4});
    CHECK(b.warps == Words{1});

    const auto pair = [](const char* one, const char* other) {
        ThreadBases x, y;
        return read_pair(line(one), line(other), x, y);
    };
    const char* fine = "register=[1] lane=[2] warp=[4] -> dim0:8";
    refused(pair(fine, "register=[1] lane=[2] warp=[4] -> dim0:16"), errc::size_mismatch, -1,
            "the layouts are of different tensors");
    refused(pair(fine, "register=[1] lane=[2] warp=[4] -> dim1:8"), errc::size_mismatch, -1,
            "the layouts are of different tensors");
    refused(pair(fine, "register=[1] lane=[2,4] warp=[4] -> dim0:8"), errc::size_mismatch, -1,
            "the layouts have 2^2 and 2^3 threads, or split them into different warps");
    refused(pair(fine, "register=[1] lane=[2,4] warp=[] -> dim0:8"), errc::size_mismatch, -1,
            "the layouts have 2^2 and 2^2 threads, or split them into different warps");
    refused(pair(fine, "register=[1] lane=[2] warp=[4,1] -> dim0:8"), errc::size_mismatch, -1,
            "the layouts have 2^2 and 2^3 threads, or split them into different warps");
    // The first of both is named first.
    CHECK(pair("x=[1] -> dim0:8", "block=[1] -> dim0:8").code() == errc::unknown_axis);
    CHECK(pair(fine, "block=[1] -> dim0:8").code() == errc::bad_argument);
}

TEST_CASE("insert_all, contains and size_of: sums of words, by enumeration")
{
    laws::Random random(11);
    for (int trial = 0; trial < 200; ++trial) {
        const int bits = static_cast<int>(random.in(1, 6)), count = static_cast<int>(random.in(0, 7));
        const Words words = random_bases(random, count, bits);
        std::set<Word> sums;
        for (Word which = 0; which < Word{1} << count; ++which) {
            Word sum = 0;
            for (int i = 0; i < count; ++i) sum ^= (which >> i & 1) != 0 ? words[i] : 0;
            REQUIRE(sum_of(words, which) == sum);
            sums.insert(sum);
        }
        const int tag = static_cast<int>(random.in(0, 3));
        Echelon e, untagged;
        insert_all(e, words, tag);
        insert_all(untagged, words, -1);
        CHECK(sums.size() == std::size_t{1} << size_of(e));
        CHECK(untagged.pivots == e.pivots);
        for (Word word = 0; word < Word{1} << bits; ++word) {
            REQUIRE(contains(e, word) == (sums.count(word) > 0));
            Word of = 0, nothing = 0;
            const Word left = e.reduce(word, of);
            REQUIRE((word ^ left) == sum_of(words, of >> tag)); // bit tag + i stands for word i
            REQUIRE((of & ((Word{1} << tag) - 1)) == 0);
            REQUIRE(untagged.reduce(word, nothing) == left);
            REQUIRE(nothing == 0);
        }
    }
}

TEST_CASE("insert: a word that is there says what sum gives 0")
{
    laws::Random random(12);
    for (int trial = 0; trial < 200; ++trial) {
        const Words words = random_bases(random, 6, 4);
        Echelon e;
        for (int i = 0; i < words.size(); ++i) {
            const bool there = contains(e, words[i]);
            const int before = size_of(e);
            Word of = Word{1} << i;
            const Word left = insert(e, words[i], of);
            REQUIRE((left == 0) == there);
            REQUIRE(size_of(e) == before + (there ? 0 : 1));
            REQUIRE(sum_of(words, of) == left);
            REQUIRE((of >> i) == 1); // of itself and of those before it
        }
    }
}
