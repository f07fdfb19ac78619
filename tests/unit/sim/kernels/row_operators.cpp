// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

#include <algorithm>
#include <bit>
#include <set>

/// iota, scan, atomic_rows, compare_exchange and the functions of bits: against plain loops, on every machine that has lanes.

using namespace axe;
using enum DType;

namespace {

const Machine row_machines[] = {machines::sm80, machines::sm90, machines::sm100};

/// Y = the scan of X, in a memory or by way of registers; blocks of two warps.
Program scan_program(const Machine& machine, Function f, const Shape& shape, int axis, bool exclusive, DType from, DType to,
                     Role role)
{
    Kernel k("scan", machine);
    const auto X = k.input("X", shape, from), Y = k.output("Y", shape, to);
    one_block(k, 2, [&](Scope cta) {
        if (role == Role::global) {
            cta.scan(f, Y, X, axis, exclusive);
            return;
        }
        const bool shared = role == Role::shared;
        const Placement placement = shared ? Placement{} : Placement{LayoutHint::registers};
        const auto x = cta.alloc(role, shape, from, placement, "x"), y = cta.alloc(role, shape, to, placement, "y");
        cta.copy(x, X);
        if (shared) cta.sync();
        cta.scan(f, y, x, axis, exclusive);
        if (shared) cta.sync();
        cta.copy(Y, y);
    });
    return trial::written(k);
}

/// As a reader would: one element after the other.
double prefix(Function f, const Array& x, const Shape& shape, int axis, const Coord& at, bool exclusive)
{
    const FunctionRow& row = f.row();
    double out = is_whole(x.dtype()) ? static_cast<double>(row.neutral_integer) : row.neutral;
    Coord c = at;
    for (std::int64_t i = 0; i < at[axis] + (exclusive ? 0 : 1); ++i) {
        c[axis] = i;
        out = i == 0 ? x.at(c) : row.apply(out, x.at(c), 0);
    }
    (void)shape;
    return out;
}

Array numbers_for(Function f, const Shape& shape, DType type)
{
    laws::Random random(7);
    Array out = Array::make(shape, type).value();
    const bool factors = f == Function::mul;
    for (std::int64_t i = 0; i < out.size(); ++i) // products stay small; every sum is exact
        out.set(i, factors ? (random.in(0, 9) == 0 ? -1 : 1) : static_cast<double>(random.in(-9, 9)));
    return out;
}

void check_scan(const Machine& machine, Function f, const Shape& shape, int axis, bool exclusive, DType type, Role role)
{
    const Array x = numbers_for(f, shape, type);
    Bindings in;
    in.set("X", x.clone().value());
    const Program program = scan_program(machine, f, shape, axis, exclusive, type, type, role);
    const Bindings out = trial::ran(program, in);
    const Verification v = trial::verified(program, in, out, Against::program);
    INFO(machine.name << " " << name(f) << " " << name(type) << " axis " << axis << (exclusive ? " exclusive" : "") << " of "
                      << shape[0] << "×" << shape[1] << ": " << v.text());
    CHECK(v.ok());
    const Array& y = *out.find("Y");
    int wrong = 0;
    for (std::int64_t i = 0; i < y.size(); ++i) {
        const Coord c = coordinate(shape, i);
        double want = prefix(f, x, shape, axis, c, exclusive);
        if (is_integer(type)) want = decode(type, encode_int(type, static_cast<std::int64_t>(std::clamp(want, -0x1p62, 0x1p62))));
        wrong += y.at(i) == want ? 0 : 1;
    }
    CHECK(wrong == 0);
}

} // namespace

TEST_CASE("scans are what plain loops give, along each dimension, in every memory")
{
    const Shape shapes[] = {{1, 1}, {1, 2}, {3, 7}, {1, 64}, {1, 65}, {5, 33}, {70, 3}, {2, 200}};
    for (const Shape& shape : shapes)
        for (const int axis : {0, 1})
            for (const bool exclusive : {false, true})
                for (const Role role : {Role::global, Role::shared, Role::registers})
                    check_scan(machines::sm80, Function::add, shape, axis, exclusive, i32, role);
}

