// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/equal.hpp>
#include <axe/layout/points.hpp>
#include <axe/layout/shift.hpp>
#include <axe/layout/slice.hpp>
#include <axe/target/atoms.hpp>
#include <catch.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

/// Every row of the atoms against a formula in plain numbers, written as the vendor's document has it: mostly from the side of the
/// hardware, which element a lane's register holds. Layouts say what is expected only where one fragment is made of others.
namespace {

using Int = std::int64_t;

struct Cell {
    Int row, column;
};

/// The points that a formula gives to each element of a matrix.
class Expected {
  public:
    explicit Expected(const axe::Atom& atom)
        : columns_(atom.shape()[1]), all_(static_cast<std::size_t>(atom.shape()[0] * atom.shape()[1]))
    {
    }
    void put(Cell cell, const axe::Point& point)
    {
        if (cell.column < 0 || cell.column >= columns_) FAIL("column " << cell.column);
        all_.at(static_cast<std::size_t>(cell.row * columns_ + cell.column)).push_back(point);
    }
    [[nodiscard]] bool is(const axe::Layout& layout) const
    {
        for (std::size_t x = 0; x < all_.size(); ++x) {
            std::size_t count = 0;
            for (const axe::Point& p : axe::points(layout, static_cast<Int>(x))) {
                if (std::find(all_[x].begin(), all_[x].end(), p) == all_[x].end()) return false;
                ++count;
            }
            if (count != all_[x].size()) return false;
        }
        return true;
    }

  private:
    Int columns_;
    std::vector<std::vector<axe::Point>> all_;
};

std::string words(const axe::Atom& atom) { return std::string(atom.name) + " " + atom.arch + " " + atom.operand; }
Int rows(const axe::Atom& atom) { return atom.shape()[0]; }
Int columns(const axe::Atom& atom) { return atom.shape()[1]; }

/// Element i of a lane is `formula(lane, i)`, for each lane and as many elements as share the matrix out.
using PerLane = std::function<Cell(Int lane, Int i)>;
void check_lanes(const axe::Atom& atom, Int lanes, const PerLane& formula, Int copies = 1)
{
    INFO(words(atom));
    Expected expected(atom);
    for (Int lane = 0; lane < lanes; ++lane)
        for (Int i = 0; i < copies * rows(atom) * columns(atom) / lanes; ++i)
            expected.put(formula(lane, i), {{"lane", lane}, {"reg", i}});
    CHECK(expected.is(atom.layout()));
}

/// Element (row, column) is at `formula(row, column)`.
using PerElement = std::function<std::vector<axe::Point>(Int row, Int column)>;
void check_elements(const axe::Atom& atom, const PerElement& formula)
{
    INFO(words(atom));
    Expected expected(atom);
    for (Int row = 0; row < rows(atom); ++row)
        for (Int column = 0; column < columns(atom); ++column)
            for (const axe::Point& p : formula(row, column)) expected.put({row, column}, p);
    CHECK(expected.is(atom.layout()));
}

axe::Atom find(const char* name, const char* arch, const char* operand) { return *axe::atoms::find(name, arch, operand); }
bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

} // namespace

// ---- NVIDIA ---------------------------------------------------------------------------------------------------------------------

