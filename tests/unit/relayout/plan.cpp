// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/relayout/kernels/select.hpp>
#include <axe/relayout/relayout.hpp>
#include <catch.hpp>
#include <tests/relayout_values.hpp>

#include <algorithm>
#include <numeric>
#include <thread>

namespace {

using namespace axe::literals;
using axe::DType;
using axe::errc;
using axe::Layout;
using axe::RelayoutOptions;
using axe::RelayoutSide;
using axe::Shape;
using axe::detail::InstructionSet;
using Int = std::int64_t;

void refused(const RelayoutSide& to, const RelayoutSide& from, const Shape& shape, errc code, const char* sentence,
             const RelayoutOptions& options = {})
{
    const auto plan = axe::plan_relayout(to, from, shape, options);
    CHECK_FALSE(plan);
    CHECK(plan.error().code == code);
    CHECK(plan.error().text == sentence);
}

RelayoutOptions of_bits(int bits)
{
    RelayoutOptions o;
    o.bits = bits;
    return o;
}

/// A copy of random bytes compared with the definition, under each set of instructions, with and without stores past the caches.
void copies(const RelayoutSide& to, const RelayoutSide& from, const Shape& shape, DType type)
{
    using Streaming = RelayoutOptions::Streaming;
    for (const InstructionSet set :
         {InstructionSet::portable, InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512, InstructionSet::neon}) {
        if (!axe::detail::runs_here(set)) continue;
        for (const Streaming streaming : {Streaming::never, Streaming::always}) {
            laws::Random r(5);
            relayout_values::Finishing f{type, type};
            RelayoutOptions o = f.options();
            o.instructions = set;
            o.streaming = streaming;
            CAPTURE(static_cast<int>(set), streaming == Streaming::always);
            CHECK(relayout_values::wrong(r, to, from, shape, f, o, 3) == "");
        }
    }
}

Layout layout_of(std::initializer_list<std::pair<Int, Int>> iters)
{
    Layout l;
    for (const auto& [extent, stride] : iters) l.shard.push_back({extent, stride});
    return l;
}

} // namespace

TEST_CASE("relayout plan: every set of instructions, every width, with and without streaming stores")
{
    for (const DType type : {DType::i8, DType::f16, DType::f32, DType::f64}) {
        CAPTURE(axe::name(type));
        const Int n = 256, m = 192; // whole lines of 64 bytes
        copies(layout_of({{m, 1}, {n, m}}), layout_of({{m, n}, {n, 1}}), {m, n}, type);
        copies(layout_of({{67, 1}, {131, 67}}), layout_of({{67, 131}, {131, 1}}), {67, 131}, type);
        copies(layout_of({{37, 128}, {100, 1}}), layout_of({{37, 101}, {100, 1}}), {37, 100}, type);
        copies(layout_of({{37, 300}, {100, 3}}), layout_of({{37, 1}, {100, 41}}), {37, 100}, type);
        copies(layout_of({{6, 64}, {64, 1}}), layout_of({{6, 3}, {64, 0}}), {6, 64}, type);
    }
}

