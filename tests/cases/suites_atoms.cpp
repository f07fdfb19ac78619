// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/text.hpp>
#include <axe/layout/points.hpp>
#include <axe/target/atoms.hpp>
#include <catch.hpp>
#include <tests/suite_row.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>

/// The operands of instructions in data/suites.tsv, as tensor-layouts has them: CuTe layouts from (thread, value) to the element of the
/// operand, counted with its first dimension fastest; that of B is (N, K). Threads are those that the instruction has, in order. AMD's
/// are another matter: see `wrong`.
namespace {

using Int = std::int64_t;
/// (thread, value) → element.
using Table = std::map<std::pair<Int, Int>, Int>;

const axe::Atom* find(const std::string& name, const std::string& arch, const std::string& operand)
{
    for (const axe::Atom& atom : axe::atoms::all)
        if (atom.name == name && atom.arch == arch &&
            (atom.operand == operand || (operand == "C" && std::string(atom.operand) == "D")))
            return &atom;
    return nullptr;
}

Table table_of(const axe::Atom& atom, bool transposed)
{
    const axe::Layout layout = atom.layout();
    const axe::Shape shape = atom.shape();
    const Int lanes = std::string(atom.arch).starts_with("gfx9") ? 64 : 32;
    std::set<Int> threads;
    std::map<std::pair<Int, Int>, Int> places;
    for (Int x = 0; x < shape[0] * shape[1]; ++x) {
        const Int row = x / shape[1], col = x % shape[1];
        for (const axe::Point& p : axe::points(layout, x)) {
            const Int thread = p[axe::Axis("warp")] * lanes + p[axe::Axis("lane")];
            threads.insert(thread);
            places[{thread, p[axe::Axis("reg")]}] = transposed ? col + shape[1] * row : row + shape[0] * col;
        }
    }
    Table out;
    for (const auto& [place, element] : places)
        out[{std::distance(threads.begin(), threads.find(place.first)), place.second}] = element;
    return out;
}

Table table_of(const axe::cute::Layout& tv)
{
    Table out;
    const Int threads = size(mode(tv, 0));
    for (Int t = 0; t < threads; ++t)
        for (Int v = 0; v < size(mode(tv, 1)); ++v) out[{t, v}] = evaluate(tv, t + threads * v);
    return out;
}

/// The registers that a fragment of matrices has each element of 16 bits in: CuTe's layout maps (thread, bit) to the bit of the matrices,
/// row by row.
void check_fragment(const axe::Atom& atom, const axe::cute::Layout& bits)
{
    const axe::Layout layout = atom.layout();
    const axe::Shape shape = atom.shape();
    const Int threads = size(mode(bits, 0)), elements = size(mode(bits, 1)) / 16;
    REQUIRE(threads * elements == shape[0] * shape[1]);
    for (Int t = 0; t < threads; ++t)
        for (Int v = 0; v < elements; ++v) {
            const Int bit = evaluate(bits, t + threads * 16 * v);
            REQUIRE(bit % 16 == 0);
            int points = 0;
            for (const axe::Point& p : axe::points(layout, bit / 16)) {
                ++points;
                REQUIRE(p[axe::Axis("lane")] == t);
                REQUIRE(p[axe::Axis("reg")] == v);
            }
            REQUIRE(points == 1);
        }
}

/// Rows of another layout than the instruction's: AMD's own calculator was run on every element of these operands, and gives ours.
bool wrong(const axe::Atom& atom, const Table& theirs)
{
    const std::string arch = atom.arch;
    if (arch != "gfx942" && arch != "gfx1100") return false;
    CHECK(atom.evidence == axe::Evidence::executed);
    std::set<Int> elements;
    for (const auto& [place, element] : theirs) elements.insert(element);
    const bool whole = static_cast<Int>(elements.size()) == atom.shape()[0] * atom.shape()[1];
    // MFMA: all groups of lanes hold the same part of A and B. WMMA: each half of the wave holds all of B, not half of it.
    if (arch == "gfx942" && std::string(atom.operand) < "C") CHECK_FALSE(whole);
    return true;
}

} // namespace

TEST_CASE("suites: fragments of instructions that copy matrices")
{
    int checked = 0;
    for (const suite_row::Row& row : suite_row::rows(AXE_TEST_DATA "/suites.tsv")) {
        if (row.op != "copy frag") continue;
        INFO(row.test << ": " << row.arguments);
        const axe::Atom* found = nullptr;
        for (const axe::Atom& atom : axe::atoms::all)
            if (row.arguments == atom.name && std::string(atom.operand) == "frag") found = &atom;
        REQUIRE(found != nullptr);
        const auto bits = axe::cute::parse_layout(row.expected);
        REQUIRE(bits);
        check_fragment(*found, *bits);
        ++checked;
    }
    CHECK(checked == 6);
}

TEST_CASE("suites: operands of instructions")
{
    int same = 0, differ = 0;
    for (const suite_row::Row& row : suite_row::rows(AXE_TEST_DATA "/suites.tsv")) {
        if (!row.op.starts_with("atom operand ")) continue;
        INFO(row.test << ": " << row.op << " of " << row.arguments);
        const axe::Atom* const atom = find(row.in[0], row.in[1], row.op.substr(13));
        REQUIRE(atom != nullptr);
        const auto expected = axe::cute::parse_layout(row.expected);
        REQUIRE(expected);
        const Table ours = table_of(*atom, row.op.back() == 'B'), theirs = table_of(*expected);
        if (ours == theirs)
            ++same;
        else if (wrong(*atom, theirs))
            ++differ;
        else
            FAIL_CHECK("another layout: " << row.expected);
    }
    CHECK(same == 63);
    CHECK(differ == 22);
}