// PTX ISA 9.2, 9.7.14.5.2 to 9.7.14.5.13. Of the column of A of m16n8k256 PTX says t*32 + i for i < 64, which leaves the quarter of a
// thread for i ≥ 32; here it is t*32 + (i & 31), as PTX has it for B and CUTLASS for both.
TEST_CASE("mma.sync: the fragments of PTX, g = lane / 4 and t = lane % 4")
{
    const std::map<std::string, PerLane> per_lane = {
        {"m8n8k4 A 64", [](Int lane, Int) { return Cell{lane / 4, lane % 4}; }},
        {"m8n8k4 B 64", [](Int lane, Int) { return Cell{lane % 4, lane / 4}; }},
        {"m8n8k16 A 8", [](Int lane, Int i) { return Cell{lane / 4, lane % 4 * 4 + i}; }},
        {"m8n8k16 B 8", [](Int lane, Int i) { return Cell{lane % 4 * 4 + i, lane / 4}; }},
        {"m8n8k32 A 4", [](Int lane, Int i) { return Cell{lane / 4, lane % 4 * 8 + i}; }},
        {"m8n8k32 B 4", [](Int lane, Int i) { return Cell{lane % 4 * 8 + i, lane / 4}; }},
        {"m16n8k4 A 32", [](Int lane, Int i) { return Cell{lane / 4 + (i == 0 ? 0 : 8), lane % 4}; }},
        {"m16n8k4 A 64", [](Int lane, Int i) { return Cell{lane / 4 + (i == 0 ? 0 : 8), lane % 4}; }},
        {"m16n8k4 B 32", [](Int lane, Int) { return Cell{lane % 4, lane / 4}; }},
        {"m16n8k4 B 64", [](Int lane, Int) { return Cell{lane % 4, lane / 4}; }},
        {"m16n8k8 A 16", [](Int lane, Int i) { return Cell{lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)}; }},
        {"m16n8k8 B 16", [](Int lane, Int i) { return Cell{lane % 4 * 2 + i, lane / 4}; }},
        {"m16n8k8 A 32", [](Int lane, Int i) { return Cell{lane / 4 + (i == 0 || i == 2 ? 0 : 8), lane % 4 + (i < 2 ? 0 : 4)}; }},
        {"m16n8k8 A 64", [](Int lane, Int i) { return Cell{lane / 4 + (i == 0 || i == 2 ? 0 : 8), lane % 4 + (i < 2 ? 0 : 4)}; }},
        {"m16n8k8 B 32", [](Int lane, Int i) { return Cell{lane % 4 + (i == 0 ? 0 : 4), lane / 4}; }},
        {"m16n8k8 B 64", [](Int lane, Int i) { return Cell{lane % 4 + (i == 0 ? 0 : 4), lane / 4}; }},
        {"m16n8k16 A 16",
         [](Int lane, Int i) {
             return Cell{lane / 4 + (i < 2 || (4 <= i && i < 6) ? 0 : 8), lane % 4 * 2 + (i & 1) + (i < 4 ? 0 : 8)};
         }},
        {"m16n8k16 B 16", [](Int lane, Int i) { return Cell{lane % 4 * 2 + (i & 1) + (i < 2 ? 0 : 8), lane / 4}; }},
        {"m16n8k16 A 64",
         [](Int lane, Int i) { return Cell{lane / 4 + (i % 2 == 0 ? 0 : 8), lane % 4 + i * 2 - (i % 2 == 0 ? 0 : 2)}; }},
        {"m16n8k16 B 64", [](Int lane, Int i) { return Cell{lane % 4 + i * 4, lane / 4}; }},
        {"m16n8k16 A 8", [](Int lane, Int i) { return Cell{lane / 4 + (i < 4 ? 0 : 8), lane % 4 * 4 + (i & 3)}; }},
        {"m16n8k16 B 8", [](Int lane, Int i) { return Cell{lane % 4 * 4 + i, lane / 4}; }},
        {"m16n8k32 A 4", [](Int lane, Int i) { return Cell{lane / 4 + (i < 8 ? 0 : 8), lane % 4 * 8 + (i & 7)}; }},
        {"m16n8k32 B 4", [](Int lane, Int i) { return Cell{lane % 4 * 8 + i, lane / 4}; }},
        {"m16n8k32 A 8",
         [](Int lane, Int i) {
             return Cell{lane / 4 + (i < 4 || (8 <= i && i < 12) ? 0 : 8), lane % 4 * 4 + (i & 3) + (i < 8 ? 0 : 16)};
         }},
        {"m16n8k32 B 8", [](Int lane, Int i) { return Cell{lane % 4 * 4 + (i & 3) + (i < 4 ? 0 : 16), lane / 4}; }},
        {"m16n8k64 A 4",
         [](Int lane, Int i) {
             return Cell{lane / 4 + (i < 8 || (16 <= i && i < 24) ? 0 : 8), lane % 4 * 8 + (i & 7) + (i < 16 ? 0 : 32)};
         }},
        {"m16n8k64 B 4", [](Int lane, Int i) { return Cell{lane % 4 * 8 + (i & 7) + (i < 8 ? 0 : 32), lane / 4}; }},
        {"m16n8k256 A 1",
         [](Int lane, Int i) {
             return Cell{lane / 4 + (i < 32 || (64 <= i && i < 96) ? 0 : 8), lane % 4 * 32 + (i & 31) + (i < 64 ? 0 : 128)};
         }},
        {"m16n8k256 B 1", [](Int lane, Int i) { return Cell{lane % 4 * 32 + (i & 31) + (i < 32 ? 0 : 128), lane / 4}; }},
    };
    const PerLane c8 = [](Int lane, Int i) { return Cell{lane / 4, lane % 4 * 2 + i}; };
    const PerLane c16 = [](Int lane, Int i) { return Cell{lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)}; };
    const std::map<std::string, const char*> bits{{"f64", "64"}, {"tf32", "32"}, {"f16", "16"}, {"bf16", "16"}, {"s8", "8"},
                                                  {"e4m3", "8"}, {"e5m2", "8"},  {"s4", "4"},   {"b1", "1"}};
    int count = 0;
    for (const axe::Atom& atom : axe::atoms::nvidia_mma::rows) {
        if (std::string(atom.scope) != "warp") continue;
        ++count;
        const std::string name = atom.name, operand = atom.operand, shape = name.substr(9, name.find('.', 9) - 9);
        if (operand == "C") {
            check_lanes(atom, 32, shape.substr(0, 3) == "m8n" ? c8 : c16);
        } else {
            const std::string key = shape + " " + operand + " " + bits.at(atom.element);
            INFO(key);
            REQUIRE(per_lane.count(key) == 1);
            check_lanes(atom, 32, per_lane.at(key));
        }
    }
    CHECK(count == 69);
}