TEST_CASE("scans of every reduction, in integers and in floating-point numbers")
{
    for (const Machine& machine : row_machines)
        for (const FunctionRow& row : function_rows) {
            if (!row.reduces) continue;
            for (const DType type : {i32, f32, f16}) {
                if (row.domain == Domain::bits && is_float(type)) continue;
                check_scan(machine, Function(row), {3, 37}, 1, false, type, Role::shared);
                check_scan(machine, Function(row), {3, 37}, 1, true, type, Role::registers);
            }
        }
}

TEST_CASE("a scan may be in place, and grows in a wider type than its elements")
{
    Kernel k("in_place", machines::sm80);
    const auto X = k.inout("X", {2, 100}, f16);
    k.computes(X, cumsum(X, 1));
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) { cta.scan(Function::add, X, X, 1); });
    laws::Random random(3);
    Bindings in;
    in.set("X", arrays::random({2, 100}, f16, random));
    trial::check_right(trial::written(k), in);
    // 1 + 2048 ones: f16 sums would stay at 2048.
    const Program wide = scan_program(machines::sm80, Function::add, {1, 2050}, 1, false, f16, f16, Role::shared);
    Array ones = Array::make({1, 2050}, f16).value();
    for (std::int64_t i = 0; i < ones.size(); ++i) ones.set(i, 1);
    Bindings of_ones;
    of_ones.set("X", std::move(ones));
    const Bindings out = trial::ran(wide, of_ones);
    CHECK(out.find("Y")->at(2049) == 2050);
    CHECK(trial::verified(wide, of_ones, out, Against::program).ok());
}

TEST_CASE("scans of NaN and of infinities")
{
    const double inf = std::numeric_limits<double>::infinity();
    const Program program = scan_program(machines::sm80, Function::add, {1, 8}, 1, false, f32, f32, Role::shared);
    Array x = Array::make({1, 8}, f32).value();
    const double terms[] = {1, inf, 2, -inf, 3, 4, std::nan(""), 5};
    for (std::int64_t i = 0; i < 8; ++i) x.set(i, terms[i]);
    Bindings in;
    in.set("X", std::move(x));
    const Bindings out = trial::ran(program, in);
    CHECK(trial::verified(program, in, out, Against::program).ok());
    const Array& y = *out.find("Y");
    CHECK(y.at(0) == 1);
    CHECK(y.at(2) == inf);
    CHECK(std::isnan(y.at(3)));
    CHECK(std::isnan(y.at(7)));
}

TEST_CASE("without the barrier before its operand is read a scan is found to read what is not there yet")
{
    const auto found = [](bool before) {
        Kernel k("scan", machines::sm80);
        const auto X = k.input("X", {4, 64}, i32), Y = k.output("Y", {4, 64}, i32);
        one_block(k, 4, [&](Scope cta) {
            const auto x = cta.alloc(Role::shared, {4, 64}, i32, {}, "x"), y = cta.alloc(Role::shared, {4, 64}, i32, {}, "y");
            cta.fill(x, 0).sync();
            cta.copy(x, X);
            if (before) cta.sync();
            cta.scan(Function::add, y, x, 0).sync();
            cta.copy(Y, y);
        });
        laws::Random random(5);
        Bindings in;
        in.set("X", arrays::random({4, 64}, i32, random));
        return sim::run(lower(trial::written(k)).value().program, in).value().fault.kind;
    };
    CHECK(found(true) == sim::FaultKind::none);
    CHECK(found(false) == sim::FaultKind::race);
}

TEST_CASE("iota: the index in a dimension, from a number that the block knows")
{
    for (const Machine& machine : row_machines)
        for (const DType type : {i32, f32, f16, i8})
            for (const int axis : {0, 1})
                for (const Role role : {Role::global, Role::shared, Role::registers}) {
                    Kernel k("iota", machine);
                    const auto Y = k.output("Y", {37, 21}, type);
                    k.computes(Y, iota({37, 21}, axis) + (axis == 0 ? 3 : 0));
                    k.cta(
                        tiles(Y, {8, 16}),
                        [&](Scope cta, const Tile& t) {
                            const Affine start = axis == 0 ? t.rows.begin + 3 : t.cols.begin;
                            if (role == Role::global) {
                                cta.iota(Y(t), axis, start);
                                return;
                            }
                            const Placement placement = role == Role::shared ? Placement{} : Placement{LayoutHint::registers};
                            const auto y = cta.alloc(role, {8, 16}, type, placement, "y");
                            cta.iota(y, axis, start);
                            if (role == Role::shared) cta.sync();
                            cta.copy(Y(t), y);
                        },
                        2);
                    INFO(machine.name << " " << name(type) << " " << axis);
                    trial::check_right(trial::written(k), {});
                }
}

