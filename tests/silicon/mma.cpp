// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `mma.sync`: products of random small numbers, their operands and results put where the atoms say, equal the exact product.
#include "fragment.hpp"

#include <catch.hpp>
#include <tests/random.hpp>

namespace {

/// An instruction with the atoms that hold its operands.
struct Product {
    axe::Atom a, b, c;
    std::string ptx;
};

/// What follows `mma.sync.aligned.` for an atom's name, `mma.sync.SHAPE.TYPES`.
std::string instruction(std::string_view name)
{
    name.remove_prefix(std::string_view("mma.sync.").size());
    const std::size_t dot = name.find('.');
    std::string types(name.substr(dot));
    if (types == ".f64") types = ".f64.f64.f64.f64";
    if (const std::size_t at = types.find(".xor"); at != std::string::npos)
        types.replace(at, 4, ".and"); // sm90 has no .xor; they lie alike
    return std::string(name.substr(0, dot)) + ".row.col" + types;
}

/// Every instruction of a warp that has atoms, and the four forms of the quad pairs.
std::vector<Product> products()
{
    std::vector<Product> all;
    for (const axe::Atom& a : axe::atoms::nvidia_mma::rows)
        if (std::string_view(a.operand) == "A" && std::string_view(a.scope) == "warp")
            all.push_back({a, *axe::atoms::find(a.name, a.arch, "B"), *axe::atoms::find(a.name, a.arch, "C"), instruction(a.name)});
    const auto of = [](const char* form, const char* operand) {
        return *axe::atoms::find(("mma.sync.m8n8k4." + std::string(form)).c_str(), "sm70", operand);
    };
    const char *row = "row.f16", *col = "col.f16";
    all.push_back({of(row, "A"), of(col, "B"), of("f32acc", "C"), "m8n8k4.row.col.f32.f16.f16.f32"});
    all.push_back({of(col, "A"), of(row, "B"), of("f32acc", "C"), "m8n8k4.col.row.f32.f16.f16.f32"});
    all.push_back({of(row, "A"), of(row, "B"), of("f16acc", "C"), "m8n8k4.row.row.f16.f16.f16.f16"});
    all.push_back({of(col, "A"), of(col, "B"), of("f16acc", "C"), "m8n8k4.col.col.f16.f16.f16.f16"});
    return all;
}

/// A kernel of one warp: registers of A and B from memory, one product onto zero, D to memory.
std::string kernel(const std::string& ptx, int a, int b, int d, bool doubles)
{
    const auto words = [&](const char* name, int n) {
        std::string out = "  .reg .b32 %" + std::string(name) + "<" + std::to_string(n) + ">;\n";
        if (doubles) out += "  .reg .f64 %" + std::string(name) + "d<" + std::to_string(n / 2) + ">;\n";
        return out;
    };
    const auto join = [&](const char* name, int n, bool to_double) {
        std::string out;
        for (int i = 0; doubles && i < n / 2; ++i) {
            const std::string whole = "%" + std::string(name) + "d" + std::to_string(i),
                              parts =
                                  "{%" + std::string(name) + std::to_string(2 * i) + ", %" + name + std::to_string(2 * i + 1) + "}";
            out += "  mov.b64 " + (to_double ? whole + ", " + parts : parts + ", " + whole) + ";\n";
        }
        return out;
    };
    const auto list = [&](const char* name, int n) {
        return doubles ? silicon::register_list(std::string(name) + "d", n / 2) : silicon::register_list(name, n);
    };
    std::string out = silicon::module_head("sm_90") +
                      ".visible .entry product(.param .u64 pa, .param .u64 pb, .param .u64 pd)\n{\n  .reg .b64 %address;\n"
                      "  .reg .b32 %thread;\n  mov.u32 %thread, %tid.x;\n" +
                      words("a", a) + words("b", b) + words("c", d) + silicon::move_registers(true, "a", a, "pa") +
                      silicon::move_registers(true, "b", b, "pb") + join("a", a, true) + join("b", b, true);
    for (int i = 0; i < d; ++i) out += "  mov.b32 %c" + std::to_string(i) + ", 0;\n";
    out += join("c", d, true) + "  mma.sync.aligned." + ptx + " " + list("c", d) + ", " + list("a", a) + ", " + list("b", b) +
           ", " + list("c", d) + ";\n" + join("c", d, false) + silicon::move_registers(false, "c", d, "pd");
    return out + "  ret;\n}\n";
}

} // namespace

TEST_CASE("mma.sync: operands and results lie where the atoms say")
{
    const silicon::Gpu* gpu = silicon::Gpu::find("mma.sync");
    if (gpu == nullptr) return;
    laws::Random random(1);
    for (const auto& [a, b, c, ptx] : products()) {
        INFO(ptx);
        const axe::DType of_a = silicon::element_type(a.element), of_b = silicon::element_type(b.element),
                         of_c = silicon::element_type(c.element);
        const std::int64_t m = a.dims[0], k = a.dims[1], n = b.dims[1];
        REQUIRE((b.dims[0] == k && c.dims[0] == m && c.dims[1] == n));
        const bool quad_pairs = std::string_view(a.scope) == "quadpair"; // four products at once, each of eight lanes
        const int parts = quad_pairs ? 4 : 1;
        silicon::Fragment fa(a.layout(), of_a, 32), fb(b.layout(), of_b, 32), fc(c.layout(), of_c, 32);
        std::vector<std::vector<std::int64_t>> va, vb;
        const auto at_part = [&](silicon::Fragment& to, const axe::Atom& atom, axe::DType type, int part, auto& values) {
            // The registers of lanes 4·part further on.
            silicon::Fragment one(atom.layout(), type, 32, 4 * part);
            const auto [least, most] = silicon::small_values(type);
            values.emplace_back(static_cast<std::size_t>(*axe::size(atom.layout())));
            for (std::size_t x = 0; x < values.back().size(); ++x) {
                values.back()[x] = random.in(least, most);
                one.set(static_cast<std::int64_t>(x), static_cast<double>(values.back()[x]));
            }
            for (std::size_t i = 0; i < one.bytes().size(); ++i) to.bytes()[i] |= one.bytes()[i];
        };
        for (int part = 0; part < parts; ++part) {
            at_part(fa, a, of_a, part, va);
            at_part(fb, b, of_b, part, vb);
        }
        gpu->run(kernel(ptx, fa.thread_bytes() / 4, fb.thread_bytes() / 4, fc.thread_bytes() / 4, of_a == axe::DType::f64),
                 "product", {}, {&fa.bytes(), &fb.bytes(), &fc.bytes()});
        for (int part = 0; part < parts; ++part) {
            silicon::Fragment result(c.layout(), of_c, 32, 4 * part);
            result.bytes() = fc.bytes();
            std::int64_t wrong = 0;
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j) {
                    std::int64_t sum = 0;
                    for (std::int64_t l = 0; l < k; ++l)
                        sum += va[static_cast<std::size_t>(part)][static_cast<std::size_t>(i * k + l)] *
                               vb[static_cast<std::size_t>(part)][static_cast<std::size_t>(l * n + j)];
                    for (const axe::Point& at : axe::points(c.layout(), i * n + j))
                        wrong += result.at(at) != static_cast<double>(sum) ? 1 : 0;
                }
            CHECK(wrong == 0);
        }
    }
}
