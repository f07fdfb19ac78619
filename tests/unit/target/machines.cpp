// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/machine/axes.hpp>
#include <axe/target/machines.hpp>
#include <axe/target/spyre/sticks.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>

#include <string>

using namespace axe::literals;
using axe::Role;

namespace {

std::int64_t limit(const axe::Machine& machine, const char* name)
{
    const axe::Limit* found = axe::find_limit(machine, name);
    INFO(machine.name << " " << name);
    REQUIRE(found != nullptr);
    CHECK(found->source[0] != '\0');
    return found->value;
}
const axe::Memory& memory(const axe::Machine& machine, const char* name)
{
    const axe::Memory* found = axe::find_memory(machine, name);
    INFO(machine.name << " " << name);
    REQUIRE(found != nullptr);
    return *found;
}
std::int64_t count(const axe::Machine& machine, const char* scope)
{
    const axe::ScopeLevel* found = axe::find_scope(machine, scope);
    INFO(machine.name << " " << scope);
    REQUIRE(found != nullptr);
    return found->count;
}
constexpr std::int64_t KiB = 1024, MiB = KiB * KiB, GiB = KiB * MiB;

} // namespace

TEST_CASE("machines: each is sound, has its name once, and one device")
{
    STATIC_REQUIRE(axe::machines::all().size() == 7);
    for (const axe::Machine* machine : axe::machines::all()) {
        INFO(machine->name);
        CHECK(std::string(axe::check(*machine).error().message().c_str()) == "");
        CHECK(std::string(axe::machines::find(machine->name)->name) == machine->name);
        CHECK(machine->scopes[0].count == 1);
        CHECK(std::string(machine->scopes[0].name) == "device");
        CHECK((machine->scopes[0].axis == axe::Axis{"gpuid"}));
        for (const axe::Machine* other : axe::machines::all())
            CHECK((machine == other || std::string(machine->name) != other->name));
    }
    const auto none = axe::machines::find("sm42");
    CHECK(none.code() == axe::errc::bad_argument);
    CHECK(std::string(none.error().message().c_str()) == "no machine has this name; machines::all() lists the machines");
}
static_assert(axe::check(axe::machines::cpu).ok() && axe::check(axe::machines::sm80).ok() && axe::check(axe::machines::sm90).ok() &&
              axe::check(axe::machines::sm100).ok() && axe::check(axe::machines::trn1).ok() &&
              axe::check(axe::machines::trn2).ok() && axe::check(axe::machines::spyre).ok());

TEST_CASE("machines: every machine has what a portable program asks for")
{
    for (const axe::Machine* machine : axe::machines::all()) {
        INFO(machine->name);
        for (const Role role : {Role::global, Role::shared, Role::registers, Role::accumulator})
            CHECK(axe::memory_for(*machine, role) != nullptr);
        // Inputs lie with the device; a unit of work, of which there are as many as a program asks for, stages tiles.
        CHECK(std::string(axe::memory_for(*machine, Role::global)->owner) == "device");
        CHECK(axe::is_grid(*axe::find_scope(*machine, axe::memory_for(*machine, Role::shared)->owner)));
        CHECK(axe::memory_for(*machine, Role::global)->axes.size() == 1);
        // Devices reach each other's memory, so that meshes can talk.
        REQUIRE_FALSE(machine->links.empty());
        CHECK(std::string(machine->links[0].scope) == "device");
        CHECK(std::string(machine->links[0].memory) == axe::memory_for(*machine, Role::global)->name);
    }
}