TEST_CASE("iota: a start that differs between threads, which run in step, is refused, and saturation is that of the type")
{
    Kernel k("each", machines::sm80);
    const auto Y = k.output("Y", {32, 4}, i32);
    one_block(k, 1, [&](Scope cta) {
        cta.each_thread({32}, [&](Scope thread, const std::vector<Affine>& at) { thread.iota(Y(at[0], all), 0, at[0]); });
    });
    const auto lowered = lower(trial::written(k));
    REQUIRE_FALSE(lowered);
    CHECK(lowered.error().text.find("where it starts differs between the agents or lanes") != std::string::npos);

    Kernel same("same", machines::sm80);
    const auto Z = same.output("Z", {32, 4}, i8);
    one_block(same, 1, [&](Scope cta) {
        cta.each_thread({32}, [&](Scope thread, const std::vector<Affine>& at) { thread.iota(Z(at[0], all), 0, 126); });
    });
    const Bindings out = trial::ran(trial::written(same), {});
    for (std::int64_t i = 0; i < 128; ++i)
        CHECK(out.find("Z")->at(i) == static_cast<double>(std::min<std::int64_t>(126 + i % 4, 127)));
}

TEST_CASE("bit casts: every number of f16 as i16 and back")
{
    Kernel k("bits", machines::sm80);
    const auto X = k.input("X", {65536}, i16), F = k.output("F", {65536}, f16), I = k.output("I", {65536}, i16);
    k.cta(tiles(X, {4096}), [&](Scope cta, const Tile& t) {
        const auto x = cta.alloc(Role::registers, {4096}, i16, LayoutHint::registers, "x");
        const auto f = cta.alloc(Role::registers, {4096}, f16, LayoutHint::registers, "f");
        cta.copy(x, X(t)).unary(Function::bit_cast, f, x).copy(F(t), f).unary(Function::bit_cast, x, f).copy(I(t), x);
    });
    Array all_bits = Array::make({65536}, i16).value();
    for (std::int64_t i = 0; i < 65536; ++i) all_bits.set(i, static_cast<double>(i - 32768));
    Bindings in;
    in.set("X", std::move(all_bits));
    const Program program = trial::written(k);
    const Bindings out = trial::ran(program, in);
    CHECK(trial::verified(program, in, out, Against::program).ok());
    int wrong = 0;
    for (std::int64_t i = 0; i < 65536; ++i) {
        const double want = decode(f16, static_cast<std::uint64_t>(i - 32768) & 0xffff), has = out.find("F")->at(i);
        wrong += (has == want || (has != has && want != want)) && out.find("I")->at(i) == static_cast<double>(i - 32768) ? 0 : 1;
    }
    CHECK(wrong == 0);
}

TEST_CASE("formulas: the bits of what is not stored are declined")
{
    Kernel k("k", machines::sm80);
    const auto A = k.input("A", {4}, f32), B = k.output("B", {4}, i32);
    k.computes(B, elementwise(Function::bit_cast, {A}));
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) { cta.unary(Function::bit_cast, B, A); });
    const auto program = k.program();
    REQUIRE_FALSE(program);
    CHECK(program.error().text == "k, specification of B: bit_cast(A): bit_cast is of elements that are stored; what a formula "
                                  "computes has no bits");
}