// PTX ISA 9.2, 9.7.14.5.1
TEST_CASE("mma.sync on Volta: four quad pairs, each at its offset")
{
    const std::map<std::string, PerLane> per_lane = {
        {"row.f16 A", [](Int lane, Int i) { return Cell{lane % 4 + (lane < 16 ? 0 : 4), i}; }},
        {"col.f16 A", [](Int lane, Int i) { return Cell{i % 4 + (lane < 16 ? 0 : 4), lane % 4}; }},
        {"row.f16 B", [](Int lane, Int i) { return Cell{lane % 4, i + (lane < 16 ? 0 : 4)}; }},
        {"col.f16 B", [](Int lane, Int i) { return Cell{i, lane % 4 + (lane < 16 ? 0 : 4)}; }},
        {"f16acc C", [](Int lane, Int i) { return Cell{lane % 4 + (lane < 16 ? 0 : 4), i}; }},
        {"f32acc C",
         [](Int lane, Int i) { return Cell{(lane & 1) + (i & 2) + (lane < 16 ? 0 : 4), (i & 4) + (lane & 2) + (i & 1)}; }},
    };
    int count = 0;
    for (const axe::Atom& atom : axe::atoms::nvidia_mma::rows) {
        if (std::string(atom.scope) != "quadpair") continue;
        INFO(words(atom));
        ++count;
        const PerLane& formula = per_lane.at(std::string(atom.name).substr(16) + " " + atom.operand);
        for (Int pair = 0; pair < 4; ++pair) {
            Expected expected(atom);
            for (const Int high : {0, 16})
                for (Int quad = 0; quad < 4; ++quad)
                    for (Int i = 0; i < rows(atom) * columns(atom) / 8; ++i) {
                        const Int lane = 4 * pair + high + quad;
                        expected.put(formula(lane, i), {{"lane", lane}, {"reg", i}});
                    }
            CHECK(expected.is(*axe::shift(atom.layout(), {{"lane", 4 * pair}})));
        }
    }
    CHECK(count == 6);
}

