// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/conversion.hpp>
#include <axe/interop/linear/convert_back.hpp>
#include <axe/interop/linear/encodings/blocked.hpp>
#include <axe/interop/linear/encodings/dot_operand.hpp>
#include <axe/interop/linear/encodings/mma.hpp>
#include <axe/interop/linear/encodings/swizzled_shared.hpp>
#include <axe/kernels.hpp>
#include <catch.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/arrays.hpp>

#include <algorithm>
#include <string>

/// What optimal_swizzle promises, held against what the simulator counts in a kernel that goes that way; examples; refusals.
namespace {

using namespace axe;
using namespace axe::linear;
using Int = std::int64_t;

LinearLayout blocked(const Shape& tensor, const Shape& each, const Shape& lanes, const Shape& warps, const Shape& order = {1, 0})
{
    return to_linear_layout(BlockedEncoding{each, lanes, warps, order, {}}, tensor).value();
}

/// The same elements in other registers: those that are moved at once beside each other, as instructions want them.
LinearLayout by_vector(const LinearLayout& layout, const OptimalSwizzle& way)
{
    LinearLayout out = layout;
    out.bases.clear();
    linear::detail::Echelon taken;
    for (int i = 0; (1 << i) < way.vector; ++i)
        if (taken.add(way.shared.bases[i], 0)) out.bases.push_back(way.shared.bases[i]);
    for (int i = 0; i < layout.bases.size(); ++i)
        if (i >= layout.in[0].bits || taken.add(layout.bases[i], 0)) out.bases.push_back(layout.bases[i]);
    CHECK(reach_of(layout, out).value() <= Reach::registers);
    return out;
}

/// One block: global → registers as `from` → shared → registers as `to` → global. What shared memory counted.
sim::MemoryCount run_through(const LinearLayout& from, const LinearLayout& to, const Swizzled<Layout>& shared, DType type)
{
    const Shape tensor = shape_of(from);
    const auto warps = static_cast<int>(Int{1} << from.in[index_of(from.in, "warp")].bits);
    Kernel k("convert", machines::sm80);
    const auto in = k.input("in", tensor, type), out = k.output("out", tensor, type);
    k.cta(
        tiles(in, tensor),
        [&](Scope cta, const Tile&) {
            const auto a = cta.alloc("reg", tensor, type, to_layout(from).value(), "a");
            const auto b = cta.alloc("reg", tensor, type, to_layout(to).value(), "b");
            const auto s = cta.alloc("smem", tensor, type, shared, "s");
            cta.copy(a, in).copy(s, a).sync();
            cta.copy(b, s).copy(out, b);
        },
        warps);
    const auto program = required(k.program());
    for (const Problem& p : validate(*program)) FAIL(p.text);
    const auto lowered = required(lower(*program));
    laws::Random random(5);
    Bindings inputs;
    inputs.set("in", arrays::random(tensor, type, random));
    const auto report = without_fault(sim::run(lowered->program, inputs));
    const auto verified = verify(*program, inputs, report->outputs);
    REQUIRE(verified);
    REQUIRE(verified->ok());
    return report->total.memories.at("smem");
}

} // namespace

