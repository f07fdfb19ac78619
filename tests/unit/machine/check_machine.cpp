// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/machine/check_machine.hpp>
#include <catch.hpp>

#include <string>

namespace {

constexpr axe::Machine sound{"toy",
                             {{"device", "gpuid", 4}, {"tile", "tile", 0}, {"row", "row", 4}},
                             {{"gpuid", "x", "y", 2}, {"pe", "tile", "row", 4}},
                             {{"dram", "device", {axe::Role::global}, {"m"}, {0}, 0},
                              {"buffer", "row", {axe::Role::shared}, {"P", "F"}, {8, 64}, 512, 4, 8, 16}},
                             {{"wire", "device", "dram", {"send", "ld"}}},
                             {"send", "ld.*", "mac.i8"},
                             {{"mac.k", 16}}};
static_assert(axe::check(sound).ok());

/// The same with one thing wrong, and what is said of it.
template <class Change>
void refused(Change change, axe::errc code, int position, const char* sentence)
{
    axe::Machine machine = sound;
    change(machine);
    const axe::Status e = axe::check(machine);
    INFO(sentence);
    CHECK(e.code() == code);
    CHECK(e.error().position == position);
    CHECK(std::string(e.error().message().c_str()) == sentence);
}
using axe::errc;
using M = axe::Machine;

template <class List, class Item>
void overfill(List& list, const Item& item)
{
    while (list.push_back(item)) {}
}

} // namespace

TEST_CASE("check of a machine: its name and its scopes")
{
    refused([](M& m) { m.name = ""; }, errc::bad_argument, -1, "a machine needs a name");
    refused([](M& m) { m.name = nullptr; }, errc::bad_argument, -1, "a machine needs a name");
    refused([](M& m) { m.scopes.clear(); }, errc::bad_argument, -1, "a machine has at least one scope, the device");
    refused([](M& m) { overfill(m.scopes, m.scopes[0]); }, errc::capacity, 8, "a machine has at most 8 scopes, this one has 9");
    refused([](M& m) { m.scopes[1].name = ""; }, errc::bad_argument, 1, "scope 1 has no name");
    refused([](M& m) { m.scopes[2].count = -1; }, errc::bad_extent, 2,
            "scope 2 has -1 members; a count is at least 1, or 0 for a grid");
    refused([](M& m) { m.scopes[2].axis = "gpuid"; }, errc::bad_axis, 2, "scopes 0 and 2 have the same axis; each needs its own");
    refused([](M& m) { m.scopes[2].name = "tile"; }, errc::bad_argument, 2, "scope 2 has the same name as an outer scope");
    refused([](M& m) { m.scopes[0].count = 0; }, errc::bad_extent, 0,
            "the outermost scope cannot be a grid; its count must be at least 1");
}

TEST_CASE("check of a machine: its splits")
{
    refused([](M& m) { overfill(m.splits, m.splits[0]); }, errc::capacity, 8, "a machine has at most 8 splits, this one has 9");
    refused([](M& m) { m.splits[0].extent = 0; }, errc::bad_extent, 0, "the extent of split 0 is 0; it must be at least 1");
    refused([](M& m) { m.splits[0].inner = "x"; }, errc::bad_axis, 0, "the three axes of split 0 must be different");
    refused([](M& m) { m.splits[0].inner = "gpuid"; }, errc::bad_axis, 0, "the three axes of split 0 must be different");
    refused([](M& m) { m.splits[1].whole = "gpuid"; }, errc::bad_axis, 1, "splits 0 and 1 split the same axis");
    refused([](M& m) { m.splits[1].outer = "y"; }, errc::bad_axis, 1, "splits 0 and 1 have a part in common");
    refused([](M& m) { m.splits = {{"a", "b", "c", 2}, {"b", "a", "d", 2}}; }, errc::bad_axis, 0,
            "split 0 makes an axis a part of itself");
    refused([](M& m) { m.splits[1].outer = "zone"; }, errc::bad_axis, 1,
            "neither the whole of split 1 nor its outer part is an axis of a scope");
    refused([](M& m) { m.splits[1].extent = 8; }, errc::bad_extent, 1,
            "the extent of split 1 is 8, but its inner part is a scope of 4 members");
    refused([](M& m) { m.splits[0].extent = 3; }, errc::bad_extent, 0,
            "the extent of split 0 is 3, which does not divide the 4 members of its scope");
}

