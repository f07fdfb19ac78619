// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_GEMM_SIMT_HPP
#define AXE_SCHEDULE_GEMM_SIMT_HPP

#include <axe/schedule/copy/moves.hpp>
#include <axe/schedule/dispatch.hpp>
#include <axe/schedule/gemm/product.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The type in which a product is summed: f64 and integers among themselves, everything else in f32.
constexpr DType sum_type(DType d, DType a, DType b) noexcept
{
    if (d == DType::f64 || a == DType::f64 || b == DType::f64) return DType::f64;
    const auto whole = [](DType t) { return is_integer(t) || t == DType::b1; };
    return whole(d) && whole(a) && whole(b) ? DType::i32 : DType::f32;
}

/// One factor of D as the lanes need it, for a few k at a time: how many registers a k takes, and the copies.
struct Factor {
    Layout of_d{};   ///< D's layout
    Shape d_shape{}; ///< [batch, M, N]
    MatrixSide side = MatrixSide::a;
    bool k_innermost = false; ///< as in memory, so that a lane reads several k, rows or columns in one access

    [[nodiscard]] Result<Layout> layout(std::int64_t depth, const Axis& reg) const
    {
        return operand_layout(of_d, d_shape, side, depth, k_innermost, reg);
    }
    /// Registers of a lane for each k.
    [[nodiscard]] std::int64_t registers(const Axis& reg) const
    {
        const auto one = layout(1, reg);
        std::int64_t n = 1;
        if (one)
            for (const Iter& it : one->shard)
                if (it.axis == reg) n *= it.extent;
        return n;
    }
};

/// The elements of D that each lane of each agent holds, by register: row-major (agent, lane).
inline Result<std::vector<std::vector<std::int32_t>>, Problem> elements_of_lanes(const Request& request, const View& d, int lanes)
{
    const auto where = element_placement(request, d);
    if (!where) return where.error();
    std::vector<std::vector<std::pair<std::int64_t, std::int32_t>>> held(
        static_cast<std::size_t>(request.execution_scope().count * lanes));
    for (std::int32_t e = 0; e < where->count; ++e)
        for (auto i = where->begin[static_cast<std::size_t>(e)]; i < where->begin[static_cast<std::size_t>(e) + 1]; ++i) {
            const Owner& o = where->owner[static_cast<std::size_t>(i)];
            const int at = request.execution_scope().index_of(o.agent);
            if (at < 0) return idle_owner(o.agent, where->name);
            held[static_cast<std::size_t>(at * lanes + o.lane)].emplace_back(o.reg, e);
        }
    std::vector<std::vector<std::int32_t>> out;
    for (auto& list : held) {
        std::sort(list.begin(), list.end());
        std::vector<std::int32_t> elements;
        for (const auto& [reg, element] : list) elements.push_back(element);
        out.push_back(std::move(elements));
    }
    return out;
}

/// The distributions of D, A and B for `depth` successive k: all elements of the first k, then all of the next.
struct ProductDistributions {
    std::shared_ptr<const Distribution> d{}, a{}, b{};
};

inline ProductDistributions product_distributions(const MatrixProduct& p, const std::vector<std::vector<std::int32_t>>& held,
                                                  const ExecutionScope& place, int lanes, std::int64_t depth)
{
    std::size_t most = 0;
    for (const auto& list : held) most = std::max(most, list.size());
    Distribution d;
    d.issues = static_cast<int>(most) * static_cast<int>(depth);
    d.agents = place.count;
    d.lanes = lanes;
    d.element.assign(d.at(d.issues, 0, 0), -1);
    Distribution a = d, b = d;
    for (std::size_t owner = 0; owner < held.size(); ++owner)
        for (std::size_t i = 0; i < held[owner].size(); ++i)
            for (std::int64_t k = 0; k < depth; ++k) {
                const std::int64_t e = held[owner][i], row = e / p.n, col = e % p.n; // row counts over the batch
                const std::size_t at = d.at(static_cast<int>(k) * static_cast<int>(most) + static_cast<int>(i),
                                            static_cast<int>(owner) / lanes, static_cast<int>(owner) % lanes);
                d.element[at] = held[owner][i];
                a.element[at] = static_cast<std::int32_t>(row * depth + k);
                b.element[at] = static_cast<std::int32_t>((row / p.m * depth + k) * p.n + col);
            }
    return {std::make_shared<const Distribution>(std::move(d)), std::make_shared<const Distribution>(std::move(a)),
            std::make_shared<const Distribution>(std::move(b))};
}