TEST_CASE("machines: NVIDIA's numbers")
{
    using axe::machines::sm80, axe::machines::sm90;
    for (const axe::Machine* machine : {&sm80, &sm90}) {
        INFO(machine->name);
        CHECK(count(*machine, "cta") == 0);
        CHECK(count(*machine, "warp") == 32);
        CHECK(count(*machine, "lane") == 32);
        CHECK(count(*machine, "warp") * count(*machine, "lane") == limit(*machine, "cta.threads"));
        CHECK(memory(*machine, "smem").banks == 32);
        CHECK(memory(*machine, "smem").word == 4);
        CHECK(std::string(memory(*machine, "smem").owner) == "cta");
        CHECK(std::string(memory(*machine, "reg").owner) == "lane");
        CHECK(memory(*machine, "reg").capacity == 255 * 4);
        CHECK(memory(*machine, "reg").roles.has(Role::accumulator));
        CHECK(memory(*machine, "gmem").capacity == 0);
        CHECK(limit(*machine, "lane.registers") == 255);
        CHECK(limit(*machine, "cta.registers") == 65536);
        CHECK(limit(*machine, "sm.shared") - memory(*machine, "smem").capacity == KiB);
        CHECK(limit(*machine, "ld.bytes") == 16);
        CHECK(limit(*machine, "cp.async.bytes") == 16);
        CHECK(limit(*machine, "gmem.sector") == 32);
        CHECK(limit(*machine, "gmem.line") == 128);
        for (const char* word : {"ld", "st", "ldmatrix", "cp.async", "mma.sync", "shfl", "fma", "mma.sync.m16n8k16.f32.f16.f16.f32",
                                 "ld.global.v4", "cp.async.cg"}) {
            INFO(word);
            CHECK(axe::has_instruction(*machine, word));
        }
    }
    CHECK(memory(sm80, "smem").capacity == 163 * KiB);
    CHECK(memory(sm90, "smem").capacity == 227 * KiB);
    for (const char* later : {"stmatrix", "multimem.ld_reduce", "wgmma", "cp.async.bulk", "mma.sync.m16n8k32.f32.e4m3.e4m3.f32"}) {
        INFO(later);
        CHECK_FALSE(axe::has_instruction(sm80, later));
        CHECK(axe::has_instruction(sm90, later));
    }
    CHECK_FALSE(axe::has_instruction(sm90, "tcgen05"));
    CHECK(axe::has_instruction(axe::machines::sm100, "tcgen05.mma"));
    CHECK_FALSE(axe::has_instruction(axe::machines::sm100, "wgmma"));
    CHECK(memory(axe::machines::sm100, "tmem").capacity == 256 * KiB);
    CHECK(limit(axe::machines::sm100, "tmem.columns") == 512);
    CHECK(limit(axe::machines::sm100, "gmem.packed_bits") == 6);
    CHECK(limit(axe::machines::sm100, "smem.packed_bits") == 6);
    CHECK(axe::find_limit(sm90, "gmem.packed_bits") == nullptr);
    CHECK(axe::find_limit(axe::machines::sm100, "wgmma.m") == nullptr);
    CHECK(axe::find_scope(sm80, "cluster") == nullptr);
    CHECK(count(sm90, "cluster") == 0);
    CHECK(limit(sm90, "cluster.ctas") == 8);
    CHECK(limit(sm90, "tma.rank") == 5);
    CHECK(limit(sm90, "tma.box") == 256);
    CHECK(limit(sm90, "tma.element_stride") == 8);
    CHECK(limit(sm90, "tma.global_alignment") == 16);
    CHECK(limit(sm90, "tma.inner_bytes") == 16);
    CHECK(limit(sm90, "tma.descriptor_alignment") == 64);
    CHECK(limit(sm90, "cp.async.bulk.bytes") == 16);
    CHECK(limit(sm90, "wgmma.m") == 64);
    CHECK(limit(sm90, "wgmma.n") == 256);
    CHECK(limit(sm90, "wgmma.n_step") == 8);
    CHECK(limit(sm90, "wgmma.k_bytes") == 32);
    CHECK(limit(sm90, "multimem.bits") == 128);
    CHECK(sm80.links.size() == 1);
    REQUIRE(axe::find_link(sm90, "dsmem") != nullptr);
    CHECK(std::string(axe::find_link(sm90, "dsmem")->memory) == "smem");
    CHECK(axe::find_limit(sm80, "tma.rank") == nullptr);

    // a fragment over lanes is a warp's business, a tile over warps a block's
    CHECK(axe::scope_index(sm80, "lane") == *axe::scope_of(sm80, "(8,4,2):(4@lane,1@lane,1@reg)"_axe));
    CHECK(axe::scope_index(sm80, "warp") == *axe::scope_of(sm80, "(128,4):(1@thread,1@reg)"_axe));
    CHECK(axe::scope_index(sm90, "warp") == *axe::scope_of(sm90, "(2,128):(1@warpgroup,1@m)"_axe));
}

