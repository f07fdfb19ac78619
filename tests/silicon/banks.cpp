// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bank conflicts: the cycles of loads and stores of shared memory are as many as `bank_conflicts` counts passes.
#include "gpu.hpp"

#include <axe/machine/banks.hpp>

#include <catch.hpp>
#include <cmath>
#include <cstring>
#include <tests/random.hpp>

namespace {

constexpr int warps = 8, accesses = 64, rounds = 8;

/// Eight warps access addresses with the same banks again and again, each 128 bytes further: the data path of shared memory is what they
/// wait for.
std::string kernel(bool load, int bytes)
{
    const std::string type = bytes == 1 ? ".u8" : bytes == 2 ? ".u16" : bytes == 4 ? ".b32" : bytes == 8 ? ".v2.b32" : ".v4.b32";
    const std::string value = bytes == 1 || bytes == 2 ? "%h" : bytes == 4 ? "%a" : bytes == 8 ? "{%a, %b}" : "{%a, %b, %c, %d}";
    std::string out =
        silicon::module_head("sm_90") +
        ".visible .entry access(.param .u64 addresses, .param .u64 cycles)\n{\n"
        "  .reg .b64 %address, %begin, %end;\n  .reg .b32 %thread, %lane, %at, %tile, %a, %b, %c, %d, %sum, %i;\n  .reg .b16 %h;\n"
        "  .reg .pred %p;\n  .shared .align 1024 .b8 tile[32768];\n  mov.u32 %thread, %tid.x;\n  and.b32 %lane, %thread, 31;\n"
        "  mov.u32 %tile, tile;\n  ld.param.u64 %address, [addresses];\n  mad.wide.u32 %address, %lane, 4, %address;\n"
        "  ld.global.b32 %at, [%address];\n  add.u32 %at, %at, %tile;\n  mov.u32 %a, 0;\n  mov.u32 %b, "
        "0;\n  mov.u32 %c, 0;\n"
        "  mov.u32 %d, 0;\n  mov.u16 %h, 0;\n  mov.u32 %sum, 0;\n  mov.u32 %i, 0;\n  bar.sync 0;\n  mov.u64 %begin, "
        "%clock64;\nagain:\n";
    const auto at = [](int i) { return "[%at + " + std::to_string(128 * i) + "]"; };
    for (int i = 0; i < accesses; ++i) {
        if (!load) {
            out += "  st.volatile.shared" + type + " " + at(i) + ", " + value + ";\n";
            continue;
        }
        // Each is used: what is loaded and not used is not loaded.
        out += "  ld.volatile.shared" + type + " " + value + ", " + at(i) + ";\n";
        if (bytes <= 2) out += "  cvt.u32.u16 %a, %h;\n";
        out += "  xor.b32 %sum, %sum, %a;\n";
        if (bytes >= 8) out += "  xor.b32 %sum, %sum, %b;\n";
        if (bytes == 16) out += "  xor.b32 %sum, %sum, %c;\n  xor.b32 %sum, %sum, %d;\n";
    }
    out += "  add.u32 %i, %i, 1;\n  setp.lt.u32 %p, %i, " + std::to_string(rounds) +
           ";\n  @%p bra again;\n  bar.sync 0;\n  mov.u64 %end, %clock64;\n  sub.u64 %end, %end, %begin;\n  ld.param.u64 %address, "
           "[cycles];\n"
           "  setp.eq.u32 %p, %sum, 12345;\n  @%p add.u64 %end, %end, 1;\n  st.global.u64 [%address], %end;\n  ret;\n}\n";
    return out;
}

/// Cycles of one access of a warp.
double cycles(const silicon::Gpu& gpu, const axe::WarpAccess& access, bool load)
{
    silicon::Bytes addresses(128), cycles(8);
    for (int lane = 0; lane < 32; ++lane) {
        const std::int32_t at = static_cast<std::int32_t>(access.address[lane]);
        std::memcpy(addresses.data() + 4 * lane, &at, 4);
    }
    gpu.run(kernel(load, access.bytes), "access", {32 * warps, 0}, {&addresses, &cycles});
    std::uint64_t count = 0;
    std::memcpy(&count, cycles.data(), 8);
    return static_cast<double>(count) / (warps * accesses * rounds);
}

} // namespace

TEST_CASE("bank conflicts: as many cycles as passes")
{
    const silicon::Gpu* gpu = silicon::Gpu::find("bank conflicts");
    if (gpu == nullptr) return;
    laws::Random random(8);
    int wrong = 0, count = 0;
    std::string report;
    for (const bool load : {true, false})
        for (const int bytes : {1, 2, 4, 8, 16})
            for (int i = 0; i < 40; ++i) {
                axe::WarpAccess access{32, bytes, {}, load};
                const std::int64_t step = random.in(0, 40), places = 16384 / bytes, range = random.in(1, 64);
                for (int lane = 0; lane < 32; ++lane) {
                    const std::int64_t place = i < 8    ? lane * step                    // a stride
                                               : i < 12 ? (lane ^ (step & 31)) * (i - 7) // exchanged
                                               : i < 16 ? lane / 4 * 32 + lane % 4       // rows of a tile
                                               : i < 20 ? random.in(0, range)            // few words
                                                        : random.in(0, places - 1);      // any
                    access.address[lane] = place % places * bytes;
                }
                if (i >= 24) // equal in pairs: throughout, or in a half of the warp
                    for (int lane = 0; lane < (i < 36 ? 32 : 16); ++lane)
                        access.address[lane] = access.address[lane & ~(1 + i % 3)];
                const auto expected = axe::bank_conflicts(access);
                REQUIRE(expected);
                const double measured = cycles(*gpu, access, load);
                const bool agrees = std::abs(measured - expected->passes()) < 0.1 * expected->passes() + 0.3;
                ++count;
                if (agrees) continue;
                ++wrong;
                report += (load ? "load of " : "store of ") + std::to_string(bytes) + " bytes, pattern " + std::to_string(i) +
                          ": " + std::to_string(measured) + " cycles, " + std::to_string(expected->passes()) + " passes:";
                for (int lane = 0; lane < 32; ++lane) report += " " + std::to_string(access.address[lane]);
                report += "\n";
            }
    INFO(report);
    CHECK(wrong == 0);
    CHECK(count == 400);
}