TEST_CASE("relayout plan: long rows that begin within lines, short ones side by side, in any number of parts")
{
    const auto transposes = [](std::size_t rows, std::size_t columns, std::size_t gap, auto zero, axe::detail::CopyKind kind) {
        using T = decltype(zero);
        const std::size_t pitch = rows + gap;
        std::vector<T> in(rows * columns);
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(i * 7 + i / 251);
        std::vector<T> expected(pitch * columns, T{5});
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t k = 0; k < columns; ++k) expected[i + pitch * k] = in[columns * i + k];
        const auto m = static_cast<Int>(rows), n = static_cast<Int>(columns);
        for (const InstructionSet set :
             {InstructionSet::portable, InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512, InstructionSet::neon}) {
            if (!axe::detail::runs_here(set)) continue;
            RelayoutOptions o = of_bits(8 * static_cast<int>(sizeof(T)));
            o.instructions = set;
            const auto plan =
                axe::plan_relayout(layout_of({{m, 1}, {n, static_cast<Int>(pitch)}}), layout_of({{m, n}, {n, 1}}), {m, n}, o)
                    .value();
            CHECK(plan.parts().pieces.at(0).kind == kind);
            for (const int tasks : {1, 3, 7}) {
                // Neither side at the beginning of a line.
                std::vector<T> source(in.size() + 1), out(expected.size() + 3, T{5});
                std::copy(in.begin(), in.end(), source.begin() + 1);
                const std::size_t out_bytes = (expected.size() - gap) * sizeof(T), in_bytes = in.size() * sizeof(T);
                const axe::Result<void, axe::Problem> p =
                    plan.run(out.data() + 3, out_bytes, source.data() + 1, in_bytes, tasks, [](int count, const auto& f) {
                        for (int t = count; t-- > 0;) f(t);
                    });
                CHECK(p.error().text == "");
                CHECK(std::equal(expected.begin(), expected.end(), out.begin() + 3));
            }
        }
    };
    using axe::detail::CopyKind;
    const auto each_width = [&](std::size_t rows, std::size_t columns, std::size_t gap, CopyKind kind) {
        CAPTURE(rows, columns, gap);
        // What fills a line is a transpose.
        const auto kind_of = [&](std::size_t width) { return std::min(rows, columns) * width >= 64 ? CopyKind::blocks : kind; };
        transposes(rows, columns, gap, std::uint8_t{}, kind_of(1));
        transposes(rows, columns, gap, std::uint16_t{}, kind_of(2));
        transposes(rows, columns, gap, std::uint32_t{}, kind_of(4));
        transposes(rows, columns, gap, std::uint64_t{}, kind_of(8));
    };
    each_width(1031, 33, 0, CopyKind::blocks);
    each_width(1031, 67, 6, CopyKind::blocks);
    each_width(301, 129, 5, CopyKind::blocks);
    each_width(2, 40009, 0, CopyKind::zip);
    each_width(3, 9001, 0, CopyKind::zip);
    each_width(4, 9001, 0, CopyKind::zip);
    each_width(7, 1001, 0, CopyKind::zip);
    each_width(8, 17, 0, CopyKind::zip);
    each_width(16, 3001, 0, CopyKind::zip);
    each_width(40009, 2, 0, CopyKind::unzip);
    each_width(9001, 3, 5, CopyKind::unzip);
    each_width(9001, 4, 7, CopyKind::unzip);
    each_width(1001, 5, 0, CopyKind::unzip);
    each_width(17, 8, 0, CopyKind::unzip);
    each_width(3001, 16, 1, CopyKind::unzip);
}

TEST_CASE("relayout plan: elements of sixteen bytes")
{
    struct Wide {
        std::uint64_t low, high;
    };
    std::vector<Wide> in(12 * 7), out(12 * 7);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = {i, ~i};
    const std::size_t bytes = in.size() * sizeof(Wide);
    CHECK(axe::relayout(out.data(), bytes, "(12,7):(1,12)"_axe, in.data(), bytes, "(12,7):(7,1)"_axe, {12, 7}, of_bits(128)).ok());
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j < 7; ++j) CHECK((out[i + 12 * j].low == 7 * i + j && out[i + 12 * j].high == ~(7 * i + j)));
}

TEST_CASE("relayout plan: a tensor without dimensions, and one of sixteen")
{
    const float in = 3;
    float out = 0;
    CHECK(axe::relayout(&out, 4, Layout{}, &in, 4, Layout{}, {}).ok());
    CHECK(out == 3);
    Layout up, down;
    Shape shape;
    for (int d = 0; d < 16; ++d) {
        shape.push_back(d % 5 == 0 ? 3 : d % 2 + 1);
        up.shard.push_back({shape[d], 1});
    }
    down = up;
    Int n = 1;
    for (int d = 0; d < 16; ++d, n *= shape[d - 1]) up.shard[d].stride = n;
    n = 1;
    for (int d = 15; d >= 0; --d) {
        down.shard[d].stride = n;
        n *= shape[d];
    }
    copies(up, down, shape, DType::f32);
}

TEST_CASE("relayout plan: a memory of partitions with a pitch")
{
    RelayoutSide sbuf = "(8,5,3):(1@P,3@F,1@F) + 2@F"_axe;
    sbuf.pitches.push_back({"P", 32});
    sbuf.pitches.push_back({"F", 1});
    copies(sbuf, "(8,15):(1,8)"_axe, {8, 15}, DType::f32);
    copies("(8,15):(1,8)"_axe, sbuf, {8, 15}, DType::f16);
    RelayoutSide swizzled = axe::Swizzled<Layout>{{2, 4, 2}, "F", 4, "(8,64):(1@P,1@F)"_axe};
    swizzled.pitches.push_back({"P", 128});
    swizzled.pitches.push_back({"F", 1});
    copies(swizzled, "(8,64):(1,8)"_axe, {8, 64}, DType::f32);
    copies("(8,64):(64,1)"_axe, swizzled, {8, 64}, DType::f32);
}