TEST_CASE("bit casts and shifts: the key that orders floating-point numbers as integers do")
{
    // key = bits ^ (sign ? all bits but the sign : 0), as signed integers: −∞ < … < −0 < +0 < … < ∞ < NaN.
    Kernel k("keys", machines::sm90);
    const auto X = k.input("X", {64}, f32), K = k.output("K", {64}, i32);
    one_block(k, 1, [&](Scope cta) {
        const auto of = [&](DType type, const char* name) {
            return cta.alloc(Role::registers, {64}, type, LayoutHint::registers, name);
        };
        const auto x = of(f32, "x");
        const auto bits = of(i32, "bits"), sign = of(i32, "sign"), count = of(i32, "count"), mask = of(i32, "mask");
        cta.copy(x, X).unary(Function::bit_cast, bits, x);
        cta.fill(count, 31).binary(Function::shift_right, sign, bits, count); // 0 or −1
        cta.fill(mask, 0x7fffffff).binary(Function::bit_and, sign, sign, mask).binary(Function::bit_xor, bits, bits, sign);
        cta.copy(K, bits);
    });
    const double inf = std::numeric_limits<double>::infinity();
    std::vector<double> values{-inf, -3e38, -1.5, -1, -0x1p-149, -0.0, 0, 0x1p-149, 1, 1.5, 3e38, inf};
    Array x = Array::make({64}, f32).value();
    for (std::int64_t i = 0; i < 64; ++i) x.set(i, values[static_cast<std::size_t>(i) % values.size()]);
    Bindings in;
    in.set("X", std::move(x));
    const Program program = trial::written(k);
    const Bindings out = trial::ran(program, in);
    CHECK(trial::verified(program, in, out, Against::program).ok());
    for (std::int64_t i = 1; i < static_cast<std::int64_t>(values.size()); ++i)
        CHECK(out.find("K")->at(i - 1) < out.find("K")->at(i));
}

TEST_CASE("shifts of every number of bits are those of C++ on 32-bit integers")
{
    Kernel k("shifts", machines::sm80);
    const auto A = k.input("A", {16, 40}, i32), B = k.input("B", {16, 40}, i32);
    const auto L = k.output("L", {16, 40}, i32), R = k.output("R", {16, 40}, i32);
    k.computes(L, elementwise(Function::shift_left, {A, B})).computes(R, elementwise(Function::shift_right, {A, B}));
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        cta.binary(Function::shift_left, L, A, B);
        cta.binary(Function::shift_right, R, A, B);
    });
    const std::int64_t values[] = {0,  1,        -1,       2, 3, 5, 127, -128, 255, 65535, 0x40000000, 0x7fffffff, -0x7fffffff - 1,
                                   -2, 12345678, -87654321};
    Array a = Array::make({16, 40}, i32).value(), b = Array::make({16, 40}, i32).value();
    for (std::int64_t i = 0; i < 16; ++i)
        for (std::int64_t j = 0; j < 40; ++j) {
            a.set(i * 40 + j, static_cast<double>(values[i]));
            b.set(i * 40 + j, static_cast<double>(j - 3));
        }
    Bindings in;
    in.set("A", std::move(a)).set("B", std::move(b));
    const Program program = trial::written(k);
    trial::check_right(program, in);
    const Bindings out = trial::ran(program, in);
    for (std::int64_t i = 0; i < 16; ++i)
        for (std::int64_t j = 0; j < 40; ++j) {
            const std::int64_t n = j - 3, v = values[i];
            const std::int32_t left = n < 0 || n > 31 ? 0 : static_cast<std::int32_t>(static_cast<std::uint32_t>(v) << n);
            const std::int64_t right = n < 0 || n > 31 ? (v < 0 ? -1 : 0) : (v >> n);
            CAPTURE(v, n);
            REQUIRE(out.find("L")->at(i * 40 + j) == left);
            REQUIRE(out.find("R")->at(i * 40 + j) == static_cast<double>(right));
        }
}

