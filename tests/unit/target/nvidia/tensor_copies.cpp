// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/tcgen05/forms.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

/// Copies of shared memory to tensor memory in all shapes, and which lanes have what.
namespace {

/// Rows of 16 or 32 bytes in shared memory: row after row of 16 bytes, one half of the row after the other.
Layout rows_of_sixteen_bytes(std::int64_t rows, std::int64_t columns, int bytes)
{
    const std::int64_t per = 16 / bytes;
    return {{{rows, per, Axis{"m"}}, {columns / per, rows * per, Axis{"m"}}, {per, 1, Axis{"m"}}}};
}

/// A tensor in tensor memory that has its rows where the shape writes them.
Layout lanes_of_copy(const std::string& shape, std::int64_t columns)
{
    const Axis tlane{"tlane"}, tcol{"tcol"};
    if (shape == "64x128b.warpx2::02_13") return Layout{{{64, 1, tlane}, {columns, 1, tcol}}, {{2, 64, tlane}}};
    if (shape == "64x128b.warpx2::01_23") return Layout{{{2, 64, tlane}, {32, 1, tlane}, {columns, 1, tcol}}, {{2, 32, tlane}}};
    if (shape == "32x128b.warpx4") return Layout{{{32, 1, tlane}, {columns, 1, tcol}}, {{4, 32, tlane}}};
    return Layout{{{128, 1, tlane}, {columns, 1, tcol}}};
}

/// The row of the source that lane `lane` has after the copy; -1: none. PTX's table, case by case.
std::int64_t row_in_lane(const std::string& shape, std::int64_t lane)
{
    if (shape == "4x256b") return lane % 32 == 0 ? lane / 32 : -1;
    if (shape == "64x128b.warpx2::02_13") return lane % 64;
    if (shape == "64x128b.warpx2::01_23") return lane / 64 * 32 + lane % 32;
    if (shape == "32x128b.warpx4") return lane % 32;
    return lane;
}

/// A goes to tensor memory, and what all lanes have then, by four warps to D.
Program copy_program_of(const TensorCopyShape& shape, DType type, std::int64_t columns)
{
    const std::int64_t per = 4 / storage_bytes(type);
    const std::string name = shape.name;
    Kernel k("copy", machines::sm100);
    const auto A = k.input("A", {shape.rows, columns}, type), D = k.output("D", {128, columns}, type);
    one_block(k, 4, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {shape.rows, columns}, type,
                                 rows_of_sixteen_bytes(shape.rows, columns, storage_bytes(type)), "s");
        const bool quarters = shape.rows == 4;
        const Shape of_t = quarters ? Shape{4, 32, columns} : Shape{shape.rows, columns};
        const auto t = cta.alloc("tmem", of_t, type, lanes_of_copy(name, columns), "t");
        cta.copy(s, A);
        if (quarters) {
            const auto r = cta.alloc(
                Role::registers, of_t, type,
                Layout{{{4, 1, Axis{"warp"}}, {32, 1, Axis{"lane"}}, {columns / per, per, Axis{"reg"}}, {per, 1, Axis{"reg"}}}},
                "r");
            cta.fill(r, 0).copy(t, r).copy(t(all, 0, all), s);
        } else {
            cta.copy(t, s);
        }
        for (int w = 0; w < 4; ++w)
            cta.warps(w, 1, [&](Scope one) {
                Layout held{{{32, 1, Axis{"lane"}}, {columns / per, per, Axis{"reg"}}, {per, 1, Axis{"reg"}}}};
                if (w > 0) held.offset = {{Axis{"warp"}, w}};
                const auto r = one.alloc(Role::registers, {32, columns}, type, held, "r" + std::to_string(w));
                const ViewRef lanes = quarters ? t(w, all, all) : t(Interval(row_in_lane(name, 32 * w), 32), all);
                one.copy(r, lanes).copy(D(Interval(32 * w, 32), all), r);
            });
    });
    return trial::written(k);
}

} // namespace

TEST_CASE("copies to tensor memory: each row is in the lanes that the shape says, in all copies")
{
    int seen = 0;
    for (const TensorCopyShape& shape : tensor_copy_shapes)
        for (const DType type : {f32, f16, i8})
            for (const int times : {1, 3}) {
                const std::int64_t columns = shape.bytes * times / storage_bytes(type);
                INFO(shape.name << ", " << columns << " columns of " << name(type));
                const Program p = copy_program_of(shape, type, columns);
                const auto value = [](std::int64_t i) { return static_cast<double>(i * 7 % 61 + 1); };
                Array a = Array::make({shape.rows, columns}, type).value();
                for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, value(i));
                Bindings in;
                in.set("A", std::move(a));
                const auto lowered = lower(p);
                INFO((lowered ? print(lowered->program) : lowered.error().text));
                REQUIRE(lowered);
                CHECK(print(lowered->program).find(std::string("tcgen05.cp.cta_group::1.") + shape.name) != std::string::npos);
                for (const sim::RunOrder order : sim::all_run_orders) {
                    sim::RunOptions options;
                    options.order = order;
                    const auto report = without_fault(sim::run(lowered->program, in, options));
                    const Array& d = *report->outputs.find("D");
                    std::int64_t wrong = 0;
                    for (std::int64_t i = 0; i < 128 * columns; ++i) {
                        const std::int64_t row = row_in_lane(shape.name, i / columns);
                        wrong += d.at(i) == (row < 0 ? 0 : value(row * columns + i % columns)) ? 0 : 1;
                    }
                    CHECK(wrong == 0);
                }
                ++seen;
            }
    CHECK(seen == 36);
}

TEST_CASE("copies to tensor memory: rows that a shape does not have are declined")
{
    const auto why = [](std::int64_t rows, const Layout& where) {
        Kernel k("declined", machines::sm100);
        one_block(k, 4, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {rows, 4}, f32, rows_of_sixteen_bytes(rows, 4, 4), "s");
            const auto t = cta.alloc("tmem", {rows, 4}, f32, where, "t");
            Options options;
            options.schedule = "tcgen05_cp";
            cta.fill(s, 0).copy(t, s, options);
        });
        return trial::why_not(k);
    };
    const Axis tlane{"tlane"}, tcol{"tcol"};
    using trial::has;
    has(why(32, Layout{{{32, 1, tlane}, {4, 1, tcol}}}), "t does not have the copies of each row that 32x128b.warpx4 writes");
    has(why(32, Layout{{{32, 1, tlane}, {4, 1, tcol}}, {{2, 32, tlane}}}),
        "t does not have the copies of each row that 32x128b.warpx4 writes");
    has(why(32, Layout{{{32, 1, tlane}, {4, 1, tcol}}, {{4, 32, tlane}}}), "lowered");
    has(why(64, Layout{{{64, 1, tlane}, {4, 1, tcol}}, {{2, 32, tlane}}}),
        "row 32, column 0 of t is not in lane 64, its column after the one before");
    has(why(64, Layout{{{2, 32, tlane}, {32, 1, tlane}, {4, 1, tcol}}, {{2, 64, tlane}}}), "lowered");
    has(why(4, Layout{{{4, 32, tlane}, {4, 1, tcol}}}), "no shape copies 4 rows of 4 columns");
    has(why(16, Layout{{{16, 1, tlane}, {4, 1, tcol}}}), "no shape copies 16 rows of 4 columns");
}