TEST_CASE("check of a machine: its memories")
{
    refused([](M& m) { overfill(m.memories, m.memories[0]); }, errc::capacity, 8,
            "a machine has at most 8 memories, this one has 9");
    refused([](M& m) { m.memories[1].name = ""; }, errc::bad_argument, 1, "memory 1 has no name");
    refused([](M& m) { m.memories[1].name = "dram"; }, errc::bad_argument, 1, "memory 1 has the same name as an earlier memory");
    refused([](M& m) { m.memories[1].owner = "lane"; }, errc::bad_argument, 1,
            "the owner of memory 1 is not a scope of the machine");
    refused([](M& m) { m.memories[1].owner = nullptr; }, errc::bad_argument, 1,
            "the owner of memory 1 is not a scope of the machine");
    refused([](M& m) { m.memories[1].axes.clear(); }, errc::rank_mismatch, 1, "memory 1 has 0 axes of addresses; it needs 1 to 3");
    refused([](M& m) { m.memories[1].extents.pop_back(); }, errc::rank_mismatch, 1, "memory 1 has 2 axes and 1 extent");
    refused([](M& m) { m.memories[1].extents[0] = -8; }, errc::bad_extent, 1,
            "extent 0 of memory 1 is -8; it must be at least 1, or 0 for no limit");
    refused([](M& m) { m.memories[1].extents = {std::int64_t{1} << 40, std::int64_t{1} << 40}; }, errc::overflow, 1,
            "the product of the extents of memory 1 overflows");
    refused([](M& m) { m.memories[1].axes[1] = "pe"; }, errc::bad_axis, 1, "axis 1 of memory 1 counts the members of a scope");
    refused([](M& m) { m.memories[1].axes[1] = "P"; }, errc::bad_axis, 1, "axes 0 and 1 of memory 1 are the same");
    refused([](M& m) { m.memories[1].capacity = 500; }, errc::size_mismatch, 1,
            "the capacity of memory 1 is 500, but its extents multiply to 512");
    refused([](M& m) { m.memories[1].banks = 0; }, errc::bad_argument, 1,
            "memory 1 has 0 banks and words of 4 bytes; both are at least 1, or both are 0");
    refused([](M& m) { m.memories[1].alignment = 24; }, errc::bad_argument, 1,
            "the alignment of memory 1 is 24; it must be a power of 2");
    refused([](M& m) { m.memories[1].roles = {axe::Role::shared, axe::Role::global}; }, errc::bad_argument, 1,
            "memories 0 and 1 have the same role; only one memory may have it");
}

TEST_CASE("check of a machine: its words, numbers and links")
{
    refused([](M& m) { overfill(m.instructions, "more"); }, errc::capacity, 56,
            "a machine has at most 56 instructions, this one has 57");
    refused([](M& m) { m.instructions[1] = nullptr; }, errc::bad_argument, 1, "instruction 1 has no name");
    refused([](M& m) { m.instructions[2] = "ld.global"; }, errc::bad_argument, 2,
            "instructions 1 and 2 are the same, or one is a form of the other");
    refused([](M& m) { m.instructions[0] = "mac.*"; }, errc::bad_argument, 2,
            "instructions 0 and 2 are the same, or one is a form of the other");
    refused([](M& m) { overfill(m.limits, m.limits[0]); }, errc::capacity, 32, "a machine has at most 32 limits, this one has 33");
    refused([](M& m) { m.limits[0].name = ""; }, errc::bad_argument, 0, "limit 0 has no name");
    refused([](M& m) { m.limits[0].value = 0; }, errc::bad_argument, 0, "limit 0 is 0; it must be at least 1");
    refused([](M& m) { m.limits.push_back(m.limits[0]); }, errc::bad_argument, 1, "limit 1 has the same name as an earlier limit");

    refused([](M& m) { overfill(m.links, m.links[0]); }, errc::capacity, 4, "a machine has at most 4 links, this one has 5");
    refused([](M& m) { m.links[0].name = ""; }, errc::bad_argument, 0, "link 0 has no name");
    refused([](M& m) { m.links[0].scope = "zone"; }, errc::bad_argument, 0, "the scope of link 0 is not a scope of the machine");
    refused([](M& m) { m.links[0].memory = "disk"; }, errc::bad_argument, 0, "the memory of link 0 is not a memory of the machine");
    refused([](M& m) { m.links[0].instructions.clear(); }, errc::bad_argument, 0, "link 0 has 0 instructions; it needs 1 to 8");
    refused([](M& m) { m.links[0].instructions[1] = "st"; }, errc::bad_argument, 0,
            "instruction 1 of link 0 is not an instruction of the machine");
    refused([](M& m) { m.links.push_back(m.links[0]); }, errc::bad_argument, 1, "link 1 has the same name as an earlier link");
}
