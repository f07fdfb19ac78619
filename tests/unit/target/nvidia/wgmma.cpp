// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/tile.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

namespace {

/// A tile of shared memory [rows, cols] of `bytes`-byte elements, cols contiguous, in patterns of `span` bytes: [rows/8][cols/c] of 8 × c.
Swizzled<Layout> in_patterns(std::int64_t rows, std::int64_t cols, int bytes, int span)
{
    const std::int64_t c = std::max(span, 16) / bytes;
    const int digits = span == 128 ? 3 : span == 64 ? 2 : span == 32 ? 1 : 0;
    const Axis m{"m"};
    Layout out{{{rows / 8, 8 * c, m}, {8, c, m}, {cols / c, rows * c, m}, {c, 1, m}}};
    return {digits > 0 ? Swizzle{digits, 4, 3} : Swizzle{}, m, bytes, out};
}

struct Case {
    DType a = f16, b = f16;
    std::int64_t m = 64, n = 32, k = 64; ///< of the product
    int warpgroup_rows = 1, warpgroup_cols = 1;
    std::int64_t atom_n = 32;
    int a_span = 128, b_span = 128;
    bool a_mn = false, b_mn = false; ///< M (N) contiguous
};

Program program_of(const Case& c)
{
    const DType d_type = is_float(c.a) ? f32 : i32;
    const int bytes = storage_bytes(c.a);
    const Shape a_shape = c.a_mn ? Shape{c.k, c.m} : Shape{c.m, c.k}, b_shape = c.b_mn ? Shape{c.k, c.n} : Shape{c.n, c.k};
    Kernel k("wgmma", machines::sm90);
    const auto A = k.input("A", a_shape, c.a), B = k.input("B", b_shape, c.b), D = k.output("D", {c.m, c.n}, d_type);
    k.computes(D, matmul(A, B, {.transpose_a = c.a_mn, .transpose_b = !c.b_mn}));
    one_block(k, 4 * c.warpgroup_rows * c.warpgroup_cols, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, a_shape, c.a, in_patterns(a_shape[0], a_shape[1], bytes, c.a_span), "a");
        const auto b = cta.alloc(Role::shared, b_shape, c.b, in_patterns(b_shape[0], b_shape[1], bytes, c.b_span), "b");
        const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
        const std::int64_t rows = c.m / 64 / c.warpgroup_rows, cols = c.n / c.atom_n / c.warpgroup_cols;
        const Layout grid{
            {{c.warpgroup_rows, c.warpgroup_cols, warp}, {rows, cols, reg}, {c.warpgroup_cols, 1, warp}, {cols, 1, reg}}};
        const Layout atom{{{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {c.atom_n / 8, 4, reg}, {4, 1, lane}, {2, 1, reg}}};
        const Layout whole = tile(grid, Shape{c.m / 64, c.n / c.atom_n}, atom, Shape{64, c.atom_n}).value();
        const auto d = cta.alloc(Role::registers, {c.m, c.n}, d_type, whole, "d");
        cta.copy(a, A).copy(b, B).sync();
        Options form;
        form.schedule = "wgmma";
        cta.gemm(d, a, b, {.accumulate = false, .transpose_a = c.a_mn, .transpose_b = !c.b_mn}, form);
        cta.copy(D, d);
    });
    return trial::written(k);
}

Bindings inputs(const Case& c)
{
    laws::Random r(81);
    const auto numbers = [&](const Shape& shape, DType type) {
        Array out = Array::make(shape, type).value();
        for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, static_cast<double>(type == u8 ? r.in(0, 8) : r.in(-8, 8)));
        return out;
    };
    Array a = numbers(c.a_mn ? Shape{c.k, c.m} : Shape{c.m, c.k}, c.a),
          b = numbers(c.b_mn ? Shape{c.k, c.n} : Shape{c.n, c.k}, c.b);
    return trial::given({{"A", &a}, {"B", &b}});
}

} // namespace