// PTX ISA 9.2, ldmatrix: thread t has elements 2*(t%4) and on of row t/4, register i of matrix i; threads 8i to 8i + 7 address matrix i.
TEST_CASE("ldmatrix and stmatrix: fragments and addresses")
{
    for (const axe::Atom& atom : axe::atoms::nvidia_ldmatrix::rows) {
        const bool transposed = contains(atom.name, ".trans.");
        if (std::string(atom.operand) == "addr")
            check_elements(atom, [](Int row, Int) { return std::vector<axe::Point>{{{"lane", row}}}; });
        else
            check_lanes(atom, 32, [&](Int lane, Int i) {
                const Int matrix = 8 * (i / 2), row = lane / 4, column = 2 * (lane % 4) + i % 2;
                return transposed ? Cell{matrix + column, row} : Cell{matrix + row, column};
            });
    }
}

TEST_CASE("wgmma: 16 rows a warp, and in them the fragments of mma.sync")
{
    const char *half = "mma.sync.m16n8k16.f32.f16.f16.f32", *tf32 = "mma.sync.m16n8k8.f32.tf32.tf32.f32";
    const axe::Layout c = find(half, "sm80+", "C").layout();
    const std::map<std::string, axe::Layout> a{{"f16", find(half, "sm80+", "A").layout()},
                                               {"tf32", find(tf32, "sm80+", "A").layout()},
                                               {"e4m3", find("mma.sync.m16n8k32.f32.e4m3.e4m3.f32", "sm89+", "A").layout()}};
    int count = 0;
    for (const axe::Atom& atom : axe::atoms::nvidia_wgmma::rows) {
        if (std::string(atom.scope) != "warpgroup") continue;
        INFO(words(atom));
        ++count;
        const bool accumulator = std::string(atom.operand) == "D";
        const Int step = accumulator ? 8 : columns(atom);
        for (Int warp = 0; warp < 4; ++warp)
            for (Int column = 0; column < columns(atom); column += step) {
                const auto part = axe::slice(atom.layout(), atom.shape(), {{16 * warp, 16 * warp + 16}, {column, column + step}});
                const axe::Layout& fragment = accumulator ? c : a.at(atom.element);
                CHECK(axe::equal(*part, *axe::shift(fragment, {{"warp", warp}, {"reg", column / 2 * accumulator}})));
            }
        if (accumulator) {
            Expected expected(atom);
            for (Int thread = 0; thread < 128; ++thread)
                for (Int i = 0; i < columns(atom) / 2; ++i)
                    expected.put({thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8, i / 4 * 8 + thread % 4 * 2 + i % 2},
                                 {{"warp", thread / 32}, {"lane", thread % 32}, {"reg", i}});
            CHECK(expected.is(atom.layout()));
        }
    }
    CHECK(count == 85);

    // The shapes of each accumulator, as ptxas of CUDA 13 takes them: it refuses integers an odd multiple of 8 beyond 24.
    for (Int n = 8; n <= 256; n += 8) {
        const std::string name = "wgmma.mma_async.m64n" + std::to_string(n);
        INFO(name);
        const bool integer = n <= 32 || n % 16 == 0;
        CHECK(axe::atoms::find(name.c_str(), "sm90a", "D")->shape() == axe::Shape{64, n});
        CHECK(axe::atoms::find((name + ".f16").c_str(), "sm90a", "D")->shape() == axe::Shape{64, n});
        CHECK(axe::atoms::find((name + ".s32").c_str(), "sm90a", "D").has_value() == integer);
    }
}

