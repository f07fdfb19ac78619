// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/interop/sharding/collective.hpp>
#include <axe/interop/sharding/sdy.hpp>
#include <catch.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

/// Shardings and reshards of Shardy's own tests, data/shardy.jsonl: which devices hold each element, by Shardy's definition, and the
/// collectives that its pass finds.
namespace {

using Json = nlohmann::json;
using namespace axe;
using namespace axe::sharding;
using Int = std::int64_t;

std::vector<Json> rows(const char* op)
{
    std::ifstream file(AXE_TEST_DATA "/shardy.jsonl");
    REQUIRE(file);
    std::vector<Json> out;
    for (std::string line; std::getline(file, line);)
        if (Json row = Json::parse(line); row["op"] == op) out.push_back(row);
    return out;
}

/// A text of Shardy's, taken apart here: the axes of each dimension as (name, places before, places), and a mesh as names and sizes.
struct SubAxis {
    std::string name;
    Int before = 1, size = -1;
};
struct Said {
    std::vector<std::vector<SubAxis>> dims;
};
Said taken_apart(const std::string& text)
{
    Said out;
    const auto begin = text.find("[", text.find(","));
    int depth = 0;
    for (std::size_t i = begin; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '[') ++depth;
        if (c == ']' && --depth == 0) break;
        if (c == '{') out.dims.emplace_back();
        if (c != '"') continue;
        const auto end = text.find('"', i + 1);
        SubAxis axis{text.substr(i + 1, end - i - 1)};
        i = end;
        if (text[i + 1] == ':') {
            const auto close = text.find(')', i);
            axis.before = std::stoll(text.substr(i + 3, close - i - 3));
            axis.size = std::stoll(text.substr(close + 1));
            i = close;
        }
        out.dims.back().push_back(axis);
    }
    return out;
}
struct Devices {
    std::vector<std::pair<std::string, Int>> axes;
    std::vector<Int> ids;
};
Devices devices_said(const std::string& text)
{
    Devices out;
    const auto end = text.find(']');
    for (std::size_t i = text.find('"'); i < end; i = text.find('"', i)) {
        const auto close = text.find('"', i + 1);
        out.axes.emplace_back(text.substr(i + 1, close - i - 1), std::stoll(text.substr(close + 2)));
        i = close + 1;
    }
    Int count = 1;
    for (const auto& [name, size] : out.axes) count *= size;
    for (Int d = 0; d < count; ++d) out.ids.push_back(d);
    if (const auto ids = text.find("device_ids=["); ids != std::string::npos) {
        std::size_t at = ids + 12;
        for (Int& id : out.ids) {
            std::size_t used = 0;
            id = std::stoll(text.substr(at), &used);
            at += used + 1;
        }
    }
    return out;
}

/// Which devices hold each element, by the definition: a device has the block that its places on the axes of a dimension, major first, count.
std::vector<std::set<Int>> holders(const std::string& sharding, const std::string& mesh, const Shape& shape)
{
    const Said said = taken_apart(sharding);
    const Devices devices = devices_said(mesh);
    std::vector<std::set<Int>> out(static_cast<std::size_t>(*volume(shape)));
    for (std::size_t k = 0; k < devices.ids.size(); ++k) {
        std::map<std::string, Int> place, places;
        Int rest = static_cast<Int>(k);
        for (std::size_t a = devices.axes.size(); a-- > 0;) {
            const auto& [name, size] = devices.axes[a];
            place[name] = rest % size;
            places[name] = size;
            rest /= size;
        }
        for (Int x = 0; x < static_cast<Int>(out.size()); ++x) {
            const Coord c = coordinate(shape, x);
            bool has = true;
            for (std::size_t d = 0; d < said.dims.size(); ++d) {
                Int block = 0, blocks = 1;
                for (const SubAxis& axis : said.dims[d]) {
                    const Int n = places.at(axis.name), size = axis.size < 0 ? n : axis.size;
                    block = block * size + place.at(axis.name) / (n / (axis.before * size)) % size;
                    blocks *= size;
                }
                const int dim = static_cast<int>(d);
                has = has && c[dim] / (shape[dim] / blocks) == block;
            }
            if (has) out[static_cast<std::size_t>(x)].insert(devices.ids[k]);
        }
    }
    return out;
}

