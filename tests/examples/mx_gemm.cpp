// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "warp_specialized.hpp"

#include <cmath>
#include <cstring>
#include <tests/required.hpp>

/// The product with block scales in tensor memory: sizes and numbers at which scales matter, what keeps it right, and what it moves.
namespace {

using namespace axe;
using warp_specialized::Values;

Values mx_values(int m, int n, int k, int tile_n, int stages, int walk, const char* data = "random", const char* ctas = "1",
                 const Values& form = {{"swap", "no"}})
{
    Values out = warp_specialized::tile_values(m, n, k, tile_n, stages, walk, ctas, {{"data", data}});
    out.insert(out.end(), form.begin(), form.end());
    return out;
}

examples::Performance mx_performed(const Values& values) { return warp_specialized::performed("mx_gemm", "sm100", values); }
examples::Performance mx_right(const Values& values) { return warp_specialized::check_right("mx_gemm", "sm100", values); }

} // namespace

TEST_CASE("mx_gemm: scales of all sizes, zero blocks, the largest number, odd sizes")
{
    for (const Values& values : {mx_values(1, 136, 640, 64, 3, 2, "random"), mx_values(33, 136, 640, 136, 2, 1, "powers"),
                                 mx_values(129, 64, 128, 64, 3, 2, "zeros"), mx_values(128, 16, 256, 8, 4, 1, "largest"),
                                 mx_values(300, 40, 336, 40, 2, 3, "powers"), mx_values(5, 9, 16, 16, 1, 1, "random"),
                                 mx_values(20, 240, 80, 240, 1, 1, "zeros")}) {
        const auto p = mx_right(values);
        REQUIRE(p.conclusion.lines.size() == 1);
        auto chosen = warp_specialized::schedules_of(p);
        CHECK(chosen["tcgen05_scaled"] > 0);
        CHECK(chosen["tcgen05_cp_scales"] > 0);
        CHECK(chosen["bulk_copy"] >= 4);
        CHECK(chosen["scaled_in_registers"] + chosen["fma"] == 0);
    }
}

TEST_CASE("mx_gemm: what it does not take")
{
    const auto refused = [](const Values& values) { return warp_specialized::refused("mx_gemm", "sm100", values); };
    CHECK(refused({{"K", "24"}}) == "mx_gemm: K is 24, not a multiple of 16: a tensor map's rows are of multiples of 16 bytes");
    CHECK(refused({{"tile_n", "20"}}) == "mx_gemm: tile_n is 20, not a multiple of 8");
    CHECK(refused({{"tile_n", "240"}}) ==
          "mx_gemm: 2·240 columns of sums and those of 3 stages of scales are 516; tensor memory has 512");
    CHECK(refused({{"tile_n", "240"}, {"stages", "2"}}).empty());
}

TEST_CASE("mx_gemm: no order changes a bit, no level either")
{
    warp_specialized::check_orders(mx_performed(mx_values(130, 16, 304, 16, 2, 2)), "D");
}