// CUTLASS: a byte's offset x becomes x ^ ((x >> 3) & mask), the row of 128 bytes or its parts XORed onto the chunk of 16 bytes.
TEST_CASE("the tiles of shared memory: the swizzle acts on bytes, and towards the chunks")
{
    const std::map<std::string, Int> mask{
        {"K_INTER", 0x00}, {"K_SW32", 0x10}, {"K_SW64", 0x30}, {"K_SW128", 0x70}, {"MN_SW128", 0x70}};
    std::set<std::string> wrong_in_elements, wrong_mirrored;
    int count = 0;
    for (const axe::Atom& atom : axe::atoms::nvidia_wgmma::rows) {
        if (std::string(atom.scope) != "cta") continue;
        INFO(words(atom));
        ++count;
        const std::string form = std::string(atom.name).substr(10, std::string(atom.name).find('.', 10) - 10);
        const auto tile = atom.swizzled();
        auto mirrored = tile;
        mirrored.swizzle.shift = -3;
        for (Int row = 0; row < rows(atom); ++row)
            for (Int column = 0; column < columns(atom); ++column) {
                const Int place = form[0] == 'M' ? column * rows(atom) + row : row * columns(atom) + column;
                const Int byte = place * atom.width, moved = byte ^ ((byte >> 3) & mask.at(form));
                REQUIRE(moved % atom.width == 0);
                const axe::Point expected{{"m", moved / atom.width}};
                CHECK(*axe::evaluate(tile, atom.shape(), {row, column}) == expected);
                if (!(*axe::evaluate(mirrored, atom.shape(), {row, column}) == expected)) wrong_mirrored.insert(atom.name);
                if (atom.swizzle(place) != expected["m"]) wrong_in_elements.insert(atom.name);
            }
    }
    CHECK(count == 7);
    // The two mistakes that are easily made, and where they show.
    CHECK(wrong_in_elements == std::set<std::string>{"smem_atom.K_SW32.b16", "smem_atom.K_SW64.b16", "smem_atom.K_SW128.b16",
                                                     "smem_atom.K_SW128.b32", "smem_atom.MN_SW128.b16"});
    CHECK(wrong_mirrored == std::set<std::string>{"smem_atom.K_SW32.b16", "smem_atom.K_SW64.b16", "smem_atom.K_SW128.b16",
                                                  "smem_atom.K_SW128.b8", "smem_atom.K_SW128.b32", "smem_atom.MN_SW128.b16"});
}

// PTX ISA 9.2, 9.7.16.10.5: M rows of the accumulator on 128 lanes of tensor memory; N = 64 here.
TEST_CASE("tcgen05.mma: the data path layouts")
{
    const auto at = [](Int cta, Int lane, Int column) {
        return std::vector<axe::Point>{{{"cta", cta}, {"tlane", lane}, {"tcol", column}}};
    };
    const std::map<std::string, PerElement> per_element = {
        {"layoutA.M256.cta2", [&](Int m, Int n) { return at(m / 128, m % 128, n); }},
        {"layoutB.M128.cta2.dense", [&](Int m, Int n) { return at(m / 64, m % 64 + (n < 32 ? 0 : 64), n % 32); }},
        {"layoutC.M128.cta2.sparse", [&](Int m, Int n) { return at(m / 64, m % 64 / 16 * 32 + m % 16, n); }},
        {"layoutD.M128.cta1", [&](Int m, Int n) { return at(0, m, n); }},
        {"layoutE.M64.ws", [&](Int m, Int n) { return at(0, m + (n < 32 ? 0 : 64), n % 32); }},
        {"layoutF.M64.cta1", [&](Int m, Int n) { return at(0, m / 16 * 32 + m % 16, n); }},
        {"layoutG.M32.ws", [&](Int m, Int n) { return at(0, m + n / 16 * 32, n % 16); }},
        {"A_tmem.M128.cta1",
         [](Int m, Int k) { return std::vector<axe::Point>{{{"tlane", m}, {"tcol", k / 2}, {"half", k % 2}}}; }},
        {"A_tmem.M128.cta2",
         [](Int m, Int k) {
             return std::vector<axe::Point>{{{"tlane", m}, {"tcol", k / 2}, {"half", k % 2}},
                                            {{"tlane", m + 64}, {"tcol", k / 2}, {"half", k % 2}}};
         }},
        {"scale_factor",
         [](Int m, Int k) {
             std::vector<axe::Point> out;
             for (Int warp = 0; warp < 4; ++warp) out.push_back({{"tlane", m + 32 * warp}, {"tbyte", k}});
             return out;
         }},
    };
    std::size_t count = 0;
    for (const axe::Atom& atom : axe::atoms::nvidia_tcgen05::rows) {
        if (!contains(atom.name, "tcgen05.mma.")) continue;
        ++count;
        check_elements(atom, per_element.at(std::string(atom.name).substr(12)));
    }
    CHECK(count == per_element.size());

    // F leaves half of the lanes to a second accumulator.
    const axe::Atom f = find("tcgen05.mma.layoutF.M64.cta1", "sm100a", "D");
    std::set<Int> lanes;
    for (const Int upper : {0, 16})
        for (Int m = 0; m < 64; ++m)
            for (const auto& p : axe::points(*axe::shift(f.layout(), {{"tlane", upper}}), {64, 64}, {m, 0}))
                lanes.insert(p["tlane"]);
    CHECK(lanes.size() == 128);
}