Result<Placed> placed(const Json& sharding, const Json& mesh, const Json& shape)
{
    const auto over = parse_mesh(mesh.get<std::string>());
    REQUIRE(over);
    const auto spec = parse_sdy(sharding.get<std::string>(), *over);
    REQUIRE(spec);
    return place(*spec, *parse_shape(shape.get<std::string>()));
}

std::vector<std::set<Int>> holders_of(const Placed& placed)
{
    std::vector<std::set<Int>> out(static_cast<std::size_t>(*size(placed.layout)));
    for (std::size_t x = 0; x < out.size(); ++x)
        for (const Point& p : points(placed.layout, static_cast<Int>(x))) out[x].insert(p[Axis{"gpuid"}]);
    return out;
}

} // namespace

TEST_CASE("Shardy's facts: which devices hold each element")
{
    int layouts = 0, others = 0;
    for (const Json& row : rows("place")) {
        INFO(row.dump());
        const Shape shape = *parse_shape(row["shape"].get<std::string>());
        const auto found = placed(row["text"], row["mesh"], row["shape"]);
        CHECK(found.has_value() == row["divides"].get<bool>());
        if (!found) {
            CHECK(found.code() == errc::not_grouped);
            ++others;
            continue;
        }
        CHECK(holders_of(*found) == holders(row["text"], row["mesh"], shape));
        ++layouts;
    }
    CHECK(layouts == 97);
    CHECK(others == 12);
}

TEST_CASE("Shardy's facts: shardings without dimensions, of scalars and on one device")
{
    int count = 0;
    for (const Json& row : rows("no dimensions")) {
        INFO(row.dump());
        const auto found = placed(row["text"], row["mesh"], row["shape"]);
        CHECK(found.has_value() == row["valid"].get<bool>());
        if (found) {
            const Shape shape = *parse_shape(row["shape"].get<std::string>());
            CHECK(holders_of(*found) == holders(row["text"], row["mesh"], shape));
        } else {
            CHECK(found.code() == errc::rank_mismatch);
        }
        ++count;
    }
    CHECK(count == 6);
}

TEST_CASE("Shardy's facts: the collective of a reshard is the one that its pass finds")
{
    const std::map<std::string, CollectiveKind> kinds{{"all_gather", CollectiveKind::all_gather},
                                                      {"all_to_all", CollectiveKind::all_to_all},
                                                      {"collective_permute", CollectiveKind::permute},
                                                      {"all_slice", CollectiveKind::local}};
    std::map<std::string, int> asked;
    for (const Json& row : rows("collective")) {
        INFO(row.dump());
        const Shape shape = *parse_shape(row["shape"].get<std::string>());
        const auto from = placed(row["from"], row["from_mesh"], row["shape"]), to = placed(row["to"], row["to_mesh"], row["shape"]);
        if (!from || !to) {
            ++asked["does not divide"];
            continue;
        }
        const auto made = collective_of(*from, *to, shape);
        REQUIRE(made);
        // What is missing, counted.
        const auto before = holders(row["from"], row["from_mesh"], shape), after = holders(row["to"], row["to_mesh"], shape);
        std::map<Int, Int> missing;
        for (std::size_t x = 0; x < before.size(); ++x)
            for (const Int device : after[x]) missing[device] += before[x].count(device) == 0 ? 1 : 0;
        Int most = 0, total = 0;
        for (const auto& [device, n] : missing) most = std::max(most, n), total += n;
        CHECK(made->traffic.most == most);
        CHECK(made->traffic.total == total);
        const auto steps = row["steps"].get<std::vector<std::string>>();
        if (steps == std::vector<std::string>{"reshard"}) { // left to others by that pass: the meshes have other devices
            ++asked["other devices"];
        } else if (steps.empty()) {
            CHECK(made->collective.kind == CollectiveKind::local);
            ++asked["nothing"];
        } else if (steps.size() == 1) {
            CHECK(made->collective.kind == kinds.at(steps[0]));
            CHECK_FALSE(made->same);
            ++asked[steps[0]];
        } else { // several steps: one exchange among all of a group, or no collective of that name
            CHECK((made->collective.kind == CollectiveKind::reshard || made->collective.kind == CollectiveKind::all_to_all));
            ++asked["several"];
        }
    }
    const std::map<std::string, int> expected{{"all_gather", 6}, {"all_to_all", 3}, {"all_slice", 3},     {"collective_permute", 7},
                                              {"nothing", 7},    {"several", 55},   {"other devices", 3}, {"does not divide", 11}};
    CHECK(asked == expected);
}
