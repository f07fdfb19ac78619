// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/shared_traffic.hpp>
#include <tests/unit/interop/linear/read.hpp>
#include <tests/unit/interop/linear/threads.hpp>

#include <algorithm>
#include <map>
#include <vector>

using namespace linear_tests;
using namespace axe::linear;
using axe::errc;

namespace {

LinearLayout memory(const Bases& bases) { return {{{"offset", bases.size()}}, {{"dim0", bases.size()}}, bases}; }

/// A bijection: offsets in an order that the bits of the tensor are sums of.
LinearLayout random_memory(laws::Random& random, int bits)
{
    Bases bases;
    std::set<Word> sums{0};
    while (bases.size() < bits) {
        const Word next = random.one_in(2) ? Word{1} << random.in(0, bits - 1) : random.next() & ((Word{1} << bits) - 1);
        if (sums.count(next) > 0) continue;
        bases.push_back(next);
        for (const Word s : std::set<Word>(sums)) sums.insert(s ^ next);
    }
    return memory(bases);
}

/// Every instruction of every warp, phase by phase and word by word.
SharedTraffic counted(const LinearLayout& registers, const LinearLayout& shared, int bytes, int vector)
{
    const int lanes = registers.in[1].bits, warps = registers.in[2].bits;
    std::map<Word, Word> offset_of;
    for (Word x = 0; x < Word{1} << shared.bases.size(); ++x) offset_of[apply(shared, x)] = x;
    const Word each = Word{1} << vector, moved = each * static_cast<Word>(bytes), most = moved <= 4 ? 32 : 128 / moved;
    SharedTraffic out;
    for (Word w = 0; w < Word{1} << warps; ++w) {
        std::set<Word> done; // of lane 0: the vectors that were moved
        for (Word r = 0; r < Word{1} << registers.in[0].bits; ++r) {
            if (!done.insert(offset_of.at(element(registers, r, 0, w)) / each).second) continue;
            ++out.requests;
            for (Word first = 0; first < Word{1} << lanes; first += most) {
                std::map<Word, std::set<Word>> words; // by bank
                for (Word l = first; l < std::min(first + most, Word{1} << lanes); ++l) {
                    const Word begin = offset_of.at(element(registers, r, l, w)) / each * moved;
                    for (Word byte = begin; byte < begin + moved; ++byte) words[byte / 4 % 32].insert(byte / 4);
                }
                std::size_t wavefronts = 0;
                for (const auto& bank : words) wavefronts = std::max(wavefronts, bank.second.size());
                ++out.phases;
                out.wavefronts += static_cast<std::int64_t>(wavefronts);
            }
        }
    }
    return out;
}

/// The longest vectors of at most 16 bytes that every thread has, wherever a multiple of their length begins.
int longest(const LinearLayout& registers, const LinearLayout& shared, int bytes)
{
    for (int v = shared.bases.size();; --v) {
        bool whole = v == 0 || (bytes << v) <= 16;
        for (Word l = 0; whole && l < Word{1} << registers.in[1].bits; ++l)
            for (Word w = 0; w < Word{1} << registers.in[2].bits; ++w) {
                const auto own = elements(registers, l, w);
                for (Word x = 0; x < Word{1} << shared.bases.size(); ++x) {
                    const Word first = x >> v << v;
                    if (own.count(apply(shared, x)) == 0) continue;
                    for (Word i = 0; i < Word{1} << v; ++i) whole = whole && own.count(apply(shared, first + i)) > 0;
                }
            }
        if (whole) return v;
    }
}

} // namespace

TEST_CASE("shared_traffic: instructions, phases and wavefronts, counted word by word")
{
    laws::Random random(21);
    int conflicts = 0, vectors = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const int bits = static_cast<int>(random.in(2, 9)), count = static_cast<int>(random.in(0, 4)),
                  lanes = static_cast<int>(random.in(0, 5)), warps = static_cast<int>(random.in(0, 1)),
                  bytes = 1 << random.in(0, 4);
        const LinearLayout shared = random_memory(random, bits);
        Bases bases = random_bases(random, count + lanes + warps, bits);
        for (Word& b : bases) // mostly one bit of the offset, as layouts have it
            if (!random.one_in(4)) b = shared.bases[static_cast<int>(random.in(0, bits - 1))];
        for (int i = 0; i < count && i < bits; ++i)
            if (random.one_in(2)) bases[i] = shared.bases[i];
        for (int i = count; i < count + lanes; ++i) // lanes that begin elsewhere in their vectors
            if (random.one_in(3)) bases[i] ^= shared.bases[static_cast<int>(random.in(0, 1))];
        const LinearLayout registers = threads(bases, count, lanes, warps, bits);
        INFO(text(registers) << ", " << text(shared) << ", " << bytes << " bytes");
        const auto most = vector_bits(registers, shared, bytes);
        REQUIRE(most);
        REQUIRE(*most == longest(registers, shared, bytes));
        for (int v = 0; v <= *most; ++v) {
            const auto got = shared_traffic(registers, shared, bytes, v);
            const SharedTraffic expected = counted(registers, shared, bytes, v);
            REQUIRE(got);
            INFO("2^" << v << " at once: " << got->requests << " " << got->phases << " " << got->wavefronts << ", counted "
                      << expected.requests << " " << expected.phases << " " << expected.wavefronts);
            REQUIRE(*got == expected);
            conflicts += got->wavefronts > got->phases;
            vectors += v > 0;
        }
        refused(shared_traffic(registers, shared, bytes, *most + 1), errc::bad_argument, -1,
                ("threads have vectors of at most 2^" + std::to_string(*most) + " elements, not 2^" + std::to_string(*most + 1))
                    .c_str());
    }
    CHECK(conflicts > 50);
    CHECK(vectors > 50);
}

