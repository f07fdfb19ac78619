// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_TCGEN05_SCALED_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_TCGEN05_SCALED_HPP

#include <axe/program/scaled_gemm.hpp>
#include <axe/target/nvidia/schedules/tcgen05.hpp>
#include <axe/target/nvidia/tcgen05/scales.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Are scales [rows, scales] in tensor memory where products of a kind read them?
inline Result<void, Problem> check_scale_places(const Request& request, const View& v, const ScaledKind& kind)
{
    const std::string& name = request.tensor(v).name;
    if (!is_in_tensor_memory(request, v) || v.guarded)
        return Problem(errc::bad_argument, worded("{0} is in {1}; scales of products must be in tensor memory, without a guard",
                                                  {name, request.memory(v).name}));
    if (copies_of(request, v) != std::vector<std::int64_t>{0, 32, 64, 96})
        return Problem(errc::bad_argument, scale_copies_text(name));
    const auto at = tensor_elements(request, v);
    if (!at) return at.error();
    const std::int64_t rows = v.extents[0], scales = v.extents[1];
    const auto element = [&](std::int64_t row, std::int64_t scale) {
        return (*at)[static_cast<std::size_t>(row * scales + scale)];
    };
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t scale = 0; scale < scales; ++scale) {
            const std::int64_t group = scale / kind.scales * kind.scales;
            const TensorElement here = element(row, scale), first = element(0, group),
                                asked{scale_lane(row), first.place + scale_byte(row, scale - group)};
            if (here != asked)
                return Problem(errc::bad_argument,
                               misplaced_scale_text(row, scale, name, here.lane, here.place, asked.lane, asked.place));
            if (!is_scale_id(kind, first.place))
                return Problem(errc::bad_argument, scale_id_text(name, scale, first.place % 4, kind.vector));
        }
    return {};
}

/// Products of one agent with block scales, in tiles of 128 rows and as many columns as one has.
inline Result<Body, Problem> emit_tcgen05_scaled(Request& request)
{
    const Operation& o = request.operation();
    const auto product = matrix_product_of(request);
    if (!product) return product.error();
    if (auto e = check_in_block(request); !e.ok()) return e;
    const MatrixProduct& p = *product;
    const View sfa = o.transpose_a ? turned(o.operands[3]) : o.operands[3],
               sfb = o.transpose_b ? o.operands[4] : turned(o.operands[4]);
    const auto type = [&](const View& v) { return request.tensor(v).dtype; };
    if (!is_in_tensor_memory(request, p.d) || p.d.guarded)
        return Problem(errc::bad_argument, worded("{0} is in {1}; sums with scales must be in tensor memory, without a guard",
                                                  {request.tensor(p.d).name, request.memory(p.d).name}));
    for (const View* v : {&p.a, &p.b})
        if (v->guarded || !request.memory(*v).roles.has(Role::shared))
            return Problem(errc::bad_argument, worded("{0} is in {1}; A and B must be in shared memory, without a guard",
                                                      {request.tensor(*v).name, request.memory(*v).name}));
    const ScaledProduct z = scaled_product_of(o);
    const ScaledKind* kind = z.a_rows == 1 && z.b_columns == 1 && z.a_depth == z.b_depth
                                 ? scaled_kind(type(p.a), type(p.b), type(sfa), type(sfb), z.a_depth)
                                 : nullptr;
    if (kind == nullptr)
        return Problem(errc::bad_argument, no_scaled_kind_text(type(p.a), type(p.b), type(sfa), type(sfb), z.a_depth, z.b_depth) +
                                               (z.a_rows == 1 && z.b_columns == 1 ? "" : ", of one row or column"));
    if (p.k % kind->k != 0) return Problem(errc::size_mismatch, scaled_depth_text(p.k, kind->k));
    std::int64_t n = 256;
    while (n > 0 && (p.n % n != 0 || !is_scaled_tile(128, n) || (n < p.n && n % 32 != 0))) n -= 8;
    if (n == 0 || p.m % 128 != 0)
        return Problem(errc::size_mismatch,
                       worded("{0} x {1} is not made of tiles with scales, of 128 rows and a multiple of 8 columns", {p.m, p.n}));
    const auto d = tensor_elements(request, p.d);
    if (!d) return d.error();
    const auto a = element_placement(request, p.a), b = element_placement(request, p.b);
    if (!a) return a.error();
    if (!b) return b.error();
    const Request starter = first_agent(request);
    Body body;
    for (std::int64_t row = 0; row < p.m; row += 128) {
        const View of_a = narrowed(sfa, 1, row, 128);
        if (auto e = check_shared_tile(*a, p.a, MatrixSide::a, row, 128, kind->k); !e.ok()) return e;
        if (auto e = check_scale_places(request, of_a, *kind); !e.ok()) return e;
        for (std::int64_t col = 0; col < p.n; col += n) {
            const View of_b = narrowed(sfb, 1, col, n);
            const auto lane = tcgen05_rows(*d, p.n, 128, row, col, n, request.tensor(p.d).name);
            if (!lane) return lane.error();
            if (row == 0) {
                if (auto e = check_shared_tile(*b, p.b, MatrixSide::b, col, n, kind->k); !e.ok()) return e;
                if (auto e = check_scale_places(request, of_b, *kind); !e.ok()) return e;
            }
            Instruction out = make_instruction(starter, "tcgen05_mma_scaled",
                                               worded("tcgen05.mma.cta_group::1.kind::{0}.block_scale.scale_vec::{1}",
                                                      {std::string(kind->name), std::string(kind->vector)}));
            out.operands = {{narrowed(narrowed(p.d, 1, row, 128), 0, col, n), nullptr},
                            {narrowed(p.a, 1, row, 128), nullptr},
                            {narrowed(p.b, 0, col, n), nullptr},
                            {of_a, nullptr},
                            {of_b, nullptr}};
            out.parameters = {o.accumulate ? 1 : 0};
            out.async = true;
            if (row + 128 == p.m && col + n == p.n) {
                out.completes_on = o.options.completes_on;
                out.multicast = o.options.multicast;
            }
            body.push_back(make_statement(std::move(out)));
        }
    }
    request.decided(worded("agent {0} starts {1} of 128 x {2} x {3}, kind {4}, scale_vec::{5}",
                           {starter.execution_scope().first, count_words(p.m / 128 * (p.n / n) * (p.k / kind->k), "product"), n,
                            kind->k, std::string(kind->name), std::string(kind->vector)}));
    if (o.options.async || o.options.completes_on >= 0) return body;
    return with_tensor_fences(request, std::move(body));
}