TEST_CASE("functions of elements: sigmoid, log2, sin, cos, floor, ceil and round, of numbers of every size")
{
    for (const Function f :
         {Function::sigmoid, Function::log2, Function::sin, Function::cos, Function::floor, Function::ceil, Function::round})
        for (const DType type : {f16, f32, f64}) {
            Kernel k("function", machines::sm80);
            const auto X = k.input("X", {1024}, type), Y = k.output("Y", {1024}, type);
            k.computes(Y, elementwise(f, {X}));
            k.cta(tiles(1, 1), [&](Scope cta, const Tile&) { cta.unary(f, Y, X); });
            laws::Random random(11);
            Array x = Array::make({1024}, type).value();
            const double inf = std::numeric_limits<double>::infinity();
            const double special[] = {0, -0.0, inf, -inf, std::nan(""), 0.5, 1.5, 2.5, -0.5, -1.5, 100, -100, 60000, -60000};
            for (std::int64_t i = 0; i < 1024; ++i)
                x.set(i, i < 14 ? special[i] : static_cast<double>(random.in(-1000, 1000)) * std::exp2(random.in(-12, 6)));
            Bindings in;
            in.set("X", std::move(x));
            INFO(name(f) << " " << name(type));
            trial::check_right(trial::written(k), in);
        }
}

namespace {

/// Each of N items takes a place in the list of its row: count[row]++ gives the place.
Program ranks_program(const Machine& machine, std::int64_t N, std::int64_t rows, Role role)
{
    Kernel k("ranks", machine);
    const auto item = k.input("row", {N}, i32);
    const auto rank = k.output("rank", {N}, i32), count = k.inout("count", {rows}, i32);
    k.computes(count, scatter_add(count, item, 0 * item + 1));
    k.cta(tiles(N, role == Role::shared ? N : 64), [&](Scope cta, const Tile& t) {
        const std::int64_t n = t.rows.extent;
        const auto one = cta.alloc(Role::registers, {n}, i32, LayoutHint::registers, "one");
        const auto old = cta.alloc(Role::registers, {n}, i32, LayoutHint::registers, "old");
        cta.fill(one, 1);
        if (role == Role::global) {
            cta.atomic_rows(Function::add, count, item(t), one, old);
        } else {
            const auto sums = cta.alloc(Role::shared, {rows}, i32, {}, "sums");
            cta.copy(sums, count).sync();
            cta.atomic_rows(Function::add, sums, item(t), one, old).sync();
            cta.copy(count, sums);
        }
        cta.copy(rank(t), old);
    });
    return trial::written(k);
}

} // namespace

TEST_CASE("atomic operations at computed rows give each item a place of its own")
{
    for (const Machine& machine : row_machines)
        for (const Role role : {Role::global, Role::shared}) {
            const std::int64_t N = 192, rows = 5;
            const Program program = ranks_program(machine, N, rows, role);
            laws::Random random(13);
            Array item = Array::make({N}, i32).value(), count = Array::make({rows}, i32).value();
            for (std::int64_t i = 0; i < N; ++i) item.set(i, static_cast<double>(random.in(0, 3))); // row 4 has none
            for (std::int64_t i = 0; i < rows; ++i) count.set(i, static_cast<double>(10 * i));
            Bindings in;
            in.set("row", std::move(item)).set("count", std::move(count));
            const auto lowered = required(lower(program));
            for (const sim::RunOrder order : sim::all_run_orders) {
                sim::RunOptions options;
                options.order = order;
                const auto report = without_fault(sim::run(lowered->program, in, options).value());
                const Verification v = trial::verified(program, in, report.outputs, Against::both);
                INFO(v.text());
                CHECK(v.ok());
                std::vector<std::set<std::int64_t>> places(5);
                for (std::int64_t i = 0; i < N; ++i)
                    places[static_cast<std::size_t>(in.find("row")->at(i))].insert(
                        static_cast<std::int64_t>(report.outputs.find("rank")->at(i)));
                for (std::int64_t r = 0; r < rows; ++r) {
                    const auto& of = places[static_cast<std::size_t>(r)];
                    const auto n = static_cast<std::int64_t>(of.size());
                    CHECK(report.outputs.find("count")->at(r) == static_cast<double>(10 * r + n));
                    if (n == 0) continue;
                    CHECK(*of.begin() == 10 * r);
                    CHECK(*of.rbegin() == 10 * r + n - 1);
                }
            }
        }
}

