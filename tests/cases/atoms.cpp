// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/properties.hpp>
#include <axe/target/atoms.hpp>
#include <catch.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

/// The atoms against data/atoms.jsonl, row for row, and what every atom keeps to. What each row says is checked in atom_formulas.cpp.
namespace {

using Int = std::int64_t;
using Json = nlohmann::json;

std::string words(const axe::Atom& atom) { return std::string(atom.name) + " " + atom.arch + " " + atom.operand; }
std::string name(const axe::Axis& axis) { return axis.name().c_str(); }

std::vector<Json> data()
{
    std::ifstream file(AXE_TEST_DATA "/atoms.jsonl");
    std::vector<Json> rows;
    for (std::string line; std::getline(file, line);) rows.push_back(Json::parse(line));
    return rows;
}

template <class List>
Json iters(const List& list)
{
    Json out = Json::array();
    for (const auto& it : list) out.push_back(Json::array({it.extent, it.stride, name(it.axis)}));
    return out;
}

/// A row as the data writes it.
Json json(const axe::Atom& atom)
{
    const axe::Layout layout = atom.layout();
    Json out{{"name", atom.name}, {"arch", atom.arch}, {"operand", atom.operand}, {"dtype", atom.element}, {"scope", atom.scope}};
    out["shape"] = Json::array();
    for (const Int extent : atom.shape()) out["shape"].push_back(extent);
    out["D"] = iters(layout.shard);
    out["R"] = iters(layout.replica);
    out["O"] = Json::object();
    for (const auto& e : layout.offset) out["O"][name(e.axis)] = e.value;
    out["verified"] = atom.evidence == axe::Evidence::executed ? "executed" : "formula";
    if (!(atom.swizzle == axe::Swizzle{}))
        out["swizzle"] = {{"B", atom.swizzle.bits}, {"M", atom.swizzle.base}, {"S", atom.swizzle.shift}, {"unit", "byte"}};
    return out;
}

/// The axes of a scope on an architecture, and how far they go.
struct Room {
    std::string axis;
    Int size;
};
std::vector<Room> room(const axe::Atom& atom)
{
    const std::string scope = atom.scope, arch = atom.arch;
    if (scope == "warp" || scope == "quadpair") return {{"lane", 32}, {"reg", 256}};
    if (scope == "wave") return {{"lane", arch == "gfx942" || arch == "gfx950" ? 64 : 32}, {"reg", 512}};
    if (scope == "subgroup") return {{"lane", 16}, {"reg", 64}};
    if (scope == "warpgroup") return {{"warp", 4}, {"lane", 32}, {"reg", 256}};
    if (scope == "cta" && arch == "sm90+") return {{"m", 227 * 1024}};
    if (scope == "cta") return {{"tlane", 128}, {"tcol", 512}, {"half", 2}, {"tbyte", 4}};
    if (scope == "ctapair") return {{"cta", 2}, {"tlane", 128}, {"tcol", 512}};
    if (scope == "core" && arch == "tpu") return {{"sublane", 8}, {"vlane", 128}, {"pack", 4}};
    if (scope == "core" && arch == "apple-m1") return {{"zrow", 64}, {"zelem", 32}};
    if (scope == "core") return {{"trow", 16}, {"telem", 64}};
    if (scope == "neuroncore") return {{"P", 128}, {"F", 1024}, {"Bank", 8}};
    if (scope == "aicore" || scope == "device") return {{"m", Int{1} << 20}};
    return {};
}

/// A point, in the order of the axes of its room.
using Place = std::array<Int, 4>;

/// The points of every index, from D and R alone. An axis that the room does not have fails the test.
std::vector<std::vector<Place>> table(const axe::Atom& atom)
{
    const auto axes = room(atom);
    const auto moved = [&](Place p, const axe::Iter& it, Int i) {
        std::size_t a = 0;
        while (a < axes.size() && axes[a].axis != name(it.axis)) ++a;
        if (a == axes.size()) FAIL(words(atom) << ": no axis " << name(it.axis));
        p[a] += i * it.stride;
        return p;
    };
    const axe::Layout layout = atom.layout();
    std::vector<std::vector<Place>> all{{Place{}}};
    for (const auto& it : layout.replica) {
        std::vector<Place> next;
        for (const Place& p : all[0])
            for (Int i = 0; i < it.extent; ++i) next.push_back(moved(p, it, i));
        all[0] = next;
    }
    for (const auto& it : layout.shard) {
        std::vector<std::vector<Place>> next;
        for (const auto& places : all)
            for (Int i = 0; i < it.extent; ++i) {
                next.emplace_back();
                for (const Place& p : places) next.back().push_back(moved(p, it, i));
            }
        all.swap(next);
    }
    return all;
}

} // namespace