TEST_CASE("vector_bits: at most 16 bytes, from one dimension of offsets")
{
    const LinearLayout registers = line("register=[1,2,4,8,16] lane=[32] -> dim0:64"), shared = memory({1, 2, 4, 8, 16, 32});
    for (const auto& [bytes, v] : {std::pair{1, 4}, {2, 3}, {4, 2}, {8, 1}, {16, 0}})
        CHECK(*vector_bits(registers, shared, bytes) == v);
    CHECK(*vector_bits(registers, memory({}), 1) == 0);
    CHECK(*vector_bits(registers, memory({32, 1, 2, 4, 8, 16}), 1) == 0);
    CHECK(*vector_bits(registers, line("offset=[1,2,32,4,8,16] block=[] -> dim0:64"), 1) == 2);

    refused(vector_bits(line("bank=[] -> dim0:64"), shared, 4), errc::unknown_axis, 0,
            "input dimension 0 is not register, lane, warp or block");
    refused(vector_bits(registers, line("offset=[1] block=[2] -> dim0:4"), 4), errc::unknown_axis, 1,
            "dimension 1 of shared memory is not the offset dimension");
    LinearLayout broken;
    broken.bases.push_back(0);
    refused(vector_bits(registers, broken, 4), errc::size_mismatch, -1, "0 input bits need as many bases, got 1");
    for (const int bytes : {-1, 0, 3, 12, 32})
        refused(vector_bits(registers, shared, bytes), errc::bad_argument, -1,
                ("elements must have 1, 2, 4, 8 or 16 bytes, got " + std::to_string(bytes)).c_str());
}

TEST_CASE("shared_traffic: refusals, and where they are")
{
    const LinearLayout registers = line("register=[1] lane=[2] -> dim0:4");
    refused(shared_traffic(registers, line("offset=[1,1] -> dim0:4"), 4, 0), errc::size_mismatch, 1,
            "the basis of offset bit 1 depends on those before it: the layout is not a bijection");
    refused(shared_traffic(registers, line("offset=[1,0] -> dim0:4"), 4, 0), errc::size_mismatch, 1,
            "the basis of offset bit 1 depends on those before it: the layout is not a bijection");
    refused(shared_traffic(registers, line("offset=[1] -> dim0:4"), 4, 0), errc::size_mismatch, -1,
            "shared memory has 2^1 elements, but the tensor in registers has 2^2");
    refused(shared_traffic(registers, line("offset=[1,2] -> dim1:4"), 4, 0), errc::size_mismatch, -1,
            "shared memory has 2^2 elements, but the tensor in registers has 2^2");
    refused(shared_traffic(registers, memory({1, 2}), 3, 0), errc::bad_argument, -1,
            "elements must have 1, 2, 4, 8 or 16 bytes, got 3");
    refused(shared_traffic(registers, memory({1, 2}), 4, -1), errc::bad_argument, -1,
            "threads have vectors of at most 2^1 elements, not 2^-1");
    refused(shared_traffic(line("lane=[0,0,0,0,0,0] -> dim0:1"), memory({}), 4, 0), errc::bad_argument, -1,
            "the bank rules cover warps of at most 32 lanes, got 2^6");
    // The rows of a warp in one bank: 32 wavefronts an instruction, and never more than there are bits of input.
    const auto far = [](int warps) {
        LinearLayout l{{{"lane", 5}, {"warp", warps}}, {{"dim0", 10}}, {}};
        for (int i = 0; i < 5 + warps; ++i) l.bases.push_back(i < 5 ? Word{32} << i : 0);
        return l;
    };
    const LinearLayout rows = memory({1, 2, 4, 8, 16, 32, 64, 128, 256, 512});
    CHECK(*shared_traffic(far(57), rows, 4, 0) ==
          SharedTraffic{std::int64_t{1} << 57, std::int64_t{1} << 57, std::int64_t{1} << 62});
    CHECK(*shared_traffic(far(22), rows, 4, 0) == SharedTraffic{1 << 22, 1 << 22, 1 << 27});
}