TEST_CASE("machines: Trainium's numbers")
{
    using axe::machines::trn1, axe::machines::trn2;
    CHECK(memory(trn1, "sbuf").capacity == 24 * MiB);
    CHECK(memory(trn2, "sbuf").capacity == 28 * MiB);
    CHECK(memory(trn1, "hbm").capacity == 32 * GiB);
    CHECK(memory(trn2, "hbm").capacity == 96 * GiB);
    CHECK(limit(trn1, "device.cores") == 2);
    CHECK(limit(trn2, "device.cores") == 8);
    for (const axe::Machine* machine : {&trn1, &trn2}) {
        INFO(machine->name);
        const axe::Memory& psum = memory(*machine, "psum");
        CHECK(psum.capacity == 2 * MiB);
        CHECK(psum.banks == limit(*machine, "psum.banks"));
        CHECK(psum.banks == 8);
        CHECK(psum.word == 2 * KiB);
        CHECK(psum.word == limit(*machine, "psum.bank_bytes"));
        CHECK(psum.banks * psum.word == psum.extents[1]);
        CHECK(psum.word / 4 == limit(*machine, "nc_matmul.n")); // a result fits one bank of f32
        CHECK(psum.roles.has(Role::accumulator));
        for (const char* name : {"sbuf", "psum"}) {
            CHECK((memory(*machine, name).axes[0] == axe::Axis{"P"}));
            CHECK((memory(*machine, name).axes[1] == axe::Axis{"F"}));
            CHECK(memory(*machine, name).extents[0] == limit(*machine, "partitions"));
            CHECK(std::string(memory(*machine, name).owner) == "core");
        }
        CHECK(limit(*machine, "nc_matmul.m") == 128);
        CHECK(limit(*machine, "nc_matmul.k") == 128);
        CHECK(limit(*machine, "nc_matmul.n") == 512);
        CHECK(limit(*machine, "access.dims") == 4);
        CHECK(limit(*machine, "access.extent") == 65535);
        CHECK(limit(*machine, "transpose.partitions") == 32);
        CHECK(limit(*machine, "core.dma_engines") == 16);
        CHECK(count(*machine, "engine") == 4);
        CHECK(axe::has_instruction(*machine, "nc_matmul"));
        CHECK(axe::has_instruction(*machine, "dma"));
        CHECK_FALSE(axe::has_instruction(*machine, "ldmatrix"));
    }
    CHECK_FALSE(axe::has_instruction(trn1, "nc_matmul.double_row"));
    CHECK(axe::has_instruction(trn2, "nc_matmul.double_row"));
}

TEST_CASE("machines: the cpu limits nothing")
{
    for (const axe::Memory& memory : axe::machines::cpu.memories) CHECK(memory.capacity == 0);
    CHECK(axe::machines::cpu.limits.empty());
    CHECK_FALSE(axe::has_instruction(axe::machines::cpu, "mma.sync"));
    CHECK(axe::has_instruction(axe::machines::cpu, "fma"));
}

TEST_CASE("machines: Spyre's numbers")
{
    using axe::machines::spyre;
    CHECK(limit(spyre, "stick.bytes") == 128);
    CHECK(limit(spyre, "device.cores") == 32);
    CHECK(limit(spyre, "core.span_bytes") == 256 * MiB);
    CHECK(limit(spyre, "loop.count") == 65535);
    CHECK(memory(spyre, "lx").capacity == 2 * MiB);
    CHECK(std::string(memory(spyre, "lx").owner) == "core");
    CHECK(std::string(memory(spyre, "ddr").owner) == "device");
    CHECK(axe::stick_bytes(spyre, memory(spyre, "ddr")) == 128);
    CHECK(axe::stick_bytes(spyre, memory(spyre, "lx")) == 128);
    CHECK(axe::stick_bytes(spyre, memory(spyre, "host")) == 0);
    CHECK(axe::stick_bytes(axe::machines::trn1, memory(axe::machines::trn1, "psum")) == 0);
    for (const char* word : {"dma", "dma.stick", "dma.convert", "restickify", "pt", "pt.matmul", "sfp", "sfp.add"}) {
        INFO(word);
        CHECK(axe::has_instruction(spyre, word));
    }
    CHECK_FALSE(axe::has_instruction(spyre, "ld"));
}
