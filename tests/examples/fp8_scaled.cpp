// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/examples/removed_pieces.hpp>

#include <cmath>

/// The product of 8-bit floats with scales: sizes and numbers at which scales matter, what keeps it right, and what it moves.
using namespace axe;

namespace {

removed_pieces::Values scaled_values(std::int64_t m, std::int64_t n, std::int64_t k, int tile_n, const char* data, int tile_m = 64)
{
    return {{"M", std::to_string(m)},           {"N", std::to_string(n)}, {"K", std::to_string(k)},
            {"tile_n", std::to_string(tile_n)}, {"data", data},           {"tile_m", std::to_string(tile_m)}};
}

} // namespace

TEST_CASE("fp8_scaled: scales of all sizes, zero blocks, the largest number, odd sizes")
{
    for (const auto& values : {scaled_values(1, 136, 640, 96, "random"), scaled_values(33, 136, 256, 48, "powers"),
                               scaled_values(64, 264, 128, 192, "zeros"), scaled_values(5, 136, 272, 136, "largest"),
                               scaled_values(129, 40, 144, 8, "powers", 128), scaled_values(65, 9, 16, 16, "zeros")}) {
        INFO("M = " << values[0].second << ", N = " << values[1].second << ", K = " << values[2].second << ", "
                    << values[4].second);
        const auto p = removed_pieces::performed("fp8_scaled", "sm90", values);
        INFO(p.report.fault.text << p.verification.text());
        CHECK(p.ok());
        REQUIRE(p.conclusion.lines.size() == 1);
        int products = 0;
        for (const Choice& c : p.lowered.choices) products += c.schedule == "wgmma" ? 1 : 0;
        CHECK(products > 0);
    }
}

TEST_CASE("fp8_scaled: numbers are quantized by the largest of their block")
{
    // 448 is the largest of each block: its scale is 1, and it is kept. A block of zeros has the least scale, and zeros.
    const auto setting = [](const char* data) {
        return examples::setting(*examples::find("fp8_scaled"), "sm90", 1, scaled_values(8, 8, 256, 8, data)).value();
    };
    const auto inputs = [&](const char* data) {
        const auto s = setting(data);
        return examples::fp8_scaled.inputs(s, examples::fp8_scaled.build(s).value()).value();
    };
    const Bindings largest = inputs("largest"), zeros = inputs("zeros"), powers = inputs("powers");
    for (std::int64_t i = 0; i < 16; ++i) CHECK(largest.find("SFA")->at(i) == 1);
    for (std::int64_t row = 0; row < 8; ++row) CHECK(largest.find("A")->at(row * 256 + row) == 448);
    CHECK(zeros.find("SFB")->at(0) == static_cast<float>(1e-4f / 448));
    CHECK(zeros.find("B")->at(0) == 0);
    CHECK(zeros.find("SFB")->at(1) > 1e-3);
    // Blocks of 128 columns grow by a factor of two, within the spread of random numbers.
    const double ratio = powers.find("SFB")->at(1) / powers.find("SFB")->at(0);
    CHECK(ratio > 1.9);
    CHECK(ratio < 2.1);
    // Scales that are powers of two are the others, rounded up.
    auto rounded = setting("powers");
    rounded.values["scale"] = "power";
    const Bindings up = examples::fp8_scaled.inputs(rounded, examples::fp8_scaled.build(rounded).value()).value();
    for (std::int64_t i = 0; i < 16; ++i) {
        const double scale = powers.find("SFA")->at(i), power = up.find("SFA")->at(i);
        CHECK(std::exp2(std::round(std::log2(power))) == power);
        CHECK(power >= scale);
        CHECK(power < 2 * scale);
    }
    // The largest of each row and block becomes 448.
    const Array& a = *powers.find("A");
    for (std::int64_t row = 0; row < 8; ++row)
        for (std::int64_t block = 0; block < 2; ++block) {
            double most = 0;
            for (std::int64_t k = 0; k < 128; ++k) most = std::max(most, std::fabs(a.at(row * 256 + block * 128 + k)));
            CHECK(most == 448);
        }
}