TEST_CASE("mx_gemm: what it moves, by closed formulas")
{
    struct Size {
        int m, n, k, tile_n, stages, walk, ctas = 1;
        bool swapped = false;
    };
    for (const Size& z : {Size{256, 128, 256, 64, 3, 2},
                          {300, 40, 336, 40, 2, 3},
                          {130, 200, 80, 136, 2, 1},
                          {600, 128, 256, 64, 3, 2, 2},
                          {200, 200, 80, 144, 2, 1, 2},
                          {16, 136, 640, 16, 3, 2, 1, true},
                          {40, 600, 336, 48, 2, 2, 2, true}}) {
        INFO(z.m << " x " << z.n << " x " << z.k << ", tiles of " << z.tile_n << " columns");
        const auto p = mx_performed(mx_values(z.m, z.n, z.k, z.tile_n, z.stages, z.walk, "random", z.ctas == 2 ? "2" : "1",
                                              {{"swap", z.swapped ? "yes" : "no"}}));
        REQUIRE(p.ok());
        const std::int64_t of_rows = z.swapped ? z.n : z.m, of_cols = z.swapped ? z.m : z.n, high = 128 * z.ctas;
        const std::int64_t rows = (of_rows + high - 1) / high * z.ctas, cols = (of_cols + z.tile_n - 1) / z.tile_n,
                           steps = (z.k + 127) / 128;
        const std::int64_t tiles = rows * cols, products = tiles * ((z.k + 31) / 32), scales = (z.tile_n + 127) / 128 * 128;
        const sim::Counters& total = p.report.total;
        std::int64_t boxes = 0;
        for (const auto& [text, count] : total.by_text)
            if (text.find("mbarrier::complete_tx") != std::string::npos) boxes += count;
        CHECK(boxes == 4 * tiles * steps);
        const std::string group = "cta_group::" + std::to_string(z.ctas);
        CHECK(total.by_text.at("tcgen05.mma." + group + ".kind::mxf8f6f4.block_scale.scale_vec::1X") == products / z.ctas);
        CHECK(total.by_text.at("tcgen05.cp." + group + ".32x128b.warpx4") == tiles * steps * (1 + scales / 128));
        CHECK(total.flops == 2 * products * 128 * z.tile_n * 32);
        const sim::MemoryCount &global = total.memories.at("gmem"), &tensor = total.memories.at("tmem");
        CHECK(global.bytes_read == z.k * (of_rows * cols + of_cols * rows / z.ctas) + 4 * tiles * steps * (128 + scales));
        CHECK(global.bytes_written == 2 * z.m * z.n);
        CHECK(tensor.bytes_written == 2048 * tiles * steps * (1 + scales / 128));
        CHECK(tensor.bytes_read == products * (128 + z.tile_n) + tiles * z.tile_n * 512);
    }
}

TEST_CASE("mx_gemm: tensor maps of 4 and 6 bits bring what they have, where rows are long enough, else lanes copy", "[mx_gemm]")
{
    struct Form {
        const char *a, *b, *kind;
        double of_a, of_b; ///< bytes of an element in global memory
        int k;
        bool by_map;
    };
    for (const Form& f : {Form{"e2m1", "e4m3", "mxf8f6f4", 0.5, 1, 256, true},
                          {"e2m3", "e2m1", "mxf8f6f4", 0.75, 0.5, 384, true},
                          {"e3m2", "e3m2", "mxf8f6f4", 0.75, 0.75, 128, true},
                          {"e2m1", "e2m1", "mxf4", 0.5, 0.5, 160, true},
                          {"e2m1", "e2m1", "mxf4nvf4", 0.5, 0.5, 96, true},
                          {"e2m1", "e2m1", "mxf4", 1, 1, 176, false},
                          {"e3m2", "e2m1", "mxf8f6f4", 1, 1, 320, false}})
        for (const int ctas : {1, 2}) {
            INFO(f.a << " by " << f.b << ", " << f.kind << ", K " << f.k << ", blocks " << ctas);
            const Values form{{"a", f.a}, {"b", f.b}, {"kind", f.kind}, {"swap", "no"}};
            const auto p = mx_right(mx_values(300, 40, f.k, 48, 2, 2, "random", ctas == 2 ? "2" : "1", form));
            const std::int64_t step = f.kind == std::string("mxf4nvf4") ? 64 : 128, steps = (f.k + step - 1) / step, rows = 4;
            const sim::Counters& total = p.report.total;
            std::int64_t boxes = 0;
            for (const auto& [text, count] : total.by_text)
                if (text.find("mbarrier::complete_tx") != std::string::npos) boxes += count;
            const std::int64_t tiles = ctas == 2 ? rows : 3, side = f.by_map ? 2 : 0; // of one block, one has no rows
            CHECK(boxes == tiles * steps * (2 + side));
            if (f.by_map)
                CHECK(total.memories.at("gmem").bytes_read ==
                      static_cast<std::int64_t>(f.k * (f.of_a * 300 + f.of_b * 40 * static_cast<double>(tiles / ctas))) +
                          4 * tiles * steps * (128 + 128));
        }
}

