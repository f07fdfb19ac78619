// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/attribute.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <tests/fuzz/map_laws.hpp>
#include <tests/same_map.hpp>

/// Any bytes, read as a map and as an attribute that holds one. What is read prints, and the print reads to the same map, node by
/// node, in every spelling, and small maps keep their laws; what is not is explained.
namespace fuzz {
namespace {

void check_prints(const Input& in, const axe::IndexingMap& map)
{
    const string once = axe::print(map);
    in.that(plain(once), "a print that is not text");
    const auto again = axe::parse_map(once);
    in.that(again.has_value() && laws::same(map, *again), "the print reads to another map");
    in.that(axe::print(*again) == once, "the map read again prints otherwise");

    const auto slash = axe::parse_map(axe::print(map, {.slash = true}));
    in.that(slash.has_value() && laws::same(map, *slash), "the print with '/' reads to another map");
    axe::IndexingMap nameless = map;
    for (axe::IndexVariable& v : nameless.variables) v = {v.bounds, {}, axe::IndexKind::none};
    const auto generic = axe::parse_map(axe::print(map, {.generic = true}));
    in.that(generic.has_value() && laws::same(nameless, *generic), "the print without names reads to another map");
    in.that(axe::print(nameless) == axe::print(map, {.generic = true}), "a map without names prints otherwise");

    for (const auto kind : {axe::MapAttribute::xla, axe::MapAttribute::xla_gpu, axe::MapAttribute::xla_gpu_map}) {
        const auto held = axe::parse_map_attribute(axe::print_attribute(map, kind));
        in.that(held.has_value() && laws::same(map, *held), "the attribute reads to another map");
    }
}

/// The value of a map and of what it prints, at the least point.
void check_values(const Input& in, const axe::IndexingMap& map)
{
    std::vector<Int> point;
    for (const axe::IndexVariable& v : map.variables) point.push_back(v.bounds.low);
    const auto value = axe::evaluate_anywhere(map, point);
    const auto again = axe::evaluate_anywhere(*axe::parse_map(axe::print(map)), point);
    in.that(value.code() == again.code() && (!value || *value == *again), "the print has another value");
}

void check_read(const Input& in, const axe::Result<axe::IndexingMap>& map)
{
    if (!map) return check_error(in, map.error());
    in.that(map->pool.error().ok(), "a map with an error in its pool");
    check_prints(in, *map);
    check_values(in, *map);
    check_laws(in, *map);
}

} // namespace
} // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace fuzz;
    const char* text = reinterpret_cast<const char*>(data);
    const int length = static_cast<int>(size);
    check_read(Input{text, length, "map"}, axe::parse_map({text, size}));
    check_read(Input{text, length, "attribute"}, axe::parse_map_attribute({text, size}));
    return 0;
}
