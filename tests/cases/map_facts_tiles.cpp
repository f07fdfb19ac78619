// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/tile_print.hpp>
#include <nlohmann/json.hpp>
#include <tests/catch.hpp>
#include <tests/laws/map_tiles.hpp>

#include <fstream>
#include <map>
#include <sstream>

/// Tiles of XLA's tests (kinds `symbolic_tile` and `tile_propagation` of xla_facts.jsonl). XLA's offsets, sizes, strides and upper bounds,
/// evaluated for many tiles, are the indices that enumeration of the map finds, and ours are the same; ours take at least the tiles that
/// XLA's conditions take. Where XLA has no tile ours may have one: what it says is enumerated too.
namespace {

using namespace axe;
using laws::TileAnswer;
using laws::TileIndex;
using laws::TileOf;
using laws::TileSet;
using nlohmann::json;

/// The map of a row, the shape that is tiled and the shape that is reached.
struct Fact {
    IndexingMap map{};
    IndexShape tiled{}, reached{};
};

template <class Op>
Fact to_input(const Op& o, const std::vector<IndexShape>& operands, std::size_t k = 0)
{
    const auto maps = o.maps(operands);
    REQUIRE(maps);
    const ResultMaps& result = maps->results[0];
    return {result.from_output[k][0].map, result.shape, operands[k]};
}
template <class Op>
Fact to_output(const Op& o, const std::vector<IndexShape>& operands, std::size_t k = 0)
{
    const auto maps = o.maps(operands);
    REQUIRE(maps);
    const ResultMaps& result = maps->results[0];
    return {result.to_output[k][0].map, operands[k], result.shape};
}

const std::vector<IndexShape> three{{2, 5, 7}, {2, 11, 7}, {2, 17, 7}}, joined{{10, 5}, {10, 8}, {10, 2}};
const op::Pad edges{{{1, 7, 0}, {0, 9, 0}}};

/// For each row its maps: one, but for a concatenation's operands.
const std::map<std::string, std::function<std::vector<Fact>()>> facts{
    {"xla0144", [] { return std::vector{to_input(op::Dot{{0}, {0}, {2}, {1}}, {{11, 17, 19}, {11, 19, 23}})}; }},
    {"xla0145", [] { return std::vector{to_input(op::Reshape{{1, 11, 17, 19}}, {{11, 17, 19}})}; }},
    {"xla0147", [] { return std::vector{to_input(op::Reshape{{4, 8, 6, 4}}, {{192, 4}})}; }},
    {"xla0148", [] { return std::vector{to_input(op::Reshape{{4, 12, 19}}, {{12, 4, 19}})}; }},
    {"xla0149", [] { return std::vector{to_input(op::Elementwise{"add"}, {{150}, {150}})}; }},
    {"xla0150", [] { return std::vector{to_input(op::Broadcast{{157, 150}, {1}}, {{150}})}; }},
    {"xla0151", [] { return std::vector{to_input(op::Reduce{{0}}, {{125, 150}, {}})}; }},
    {"xla0153", [] { return std::vector{to_input(op::Slice{{40, 20}, {60, 104}, {2, 4}}, {{120, 142}})}; }},
    {"xla0154", [] { return std::vector{to_input(op::Transpose{{1, 0}}, {{21, 10}})}; }},
    {"xla0155", [] { return std::vector{to_input(op::Concatenate{1}, three)}; }},
    {"xla0160", [] { return std::vector{to_input(op::DynamicUpdateSlice{}, {{20, 30}, {5, 10}, {}, {}}, 1)}; }},
    {"xla0161", [] { return std::vector{to_input(op::Reshape{{10, 20}}, {{10, 20}})}; }},
    {"xla0162", [] { return std::vector{to_input(op::Reshape{{1, 10, 1}}, {{10}})}; }},
    {"xla0163", [] { return std::vector{to_input(op::Reshape{{10}}, {{1, 10, 1}})}; }},
    {"xla0165", [] { return std::vector{to_input(op::Reshape{{1, 12, 2, 2}}, {{12, 4}})}; }},
    {"xla0167", [] { return std::vector{to_input(op::Reshape{{12}}, {{3, 4}})}; }},
    {"xla0168", [] { return std::vector{to_input(op::Reshape{{7, 5, 2}}, {{2, 5, 7}})}; }},
    {"xla0169", [] { return std::vector{to_input(op::Broadcast{{10, 20, 30}, {0, 2}}, {{10, 30}})}; }},
    {"xla0170", [] { return std::vector{to_output(op::Broadcast{{10, 20, 30}, {0, 2}}, {{10, 30}})}; }},
    {"xla0172", [] { return std::vector{to_output(op::Concatenate{1}, joined, 1), to_output(op::Concatenate{1}, joined, 2)}; }},
    {"xla0174", [] { return std::vector{to_input(edges, {{4, 4}, {}})}; }},
};

/// Sizes to try along a dimension: small ones, and those with something to do with the extent.
TileIndex sizes_of(std::int64_t n)
{
    std::set<std::int64_t> out{1, n};
    for (const std::int64_t z : {std::int64_t{2}, std::int64_t{3}, std::int64_t{4}, n / 2, n - 1})
        if (z >= 1 && z <= n) out.insert(z);
    return {out.begin(), out.end()};
}

std::vector<TileIndex> all_sizes(const IndexShape& shape)
{
    std::vector<TileIndex> lists, out;
    for (const std::int64_t n : shape) lists.push_back(sizes_of(n));
    laws::each_of(lists, [&](const TileIndex& z) { out.push_back(z); });
    return out;
}

std::int64_t elements(const TileIndex& sizes)
{
    std::int64_t out = 1;
    for (const std::int64_t z : sizes) out *= z;
    return out;
}

/// Up to three ids of tiles along each dimension: the first, the second, the last.
std::vector<TileIndex> tile_ids(const IndexShape& shape, const TileIndex& sizes)
{
    std::vector<TileIndex> lists, out;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const std::int64_t last = (shape[d] - 1) / sizes[d];
        std::set<std::int64_t> ids{0, std::min<std::int64_t>(1, last), last};
        lists.emplace_back(ids.begin(), ids.end());
    }
    laws::each_of(lists, [&](const TileIndex& id) { out.push_back(id); });
    return out;
}

