// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_TCGEN05_SCALED_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_TCGEN05_SCALED_HPP

#include <axe/program/scaled_gemm.hpp>
#include <axe/target/nvidia/schedules/tcgen05.hpp>
#include <axe/target/nvidia/tcgen05/scales.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Are scales [rows, scales] in tensor memory where products of a kind read them, in so many parts of the rows?
inline Result<void, Problem> check_scale_places(const Request& request, const View& v, const ScaledKind& kind,
                                                std::int64_t parts = 1)
{
    const std::string& name = request.tensor(v).name;
    if (!is_in_tensor_memory(request, v) || v.guarded)
        return Problem(errc::bad_argument, "{0} is in {1}; scales of products must be in tensor memory, without a guard",
                       {name, request.memory(v).name});
    if (copies_of(request, v) != scale_copies(parts)) return Problem(errc::bad_argument, scale_copies_text(name, parts));
    const auto at = tensor_elements(request, v);
    if (!at) return at.error();
    const std::int64_t rows = v.extents[0], scales = v.extents[1], part = rows / parts;
    const auto element = [&](std::int64_t row, std::int64_t scale) {
        return (*at)[static_cast<std::size_t>(row * scales + scale)];
    };
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t scale = 0; scale < scales; ++scale) {
            const std::int64_t group = scale / kind.scales * kind.scales;
            const TensorElement here = element(row, scale), first = element(0, group),
                                asked{scale_lane(row, part), first.place + scale_byte(row, scale - group, part)};
            if (here != asked)
                return Problem(errc::bad_argument,
                               misplaced_scale_text(row, scale, name, here.lane, here.place, asked.lane, asked.place));
            if (!is_scale_id(kind, first.place))
                return Problem(errc::bad_argument, scale_id_text(name, scale, first.place % 4, kind.vector));
        }
    return {};
}

/// Are the fours of scales of a copy where its rows of 16 bytes have them?
inline Result<void, Problem> check_scale_groups(const Request& request, const View& v, const ScaleCopy& box)
{
    const auto at = tensor_elements(request, v);
    if (!at) return at.error();
    for (std::int64_t scale = 4; scale < box.scales; scale += 4) {
        const TensorElement &first = at->front(), &here = (*at)[static_cast<std::size_t>(scale)];
        const TensorElement asked{first.lane, first.place + scale * box.groups()};
        if (here != asked)
            return Problem(errc::bad_argument,
                           misplaced_scale_text(0, scale, request.tensor(v).name, here.lane, here.place, asked.lane, asked.place));
    }
    return {};
}

/// Products of one agent with block scales, in tiles of 128 rows and as many columns as one has; of a pair in one tile, of 128 or 64 rows.
class ScaledTensorProducts {
  public:
    /// @param by_other_name as mxf4nvf4 what mxf4 does
    ScaledTensorProducts(Request& request, const MatrixProduct& p, bool by_other_name)
        : request_(&request),
          p_(p),
          sfa_(request.operation().transpose_a ? turned(request.operation().operands[3]) : request.operation().operands[3]),
          sfb_(request.operation().transpose_b ? request.operation().operands[4] : turned(request.operation().operands[4])),
          pair_(request.operation().options.pair),
          by_other_name_(by_other_name),
          blocks_(pair_ ? 2 : 1),
          m_(pair_ && p.m == 64 ? 64 : 128)
    {
    }

    Result<Body, Problem> emit()
    {
        const Options& options = request_->operation().options;
        if (!is_in_tensor_memory(*request_, p_.d) || p_.d.guarded)
            return refused("{0} is in {1}; sums with scales must be in tensor memory, without a guard", p_.d);
        a_in_tensors_ = is_in_tensor_memory(*request_, p_.a) && !p_.a.guarded;
        const auto is_shared = [this](const View& v) { return !v.guarded && request_->memory(v).roles.has(Role::shared); };
        for (const View* v : {&p_.a, &p_.b})
            if (!is_shared(*v) && !(v == &p_.a && a_in_tensors_))
                return refused("{0} is in {1}; A must be in shared memory or in tensor memory, B in shared memory, without a guard",
                               *v);
        if (pair_ && !options.async && options.completes_on < 0) return Problem(errc::bad_argument, pair_goes_on_text);
        if (auto e = find_kind(); !e.ok()) return e;
        if (p_.k % kind_->k != 0) return Problem(errc::size_mismatch, scaled_depth_text(p_.k, kind_->k));
        const std::int64_t n = columns();
        if (n == 0 || p_.m % m_ != 0 || (pair_ && p_.m != m_))
            return Problem(errc::size_mismatch,
                           pair_ ? no_scaled_pair_tile_text(p_.m * blocks_, p_.n)
                                 : worded("{0} x {1} is not made of tiles with scales, of 128 rows and a multiple of 8 columns",
                                          {p_.m, p_.n}));
        return tiles(n);
    }