TEST_CASE("optimal_swizzle: the simulator counts the wavefronts that it promises")
{
    struct Case {
        const char* what;
        DType type;
        LinearLayout from, to;
        Int vector, wavefronts; ///< elements; of the store and the load together
        Int row_major;          ///< with rows after each other, each side as wide as it can be; 0: not looked at
    };
    const MmaEncoding mma{2, {4, 1}, {16, 8}, {}};
    const Shape square{32, 32}, wide{64, 64};
    // An f32 tensor of 32×32 is 32 wavefronts a way at the least: 128 bytes each.
    const Case cases[] = {
        {"rows to columns, a warp", DType::f32, blocked(square, {1, 1}, {1, 32}, {1, 1}), blocked(square, {1, 1}, {32, 1}, {1, 1}),
         1, 64, 32 + 8 * 4 * 8}, // loads of 4 elements, each phase 8 rows in one bank
        {"rows to columns, four warps", DType::f32, blocked(square, {1, 1}, {1, 32}, {4, 1}),
         blocked(square, {1, 1}, {32, 1}, {1, 4}, {0, 1}), 1, 64, 32 + 32 * 32},
        {"rows of 4 to columns of 4", DType::f32, blocked(square, {4, 4}, {4, 8}, {1, 1}),
         blocked(square, {4, 4}, {8, 4}, {1, 1}, {0, 1}), 4, 64, 0},
        {"f16 rows to fragments", DType::f16, blocked(wide, {1, 8}, {4, 8}, {4, 1}), to_linear_layout(mma, wide).value(), 2,
         64 + 64, 0},
        {"f64 rows to columns", DType::f64, blocked(square, {1, 1}, {1, 32}, {2, 1}),
         blocked(square, {1, 1}, {32, 1}, {1, 2}, {0, 1}), 1, 128, 64 + 32 * 32},
    };
    for (const Case& c : cases) {
        INFO(c.what);
        const int bytes = static_cast<int>(storage_bytes(c.type));
        const auto best = optimal_swizzle(c.from, c.to, bytes);
        REQUIRE(best);
        CHECK(best->vector == c.vector);
        CHECK(best->store.wavefronts + best->load.wavefronts == c.wavefronts);
        const auto shared = to_swizzled(best->shared, bytes);
        INFO(shared.error().message().c_str());
        REQUIRE(shared);
        const sim::MemoryCount count = run_through(by_vector(c.from, *best), by_vector(c.to, *best), *shared, c.type);
        CHECK(count.wavefronts == c.wavefronts);
        CHECK(count.requests == best->store.requests + best->load.requests);
        CHECK(count.bytes_read == count.bytes_written);

        if (c.row_major == 0) continue;
        const auto rows = to_linear_layout(SwizzledSharedEncoding{1, 1, 1, {1, 0}, {}}, shape_of(c.from)).value();
        Int sum = 0;
        for (const LinearLayout* side : {&c.from, &c.to}) // each as wide as it can be
            sum += shared_traffic(*side, rows, bytes, *vector_bits(*side, rows, bytes))->wavefronts;
        CHECK(sum == c.row_major);
        CHECK(run_through(c.from, c.to, to_swizzled(rows, bytes).value(), c.type).wavefronts == c.row_major);
    }
}

TEST_CASE("optimal_swizzle: the simulator counts as many wavefronts as 128 bytes ask for, from each layout to each other")
{
    // No way with these vectors has fewer: the whole tensor is moved once each way (there are no copies among the threads here), and a
    // wavefront serves 128 bytes, or one request where that has less. So it is the minimum over all bijections whatever. A side that
    // happens to have wider vectors than both have in common is moved by those, and then counts fewer.
    const Shape square{32, 32};
    const LinearLayout layouts[] = {
        blocked(square, {1, 1}, {1, 32}, {4, 1}), blocked(square, {1, 1}, {32, 1}, {1, 4}, {0, 1}),
        blocked(square, {1, 4}, {4, 8}, {4, 1}),  blocked(square, {4, 1}, {8, 4}, {1, 4}, {0, 1}),
        blocked(square, {2, 2}, {8, 4}, {2, 2}),  to_linear_layout(MmaEncoding{2, {2, 2}, {16, 8}, {}}, square).value(),
    };
    int wide = 0, narrow = 0, exact = 0;
    for (const DType type : {DType::f16, DType::f32, DType::f64}) {
        const int bytes = static_cast<int>(storage_bytes(type));
        for (const LinearLayout& from : layouts)
            for (const LinearLayout& to : layouts) {
                const auto best = optimal_swizzle(from, to, bytes);
                REQUIRE(best);
                const int each = best->vector * bytes; // of a lane; below 4 bytes the 32 lanes of a request have less than 128
                const Int least = Int{2} * 1024 * bytes / (each < 4 ? 32 * each : 128);
                CHECK(best->store.wavefronts + best->load.wavefronts == least);
                ++(each > 4 ? wide : narrow);
                const auto shared = to_swizzled(best->shared, bytes);
                if (!shared) continue; // a bijection with two twists or more is not a layout of this library
                const sim::MemoryCount count = run_through(by_vector(from, *best), by_vector(to, *best), *shared, type);
                const auto widest = [&](const LinearLayout& side) { return 1 << *vector_bits(side, best->shared, bytes); };
                if (widest(from) > best->vector || widest(to) > best->vector) {
                    CHECK(count.wavefronts <= least);
                    continue;
                }
                ++exact;
                REQUIRE(count.wavefronts == least);
                REQUIRE(count.requests <= best->store.requests + best->load.requests); // ldmatrix has four at once
            }
    }
    CHECK(wide > 10);
    CHECK(narrow > 10);
    CHECK(exact > 20);
}

