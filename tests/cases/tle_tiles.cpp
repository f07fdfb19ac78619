// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <catch.hpp>
#include <tests/required.hpp>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// data/tle_tiles.jsonl: tiles and slices of TLE, each extracted and inserted in a run, by an index that is known and by one that is read;
/// what elements they are of is enumerated from the ranges of the row.
namespace {

using Json = nlohmann::json;
using namespace axe;
using enum DType;

Shape shape_of(const Json& list)
{
    Shape out;
    for (const Json& n : list) out.push_back(n.get<std::int64_t>());
    return out;
}

int each_tile_row(const char* kind, const std::function<void(const Json&)>& check)
{
    int rows = 0;
    std::ifstream file(AXE_TEST_DATA "/tle_tiles.jsonl");
    for (std::string line; std::getline(file, line);) {
        const Json row = Json::parse(line);
        if (row.at("kind") != kind) continue;
        INFO(line);
        check(row);
        ++rows;
    }
    return rows;
}

/// Row-major places in a shape of the elements begin_d, begin_d + step_d, …, counts_d of them in each dimension; row-major.
std::vector<std::int64_t> enumerated(const Shape& shape, const std::vector<std::int64_t>& begin, const Shape& counts,
                                     const std::vector<std::int64_t>& step)
{
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < volume(counts).value(); ++i) {
        const Coord x = coordinate(counts, i);
        std::int64_t place = 0;
        for (int d = 0; d < shape.size(); ++d) {
            const auto ud = static_cast<std::size_t>(d);
            place = place * shape[d] + begin[ud] + x[d] * step[ud];
        }
        out.push_back(place);
    }
    return out;
}

Array counting_up(const Shape& shape, double from)
{
    Array out = Array::make(shape, i32).value();
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, from + static_cast<double>(i));
    return out;
}

/// D = the elements of A that are chosen; the same elements of B become D. `read`: the numbers that choose them, of the tensor `at`.
void check_run(const Shape& src, const Shape& part, const std::vector<std::int64_t>& places, const std::vector<double>& read,
               const std::function<void(Scope&, const TensorRef&, const TensorRef&, const TensorRef&, const TensorRef&)>& write)
{
    const std::int64_t n = std::max<std::int64_t>(1, static_cast<std::int64_t>(read.size()));
    Kernel k("tiles", machines::sm80);
    const auto A = k.input("A", src, i32), at = k.input("at", {n}, i32);
    const auto D = k.output("D", part, i32), B = k.inout("B", src, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) { write(c, A, D, B, at); });
    const auto program = required(k.program());
    CHECK(validate(*program).empty());
    Bindings in;
    in.set("A", counting_up(src, 0));
    in.set("B", counting_up(src, -1e6));
    Array numbers = Array::make({n}, i32).value();
    for (std::size_t i = 0; i < read.size(); ++i) numbers.set(static_cast<std::int64_t>(i), read[i]);
    in.set("at", std::move(numbers));
    const auto lowered = required(lower(*program));
    const auto report = sim::run(lowered->program, in).value();
    REQUIRE(report.ok());
    const Array &d = *report.outputs.find("D"), &b = *report.outputs.find("B");
    std::vector<double> expected(static_cast<std::size_t>(b.size()));
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = -1e6 + static_cast<double>(i);
    bool same = d.size() == static_cast<std::int64_t>(places.size());
    for (std::size_t i = 0; same && i < places.size(); ++i) {
        same = d.at(static_cast<std::int64_t>(i)) == static_cast<double>(places[i]);
        expected[static_cast<std::size_t>(places[i])] = static_cast<double>(places[i]);
    }
    CHECK(same);
    bool inserted = true;
    for (std::size_t i = 0; i < expected.size(); ++i) inserted = inserted && b.at(static_cast<std::int64_t>(i)) == expected[i];
    CHECK(inserted);
}

} // namespace

TEST_CASE("tle_tiles.jsonl: all kinds of rows are known", "[cases][tiles]")
{
    std::map<std::string, int> counts;
    std::ifstream file(AXE_TEST_DATA "/tle_tiles.jsonl");
    for (std::string line; std::getline(file, line);) ++counts[Json::parse(line).at("kind").get<std::string>()];
    CHECK(counts == std::map<std::string, int>{{"extract_tile", 35}, {"extract_slice", 1}, {"tile_error", 3}});
}