  private:
    [[nodiscard]] const std::string& name(const View& v) const { return request_->tensor(v).name; }
    [[nodiscard]] DType type(const View& v) const { return request_->tensor(v).dtype; }
    Problem refused(const char* words, const View& v) const
    {
        return Problem(errc::bad_argument, words, {name(v), request_->memory(v).name});
    }
    /// Two elements are in a byte where only then a kind exists, or where A is laid out so, and with A in tensor memory B.
    Result<void, Problem> find_kind()
    {
        const ScaledProduct z = scaled_product_of(request_->operation());
        const bool lines = z.a_rows == 1 && z.b_columns == 1;
        const auto of = [&](bool packed) {
            return lines && z.a_depth == z.b_depth ? scaled_kind(type(p_.a), type(p_.b), type(sfa_), type(sfb_), z.a_depth, packed)
                                                   : nullptr;
        };
        const ScaledKind *padded = of(false), *packed = of(true);
        if (padded == nullptr && packed == nullptr)
            return Problem(errc::bad_argument,
                           no_scaled_kind_text(type(p_.a), type(p_.b), type(sfa_), type(sfb_), z.a_depth, z.b_depth) +
                               (lines ? "" : ", of one row or column"));
        auto at = tensor_operands(*request_, p_, a_in_tensors_);
        if (!at) return at.error();
        at_ = std::move(*at);
        if (packed != nullptr && padded != nullptr && !is_packed(packed->k)) packed = nullptr;
        kind_ = packed != nullptr ? packed : padded;
        per_byte_ = packed != nullptr ? 2 : 1;
        if (by_other_name_ && kind_ != &scaled_kinds[1])
            return Problem(errc::bad_argument, "kind {0} has one name; mxf4 is mxf4nvf4 with scale_vec::2X, too", {kind_->name});
        if (by_other_name_) kind_ = &scaled_kinds[3];
        return {};
    }
    /// Are tiles laid out with two elements in a byte?
    [[nodiscard]] bool is_packed(std::int64_t k) const
    {
        const std::int64_t n = columns();
        if (p_.m % m_ != 0 || p_.k % k != 0 || n == 0) return false;
        return (a_in_tensors_ ? check_shared_tile(at_.b, p_.b, MatrixSide::b, 0, n / blocks_, k, type(p_.b), 2)
                              : check_shared_tile(at_.a, p_.a, MatrixSide::a, 0, m_, k, type(p_.a), 2))
            .ok();
    }
    /// The most columns of a tile that divide N into such tiles; 0: none.
    [[nodiscard]] std::int64_t columns() const
    {
        if (pair_) return is_scaled_pair_tile(2 * m_, p_.n, a_in_tensors_) ? p_.n : 0;
        std::int64_t n = 256;
        while (n > 0 && (p_.n % n != 0 || !is_scaled_tile(128, n, a_in_tensors_) || (n < p_.n && n % 32 != 0))) n -= 8;
        return n;
    }
    Result<void, Problem> check_a(std::int64_t row) const
    {
        if (!a_in_tensors_) return check_shared_tile(at_.a, p_.a, MatrixSide::a, row, m_, kind_->k, type(p_.a), per_byte_);
        if (const auto lane = tcgen05_rows(at_.a_tensor, p_.k, m_, row, 0, p_.k, name(p_.a), pair_); !lane) return lane.error();
        if (const auto copies = tcgen05_operand_copies(m_, tcgen05_parts(pair_, m_)); copies_of(*request_, p_.a) != copies)
            return Problem(errc::bad_argument, operand_copies_text(name(p_.a), copies));
        return check_operand_column(at_.a_tensor, request_->tensor(p_.a), per_byte_);
    }
    Result<Body, Problem> tiles(std::int64_t n)
    {
        const Request starter = request_->started_by_one();
        const Operation& o = request_->operation();
        Body body;
        for (std::int64_t row = 0; row < p_.m; row += m_) {
            const View of_a = narrowed(sfa_, 1, row, m_);
            if (auto e = check_a(row); !e.ok()) return e;
            if (auto e = check_scale_places(*request_, of_a, *kind_); !e.ok()) return e;
            for (std::int64_t col = 0; col < p_.n; col += n) {
                const View of_b = narrowed(sfb_, 1, col, n);
                const auto lane = tcgen05_rows(at_.d, p_.n, m_, row, col, n, name(p_.d), pair_, tcgen05_parts(pair_, m_));
                if (!lane) return lane.error();
                if (row == 0) {
                    if (auto e = check_shared_tile(at_.b, p_.b, MatrixSide::b, col / blocks_, n / blocks_, kind_->k, type(p_.b),
                                                   per_byte_);
                        !e.ok())
                        return e;
                    if (auto e = check_scale_places(*request_, of_b, *kind_, scale_parts(pair_, m_)); !e.ok()) return e;
                }
                Instruction out = make_instruction(starter, "tcgen05_mma_scaled",
                                                   worded("tcgen05.mma.cta_group::{0}.kind::{1}.block_scale.scale_vec::{2}",
                                                          {blocks_, std::string(kind_->name), std::string(kind_->vector)}));
                out.operands = {{narrowed(narrowed(p_.d, 1, row, m_), 0, col, n), nullptr},
                                {narrowed(p_.a, 1, row, m_), nullptr},
                                {narrowed(p_.b, 0, col / blocks_, n / blocks_), nullptr},
                                {of_a, nullptr},
                                {of_b, nullptr}};
                out.parameters = {o.accumulate ? 1 : 0};
                if (per_byte_ == 2) out.parameters.push_back(1);
                out.async = true;
                out.pair = pair_;
                if (row + m_ == p_.m && col + n == p_.n) {
                    out.completes_on = o.options.completes_on;
                    out.multicast = o.options.multicast;
                }
                body.push_back(make_statement(std::move(out)));
            }
        }
        request_->decided(
            worded("agent {0} starts {1} of {2} x {3} x {4}, kind {5}, scale_vec::{6}",
                   {starter.execution_scope().first, count_words(p_.m / m_ * (p_.n / n) * (p_.k / kind_->k), "product"),
                    m_ * blocks_, n, kind_->k, std::string(kind_->name), std::string(kind_->vector)}));
        if (o.options.async || o.options.completes_on >= 0) return body;
        return with_tensor_fences(*request_, std::move(body));
    }