TEST_CASE("mx_gemm: a scale of another block, or of another row, makes D wrong")
{
    const auto p = mx_performed(mx_values(130, 24, 160, 24, 2, 2, "powers"));
    REQUIRE(p.ok());
    for (const char* name : {"SFA", "SFB"})
        for (const std::int64_t by : {1, 4}) { // the next block; the next row
            Bindings other;
            for (const ProgramTensor& t : p.program.tensors)
                if (const Array* x = p.inputs.find(t.name); x != nullptr) other.set(t.name, x->clone().value());
            Array& scales = *other.find(name);
            REQUIRE(scales.bits_at(0) != scales.bits_at(by));
            const std::uint64_t bits = scales.bits_at(0);
            scales.set_bits(0, scales.bits_at(by));
            scales.set_bits(by, bits);
            const auto report = required(sim::run(p.lowered.program, other));
            REQUIRE(report->ok());
            CHECK_FALSE(verify(p.program, p.inputs, report->outputs)->ok());
        }
}

TEST_CASE("mx_gemm: A and B swapped, of all sizes and numbers, by single blocks and by pairs")
{
    const Values yes{{"swap", "yes"}};
    for (const Values& values :
         {mx_values(1, 136, 640, 16, 3, 2, "random", "1", yes), mx_values(33, 300, 336, 24, 2, 3, "powers", "1", yes),
          mx_values(64, 129, 128, 64, 3, 2, "zeros", "1", yes), mx_values(5, 9, 16, 8, 1, 1, "largest", "1", yes),
          mx_values(136, 16, 80, 136, 2, 1, "powers", "1", yes), mx_values(1, 600, 176, 16, 2, 2, "powers", "2", yes),
          mx_values(33, 257, 80, 48, 1, 1, "random", "2", yes), mx_values(20, 1000, 336, 16, 2, 4, "largest", "2", yes)}) {
        const auto p = mx_right(values);
        // The same numbers as without: each sum is the same chain of exact products.
        Values plain = values;
        plain.back().second = "no";
        const auto q = mx_performed(plain);
        REQUIRE(q.ok());
        const Array &d = *p.report.outputs.find("D"), &e = *q.report.outputs.find("D");
        CHECK(std::memcmp(d.data(), e.data(), static_cast<std::size_t>(d.size_bytes())) == 0);
    }
}

TEST_CASE("mx_gemm: few rows of A are columns of tiles, where that makes tiles fewer")
{
    const auto is_swapped = [](const char* m, const char* n, const char* tile_n, const char* swap = "fitting") {
        const Values values{{"M", m}, {"N", n}, {"K", "16"}, {"tile_n", tile_n}, {"stages", "1"}, {"swap", swap}};
        const auto p = mx_performed(values);
        REQUIRE(p.ok());
        const std::string text = print(p.program);
        const bool yes = text.find("copy_async y[0, 0 : +" + std::string(tile_n) + ", 0 : +128] = A[") != std::string::npos;
        CHECK(yes == (text.find("copy_async x[0, 0 : +128, 0 : +128] = B[") != std::string::npos));
        return yes;
    };
    CHECK(is_swapped("1", "136", "16"));
    CHECK(is_swapped("64", "128", "64"));
    CHECK_FALSE(is_swapped("65", "128", "64")); // as many of either
    CHECK_FALSE(is_swapped("16", "16", "16"));
    CHECK_FALSE(is_swapped("128", "300", "16"));
    CHECK(is_swapped("128", "128", "128", "yes"));
    CHECK_FALSE(is_swapped("1", "136", "16", "no"));
}