TEST_CASE("every row of the data is an atom, and every atom a row of the data")
{
    std::map<std::string, axe::Atom> atoms;
    for (const axe::Atom& atom : axe::atoms::all) REQUIRE(atoms.emplace(words(atom), atom).second);
    const auto rows = data();
    REQUIRE(rows.size() == 372);
    for (const Json& row : rows) {
        const std::string key =
            row["name"].get<std::string>() + " " + row["arch"].get<std::string>() + " " + row["operand"].get<std::string>();
        INFO(key);
        REQUIRE(atoms.count(key) == 1);
        Json want = row;
        want.erase("source");
        want.erase("note");
        want.erase("oracle");
        want.erase("verified_by");
        want.erase("injective");
        // "cta (per CTA of the pair)": the words in parentheses are in the note
        const std::string scope = want["scope"];
        want["scope"] = scope.substr(0, scope.find(" ("));
        CHECK(json(atoms.at(key)) == want);
        atoms.erase(key);
    }
    CHECK(atoms.empty());
}

TEST_CASE("the source of every atom is the data's, at its commit, and what was executed says against what")
{
    const std::map<std::string, std::string> words{
        // in the data's source and in the atom's
        {"cutlass@7107b055", "CUTLASS 7107b055"},
        {"tvm@5d4dc872", "tvm 5d4dc872"},
        {"amd_matrix_instruction_calculator@2ef91896", "amd_matrix_instruction_calculator 2ef91896"},
        {"pto-isa@3186c381", "pto-isa 3186c381"},
        {"torch-spyre@859df83e", "torch-spyre 859df83e"},
        {"iree@00463496", "iree 00463496"},
        {"intel-xpu-backend-for-triton@14574027", "intel-xpu-backend-for-triton 14574027"},
        {"PTX ISA", "PTX ISA 9.2"},
        {"Intrinsics Guide", "Intrinsics Guide"},
        {"corsix/amx", "corsix/amx"},
        {"AWS NKI", "AWS NKI"},
        {"JAX Pallas TPU", "JAX Pallas TPU"}};
    int executed = 0;
    for (const Json& row : data()) {
        const std::string name = row["name"], arch = row["arch"], operand = row["operand"], source = row["source"];
        const axe::Atom atom = *axe::atoms::find(name.c_str(), arch.c_str(), operand.c_str());
        INFO(::words(atom) << ": " << source << " | " << atom.source);
        int named = 0;
        for (const auto& [theirs, ours] : words) {
            if (source.find(theirs) == std::string::npos) continue;
            CHECK(std::string(atom.source).find(ours) != std::string::npos);
            ++named;
        }
        CHECK(named > 0);
        const bool run = row["verified"] == "executed";
        CHECK((atom.evidence == axe::Evidence::executed) == run);
        CHECK((run ? row.contains("verified_by") && !row["verified_by"].empty() : true));
        executed += run;
    }
    CHECK(executed == 223);
}

TEST_CASE("the atoms that the data calls injective are, by enumeration and by is_injective")
{
    for (const Json& row : data()) {
        const std::string name = row["name"], arch = row["arch"], operand = row["operand"];
        const axe::Atom atom = *axe::atoms::find(name.c_str(), arch.c_str(), operand.c_str());
        INFO(words(atom));
        std::set<Place> seen;
        std::size_t points = 0;
        for (const auto& places : table(atom)) {
            points += places.size();
            seen.insert(places.begin(), places.end());
        }
        CHECK((seen.size() == points) == row["injective"].get<bool>());
        CHECK(bool(axe::is_injective(atom.layout())) == row["injective"].get<bool>());
    }
}

TEST_CASE("an atom's points lie on the axes of its scope, within the hardware, and fill a box")
{
    // These leave holes, for the other places that the operand may have.
    const std::set<std::string> holes{
        "mma.sync.m8n8k4.row.f16",
        "mma.sync.m8n8k4.col.f16",
        "mma.sync.m8n8k4.f32acc",
        "mma.sync.m8n8k4.f16acc",
        "tcgen05.mma.layoutF.M64.cta1",
        "tcgen05.mma.layoutC.M128.cta2.sparse",
        "apple.amx.fma32",
        "apple.amx.fma16",
    };
    for (const axe::Atom& atom : axe::atoms::all) {
        INFO(words(atom));
        const auto axes = room(atom);
        std::set<Place> seen;
        Place least{}, greatest{};
        for (const auto& places : table(atom))
            for (const Place& p : places) {
                seen.insert(p);
                for (std::size_t a = 0; a < p.size(); ++a) {
                    least[a] = std::min(least[a], p[a]);
                    greatest[a] = std::max(greatest[a], p[a]);
                }
            }
        std::size_t box = 1;
        for (std::size_t a = 0; a < axes.size(); ++a) {
            CHECK(least[a] == 0);
            CHECK(greatest[a] < axes[a].size);
            box *= static_cast<std::size_t>(greatest[a] + 1);
        }
        CHECK((seen.size() == box) == (holes.count(atom.name) == 0));
    }
}