TileIndex corner(const IndexingMap& map, int which)
{
    TileIndex out;
    for (int v = map.first_runtime(); v < static_cast<int>(map.variables.size()); ++v) {
        const IndexInterval b = map.variables[static_cast<std::size_t>(v)].bounds;
        out.push_back(which == 0 ? b.low : which == 1 ? b.high : (b.low + b.high) / 2);
    }
    return out;
}

IndexingMap parsed(const std::string& text)
{
    INFO(text);
    const auto map = parse_map(text);
    REQUIRE(map);
    return *map;
}

TileIndex values(const IndexingMap& map, TileIndex at)
{
    at.resize(map.variables.size());
    const auto out = evaluate_anywhere(map, at);
    REQUIRE(out);
    return *out;
}

/// The box in the shape that is reached: XLA masks what is outside.
TileSet masked_box(const TileIndex& offsets, const TileIndex& sizes, const TileIndex& strides, const IndexShape& bounds)
{
    std::vector<TileRow> rows;
    for (std::size_t i = 0; i < offsets.size(); ++i) rows.push_back({offsets[i], sizes[i], strides[i], {0, bounds[i] - 1}});
    return laws::box(rows);
}

/// `d0 in [1, 1] && d1 in [2, 2] || …` for these sizes.
bool holds(const json& constraints, const TileIndex& sizes)
{
    if (constraints.is_null()) return true;
    std::istringstream in(constraints.get<std::string>());
    bool any = false, all = true;
    for (std::string word; in >> word;) {
        if (word == "||") {
            any = any || all;
            all = true;
        } else if (word[0] == 'd') {
            std::string of, low, high;
            in >> of >> low >> high;
            const std::int64_t z = sizes[static_cast<std::size_t>(std::stoi(word.substr(1)))];
            all = all && std::stoll(low.substr(1)) <= z && z <= std::stoll(high);
        }
    }
    return any || all;
}