TEST_CASE("fp8_scaled: what it does not take")
{
    CHECK(removed_pieces::not_taken("fp8_scaled", "sm90", {{"K", "24"}}) ==
          "fp8_scaled: K is 24, not a multiple of 16: a tensor map's rows are of multiples of 16 bytes");
    CHECK(removed_pieces::not_taken("fp8_scaled", "sm90", {{"tile_n", "20"}}) == "fp8_scaled: tile_n is 20, not a multiple of 8");
    CHECK(removed_pieces::not_taken("fp8_scaled", "sm100", {}) == "fp8_scaled runs on sm90, not on sm100");
}

TEST_CASE("fp8_scaled: no order changes a bit, no level either")
{
    const auto whole = removed_pieces::performed("fp8_scaled", "sm90", scaled_values(3, 24, 272, 16, "powers"));
    REQUIRE(whole.ok());
    performed_examples::check_orders(whole, "D");
}

TEST_CASE("fp8_scaled: a scale of another block, or of another row, is wrong")
{
    const auto whole = removed_pieces::performed("fp8_scaled", "sm90", scaled_values(20, 136, 256, 96, "powers"));
    REQUIRE(whole.ok());
    for (const char* name : {"SFA", "SFB"}) {
        Program wrong = whole.program;
        int changed = 0;
        for_each_statement(wrong.body, [&](Statement& s) {
            auto* operation = std::get_if<Operation>(&s.what);
            if (operation == nullptr || operation->operands.size() < 2) return;
            View& v = operation->operands[1];
            if (wrong.tensors[static_cast<std::size_t>(v.tensor)].name != name) return;
            v.origin[0] = Affine(0), ++changed; // the first block's for all of K, or of N
        });
        CHECK(changed > 0);
        const auto report = sim::run(lower(wrong).value().program, whole.inputs).value();
        REQUIRE(report.ok());
        CHECK(!verify(whole.program, whole.inputs, report.outputs).value().ok());
    }
}

TEST_CASE("fp8_scaled: without any one barrier, fence, wait, commit, arrival, expectation or phase flip, a run says where")
{
    // Rows of two warps, and stages that come round twice.
    CHECK(removed_pieces::without_each(removed_pieces::performed("fp8_scaled", "sm90", scaled_values(20, 24, 528, 32, "random"))) ==
          "barrier: 2 race 1 transaction\n"
          "commit: 1 asynchronous operation unfinished\n"
          "guard of A: 2 out of bounds\n"
          "guard of B: 2 out of bounds\n"
          "guard of D: 1 out of bounds\n"
          "guard of SFA: 2 out of bounds\n"
          "mbarrier arrive: 2 deadlock\n"
          "mbarrier expect: 2 deadlock\n"
          "mbarrier init: 4 transaction\n"
          "mbarrier wait: 2 race 2 transaction\n"
          "phase flip of mbarrier wait: 2 deadlock 2 transaction\n"
          "proxy fence: 3 proxy fence missing\n"
          "wait_products: 2 race\n"
          "wait_sources: 1 asynchronous operation unfinished\n");
}

TEST_CASE("fp8_scaled: what it moves, by closed formulas")
{
    for (const auto& [m, n, k, tile_n] : {std::array<std::int64_t, 4>{70, 136, 640, 64}, {64, 128, 256, 32}}) {
        INFO(m << " x " << n << " x " << k);
        const auto p = removed_pieces::performed("fp8_scaled", "sm90", scaled_values(m, n, k, static_cast<int>(tile_n), "random"));
        REQUIRE(p.ok());
        const std::int64_t rows = (m + 63) / 64, cols = (n + tile_n - 1) / tile_n, steps = (k + 127) / 128, tiles = rows * cols;
        const sim::Counters& total = p.report.total;
        CHECK(total.by_text.at("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes") == 3 * tiles * steps);
        CHECK(total.by_text.at("wgmma.mma_async.m64n" + std::to_string(tile_n)) == tiles * steps * 4);
        // Products, and for each of their sums a product of scales and a multiplication with addition.
        CHECK(total.flops == tiles * steps * 64 * tile_n * (2 * 128 + 1 + 2));
        CHECK(total.memories.at("gmem").bytes_written == 2 * m * n);
        // A and B, A's scales with rows up to a multiple of 4, and B's for each 8 columns of a tile.
        CHECK(total.memories.at("gmem").bytes_read ==
              k * (m * cols + n * rows) + 4 * steps * ((m + 3) / 4 * 4 * cols + rows * cols * tile_n));
    }
}