TEST_CASE("compare and exchange: of all that want a row one gets it, and the others see who did")
{
    const std::int64_t N = 128, rows = 7;
    Kernel k("owners", machines::sm90);
    const auto want = k.input("want", {N}, i32);
    const auto owner = k.inout("owner", {rows}, i32), seen = k.output("seen", {N}, i32);
    k.cta(tiles(N, 32), [&](Scope cta, const Tile& t) {
        const auto me = cta.alloc(Role::registers, {32}, i32, LayoutHint::registers, "me");
        const auto expected = cta.alloc(Role::registers, {32}, i32, LayoutHint::registers, "expected");
        cta.iota(me, 0, t.rows.begin).fill(expected, -1);
        cta.compare_exchange(owner, want(t), me, expected).copy(seen(t), expected);
    });
    const Program program = trial::written(k);
    Array wants = Array::make({N}, i32).value(), owners = Array::make({rows}, i32).value();
    laws::Random random(17);
    for (std::int64_t i = 0; i < N; ++i) wants.set(i, static_cast<double>(random.in(0, 5)));
    for (std::int64_t i = 0; i < rows; ++i) owners.set(i, i == 2 ? 1000 : -1); // row 2 has an owner, nobody wants row 6
    Bindings in;
    in.set("want", std::move(wants)).set("owner", std::move(owners));
    const auto lowered = required(lower(program));
    for (const sim::RunOrder order : sim::all_run_orders) {
        sim::RunOptions options;
        options.order = order;
        const auto report = without_fault(sim::run(lowered->program, in, options).value());
        CHECK(trial::verified(program, in, report.outputs, Against::program).ok());
        std::vector<int> winners(7);
        for (std::int64_t i = 0; i < N; ++i) {
            const auto row = static_cast<std::int64_t>(in.find("want")->at(i));
            const double has = report.outputs.find("owner")->at(row), saw = report.outputs.find("seen")->at(i);
            if (saw == -1) {
                ++winners[static_cast<std::size_t>(row)];
                CHECK(has == static_cast<double>(i));
            } else {
                CHECK(has == saw);
            }
        }
        for (int r = 0; r < 6; ++r) CHECK(winners[static_cast<std::size_t>(r)] == (r == 2 ? 0 : 1));
        CHECK(report.outputs.find("owner")->at(2) == 1000);
        CHECK(report.outputs.find("owner")->at(6) == -1);
    }
}

TEST_CASE("an atomic operation at a row that does not exist is a fault, of a guarded view nothing")
{
    for (const bool guarded : {false, true}) {
        Kernel k("rows", machines::sm80);
        const auto at = k.input("at", {4}, i32);
        const auto D = k.inout("D", {3, 2}, f32), before = k.output("before", {4, 2}, f32);
        one_block(k, 1, [&](Scope cta) {
            const auto one = cta.alloc(Role::registers, {4, 2}, f32, LayoutHint::registers, "one");
            const auto old = cta.alloc(Role::registers, {4, 2}, f32, LayoutHint::registers, "old");
            cta.fill(one, 1);
            cta.atomic_rows(Function::add, D.guarded(guarded), at, one, old).copy(before, old);
        });
        Array rows = Array::make({4}, i32).value(), d = Array::make({3, 2}, f32).value();
        const int named[] = {2, 3, 0, -1};
        for (int i = 0; i < 4; ++i) rows.set(i, named[i]);
        for (int i = 0; i < 6; ++i) d.set(i, 5 + i);
        Bindings in;
        in.set("at", std::move(rows)).set("D", std::move(d));
        const Program program = trial::written(k);
        const auto report = sim::run(lower(program).value().program, in).value();
        if (!guarded) {
            CHECK(report.fault.kind == sim::FaultKind::out_of_bounds);
            CHECK(report.fault.text.find("accesses row 3 of D, whose view has 3 rows; that is index 1 of the 4") !=
                  std::string::npos);
            continue;
        }
        REQUIRE(report.ok());
        CHECK(trial::verified(program, in, report.outputs, Against::program).ok());
        const double after[] = {6, 7, 7, 8, 10, 11}, was[] = {9, 10, 0, 0, 5, 6, 0, 0};
        for (int i = 0; i < 6; ++i) CHECK(report.outputs.find("D")->at(i) == after[i]);
        for (int i = 0; i < 8; ++i) CHECK(report.outputs.find("before")->at(i) == was[i]);
    }
}