inline const char* fma_text(DType type) noexcept
{
    return type == DType::f64 ? "fma.rn.f64" : type == DType::f32 ? "fma.rn.f32" : "mad.lo.s32";
}

/// D += A·B where D is in registers in the type of the sum.
inline Result<Body, Problem> add_product(Request& request, const MatrixProduct& p, std::int64_t* depth_of_a_move)
{
    const auto d = box_layout(request, p.d);
    if (!d) return d.error();
    const int lanes = block_scopes(request.machine()).lanes();
    const auto held = elements_of_lanes(request, p.d, lanes);
    if (!held) return held.error();
    const DType type = request.tensor(p.d).dtype;
    const Memory& registers = request.memory(p.d);
    const Axis reg = registers.axes[registers.axes.size() - 1];
    const bool turn_a = request.operation().transpose_a, turn_b = request.operation().transpose_b;
    const Factor a{*d, p.shape(), MatrixSide::a, !turn_a}, b{*d, p.shape(), MatrixSide::b, turn_b};

    // Up to four k per access; where registers are few, no more than leaves half of them to D.
    const std::int64_t each = (a.registers(reg) + b.registers(reg)) * storage_bytes(type);
    std::int64_t depth = 4;
    while (depth > 1 && registers.capacity > 0 && each * depth > registers.capacity / 2) depth /= 2;
    *depth_of_a_move = std::min(depth, p.k);

    Body body;
    ProductDistributions parts;
    View a_lanes, b_lanes;
    std::int64_t last = 0;
    for (std::int64_t k = 0; k < p.k; k += depth) {
        const std::int64_t now = std::min(depth, p.k - k);
        const View a_part = narrowed(p.a, 0, k, now), b_part = narrowed(p.b, 1, k, now);
        if (now != last) {
            const std::string as_matrices = request.tensor(p.d).name + " as [batch, rows, columns]: ";
            const auto a_layout = a.layout(now, reg), b_layout = b.layout(now, reg);
            if (!a_layout) return Problem(a_layout.error(), as_matrices);
            if (!b_layout) return Problem(b_layout.error(), as_matrices);
            a_lanes = register_temporary(request, request.tensor(p.a).name + ".lanes", a_part.extents, type, *a_layout);
            b_lanes = register_temporary(request, request.tensor(p.b).name + ".lanes", b_part.extents, type, *b_layout);
            parts = product_distributions(p, *held, request.execution_scope(), lanes, now);
            last = now;
        }
        for (const auto& [to, from] : {std::pair(a_lanes, a_part), std::pair(b_lanes, b_part)}) {
            auto copy = emit_nested(request, operation_of(Op::copy, to, from));
            if (!copy) return copy.error();
            add_statements(body, std::move(*copy));
        }
        Instruction fma = make_instruction(request, "map", fma_text(type));
        fma.function = Function::fma;
        fma.operands = {{p.d, parts.d}, {a_lanes, parts.a}, {b_lanes, parts.b}, {p.d, parts.d}};
        body.push_back(make_statement(std::move(fma)));
    }
    return body;
}