TEST_CASE("products of warpgroups are exact for integers, in every form that a descriptor has", "[target][nvidia]")
{
    struct Types {
        DType a, b;
    };
    int tried = 0;
    for (const Types t : {Types{f16, f16}, Types{bf16, bf16}, Types{tf32, tf32}, Types{e4m3, e5m2}, Types{e4m3, e4m3},
                          Types{i8, u8}, Types{i8, i8}})
        for (const int span : {0, 32, 64, 128})
            for (const int majors : {0, 1, 2, 3}) {
                Case c;
                c.a = t.a;
                c.b = t.b;
                const int bytes = storage_bytes(t.a);
                if (majors != 0 && bytes != 2) continue;
                c.k = 256 / bytes;
                c.a_span = span;
                c.b_span = (majors + span) % 3 == 0 ? 128 : span;
                c.a_mn = (majors & 1) != 0;
                c.b_mn = (majors & 2) != 0;
                c.n = c.atom_n = c.b_mn ? 64 : std::vector<std::int64_t>{8, 16, 32, 96}[static_cast<std::size_t>(tried % 4)];
                INFO(name(t.a) << " x " << name(t.b) << ", span " << c.a_span << ", " << c.b_span << ", majors " << majors << ", n "
                               << c.n);
                trial::check_right(program_of(c), inputs(c));
                ++tried;
            }
    CHECK(tried == 2 * 16 + 5 * 4);
}

TEST_CASE("what each warp does before and after a product of all four is done in the order of the text, without checks too",
          "[target][nvidia]")
{
    Kernel k("filled", machines::sm90);
    const auto A = k.input("A", {64, 64}, f16), B = k.input("B", {32, 64}, f16), D = k.output("D", {128, 32}, f32);
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {64, 64}, f16, in_patterns(64, 64, 2, 128), "a");
        const auto b = cta.alloc(Role::shared, {32, 64}, f16, in_patterns(32, 64, 2, 128), "b");
        const auto registers = [&](const char* name) {
            const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
            const Layout atom{{{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {4, 4, reg}, {4, 1, lane}, {2, 1, reg}}};
            return cta.alloc(Role::registers, {64, 32}, f32, atom, name);
        };
        const auto d = registers("d"), e = registers("e");
        cta.copy(a, A).copy(b, B).proxy_fence().sync();
        cta.fill(d, -3).unary(Function::neg, d, d);
        cta.gemm(d, a, b, {.transpose_b = true}, {.async = true});
        cta.fill(e, 5);
        cta.wait_products();
        cta.copy(D(Interval(0, 64), all), d).copy(D(Interval(64, 64), all), e);
    });
    const Program p = trial::written(k);
    const auto lowered = required(lower(p));
    laws::Random r(82);
    Array x = Array::make({64, 64}, f16).value(), y = Array::make({32, 64}, f16).value();
    for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(r.in(-8, 8)));
    for (std::int64_t i = 0; i < y.size(); ++i) y.set(i, static_cast<double>(r.in(-8, 8)));
    std::vector<double> wanted;
    for (std::int64_t i = 0; i < 64; ++i)
        for (std::int64_t j = 0; j < 32; ++j) {
            wanted.push_back(3);
            for (std::int64_t l = 0; l < 64; ++l) wanted.back() += x.at(i * 64 + l) * y.at(j * 64 + l);
        }
    const Bindings in = trial::given({{"A", &x}, {"B", &y}});
    for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
        sim::RunOptions options;
        options.level = level;
        options.counters = level == sim::Level::full; // agents go together where nothing is counted
        const auto report = without_fault(sim::run(lowered->program, in, options));
        const Array& out = *report->outputs.find("D");
        int wrong = 0;
        for (std::int64_t i = 0; i < 64 * 32; ++i)
            wrong += out.at(i) != wanted[static_cast<std::size_t>(i)] || out.at(64 * 32 + i) != 5;
        CHECK(wrong == 0);
    }
}

TEST_CASE("several warpgroups with several tiles each", "[target][nvidia]")
{
    for (const bool columns : {false, true}) {
        Case c;
        c.m = 256;
        c.n = 64;
        c.atom_n = 16;
        c.warpgroup_rows = columns ? 1 : 2;
        c.warpgroup_cols = columns ? 2 : 1;
        trial::check_right(program_of(c), inputs(c));
    }
}

TEST_CASE("wgmma declines what no descriptor reads, and says why", "[target][nvidia]")
{
    const auto reason = [](const Case& c) {
        const auto lowered = lower(program_of(c));
        return lowered ? std::string("it lowers") : lowered.error().text;
    };
    Case bytes;
    bytes.a = bytes.b = e4m3;
    bytes.k = 128;
    bytes.a_mn = true;
    bytes.a_span = 64;
    CHECK(reason(bytes).find("only those of 2 bytes can be") != std::string::npos);
    Case odd;
    odd.k = 40;
    odd.a_span = odd.b_span = 0;
    CHECK(reason(odd).find("K is 40, not a multiple of 16") != std::string::npos);
}