    Request* request_;
    MatrixProduct p_;
    View sfa_, sfb_;
    bool pair_, by_other_name_, a_in_tensors_ = false;
    std::int64_t blocks_, m_; ///< rows of a tile in one block
    int per_byte_ = 1;
    const ScaledKind* kind_ = nullptr;
    TensorOperands at_{};
};

inline Result<Body, Problem> emit_tcgen05_scaled(Request& request, bool by_other_name)
{
    const auto product = matrix_product_of(request);
    if (!product) return product.error();
    if (auto e = check_in_block(request); !e.ok()) return e;
    return ScaledTensorProducts(request, *product, by_other_name).emit();
}

/// Copies of scales to tensor memory, of 128 rows and four scales each: what `tcgen05_cp` takes as 32 rows of 16 bytes; in two parts as 64 rows,
/// of all rows.
inline Result<Body, Problem> emit_scale_copy(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    if (auto e = check_in_block(request); !e.ok()) return e;
    if (!is_in_tensor_memory(request, d) || !request.memory(a).roles.has(Role::shared))
        return Problem(errc::bad_argument, "scales are copied from shared to tensor memory, not {0} in {1} to {2} in {3}",
                       {request.tensor(a).name, request.memory(a).name, request.tensor(d).name, request.memory(d).name});
    if (auto e = check_same_types(request, d, a); !e.ok()) return e;
    if (d.rank() != 2 || a.guarded)
        return Problem(errc::bad_argument, "{0} and {1} must have rows of scales, without a guard",
                       {request.tensor(d).name, request.tensor(a).name});
    const std::int64_t rows = d.extents[0], scales = d.extents[1];
    const std::int64_t parts = copies_of(request, d) == scale_copies(2) ? 2 : 1;
    const ScaleCopy box = scale_copy(parts, rows);
    if (box.scales == 0 || rows % box.rows != 0 || scales % box.scales != 0 || storage_bytes(request.tensor(d).dtype) != 1)
        return Problem(
            errc::size_mismatch,
            parts == 2 ? no_parted_scales_text(rows, scales)
                       : worded("{0} rows of {1} elements are not scales of a byte, of 128 rows and 4 for each", {rows, scales}));
    const auto from = element_placement(request, a);
    if (!from) return from.error();
    const bool pair = request.operation().options.pair;
    const Request starter = request.started_by_one();
    Body body;
    for (std::int64_t row = 0; row < rows; row += box.rows)
        for (std::int64_t scale = 0; scale < scales; scale += box.scales) {
            const View to = narrowed(narrowed(d, 1, row, box.rows), 0, scale, box.scales);
            if (auto e = check_scale_places(request, to, ScaledKind{"", "4X", 4, 4}, parts); !e.ok()) return e;
            if (auto e = check_scale_groups(request, to, box); !e.ok()) return e;
            const auto made = shared_descriptor(
                32 * parts, 16, 1,
                [&](std::int64_t i, std::int64_t l) {
                    return from->address[static_cast<std::size_t>((row + box.row(i, l)) * scales + scale + box.scale(l))];
                },
                1);
            if (!made) return Problem(errc::bad_argument, no_descriptor_text(from->name, row, scale, made.error().text));
            Instruction out = make_instruction(
                starter, "tcgen05_cp_scales",
                worded(parts == 1 ? "tcgen05.cp.cta_group::{0}.32x128b.warpx4" : "tcgen05.cp.cta_group::{0}.64x128b.warpx2::01_23",
                       {pair ? 2 : 1}));
            out.operands = {{to, nullptr}, {narrowed(narrowed(a, 1, row, box.rows), 0, scale, box.scales), nullptr}};
            out.async = true;
            out.pair = pair;
            if (row + box.rows == rows && scale + box.scales == scales) {
                out.completes_on = request.operation().options.completes_on;
                out.multicast = request.operation().options.multicast;
            }
            body.push_back(make_statement(std::move(out)));
        }
    request.decided(worded(
        "agent {0} starts {1} of scales, of {2} rows and {3} for each",
        {starter.execution_scope().first, count_words(rows / box.rows * (scales / box.scales), "transfer"), box.rows, box.scales}));
    if (request.operation().op == Op::copy_async) return body;
    return with_tensor_fences(request, std::move(body));
}