/// Copies of scales to tensor memory, of 128 rows and four scales each: what `tcgen05_cp` takes as 32 rows of 16 bytes.
inline Result<Body, Problem> emit_scale_copy(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    if (auto e = check_in_block(request); !e.ok()) return e;
    if (!is_in_tensor_memory(request, d) || !request.memory(a).roles.has(Role::shared))
        return Problem(errc::bad_argument,
                       worded("scales are copied from shared to tensor memory, not {0} in {1} to {2} in {3}",
                              {request.tensor(a).name, request.memory(a).name, request.tensor(d).name, request.memory(d).name}));
    if (auto e = check_same_types(request, d, a); !e.ok()) return e;
    if (d.rank() != 2 || a.guarded)
        return Problem(errc::bad_argument, worded("{0} and {1} must have rows of scales, without a guard",
                                                  {request.tensor(d).name, request.tensor(a).name}));
    const std::int64_t rows = d.extents[0], scales = d.extents[1];
    if (rows % 128 != 0 || scales % 4 != 0 || storage_bytes(request.tensor(d).dtype) != 1)
        return Problem(errc::size_mismatch,
                       worded("{0} rows of {1} elements are not scales of a byte, of 128 rows and 4 for each", {rows, scales}));
    const auto from = element_placement(request, a);
    if (!from) return from.error();
    const bool pair = request.operation().options.pair;
    const Request starter = first_agent(request);
    Body body;
    for (std::int64_t row = 0; row < rows; row += 128)
        for (std::int64_t scale = 0; scale < scales; scale += 4) {
            const View to = narrowed(narrowed(d, 1, row, 128), 0, scale, 4);
            if (auto e = check_scale_places(request, to, ScaledKind{"", "4X", 4, 4}); !e.ok()) return e;
            const auto made = shared_descriptor(
                32, 16, 1,
                [&](std::int64_t i, std::int64_t l) {
                    return from->address[static_cast<std::size_t>((row + i + l / 4 * 32) * scales + scale + l % 4)];
                },
                1);
            if (!made) return Problem(errc::bad_argument, no_descriptor_text(from->name, row, scale, made.error().text));
            Instruction out =
                make_instruction(starter, "tcgen05_cp_scales", worded("tcgen05.cp.cta_group::{0}.32x128b.warpx4", {pair ? 2 : 1}));
            out.operands = {{to, nullptr}, {narrowed(narrowed(a, 1, row, 128), 0, scale, 4), nullptr}};
            out.async = true;
            out.pair = pair;
            if (row + 128 == rows && scale + 4 == scales) {
                out.completes_on = request.operation().options.completes_on;
                out.multicast = request.operation().options.multicast;
            }
            body.push_back(make_statement(std::move(out)));
        }
    request.decided(worded("agent {0} starts {1} of scales, of 128 rows and 4 for each",
                           {starter.execution_scope().first, count_words(rows / 128 * (scales / 4), "transfer")}));
    if (request.operation().op == Op::copy_async) return body;
    return with_tensor_fences(request, std::move(body));
}

inline bool has_scaled_types(const Request& r)
{
    const ScaledProduct z = scaled_product_of(r.operation());
    return scaled_kind(r.tensor(1).dtype, r.tensor(2).dtype, r.tensor(3).dtype, r.tensor(4).dtype, z.a_depth) != nullptr;
}

} // namespace detail

/// Products with block scales, and what brings these to tensor memory.      [PTX, tcgen05.mma.block_scale, tcgen05.cp]
inline constexpr Schedule tcgen05_scaled_schedules[] = {
    {Op::scaled_gemm, "tcgen05_scaled", 70, "tcgen05", "one agent multiplies tiles with their scales into tensor memory",
     detail::has_tensor_memory, detail::emit_tcgen05_scaled, tensor_products, detail::has_scaled_types},
    {Op::copy, "tcgen05_cp_scales", 38, "tcgen05", "one agent copies scales of shared memory to tensor memory",
     detail::has_tensor_memory, detail::emit_scale_copy},
    {Op::copy_async, "tcgen05_cp_scales", 38, "tcgen05", "one agent copies scales of shared memory to tensor memory",
     detail::has_tensor_memory, detail::emit_scale_copy, 0, nullptr, true},
};

} // namespace v0
} // namespace axe

#endif