TEST_CASE("atomic operations at rows race with plain accesses of other warps, not with each other")
{
    const auto kind = [](bool sync, bool reads) {
        Kernel k("rows", machines::sm80);
        const auto at = k.input("at", {128}, i32);
        const auto Y = k.output("Y", {3}, i32);
        one_block(k, 4, [&](Scope cta) {
            const auto sums = cta.alloc(Role::shared, {3}, i32, {}, "sums");
            const auto one = cta.alloc(Role::registers, {128}, i32, LayoutHint::registers, "one");
            cta.fill(sums, 0).fill(one, 1).sync();
            cta.atomic_rows(Function::add, sums, at, one).atomic_rows(Function::max, sums, at, one);
            if (sync) cta.sync();
            if (reads) cta.copy(Y, sums);
            if (!reads) cta.fill(Y, 0);
        });
        Bindings in;
        Array rows = Array::make({128}, i32).value();
        for (int i = 0; i < 128; ++i) rows.set(i, i % 3);
        in.set("at", std::move(rows));
        return sim::run(lower(trial::written(k)).value().program, in).value().fault.kind;
    };
    CHECK(kind(true, true) == sim::FaultKind::none);
    CHECK(kind(false, false) == sim::FaultKind::none);
    CHECK(kind(false, true) == sim::FaultKind::race);
}

TEST_CASE("machines without lanes decline scans, iotas and atomic rows, and say so")
{
    for (const Machine& machine : {machines::trn1, machines::spyre}) {
        Kernel k("declined", machine);
        const auto X = k.input("X", {64, 64}, f32), Y = k.output("Y", {64, 64}, f32);
        one_block(k, 0, [&](Scope cta) { cta.scan(Function::add, Y, X, 1); });
        const auto program = k.program();
        if (!program) continue;
        const auto lowered = lower(*program);
        INFO(machine.name);
        REQUIRE_FALSE(lowered);
        CHECK(lowered.error().text.find("scan") != std::string::npos);
    }
}

TEST_CASE("votes: any, all and ballot of the lanes of a warp are reductions")
{
    Kernel k("votes", machines::sm80);
    const auto X = k.input("X", {4, 32}, i32);
    const auto any = k.output("any", {4}, i32), every = k.output("every", {4}, i32), ballot = k.output("ballot", {4}, i32);
    const Formula lane = iota({4, 32}, 1);
    k.computes(any, maximum_of(X, 1)).computes(every, minimum_of(X, 1));
    k.computes(ballot, reduce(Function::bit_or, elementwise(Function::shift_left, {X, lane}), {1}));
    one_block(k, 4, [&](Scope cta) {
        const Layout lanes{{{4, 1, "warp"}, {32, 1, "lane"}}, {}, {}}, warps{{{4, 1, "warp"}}, {{32, 1, "lane"}}, {}};
        const auto x = cta.alloc(Role::registers, {4, 32}, i32, lanes, "x"),
                   at = cta.alloc(Role::registers, {4, 32}, i32, lanes, "at");
        const auto vote = cta.alloc(Role::registers, {4}, i32, warps, "vote");
        cta.copy(x, X).reduce(Function::max, vote, x, {1}).copy(any, vote).reduce(Function::min, vote, x, {1}).copy(every, vote);
        cta.iota(at, 1).binary(Function::shift_left, x, x, at).reduce(Function::bit_or, vote, x, {1}).copy(ballot, vote);
    });
    laws::Random random(23);
    Array x = Array::make({4, 32}, i32).value();
    for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, i < 32 ? 1 : i < 64 ? 0 : static_cast<double>(random.in(0, 1)));
    Bindings in;
    in.set("X", std::move(x));
    const Program program = trial::written(k);
    trial::check_right(program, in);
    CHECK(trial::ran(program, in).find("ballot")->at(0) == -1);
    const auto lowered = lower(program).value();
    for (const Choice& choice : lowered.choices)
        if (choice.detail.find("exchanges") != std::string::npos) CHECK(choice.schedule == "shuffle");
}