// PTX ISA 9.2, 9.7.16.2.3, the figures; CUTLASS, the DstLayout of the loads.
TEST_CASE("tcgen05.ld: rows are lanes of tensor memory, columns its columns")
{
    const std::map<std::string, PerLane> per_lane = {
        {"32x32b", [](Int lane, Int i) { return Cell{lane, i}; }},
        {"16x64b", [](Int lane, Int i) { return Cell{lane % 2 * 8 + lane / 4, i * 2 + lane / 2 % 2}; }},
        {"16x128b", [](Int lane, Int i) { return Cell{lane / 4 + i % 2 * 8, i / 2 * 4 + lane % 4}; }},
        {"16x256b", [](Int lane, Int i) { return Cell{lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2}; }},
    };
    int count = 0;
    for (const axe::Atom& atom : axe::atoms::nvidia_tcgen05::rows) {
        const std::string name = atom.name;
        if (!contains(name, "tcgen05.ld.")) continue;
        ++count;
        check_lanes(atom, 32, per_lane.at(name.substr(11, name.find('.', 11) - 11)));
    }
    CHECK(count == 7);
    CHECK(axe::equal(find("tcgen05.ld.16x256b.x1", "sm100a", "frag").layout(),
                     find("mma.sync.m16n8k16.f32.f16.f16.f32", "sm80+", "C").layout()));
}

// ---- AMD ------------------------------------------------------------------------------------------------------------------------

// The ISA documents' matrix layouts, as AMD's calculator prints them: `size` rows or columns, `blocks` blocks, v values of K a lane.
TEST_CASE("v_mfma: accumulators in groups of 4 rows, K along the lanes beyond the rows")
{
    for (const axe::Atom& atom : axe::atoms::amd_mfma::rows) {
        const std::string name = atom.name, operand = atom.operand;
        const Int size = contains(name, "_32x32x") ? 32 : contains(name, "_16x16x") ? 16 : 4;
        const Int blocks = contains(name, "_2b_") ? 2 : contains(name, "_4b_") ? 4 : contains(name, "_16b_") ? 16 : 1;
        const Int depth = rows(atom) * columns(atom) / size / blocks, v = rows(atom) * columns(atom) / 64;
        const auto along = [&](Int lane) { return lane / size % blocks; }; // the block of a lane of A and B
        const auto k = [&](Int lane, Int i) { return lane / size / blocks * v + i; };
        if (operand == "A")
            check_lanes(atom, 64, [&](Int lane, Int i) { return Cell{along(lane) * size + lane % size, k(lane, i)}; });
        else if (operand == "B")
            check_lanes(atom, 64, [&](Int lane, Int i) { return Cell{along(lane) * depth + k(lane, i), lane % size}; });
        else if (contains(name, "f64"))
            check_lanes(atom, 64, [](Int lane, Int i) { return Cell{4 * i + lane / 16, lane % 16}; });
        else if (size == 32)
            check_lanes(atom, 64,
                        [](Int lane, Int i) { return Cell{i / 16 * 32 + i / 4 % 4 * 8 + lane / 32 * 4 + i % 4, lane % 32}; });
        else if (size == 16)
            check_lanes(atom, 64, [](Int lane, Int i) { return Cell{i / 4 * 16 + lane / 16 * 4 + i % 4, lane % 16}; });
        else
            check_lanes(atom, 64, [](Int lane, Int i) { return Cell{lane / 4 * 4 + i, lane % 4}; });
    }
}