TEST_CASE("optimal_swizzle: no other segment has fewer wavefronts, each one run and counted")
{
    // Where the tensor has 256 bytes one basis of the offsets is above the banks, and it alone decides about conflicts: the others can
    // be any that complete it. Each of those that there are is run; with rows against columns some have conflicts.
    struct Case {
        DType type;
        Shape tensor;
        LinearLayout from, to;
    };
    const Shape words{2, 32}, halves{2, 64};
    const Case cases[] = {
        {DType::f32, words, blocked(words, {1, 1}, {1, 32}, {1, 1}), blocked(words, {1, 1}, {2, 16}, {1, 1}, {0, 1})},
        {DType::f32, {8, 8}, blocked({8, 8}, {1, 1}, {4, 8}, {1, 1}), blocked({8, 8}, {1, 1}, {8, 4}, {1, 1}, {0, 1})},
        {DType::f16, halves, blocked(halves, {1, 2}, {1, 32}, {1, 1}), blocked(halves, {2, 1}, {1, 32}, {1, 1})}};
    for (const Case& c : cases) {
        const int bytes = static_cast<int>(storage_bytes(c.type)), bits = bits_of(c.from.out);
        const OptimalSwizzle best = optimal_swizzle(c.from, c.to, bytes).value();
        Int least = 0, most = 0;
        int run = 0;
        for (std::uint64_t segment = 1; segment < std::uint64_t{1} << bits; ++segment) {
            OptimalSwizzle other = best;
            linear::detail::Echelon taken;
            taken.add(segment, 0);
            other.shared.bases.clear();
            for (int i = 0; i < bits; ++i)
                if (taken.add(std::uint64_t{1} << i, 0)) other.shared.bases.push_back(std::uint64_t{1} << i);
            other.shared.bases.push_back(segment);
            other.vector = 1;
            const auto shared = to_swizzled(other.shared, bytes);
            if (!shared) continue;
            const Int counted = run_through(c.from, c.to, *shared, c.type).wavefronts;
            least = run == 0 ? counted : std::min(least, counted);
            most = std::max(most, counted);
            ++run;
        }
        INFO(run << " segments, " << least << " to " << most << " wavefronts");
        CHECK(run >= 20);
        CHECK(most > least); // there was something to choose
        CHECK(best.store.wavefronts + best.load.wavefronts <= least);
    }
}

TEST_CASE("optimal_swizzle: a transposition by hand")
{
    // Rows to columns of 32×32 words: lanes are columns, then rows; banks are rows XOR columns. The widest common vector is one word.
    const LinearLayout from = blocked({32, 32}, {1, 1}, {1, 32}, {1, 1}), to = blocked({32, 32}, {1, 1}, {32, 1}, {1, 1});
    const OptimalSwizzle way = optimal_swizzle(from, to, 4).value();
    CHECK(way.vector == 1);
    CHECK(way.store == SharedTraffic{32, 32, 32});
    CHECK(way.load == SharedTraffic{32, 32, 32});
    for (int i = 0; i < 5; ++i) {
        CHECK(way.shared.bases[i] == std::uint64_t{1} << i);      // rows: dim0
        CHECK(way.shared.bases[5 + i] == std::uint64_t{33} << i); // a column, and the row of its number
    }
    // Half words: two of them are in a bank at once.
    CHECK(optimal_swizzle(from, to, 2)->load == SharedTraffic{32, 32, 32});
    // One layout: its own registers, 16 bytes per access; four phases an instruction.
    const LinearLayout rows = blocked({32, 32}, {1, 8}, {8, 4}, {1, 1});
    CHECK(optimal_swizzle(rows, rows, 2)->vector == 8);
    CHECK(optimal_swizzle(rows, rows, 2)->store == SharedTraffic{4, 16, 16});
    CHECK(optimal_swizzle(rows, rows, 4)->vector == 4);
    // The vector is of registers of the first layout, as they are, where it can be.
    LinearLayout sums = rows;
    sums.bases[0] = rows.bases[0] ^ rows.bases[1];
    for (int i = 0; i < 2; ++i) CHECK(optimal_swizzle(rows, sums, 4)->shared.bases[i] == rows.bases[i]);
    CHECK(optimal_swizzle(rows, rows, 16)->vector == 1);
    CHECK(optimal_swizzle(rows, rows, 16)->store == SharedTraffic{32, 128, 128});
    static_assert(
        optimal_swizzle(LinearLayout{{{"register", 1}}, {{"dim0", 1}}, {1}}, LinearLayout{{{"register", 1}}, {{"dim0", 1}}, {1}}, 4)
            ->vector == 2);
}