TEST_CASE("mx_gemm: elements of 4, 6 and 8 bits, each with each")
{
    constexpr const char* types[] = {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"};
    for (std::size_t a = 0; a < std::size(types); ++a)
        for (std::size_t b = 0; b < std::size(types); ++b) {
            const auto p = mx_right(mx_values(40, 24, (a + b) % 2 == 0 ? 176 : 256, 16, 2, 1, "powers", a < b ? "2" : "1",
                                              {{"a", types[a]}, {"b", types[b]}}));
            auto chosen = warp_specialized::schedules_of(p);
            CHECK(chosen["tcgen05_scaled"] > 0);
            CHECK(chosen["scaled_in_registers"] + chosen["fma"] == 0);
        }
}

TEST_CASE("mx_gemm: two e2m1 in a byte, with scales of e8m0 for 32 and of ue4m3 for 16")
{
    for (const char* kind : {"mxf4", "mxf4nvf4"}) {
        const auto form = [&](const char* swap) { return Values{{"a", "e2m1"}, {"b", "e2m1"}, {"kind", kind}, {"swap", swap}}; };
        for (const Values& values : {mx_values(130, 136, 320, 64, 3, 2, "random", "1", form("no")),
                                     mx_values(33, 40, 336, 40, 2, 3, "powers", "1", form("no")),
                                     mx_values(1, 136, 176, 16, 2, 1, "random", "1", form("yes")),
                                     mx_values(20, 9, 16, 24, 1, 1, "zeros", "1", form("yes")),
                                     mx_values(300, 40, 80, 48, 2, 1, "largest", "2", form("no")),
                                     mx_values(33, 300, 208, 48, 2, 1, "powers", "2", form("yes"))}) {
            const auto p = mx_right(values);
            const std::string vector = std::string(kind) + ".block_scale.scale_vec::" + (kind == std::string("mxf4") ? "2X" : "4X");
            CHECK(print(p.lowered.program).find(vector) != std::string::npos);
        }
    }
    CHECK(warp_specialized::refused("mx_gemm", "sm100", {{"b", "e2m1"}, {"kind", "mxf4"}}) ==
          "mx_gemm: a is e4m3 and b e2m1; kind mxf4 is of two e2m1 in a byte");
}

TEST_CASE("mx_gemm: swapped, and of all widths of elements, no order changes a bit, no level either")
{
    const Values mixed{{"a", "e2m1"}, {"b", "e2m3"}, {"swap", "no"}}, packed{{"a", "e2m1"}, {"b", "e2m1"}, {"kind", "mxf4nvf4"}};
    for (const Values& values :
         {mx_values(16, 136, 176, 16, 2, 2, "random", "1", {{"swap", "yes"}}),
          mx_values(16, 260, 176, 16, 2, 2, "random", "2", {{"swap", "yes"}}),
          mx_values(130, 16, 176, 16, 2, 2, "random", "1", mixed), mx_values(260, 16, 176, 16, 2, 2, "random", "2", mixed),
          mx_values(16, 136, 176, 16, 2, 2, "random", "1", packed), mx_values(16, 136, 256, 16, 2, 2, "random", "1", packed),
          mx_values(130, 16, 256, 16, 2, 2, "random", "1", mixed), mx_values(260, 16, 256, 16, 2, 2, "random", "2", mixed)})
        warp_specialized::check_orders(mx_performed(values), "D");
}

TEST_CASE("mx_gemm: pairs of blocks, of all sizes and numbers")
{
    for (const Values& values :
         {mx_values(1, 136, 640, 64, 3, 2, "random", "2"), mx_values(300, 40, 336, 48, 2, 3, "powers", "2"),
          mx_values(257, 64, 128, 64, 3, 2, "zeros", "2"), mx_values(256, 16, 256, 16, 4, 1, "largest", "2"),
          mx_values(600, 9, 80, 16, 1, 2, "random", "2"), mx_values(130, 200, 176, 208, 2, 1, "powers", "2")}) {
        const auto p = mx_right(values);
        const std::string text = print(p.lowered.program);
        CHECK(text.find("tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale.scale_vec::1X") != std::string::npos);
        CHECK(text.find("tcgen05.cp.cta_group::2.32x128b.warpx4") != std::string::npos);
        CHECK(text.find("cta_group::1") == std::string::npos);
    }
    CHECK(warp_specialized::refused("mx_gemm", "sm100", {{"ctas", "2"}, {"tile_n", "24"}}) ==
          "mx_gemm: tile_n is 24, not a multiple of 16");
}

TEST_CASE("mx_gemm: pairs of blocks, no order changes a bit, no level either")
{
    warp_specialized::check_orders(mx_performed(mx_values(260, 16, 304, 16, 2, 2, "random", "2")), "D");
}

namespace {

/// Of single blocks; of pairs; of pairs with A and B swapped and two elements in a byte, which lanes copy.
constexpr warp_specialized::Missed<3> mx_missed[] = {
    {"barrier", {"4 race 1 transaction", "4 race", "4 race"}},
    {"cluster arrive", {nullptr, "2 barrier divergence", "2 barrier divergence"}},
    {"cluster wait", {nullptr, "1 lifetime 1 transaction", "1 lifetime 1 transaction"}},
    {"commit", {"2 race", "2 race", "2 race"}},
    {"empty init", {"2 transaction", "2 transaction", "2 transaction"}},
    {"empty wait", {"4 transaction", "3 race 1 transaction", "4 transaction"}},
    {"full expect", {"4 deadlock", "4 deadlock", "4 deadlock"}},
    {"full init", {"2 transaction", "2 transaction", "2 transaction"}},
    {"full wait", {"3 race 1 transaction", "4 race", "1 deadlock 3 race"}},
    {"guard of A", {"3 out of bounds", "3 out of bounds", "2 out of bounds"}},
    {"guard of B", {"2 out of bounds", "2 out of bounds", "3 out of bounds"}},
    {"guard of D", {"1 out of bounds", "1 out of bounds", "1 out of bounds"}},
    {"phase flip of empty wait",
     {"1 deadlock 2 none 1 transaction", "1 deadlock 2 none 1 transaction", "1 deadlock 2 none 1 transaction"}},
    {"phase flip of full wait", {"1 deadlock 2 none 1 transaction", "1 deadlock 2 none 1 race", "2 deadlock 2 none"}},
    {"phase flip of scales here wait", {nullptr, "2 deadlock 2 none", nullptr}},
    {"phase flip of sums empty wait", {"2 deadlock", "2 deadlock", "2 deadlock"}},
    {"phase flip of sums full wait", {"2 deadlock", "2 deadlock", "2 deadlock"}},
    {"phase flip of with scales wait", {"1 deadlock 2 none 1 race", "1 deadlock 2 none 1 race", "1 deadlock 2 none 1 race"}},
    {"proxy fence", {"6 proxy fence missing", "6 proxy fence missing", "6 proxy fence missing"}},
    {"scales here expect", {nullptr, "4 deadlock", nullptr}},
    {"scales here init", {nullptr, "2 transaction", nullptr}},
    {"scales here wait", {nullptr, "1 deadlock 3 race", nullptr}},
    {"sums empty arrive", {"2 deadlock", "2 deadlock", "2 deadlock"}},
    {"sums empty init", {"2 transaction", "2 transaction", "2 transaction"}},
    {"sums empty wait", {"2 race", "2 race", "2 race"}},
    {"sums full commit", {"2 deadlock", "2 deadlock", "2 deadlock"}},
    {"sums full init", {"2 transaction", "2 transaction", "2 transaction"}},
    {"sums full wait", {"2 race", "2 race", "2 race"}},
    {"tensor fence after", {"6 proxy fence missing", "6 proxy fence missing", "6 proxy fence missing"}},
    {"tensor fence before", {"2 proxy fence missing", "2 proxy fence missing", "2 proxy fence missing"}},
    {"wait_sources",
     {"1 asynchronous operation unfinished 2 race", "1 asynchronous operation unfinished 2 race",
      "1 asynchronous operation unfinished 2 race"}},
    {"wait_tensor_loads", {"2 race", "2 race", "2 race"}},
    {"with scales arrive", {"4 deadlock", "4 deadlock", "4 deadlock"}},
    {"with scales init", {"2 transaction", "2 transaction", "2 transaction"}},
    {"with scales wait", {"4 race", "4 race", "4 race"}},
};

} // namespace

TEST_CASE("mx_gemm: without any one barrier, fence, wait, commit, arrival, expectation or phase flip, a run says where")
{
    // 2 steps through 2 stages, of which the last has fewer blocks, 4 tiles through 2 accumulators: all come round.
    const Values forms[] = {
        mx_values(500, 16, 176, 16, 2, 4), mx_values(1000, 16, 176, 16, 2, 4, "random", "2"),
        mx_values(16, 1000, 176, 16, 2, 4, "random", "2", {{"a", "e2m1"}, {"b", "e2m1"}, {"kind", "mxf4"}, {"swap", "yes"}})};
    const auto names = warp_specialized::rings(
        {{2, "full"}, {2, "empty"}, {2, "with scales"}, {2, "sums full"}, {2, "sums empty"}, {2, "scales here"}});
    // The statements of the first accumulator have every other round of a stage, whose parity is one here: its flip is none.
    const std::vector<std::string> redundant{"phase flip of empty wait", "phase flip of full wait",
                                             "phase flip of with scales wait", "phase flip of scales here wait"};
    for (int form = 0; form < 3; ++form) {
        const std::string text = warp_specialized::without_each(mx_performed(forms[form]), names, redundant, form == 0);
        CHECK(text == warp_specialized::missed_by(mx_missed, form));
    }
}