TEST_CASE("v_wmma: RDNA 3 has A and B twice, RDNA 4 splits them")
{
    CHECK(std::size(axe::atoms::amd_wmma::rows) == 42);
    for (const axe::Atom& atom : axe::atoms::amd_wmma::rows) {
        const std::string operand = atom.operand;
        const bool old = std::string(atom.arch) == "gfx1100", bytes = std::string(atom.element).ends_with("8");
        if (operand == "D") {
            check_lanes(atom, 32, [&](Int lane, Int i) { return Cell{old ? 2 * i + lane / 16 : lane / 16 * 8 + i, lane % 16}; });
            continue;
        }
        const auto k = [&](Int lane, Int i) { return old ? i : bytes ? lane / 16 * 8 + i : i / 4 * 8 + lane / 16 * 4 + i % 4; };
        check_lanes(
            atom, 32, [&](Int lane, Int i) { return operand == "A" ? Cell{lane % 16, k(lane, i)} : Cell{k(lane, i), lane % 16}; },
            old ? 2 : 1);
    }
    // The forms of RDNA 4 with 16 bits take other values of K to a lane than those with 8: a common order of K, in A as in B.
    CHECK_FALSE(axe::equal(find("v_wmma_f32_16x16x16_f16", "gfx1200", "A").layout(),
                           find("v_wmma_i32_16x16x16_iu8", "gfx1200", "A").layout()));
}

// ---- others ---------------------------------------------------------------------------------------------------------------------

TEST_CASE("Intel: v values of K side by side")
{
    for (const axe::Atom& atom : axe::atoms::intel::rows) {
        const std::string element = atom.element;
        if (std::string(atom.arch) == "xe-hpc") continue;
        const Int v = element == "s8" ? 4 : 2;
        if (std::string(atom.operand) == "B")
            check_elements(atom,
                           [&](Int k, Int n) { return std::vector<axe::Point>{{{"trow", k / v}, {"telem", v * n + k % v}}}; });
        else
            check_elements(atom, [](Int row, Int column) { return std::vector<axe::Point>{{{"trow", row}, {"telem", column}}}; });
    }
}

// A lane has a column of B and of C, and of A the values of K that fill 16 bits (of tf32, 32 bits: two rows to 16 lanes).
TEST_CASE("Intel DPAS: a sub-group of 16 lanes, 8 rows")
{
    const std::map<std::string, PerLane> per_lane = {
        {"A f16", [](Int lane, Int i) { return Cell{i, lane}; }},
        {"A bf16", [](Int lane, Int i) { return Cell{i, lane}; }},
        {"A s8", [](Int lane, Int i) { return Cell{i / 2, lane * 2 + i % 2}; }},
        {"A tf32", [](Int lane, Int i) { return Cell{i * 2 + lane / 8, lane % 8}; }},
    };
    int atoms = 0;
    for (const axe::Atom& atom : axe::atoms::intel::rows) {
        if (std::string(atom.arch) != "xe-hpc") continue;
        ++atoms;
        const auto a = per_lane.find(std::string(atom.operand) + " " + atom.element);
        check_lanes(atom, 16, a != per_lane.end() ? a->second : PerLane([](Int lane, Int i) { return Cell{i, lane}; }));
    }
    CHECK(atoms == 12);
}

