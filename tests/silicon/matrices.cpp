// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `ldmatrix` and `stmatrix`: the numbers 0, 1, 2, … in shared memory arrive in the registers, and leave them, as the atoms say.
#include "fragment.hpp"

#include <catch.hpp>

namespace {

/// Lane l gives the address of row l of matrices of 16-byte rows, which lie one after the other.
std::string kernel(bool load, const std::string& instruction, int count)
{
    const std::string registers = silicon::register_list("r", count);
    std::string out = silicon::module_head("sm_90") +
                      ".visible .entry matrices(.param .u64 tile, .param .u64 fragment)\n{\n"
                      "  .reg .b64 %address;\n  .reg .b32 %thread, %to, %word, %at;\n  .reg .b32 %r<" +
                      std::to_string(count) +
                      ">;\n"
                      "  .shared .align 128 .b8 rows[512];\n  mov.u32 %thread, %tid.x;\n  mov.u32 %to, rows;\n  mad.lo.u32 %at, "
                      "%thread, 16, %to;\n";
    const auto copy = [&](bool to_shared) {
        std::string text = "  ld.param.u64 %address, [tile];\n  mad.wide.u32 %address, %thread, 16, %address;\n";
        for (int i = 0; i < 16; i += 4) {
            const std::string global = "[%address + " + std::to_string(i) + "]", shared = "[%at + " + std::to_string(i) + "]";
            text += to_shared ? "  ld.global.b32 %word, " + global + ";\n  st.shared.b32 " + shared + ", %word;\n"
                              : "  ld.shared.b32 %word, " + shared + ";\n  st.global.b32 " + global + ", %word;\n";
        }
        return text;
    };
    if (load)
        out += copy(true) + "  bar.warp.sync 0xffffffff;\n  " + instruction + " " + registers + ", [%at];\n" +
               silicon::move_registers(false, "r", count, "fragment");
    else
        out += silicon::move_registers(true, "r", count, "fragment") + copy(true) + "  bar.warp.sync 0xffffffff;\n  " +
               instruction + " [%at], " + registers + ";\n  bar.warp.sync 0xffffffff;\n" + copy(false);
    return out + "  ret;\n}\n";
}

} // namespace

TEST_CASE("ldmatrix, stmatrix: rows and registers are as the atoms say")
{
    const silicon::Gpu* gpu = silicon::Gpu::find("ldmatrix");
    if (gpu == nullptr) return;
    for (const axe::Atom& atom : axe::atoms::nvidia_ldmatrix::rows) {
        if (std::string_view(atom.operand) != "frag") continue;
        INFO(atom.name);
        const bool load = std::string_view(atom.name).substr(0, 8) == "ldmatrix";
        const int count = std::string_view(atom.name).find(".x4") != std::string_view::npos   ? 4
                          : std::string_view(atom.name).find(".x2") != std::string_view::npos ? 2
                                                                                              : 1;
        // Which lane gives the address of which row.
        const std::string family = load ? "ldmatrix" : "stmatrix";
        const axe::Atom rows =
            *axe::atoms::find((family + ".sync.aligned.m8n8.x" + std::to_string(count) + ".rowaddr").c_str(), atom.arch, "addr");
        silicon::Bytes tile(512, std::byte{0xff});
        silicon::Fragment fragment(atom.layout(), axe::DType::i16, 32);
        const std::int64_t height = atom.dims[0], n = height * atom.dims[1];
        const auto place = [&](std::int64_t x) { // in shared memory: of the lane that gives the address of the row
            const axe::Point lane = *axe::evaluate(rows.layout(), x / 8);
            return static_cast<std::size_t>(lane["lane"] * 16 + x % 8 * 2);
        };
        for (std::int64_t x = 0; x < n; ++x) {
            const std::int16_t value = static_cast<std::int16_t>(x + 1);
            if (load)
                std::memcpy(tile.data() + place(x), &value, 2);
            else
                fragment.set(x, value);
        }
        gpu->run(kernel(load, atom.name, count), "matrices", {}, {&tile, &fragment.bytes()});
        std::int64_t wrong = 0;
        for (std::int64_t x = 0; x < n; ++x) {
            std::int16_t value = 0;
            std::memcpy(&value, tile.data() + place(x), 2);
            for (const axe::Point& p : axe::points(atom.layout(), x)) wrong += fragment.at(p) != static_cast<double>(x + 1) ? 1 : 0;
            wrong += value != x + 1 ? 1 : 0;
        }
        CHECK(wrong == 0);
    }
}