/// XLA's strides: a map, or a list `evaluates: {4,8,6,4}->(1,1) …` where there is no value for most sizes.
bool strides_of(const std::string& text, const TileIndex& sizes, TileIndex& out)
{
    if (text.find("evaluates") == std::string::npos) {
        out = values(parsed(text), sizes);
        return true;
    }
    std::string key = "{";
    for (std::size_t d = 0; d < sizes.size(); ++d) key += (d == 0 ? "" : ",") + std::to_string(sizes[d]);
    const std::size_t at = text.find(key += "}->(");
    if (at == std::string::npos) return false;
    std::istringstream in(text.substr(at + key.size()));
    char comma = ' ';
    out.assign(2, 0);
    in >> out[0] >> comma >> out[1];
    return true;
}

/// What is between the brackets behind a word, none if the word is not there.
std::string list_of(const std::string& text, const std::string& word)
{
    const std::size_t at = text.find(word + " [");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + word.size() + 2;
    return text.substr(begin, text.find(']', begin) - begin);
}

struct Tally {
    int tiles = 0, accepted = 0;
};

/// Ours at a tile: right where it says something.
void check_ours(const SymbolicTile& symbolic, const TileIndex& numbers, const TileSet& truth, bool must_accept, Tally& tally)
{
    const TileAnswer answer = laws::judge(symbolic, numbers, truth);
    if (answer == TileAnswer::wrong || (must_accept && answer == TileAnswer::none)) {
        for (const std::int64_t n : numbers) UNSCOPED_INFO(n);
        CHECK(answer != TileAnswer::wrong);
        CHECK_FALSE((must_accept && answer == TileAnswer::none));
    }
    ++tally.tiles;
    tally.accepted += answer == TileAnswer::right ? 1 : 0;
}

void check_symbolic(const json& row, const Fact& fact)
{
    const auto symbolic = symbolic_tile(fact.map, fact.tiled);
    REQUIRE(symbolic);
    const auto grid = on_grid(*symbolic);
    REQUIRE(grid);
    INFO(print(*grid));
    Tally tally, theirs, by_grid;
    for (const TileIndex& sizes : all_sizes(fact.tiled)) {
        if (elements(sizes) > 150) continue;
        const bool is_theirs = !row.at("offset_map").is_null() && holds(row.at("constraints"), sizes);
        for (int which = 0; which < (fact.map.runtimes() > 0 ? 3 : 1); ++which) {
            const TileIndex runtimes = corner(fact.map, which);
            const TileIndex first(sizes.size(), 0), ones(sizes.size(), 1);
            TileIndex at = sizes, strides;
            at.insert(at.end(), runtimes.begin(), runtimes.end());
            if (is_theirs && strides_of(row.at("stride_map"), sizes, strides)) {
                ++theirs.tiles;
                const TileSet box = masked_box(values(parsed(row.at("offset_map")), at), values(parsed(row.at("size_map")), sizes),
                                               strides, fact.reached);
                CHECK(box == laws::needed(fact.map, {first, sizes, ones}, runtimes));
            }
            for (const TileIndex& id : tile_ids(fact.tiled, sizes)) {
                TileIndex offsets;
                for (std::size_t d = 0; d < id.size(); ++d) offsets.push_back(id[d] * sizes[d]);
                const TileOf tile{offsets, sizes, ones};
                const TileIndex numbers = laws::parameters(tile, runtimes);
                const TileSet truth = laws::needed(fact.map, tile, runtimes);
                check_ours(*symbolic, numbers, truth, is_theirs, tally);
                // Conditions on sizes alone, as theirs: ours take their sizes too, and what we take is so for all tiles.
                const bool is_in_grid = tile_at(*grid, laws::parameters({first, sizes, ones}, runtimes)).has_value();
                CHECK((is_in_grid || !is_theirs));
                check_ours(*grid, numbers, truth, is_in_grid, by_grid);
            }
        }
    }
    CHECK(tally.accepted > 0);
    CHECK(by_grid.accepted > 0);
    CHECK((theirs.tiles > 0) == !row.at("offset_map").is_null());
    if (row.at("offset_map").is_null()) CHECK(tally.accepted * 5 > tally.tiles); // XLA has no tile at all
}