TEST_CASE("Trainium: K on the partitions, and the banks of PSUM")
{
    const auto at = [](Int p, Int bank, Int f) { return std::vector<axe::Point>{{{"P", p}, {"Bank", bank}, {"F", f}}}; };
    for (const axe::Atom& atom : axe::atoms::trainium::rows) {
        const Int n = columns(atom);
        if (contains(atom.name, "double_row")) // K is (2, 128), stored as [128, 2, n]
            check_elements(atom, [&](Int k, Int j) { return at(k % 128, 0, k / 128 * n + j); });
        else
            check_elements(atom, [&](Int i, Int j) { return at(i, j / 512, j % 512); });
    }
}

// pto-isa, GetTileOffset: `row` and `column` of a fractal of the tile, then of the element in it.
TEST_CASE("Ascend: the fractal forms")
{
    for (const axe::Atom& atom : axe::atoms::ascend::rows) {
        const bool n_outside = contains(atom.name, "NZ"), n_inside = contains(atom.name, "ZN");
        const Int width = std::string(atom.element) == "s8" ? 32 : 16, height = 16;
        const Int down = rows(atom) / height, across = columns(atom) / width;
        check_elements(atom, [&](Int i, Int j) {
            const Int fractal = n_outside ? j / width * down + i / height : i / height * across + j / width;
            const Int inside = n_inside ? j % width * height + i % height : i % height * width + j % width;
            return std::vector<axe::Point>{{{"m", fractal * width * height + inside}}};
        });
    }
}

TEST_CASE("Spyre, TPU and Apple: sticks, tiles of (8,128), and interleaved accumulators")
{
    for (const axe::Atom& atom : axe::atoms::spyre::rows)
        check_elements(atom,
                       [&](Int i, Int j) { return std::vector<axe::Point>{{{"m", (j / 64 * rows(atom) + i) * 64 + j % 64}}}; });

    const std::map<std::string, Int> packed{{"f32", 1}, {"bf16", 2}, {"s8", 4}};
    for (const axe::Atom& atom : axe::atoms::tpu::rows) {
        const Int v = packed.at(atom.element);
        if (std::string(atom.operand) == "vreg")
            check_elements(
                atom, [&](Int i, Int j) { return std::vector<axe::Point>{{{"sublane", i / v}, {"pack", i % v}, {"vlane", j}}}; });
        else
            check_elements(atom, [&](Int i, Int j) {
                const Int tile = i / 8 * (columns(atom) / 128) + j / 128;
                return std::vector<axe::Point>{{{"m", tile * 1024 + i % 8 * 128 + j % 128}}};
            });
    }

    for (const axe::Atom& atom : axe::atoms::apple::rows) {
        const Int accumulators = std::string(atom.element) == "f32" ? 4 : 2;
        std::set<Int> used;
        for (Int q = 0; q < accumulators; ++q) {
            Expected expected(atom);
            for (Int j = 0; j < rows(atom); ++j)
                for (Int i = 0; i < columns(atom); ++i) expected.put({j, i}, {{"zrow", accumulators * j + q}, {"zelem", i}});
            CHECK(expected.is(*axe::shift(atom.layout(), {{"zrow", q}})));
            for (Int j = 0; j < rows(atom); ++j) used.insert(accumulators * j + q);
        }
        CHECK(used.size() == 64);
    }
}

TEST_CASE("no family of atoms is without formulas")
{
    std::size_t count = 0;
    const auto add = [&](const auto& rows_of_family) { count += std::size(rows_of_family); };
    add(axe::atoms::nvidia_mma::rows);
    add(axe::atoms::nvidia_ldmatrix::rows);
    add(axe::atoms::nvidia_wgmma::rows);
    add(axe::atoms::nvidia_tcgen05::rows);
    add(axe::atoms::amd_mfma::rows);
    add(axe::atoms::amd_wmma::rows);
    add(axe::atoms::intel::rows);
    add(axe::atoms::trainium::rows);
    add(axe::atoms::ascend::rows);
    add(axe::atoms::spyre::rows);
    add(axe::atoms::tpu::rows);
    add(axe::atoms::apple::rows);
    CHECK(count == static_cast<std::size_t>(axe::atoms::all.size()));
}