TEST_CASE("relayout plan: the padding is written with the constant, or left alone")
{
    std::vector<std::uint16_t> in(3 * 5), out(4 * 8);
    std::iota(in.begin(), in.end(), std::uint16_t{1});
    RelayoutSide to("(4,8):(8,1)"_axe, {4, 8});
    const auto run = [&](std::optional<std::uint64_t> padding) {
        std::fill(out.begin(), out.end(), std::uint16_t{0xaaaa});
        RelayoutOptions o = of_bits(16);
        o.padding = padding;
        CHECK(axe::relayout(out.data(), 64, to, in.data(), 30, "(3,5):(5,1)"_axe, {3, 5}, o).error().text == "");
    };
    for (const std::optional<std::uint64_t> padding : {std::optional<std::uint64_t>{}, {0}, {0x1234}}) {
        run(padding);
        const auto outside = static_cast<std::uint16_t>(padding.value_or(0xaaaa));
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 8; ++j) CHECK(out[8 * i + j] == (i < 3 && j < 5 ? in[5 * i + j] : outside));
    }
    // Without a constant, a padded destination ends where the tensor does.
    CHECK(axe::plan_relayout(to, "(3,5):(5,1)"_axe, {3, 5}, of_bits(16))->parts().to.most == 2 * (2 * 8 + 4) + 1);
    // Each element of the padding belongs to one piece: tasks do not meet there.
    RelayoutOptions constant = of_bits(16);
    constant.padding = 7;
    Int filled = 0;
    const auto padded = axe::plan_relayout(to, "(3,5):(5,1)"_axe, {3, 5}, constant).value();
    for (const auto& piece : padded.parts().pieces) {
        Int n = piece.kind == axe::detail::CopyKind::strided ? piece.inner.extent : (piece.run << piece.log2_width) / 2;
        for (const auto& l : piece.outer) n *= l.extent;
        filled += piece.fills ? n : 0;
    }
    CHECK(filled == 4 * 8 - 3 * 5);
    // A padded source is read where the tensor is.
    RelayoutSide from("(4,8):(8,1)"_axe, {4, 8});
    std::vector<std::uint16_t> back(15);
    run(7);
    CHECK(axe::relayout(back.data(), 30, "(3,5):(5,1)"_axe, out.data(), 2 * 21, from, {3, 5}, of_bits(16)).error().text == "");
    CHECK(back == in);
}

TEST_CASE("relayout plan: sizes of 2^60 are planned without a step on the way overflowing")
{
    constexpr Int large = Int{1} << 60;
    for (const Layout& source :
         {layout_of({{2, 0}, {large, 1}}), layout_of({{2, large}, {large, 1}}), layout_of({{2, 1}, {large, 2}}),
          layout_of({{2, 0}, {large, 7}}), layout_of({{2, 0}, {large, -7}})}) {
        const auto plan = axe::plan_relayout(layout_of({{2, large}, {large, 1}}), source, {2, large}, of_bits(8));
        REQUIRE(plan);
        CHECK(plan->elements() == 2 * large);
        CHECK(plan->parts().to.most == 2 * large - 1);
    }
    const Int prime = (Int{1} << 61) - 1;
    const auto plan = axe::plan_relayout(layout_of({{prime, -1}}), layout_of({{prime, 1}}), {prime}, of_bits(8));
    REQUIRE(plan);
    CHECK(plan->parts().to.least == 1 - prime);
    unsigned char byte = 0;
    CHECK(plan->run(&byte, 1, &byte, 1).error().text ==
          "destination: the layout covers byte -2305843009213693950 to byte 0, but the buffer has 1 byte");
}