/// @param expected  offsets, sizes, strides and upper bounds in tid_i and ts_i; empty where XLA has no tile
void check_propagation(const Fact& fact, const std::string& expected)
{
    const auto symbolic = symbolic_tile(fact.map, fact.tiled);
    REQUIRE(symbolic);
    std::string ids, sizes_too, default_sizes, default_strides;
    const std::size_t rank = fact.tiled.size();
    for (std::size_t d = 0; d < rank; ++d) {
        const std::string i = std::to_string(d), comma = d == 0 ? "" : ", ";
        ids += comma + "tid_" + i;
        sizes_too += ", ts_" + i;
        default_sizes += comma + "ts_" + i;
        default_strides += comma + std::to_string(d + 1);
    }
    const auto map_of = [&](const std::string& word, const std::string& otherwise) {
        std::string list = list_of(expected, word);
        if (list.empty()) list = otherwise;
        if (const std::size_t at = list.find(".."); at != std::string::npos) list.replace(at, 2, "tid_0 * ts_0");
        return parsed("(" + ids + sizes_too + ") -> (" + list + ")");
    };
    const bool has_tile = !expected.empty();
    const IndexingMap offset_map = map_of("offsets", "0"), size_map = map_of("sizes", default_sizes),
                      stride_map = map_of("strides", default_strides), bound_map = map_of("ub", "0");
    Tally tally;
    for (const TileIndex& sizes : all_sizes(fact.tiled)) {
        for (const TileIndex& id : tile_ids(fact.tiled, sizes)) {
            TileOf tile{{}, sizes, {}};
            for (std::size_t d = 0; d < rank; ++d) {
                tile.offsets.push_back(id[d] * sizes[d]);
                tile.strides.push_back(static_cast<std::int64_t>(d) + 1);
            }
            TileIndex at = id;
            at.insert(at.end(), sizes.begin(), sizes.end());
            const TileSet truth = laws::needed(fact.map, tile);
            if (has_tile) {
                CHECK(masked_box(values(offset_map, at), values(size_map, at), values(stride_map, at), values(bound_map, at)) ==
                      truth);
            }
            check_ours(*symbolic, laws::parameters(tile), truth, has_tile, tally);
            if (!has_tile) {
                tile.strides.assign(rank, 1);
                check_ours(*symbolic, laws::parameters(tile), laws::needed(fact.map, tile), false, tally);
            }
        }
    }
    CHECK(tally.accepted > 0);
}

} // namespace

TEST_CASE("tiles: those of XLA's tests")
{
    std::ifstream file(AXE_TEST_DATA "/xla_facts.jsonl");
    REQUIRE(file);
    int symbolic = 0, propagation = 0;
    for (std::string line; std::getline(file, line);) {
        const json row = json::parse(line);
        if (row.at("kind") != "symbolic_tile" && row.at("kind") != "tile_propagation") continue;
        INFO(row.at("id") << ": " << row.at("hlo"));
        const auto found = facts.find(row.at("id"));
        REQUIRE(found != facts.end());
        const std::vector<Fact> maps = found->second();
        if (row.at("kind") == "symbolic_tile") {
            ++symbolic;
            check_symbolic(row, maps[0]);
            continue;
        }
        ++propagation;
        std::string expected = row.at("expected");
        if (expected.find("nullopt") != std::string::npos) expected.clear();
        // A concatenation's operands are one after another in the text.
        const std::size_t second = expected.find("; op2");
        check_propagation(maps[0], expected.substr(0, second));
        if (maps.size() > 1) check_propagation(maps[1], expected.substr(second));
    }
    CHECK(symbolic == 11);
    CHECK(propagation == 10);
    CHECK(facts.size() == 21);
}