TEST_CASE("optimal_swizzle and shared_traffic: refusals")
{
    const auto sentence = [](const auto& result) { return std::string(result.error().message().c_str()); };
    const LinearLayout rows = blocked({32, 32}, {1, 1}, {1, 32}, {1, 1}), half = blocked({32, 16}, {1, 1}, {2, 16}, {1, 1});
    CHECK(sentence(optimal_swizzle(rows, half, 4)) == "the layouts are of different tensors");
    CHECK(sentence(optimal_swizzle(rows, rows, 3)) == "elements must have 1, 2, 4, 8 or 16 bytes, got 3");
    CHECK(sentence(optimal_swizzle(rows, rows, 32)) == "elements must have 1, 2, 4, 8 or 16 bytes, got 32");
    CHECK(sentence(optimal_swizzle(rows, rows, 0)) == "elements must have 1, 2, 4, 8 or 16 bytes, got 0");
    const LinearLayout wave = blocked({32, 32}, {1, 1}, {2, 32}, {1, 1});
    CHECK(sentence(optimal_swizzle(wave, wave, 4)) == "the bank rules cover warps of at most 32 lanes, got 2^6");
    LinearLayout part = rows;
    part.bases[0] = 0;
    CHECK(sentence(optimal_swizzle(rows, part, 4)) == "the threads have 2^9 of the tensor's 2^10 elements");
    CHECK(optimal_swizzle(rows, part, 4).error().position == 1);
    CHECK(optimal_swizzle(part, rows, 4).error().position == 0);
    CHECK(optimal_swizzle(part, rows, 4).code() == errc::no_layout);
    const LinearLayout two = to_linear_layout(BlockedEncoding{{1, 1}, {1, 32}, {1, 1}, {1, 0}, {{1, 0}}}, {32, 32}).value();
    CHECK(sentence(optimal_swizzle(two, two, 4)) == "elements move within a block; the layout has 1 block bits");

    LinearLayout shared = to_linear_layout(SwizzledSharedEncoding{1, 1, 1, {1, 0}, {}}, {32, 32}).value();
    CHECK(shared_traffic(rows, shared, 4, 0).value() == SharedTraffic{32, 32, 32});
    CHECK(sentence(shared_traffic(rows, shared, 4, 1)) == "threads have vectors of at most 2^0 elements, not 2^1");
    CHECK(sentence(shared_traffic(rows, shared, 4, -1)) == "threads have vectors of at most 2^0 elements, not 2^-1");
    CHECK(sentence(shared_traffic(rows, shared, 5, 0)) == "elements must have 1, 2, 4, 8 or 16 bytes, got 5");
    CHECK(sentence(shared_traffic(half, shared, 4, 0)) == "shared memory has 2^10 elements, but the tensor in registers has 2^9");
    CHECK(sentence(shared_traffic(wave, shared, 4, 0)) == "the bank rules cover warps of at most 32 lanes, got 2^6");
    LinearLayout halves = shared;
    halves.in = {{"offset", 9}, {"block", 1}};
    CHECK(sentence(shared_traffic(rows, halves, 4, 0)) == "dimension 1 of shared memory is not the offset dimension");
    shared.bases[3] = shared.bases[0];
    CHECK(sentence(shared_traffic(rows, shared, 4, 0)) ==
          "the basis of offset bit 3 depends on those before it: the layout is not a bijection");
    LinearLayout odd = rows;
    odd.in[2].name = Axis{"wave"};
    CHECK(sentence(vector_bits(odd, shared, 4)) == "input dimension 2 is not register, lane, warp or block");
    // 2^62 warps' worth of registers: more than can be counted.
    LinearLayout many;
    many.in = {{"register", 10}, {"warp", 52}};
    many.out = rows.out;
    for (int i = 0; i < 62; ++i) many.bases.push_back(i < 10 ? std::uint64_t{1} << i : 0);
    CHECK(shared_traffic(many, optimal_swizzle(rows, rows, 4)->shared, 4, 0)->requests == std::int64_t{1} << 62);
}