TEST_CASE("relayout plan: errors of the shape and of sides that do not fit it")
{
    refused("6:1"_axe, "6:1"_axe, {0, 6}, errc::bad_extent, "dimension 0 of the shape is 0; it must be at least 1");
    refused("6:1"_axe, "6:1"_axe, {6, -1}, errc::bad_extent, "dimension 1 of the shape is -1; it must be at least 1");
    refused("6:1"_axe, "7:1"_axe, {7}, errc::size_mismatch, "destination: the layout has 6 elements, its shape 7");
    refused("7:1"_axe, "6:1"_axe, {7}, errc::size_mismatch, "source: the layout has 6 elements, its shape 7");
    refused(Layout{}, "7:1"_axe, {7}, errc::size_mismatch, "destination: the layout has 1 element, its shape 7");
    refused(RelayoutSide("8:1"_axe, {2, 4}), "7:1"_axe, {7}, errc::rank_mismatch,
            "destination: its shape has 2 dimensions, the tensor 1");
    refused("(2,4):(4,1)"_axe, RelayoutSide("(2,3):(3,1)"_axe, {2, 3}), {2, 4}, errc::bad_extent,
            "source: dimension 1 of its shape is 3, that of the tensor 4: it does not fit");
    refused("8:1"_axe, RelayoutSide("8:1"_axe, {-8}), {8}, errc::bad_extent,
            "source: dimension 0 of the shape is -8; it must be at least 1");
}

TEST_CASE("relayout plan: instructions that this processor lacks")
{
    for (const auto& [set, name] : {std::pair{InstructionSet::sse2, "sse2"},
                                    {InstructionSet::avx2, "avx2"},
                                    {InstructionSet::avx512, "avx512"},
                                    {InstructionSet::neon, "neon"}}) {
        if (axe::detail::runs_here(set)) continue;
        RelayoutOptions o;
        o.instructions = set;
        refused("6:1"_axe, "6:1"_axe, {6}, errc::bad_argument,
                ("this processor does not support " + std::string(name) + " instructions").c_str(), o);
    }
}

TEST_CASE("relayout plan: it is a value, kept, copied, and run by several threads at once")
{
    auto plan = axe::plan_relayout("(64,48):(1,64)"_axe, "(64,48):(48,1)"_axe, {64, 48});
    REQUIRE(plan);
    const axe::RelayoutPlan kept = *plan;
    plan = axe::Problem(errc::bad_argument, "gone");
    std::vector<float> in(64 * 48);
    std::iota(in.begin(), in.end(), 0.0F);
    std::vector<std::vector<float>> outs(4, std::vector<float>(in.size()));
    {
        std::vector<std::jthread> threads;
        for (auto& out : outs)
            threads.emplace_back([&] {
                for (int i = 0; i < 20; ++i) (void)kept.run(out.data(), out.size() * 4, in.data(), in.size() * 4);
            });
    }
    for (const auto& out : outs) {
        CHECK(out == outs[0]);
        CHECK(out[64 * 5 + 3] == in[48 * 3 + 5]);
    }
    CHECK(kept.elements() == 64 * 48);
    // No plan at all does nothing.
    float untouched = 1;
    CHECK(axe::RelayoutPlan{}.run(&untouched, 4, &untouched, 4).ok());
    CHECK(untouched == 1);
}

TEST_CASE("relayout plan: how many parts are worth it")
{
    const auto tasks = [](Int bytes, int threads) {
        const Layout l = layout_of({{bytes, 1}});
        return axe::plan_relayout(l, l, {bytes}, of_bits(8)).value().tasks(threads);
    };
    CHECK(tasks(1, 8) == 1);
    CHECK(tasks(Int{1} << 18, 8) == 1);
    CHECK(tasks((Int{1} << 20) + 1, 8) == 4);
    CHECK(tasks(Int{1} << 30, 8) == 8);
    CHECK(tasks(Int{1} << 60, 3) == 3);
    CHECK(tasks(Int{1} << 30, 0) == 1);
    CHECK(tasks(Int{1} << 30, -5) == 1);
    CHECK(axe::plan_relayout("8388608:1"_axe, "8388608:1"_axe, {8388608}, of_bits(4)).value().tasks(8) == 1);
}

TEST_CASE("relayout plan: parts of the work, more than there is, and none")
{
    const auto plan = axe::plan_relayout("(5,7):(1,5)"_axe, "(5,7):(7,1)"_axe, {5, 7}).value();
    std::vector<float> in(35), out(35), expected(35);
    std::iota(in.begin(), in.end(), 1.0F);
    CHECK(plan.run(expected.data(), 140, in.data(), 140).ok());
    for (const int tasks : {-1, 0, 1, 2, 3, 100}) {
        std::fill(out.begin(), out.end(), 0.0F);
        int calls = 0;
        CHECK(plan.run(out.data(), 140, in.data(), 140, tasks,
                       [&](int n, const auto& f) {
                           for (int t = 0; t < n; ++t, ++calls) f(t);
                       })
                  .ok());
        CHECK(out == expected);
        CHECK(calls == (tasks > 1 ? tasks : 0));
    }
}