inline bool has_scaled_types(const Request& r)
{
    const ScaledProduct z = scaled_product_of(r.operation());
    for (const bool packed : {false, true})
        if (scaled_kind(r.tensor(1).dtype, r.tensor(2).dtype, r.tensor(3).dtype, r.tensor(4).dtype, z.a_depth, packed) != nullptr)
            return true;
    return false;
}

} // namespace detail

/// Products with block scales, and what brings these to tensor memory.      [PTX, tcgen05.mma.block_scale, tcgen05.cp]
inline constexpr Schedule tcgen05_scaled_schedules[] = {
    {Op::scaled_gemm,
     "tcgen05_scaled",
     70,
     "tcgen05",
     "one agent multiplies tiles with their scales into tensor memory",
     detail::has_tensor_memory,
     [](Request& request) { return detail::emit_tcgen05_scaled(request, false); },
     tensor_products,
     detail::has_scaled_types,
     true,
     {.mbarriers = true}},
    {Op::scaled_gemm,
     "tcgen05_scaled_nvf4",
     69,
     "tcgen05",
     "the same, with mxf4 by its name as mxf4nvf4",
     detail::has_tensor_memory,
     [](Request& request) { return detail::emit_tcgen05_scaled(request, true); },
     tensor_products,
     detail::has_scaled_types,
     true,
     {.mbarriers = true}},
    {Op::copy, "tcgen05_cp_scales", 38, "tcgen05", "one agent copies scales of shared memory to tensor memory",
     detail::has_tensor_memory, detail::emit_scale_copy},
    {Op::copy_async, "tcgen05_cp_scales", 38, "tcgen05", "one agent copies scales of shared memory to tensor memory",
     detail::has_tensor_memory, detail::emit_scale_copy, 0, nullptr, true},
};

} // namespace v0
} // namespace axe

#endif