TEST_CASE("tle_tiles.jsonl: tiles by their index, known and read by the run", "[cases][tiles]")
{
    const int rows = each_tile_row("extract_tile", [](const Json& row) {
        const Shape src = shape_of(row.at("src")), tile = shape_of(row.at("tile"));
        std::vector<std::int64_t> begin, step;
        std::vector<double> coordinates;
        double number = 0;
        for (int d = 0; d < src.size(); ++d) {
            const Json& range = row.at("ranges")[static_cast<std::size_t>(d)];
            begin.push_back(range[0].get<std::int64_t>());
            step.push_back(1);
            CHECK(range[1].get<std::int64_t>() - begin.back() == tile[d]);
            coordinates.push_back(row.at("coord")[static_cast<std::size_t>(d)].get<double>());
            number = number * row.at("grid")[static_cast<std::size_t>(d)].get<double>() + coordinates.back();
        }
        if (row.at("index").is_number()) CHECK(row.at("index").get<double>() == number);
        const auto places = enumerated(src, begin, tile, step);
        const std::vector<Expression> known(coordinates.begin(), coordinates.end());
        check_run(src, tile, places, {}, [&](Scope& c, const auto& A, const auto& D, const auto& B, const auto&) {
            c.copy(D, c.extract_tile(A, tile, known)).insert_tile(B, c.extract_tile(A, tile, number), number);
        });
        if (volume(src).value() > 100'000) return; // one run of it is enough
        check_run(src, tile, places, coordinates, [&](Scope& c, const auto& A, const auto& D, const auto& B, const auto& at) {
            std::vector<Expression> index;
            for (int d = 0; d < src.size(); ++d) index.push_back(load(at(d)));
            c.copy(D, c.extract_tile(A, tile, index)).insert_tile(B, c.extract_tile(A, tile, index), index);
        });
        check_run(src, tile, places, {number}, [&](Scope& c, const auto& A, const auto& D, const auto& B, const auto& at) {
            c.copy(D, c.extract_tile(A, tile, load(at(0)))).insert_tile(B, c.extract_tile(A, tile, load(at(0))), load(at(0)));
        });
    });
    CHECK(rows == 35);
}

TEST_CASE("tle_tiles.jsonl: what is no tile", "[cases][tiles]")
{
    const int rows = each_tile_row("tile_error", [](const Json& row) {
        const Shape src = shape_of(row.at("src")), tile = shape_of(row.at("tile"));
        Kernel k("tiles", machines::sm80);
        const auto A = k.input("A", src, i32), D = k.output("D", tile, i32);
        const Json index = row.contains("index") ? row.at("index") : Json(0);
        std::vector<Expression> values;
        if (index.is_array())
            for (const Json& i : index) values.emplace_back(i.get<int>());
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
            c.copy(D, c.extract_tile(A, tile, index.is_array() ? TileIndex(values) : TileIndex(index.get<int>())));
        });
        const auto program = k.program();
        REQUIRE(!program.has_value());
        const std::string theirs = row.at("error").get<std::string>(), text = program.error().text;
        INFO(text);
        const char* ours = theirs == "rank" ? "tiles of 4 do not divide A, which is 8×8"
                           : theirs == "Index[0]=2 out of bounds for grid size 2"
                               ? "tile 2 of A in dimension 0 is outside of its 2 tiles"
                               : "tile 4 of A is outside of its 4 tiles";
        CHECK(text.find(ours) != std::string::npos);
    });
    CHECK(rows == 3);
}

TEST_CASE("tle_tiles.jsonl: slices with strides, from offsets known and read by the run", "[cases][tiles]")
{
    const int rows = each_tile_row("extract_slice", [](const Json& row) {
        CHECK(row.at("expect") == "x[o:o+n*s:s]");
        const Shape src = shape_of(row.at("src")), sizes = shape_of(row.at("sizes")), strides = shape_of(row.at("strides"));
        std::vector<std::int64_t> begin, step;
        std::vector<double> offsets;
        for (int d = 0; d < src.size(); ++d) {
            begin.push_back(row.at("offsets")[static_cast<std::size_t>(d)].get<std::int64_t>());
            step.push_back(strides[d]);
            offsets.push_back(static_cast<double>(begin.back()));
        }
        const auto places = enumerated(src, begin, sizes, step);
        const std::vector<Expression> known(offsets.begin(), offsets.end());
        check_run(src, sizes, places, {}, [&](Scope& c, const auto& A, const auto& D, const auto& B, const auto&) {
            c.copy(D, c.extract_slice(A, known, sizes, strides));
            c.insert_slice(B, c.extract_slice(A, known, sizes, strides), known, strides);
        });
        check_run(src, sizes, places, offsets, [&](Scope& c, const auto& A, const auto& D, const auto& B, const auto& at) {
            std::vector<Expression> from;
            for (int d = 0; d < src.size(); ++d) from.push_back(load(at(d)));
            c.copy(D, c.extract_slice(A, from, sizes, strides));
            c.insert_slice(B, c.extract_slice(A, from, sizes, strides), from, strides);
        });
    });
    CHECK(rows == 1);
}