/// An extent cut into parts that divide well among lanes: as many of `most` as there are, a multiple of 8, and the rest.
inline std::vector<std::int64_t> handy_parts(std::int64_t extent, std::int64_t most)
{
    std::vector<std::int64_t> out;
    for (; extent >= most; extent -= most) out.push_back(most);
    for (const std::int64_t part : {extent / 8 * 8, extent % 8})
        if (part > 0) out.push_back(part);
    return out;
}

/// D (+)= A·B through an accumulator in registers, with this layout.
inline Result<Body, Problem> multiply_through(Request& request, const MatrixProduct& p, const Layout& layout, std::int64_t* depth)
{
    const DType type = sum_type(request.tensor(p.d).dtype, request.tensor(p.a).dtype, request.tensor(p.b).dtype);
    MatrixProduct inner = p;
    inner.d = register_temporary(request, request.tensor(p.d).name + ".sum", p.d.extents, type, layout);
    const bool onto = request.operation().accumulate;
    auto body = emit_nested(request, onto ? operation_of(Op::copy, inner.d, p.d) : operation_of_fill(inner.d, 0));
    if (!body) return body;
    auto sum = add_product(request, inner, depth);
    if (!sum) return sum;
    auto back = emit_nested(request, operation_of(Op::copy, p.d, inner.d));
    if (!back) return back;
    add_statements(*body, std::move(*sum));
    add_statements(*body, std::move(*back));
    return body;
}

} // namespace detail

/// D = A·B (+ D) by multiplications and additions of the lanes: for a few k at a time each lane copies the rows of A and the columns
/// of B of its elements of D to registers, converted to the type of the sum, and goes through its elements.
///
/// Where D is in registers its layout says whose is what, and must keep rows and columns apart; where D is in memory, boxes of it are
/// summed in registers, spread over all lanes. Sums are in f32, of integers in i32, of f64 in f64; D narrower than that is converted
/// at the end. Declines when a layout, or a copy, does.
inline Result<Body, Problem> emit_fma(Request& request)
{
    using namespace detail;
    const auto product = matrix_product_of(request);
    if (!product) return product.error();
    const MatrixProduct& p = *product;
    const DType type = sum_type(request.tensor(p.d).dtype, request.tensor(p.a).dtype, request.tensor(p.b).dtype);
    std::int64_t depth = 1;
    Body body;
    if (is_private(request.machine(), request.memory(p.d))) {
        if (request.tensor(p.d).dtype == type) {
            if (!request.operation().accumulate) {
                auto fill = emit_nested(request, operation_of_fill(p.d, 0));
                if (!fill) return fill;
                add_statements(body, std::move(*fill));
            }
            auto sum = add_product(request, p, &depth);
            if (!sum) return sum;
            add_statements(body, std::move(*sum));
        } else {
            const auto layout = box_layout(request, p.d);
            if (!layout) return layout.error();
            auto sum = multiply_through(request, p, *layout, &depth);
            if (!sum) return sum;
            body = std::move(*sum);
        }
    } else {
        const std::int64_t most = block_scopes(request.machine()).lanes() > 1 ? 64 : 128;
        std::int64_t row = 0;
        for (const std::int64_t rows : handy_parts(p.m, most)) {
            std::int64_t col = 0;
            for (const std::int64_t cols : handy_parts(p.n, most)) {
                MatrixProduct box = p;
                box.m = rows;
                box.n = cols;
                box.d = narrowed(narrowed(p.d, 1, row, rows), 0, col, cols);
                box.a = narrowed(p.a, 1, row, rows);
                box.b = narrowed(p.b, 0, col, cols);
                const auto layout = spread_layout(request.machine(), request.execution_scope(), box.shape());
                if (!layout) return layout.error();
                auto sum = multiply_through(request, box, *layout, &depth);
                if (!sum) return sum;
                add_statements(body, std::move(*sum));
                col += cols;
            }
            row += rows;
        }
    }
    request.decided(worded("{0}, {1} k per move", {fma_text(type), depth}));
    return body;
}

} // namespace v0
} // namespace axe

#endif