TEST_CASE("an atom's shape groups its layout: rows and columns move a point independently")
{
    for (const axe::Atom& atom : axe::atoms::all) {
        INFO(words(atom));
        const axe::Status error = check(atom);
        INFO(error.error().message().c_str());
        REQUIRE(error.ok());
        const axe::Shape shape = atom.shape();
        REQUIRE(shape.size() == 2);
        const auto all = table(atom);
        REQUIRE(static_cast<Int>(all.size()) == shape[0] * shape[1]);
        const auto at = [&](Int row, Int column) { return all[static_cast<std::size_t>(row * shape[1] + column)].front(); };
        bool independent = true;
        for (Int row = 0; row < shape[0]; ++row)
            for (Int column = 0; column < shape[1]; ++column)
                for (std::size_t a = 0; a < Place{}.size(); ++a)
                    independent = independent && at(row, column)[a] == at(row, 0)[a] + at(0, column)[a];
        CHECK(independent);
    }
}

TEST_CASE("CDNA 4: a lane holds the successive K of one row, and four successive rows of a column")
{
    int seen = 0;
    for (const axe::Atom& atom : axe::atoms::all) {
        if (std::string(atom.arch) != "gfx950") continue;
        INFO(words(atom));
        const auto at = table(atom);
        const Int m = atom.shape()[0], n = atom.shape()[1];
        const Int side = std::string(atom.name).find("_32x32x") != std::string::npos ? 32 : 16, groups = 64 / side;
        REQUIRE(static_cast<Int>(at.size()) == m * n);
        for (Int i = 0; i < m; ++i)
            for (Int j = 0; j < n; ++j) {
                const std::string operand = atom.operand;
                const Int held = operand == "A" ? n / groups : m / groups; // successive K, or rows of an accumulator
                Place want{};
                if (operand == "A")
                    want = {i + side * (j / held), j % held};
                else if (operand == "B")
                    want = {j + side * (i / held), i % held};
                else
                    want = {j + side * (i / 4 % groups), i % 4 + 4 * (i / (4 * groups))};
                REQUIRE(at[static_cast<std::size_t>(i * n + j)] == std::vector<Place>{want});
            }
        ++seen;
    }
    CHECK(seen == 18);
}

TEST_CASE("DPAS of Xe-HPC: lanes are columns, and registers rows, but for an A of 8 or 32 bits")
{
    // By the bases of the source: bit i of the register, then of the lane, adds this much to (row, column).
    const struct {
        const char *k, *operand;
        std::vector<std::pair<Int, Int>> reg, lane;
    } bases[] = {
        {"_k16", "A", {{1, 0}, {2, 0}, {4, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}}},
        {"_k16", "B", {{1, 0}, {2, 0}, {4, 0}, {8, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}}},
        {"_k32", "A", {{0, 1}, {1, 0}, {2, 0}, {4, 0}}, {{0, 2}, {0, 4}, {0, 8}, {0, 16}}},
        {"_k32", "B", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}}},
        {"_k8", "A", {{2, 0}, {4, 0}}, {{0, 1}, {0, 2}, {0, 4}, {1, 0}}},
        {"_k8", "B", {{1, 0}, {2, 0}, {4, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}}},
        {"", "C", {{1, 0}, {2, 0}, {4, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}}},
    };
    int seen = 0;
    for (const axe::Atom& atom : axe::atoms::all) {
        if (std::string(atom.arch) != "xe-hpc") continue;
        INFO(words(atom));
        const auto at = table(atom);
        const auto& b = *std::find_if(std::begin(bases), std::end(bases), [&](const auto& row) {
            return std::string(atom.operand) == row.operand && std::string(atom.name).ends_with(row.k);
        });
        const std::size_t registers = b.reg.size(), bits = registers + b.lane.size();
        REQUIRE(at.size() == std::size_t{1} << bits);
        for (std::size_t place = 0; place < at.size(); ++place) {
            Int row = 0, column = 0;
            for (std::size_t i = 0; i < bits; ++i)
                if ((place >> i & 1) != 0) {
                    const auto& step = i < registers ? b.reg[i] : b.lane[i - registers];
                    row += step.first, column += step.second;
                }
            const auto reg = static_cast<Int>(place & ((std::size_t{1} << registers) - 1)),
                       lane = static_cast<Int>(place >> registers);
            REQUIRE(at[static_cast<std::size_t>(row * atom.shape()[1] + column)] == std::vector<Place>{Place{lane, reg}});
        }
        ++seen;
    }
    CHECK(seen == 12);
}
