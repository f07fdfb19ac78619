// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_TCGEN05_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_TCGEN05_HPP

#include <axe/schedule/gemm.hpp>
#include <axe/target/nvidia/schedules/tensor_copy.hpp>
#include <axe/target/nvidia/tcgen05/shared_elements.hpp>
#include <axe/target/nvidia/tcgen05/zero_columns.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr const char* pair_goes_on_text =
    "a product of a pair of blocks goes on by itself, and neither `completes_on` nor `async` is given";

inline bool has_tcgen05_types(const Request& r)
{
    return has_tensor_memory(r.machine()) && tcgen05_kind(r.tensor(0).dtype, r.tensor(1).dtype, r.tensor(2).dtype) != nullptr;
}

/// Are rows `row` to `row` + m − 1 and columns `col` to `col` + n − 1 of a view in tensor memory as a product has them, in `parts` parts
/// of the columns, `step` elements from one to the next? A pair's, and those of `.ws`, begin in lane 0. The lane of the first row, or why not.
inline Result<std::int64_t, Problem> tcgen05_rows(const std::vector<TensorElement>& at, std::int64_t columns, std::int64_t m,
                                                  std::int64_t row, std::int64_t col, std::int64_t n, const std::string& name,
                                                  bool from_zero = false, std::int64_t parts = 1, std::int64_t step = 1)
{
    const TensorElement& first = at[static_cast<std::size_t>(row * columns + col)];
    if (from_zero ? first.lane != 0 : !is_first_tcgen05_lane(m, first.lane))
        return Problem(errc::bad_argument, "row {0} of {1} is in lane {2}; a tile of {3} rows does not begin there",
                       {row, name, first.lane, m});
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            const std::int64_t part = j / (n / parts);
            const TensorElement &here = at[static_cast<std::size_t>((row + i) * columns + col + j)],
                                asked{from_zero ? i + m * part : tcgen05_lane(m, first.lane, i),
                                      (first.place + step - 1) / step * step + j % (n / parts) * step};
            if (here == asked) continue;
            return Problem(errc::bad_argument,
                           "({0},{1}) of {2} is in lane {3}, element {4}; a tile of {5} rows has it in lane {6}, element {7}",
                           {row + i, col + j, name, here.lane, here.place, m, asked.lane, asked.place});
        }
    return first.lane;
}

/// Does A in tensor memory begin at a whole column of 32 bits? Of elements of which a byte has `per_byte`, and the simulator one.
inline Result<void, Problem> check_operand_column(const std::vector<TensorElement>& at, const ProgramTensor& a, int per_byte = 1)
{
    const std::int64_t in_column = 4 / storage_bytes(a.dtype) * per_byte;
    if (at.front().place % in_column == 0) return {};
    return Problem(errc::bad_argument, operand_column_text(a.name, at.front().place, in_column));
}

/// Does a descriptor exist for each tile of an operand in shared memory? `tile` rows of A, or columns of B, from `first` on, whose elements
/// are of a type of which a byte has `per_byte`.
inline Result<void, Problem> check_shared_tile(const ElementPlacement& where, const View& v, MatrixSide side, std::int64_t first,
                                               std::int64_t tile, std::int64_t k, DType type, int per_byte = 1)
{
    const std::int64_t cols = v.extents[1], depth = side == MatrixSide::a ? cols : v.extents[0];
    for (std::int64_t step = 0; step < depth; step += k) {
        const auto made = tile_shared_descriptor(
            tile, k, type, per_byte,
            [&](std::int64_t i, std::int64_t l) {
                const std::int64_t e = side == MatrixSide::a ? (first + i) * cols + step + l : (step + l) * cols + first + i;
                return where.address[static_cast<std::size_t>(e)] * where.bytes;
            },
            1);
        if (made) continue;
        return Problem(errc::bad_argument, no_descriptor_text(where.name, side == MatrixSide::a ? first : step,
                                                              side == MatrixSide::a ? step : first, made.error().text));
    }
    return {};
}

/// Where the operands of a product into tensor memory are.
struct TensorOperands {
    std::vector<TensorElement> d{}, a_tensor{}; ///< of A, where it is in tensor memory
    ElementPlacement a{}, b{};                  ///< of A, where it is in shared memory
};
inline Result<TensorOperands, Problem> tensor_operands(const Request& request, const MatrixProduct& p, bool a_in_tensors)
{
    TensorOperands out;
    for (const auto& [view, at] : {std::pair{&p.d, &out.d}, std::pair{&p.a, &out.a_tensor}}) {
        if (view == &p.a && !a_in_tensors) continue;
        auto found = tensor_elements(request, *view);
        if (!found) return found.error();
        *at = std::move(*found);
    }
    for (const auto& [view, at] : {std::pair{&p.b, &out.b}, std::pair{&p.a, &out.a}}) {
        if (view == &p.a && a_in_tensors) continue;
        auto found = element_placement(request, *view);
        if (!found) return found.error();
        *at = std::move(*found);
    }
    return out;
}

/// Products of one agent into tensor memory, in tiles of 128 or 64 rows, with `.ws` of 32 too, and of as many columns as one has.
class TensorProducts {
  public:
    TensorProducts(Request& request, const MatrixProduct& p, bool ws)
        : request_(&request), p_(p), ws_(ws), pair_(request.operation().options.pair), blocks_(pair_ ? 2 : 1)
    {
    }

    Result<Body, Problem> emit()
    {
        const auto type = [&](const View& v) { return request_->tensor(v).dtype; };
        const char* kind = tcgen05_kind(type(p_.d), type(p_.a), type(p_.b));
        if (kind == nullptr)
            return Problem(errc::bad_argument, "tcgen05 does not multiply {0} and {1} into {2}",
                           {name(type(p_.a)), name(type(p_.b)), name(type(p_.d))});
        if (p_.d.rank() != 2) return Problem(errc::bad_argument, product_rank_text(p_.d.rank()));
        const auto in = [&](const View& v, const char* what) {
            return Problem(
                errc::bad_argument, "{0} is in {1}{2}; {3}",
                {request_->tensor(v).name, request_->memory(v).name, std::string(v.guarded ? ", guarded" : ""), std::string(what)});
        };
        if (!is_in_tensor_memory(*request_, p_.d) || p_.d.guarded) return in(p_.d, "D must be in tensor memory, without a guard");
        a_in_tensors_ = is_in_tensor_memory(*request_, p_.a) && !p_.a.guarded;
        if (!a_in_tensors_ && (p_.a.guarded || !request_->memory(p_.a).roles.has(Role::shared)))
            return in(p_.a, "A must be in shared memory or in tensor memory, without a guard");
        if (p_.b.guarded || !request_->memory(p_.b).roles.has(Role::shared))
            return in(p_.b, "B must be in shared memory, without a guard");
        k_ = 32 / storage_bytes(type(p_.a));
        if (p_.k % k_ != 0)
            return Problem(errc::size_mismatch, hinted("K is {0}, not a multiple of {1}, the K of tcgen05", "pad with zeros"),
                           {p_.k, k_});
        integers_ = type(p_.d) == DType::i32;
        if (request_->operation().scale_d != 0 && !scales_tcgen05_sums(type(p_.a)))
            return Problem(errc::bad_argument, scaled_sums_text(kind));
        const Options& options = request_->operation().options;
        if (pair_ && !options.async && options.completes_on < 0) return Problem(errc::bad_argument, pair_goes_on_text);
        auto at = tensor_operands(*request_, p_, a_in_tensors_);
        if (!at) return at.error();
        at_ = std::move(*at);
        if (a_in_tensors_)
            if (auto e = check_operand_column(at_.a_tensor, request_->tensor(p_.a)); !e.ok()) return e;
        std::string why;
        for (const std::int64_t m : {128, 64, 32}) {
            if (m == 32 && !ws_) continue;
            const auto n = columns(m);
            Result<Body, Problem> made = n == 0 || p_.m % m != 0
                                             ? Problem(errc::size_mismatch, "{0} x {1} is not made of tiles of {2} rows",
                                                       {p_.m * blocks_, p_.n, m * blocks_})
                                             : tiles(m, n, kind);
            if (made || made.error().code == errc::no_layout) return made; // but for a mask of columns, all fits
            if (why.empty() || p_.m % m == 0) why = made.error().text;
        }
        return Problem(errc::bad_argument, why);
    }

  private:
    /// The most columns of a tile of m rows that divide N into such tiles; 0: none. A pair has one tile, as its first block has the first
    /// half of all columns of B.
    [[nodiscard]] std::int64_t columns(std::int64_t m) const
    {
        if (pair_) return is_tcgen05_pair_tile(2 * m, p_.n, integers_, a_in_tensors_) ? p_.n : 0;
        for (std::int64_t n = 256; n >= 8; n -= 8)
            if (p_.n % n == 0 && (ws_ ? is_tcgen05_ws_tile(m, n) : is_tcgen05_tile(m, n, integers_, a_in_tensors_))) return n;
        return 0;
    }
    Result<Body, Problem> tiles(std::int64_t m, std::int64_t n, const char* kind)
    {
        const Request starter = request_->started_by_one();
        const Options& options = request_->operation().options;
        const std::int64_t parts = ws_ ? tcgen05_ws_parts(m) : tcgen05_parts(pair_, m);
        const std::vector<std::int64_t> copies = tcgen05_operand_copies(m, parts);
        Body body;
        for (std::int64_t row = 0; row < p_.m; row += m) {
            if (!a_in_tensors_)
                if (auto e = check_shared_tile(at_.a, p_.a, MatrixSide::a, row, m, k_, request_->tensor(p_.a).dtype); !e.ok())
                    return e;
            for (std::int64_t col = 0; col < p_.n; col += n) {
                const ProgramTensor& d = request_->tensor(p_.d);
                const auto lane = tcgen05_rows(at_.d, p_.n, m, row, col, n, d.name, pair_ || ws_, parts, tcgen05_sum_step(d.dtype));
                if (!lane) return lane.error();
                if (a_in_tensors_) {
                    const auto of_a = tcgen05_rows(at_.a_tensor, p_.k, m, row, 0, p_.k, request_->tensor(p_.a).name, pair_ || ws_);
                    if (!of_a) return of_a.error();
                    if (copies_of(*request_, p_.a) != copies)
                        return Problem(errc::bad_argument, operand_copies_text(request_->tensor(p_.a).name, copies));
                    if (*of_a != *lane)
                        return Problem(errc::bad_argument, "row {0} of {1} is in lane {2}, that of {3} in lane {4}",
                                       {row, request_->tensor(p_.a).name, *of_a, request_->tensor(p_.d).name, *lane});
                }
                if (row == 0)
                    if (auto e = check_shared_tile(at_.b, p_.b, MatrixSide::b, col / blocks_, n / blocks_, k_,
                                                   request_->tensor(p_.b).dtype);
                        !e.ok())
                        return e;
                Instruction out = make_instruction(
                    starter, ws_ ? "tcgen05_mma_ws" : "tcgen05_mma",
                    worded("tcgen05.mma{2}.cta_group::{0}.kind::{1}", {blocks_, std::string(kind), std::string(ws_ ? ".ws" : "")}));
                out.operands = {{narrowed(narrowed(p_.d, 1, row, m), 0, col, n), nullptr},
                                {narrowed(p_.a, 1, row, m), nullptr},
                                {narrowed(p_.b, 0, col / blocks_, n / blocks_), nullptr}};
                set_form(out, m, row, *lane);
                if (auto e = set_zero_columns(out, m, col, n); !e.ok()) return e;
                out.async = true;
                out.pair = pair_;
                if (row + m == p_.m && col + n == p_.n) {
                    out.completes_on = options.completes_on;
                    out.multicast = options.multicast;
                }
                body.push_back(make_statement(std::move(out)));
            }
        }
        request_->decided(worded("agent {0} starts {1} of {2} x {3} x {4}, kind {5}",
                                 {starter.execution_scope().first, count_words(p_.m / m * (p_.n / n) * (p_.k / k_), "product"),
                                  m * blocks_, n, k_, std::string(kind) + (ws_ ? ", ws" : "")}));
        if (options.async || options.completes_on >= 0) return body;
        return with_tensor_fences(*request_, std::move(body));
    }

    /// What the product does besides A·B, in the parameters of the instruction for the rows from `row` on, in lanes from `lane` on.
    void set_form(Instruction& out, std::int64_t m, std::int64_t row, std::int64_t lane) const
    {
        const Operation& o = request_->operation();
        out.parameters = {o.unless_zero ? 2 : o.accumulate ? 1 : 0};
        if (o.unless_zero) out.start = o.start;
        if (!o.negate_a && !o.negate_b && o.scale_d == 0 && o.kept_rows.empty()) return;
        out.parameters.push_back(o.negate_a ? 1 : 0);
        out.parameters.push_back(o.negate_b ? 1 : 0);
        if (o.scale_d != 0) out.parameters.push_back(o.scale_d);
        if (o.kept_rows.empty()) return;
        std::vector<std::int64_t> lanes(static_cast<std::size_t>(4 * blocks_), 0);
        for (std::int64_t i = 0; i < m * blocks_; ++i) {
            const auto word = static_cast<std::size_t>((row + i) / 32);
            if (word >= o.kept_rows.size() || (o.kept_rows[word] >> (row + i) % 32 & 1) == 0) continue;
            for (std::int64_t part = 0; part < tcgen05_parts(pair_, m); ++part) {
                const std::int64_t at = i / m * 128 + (pair_ ? tcgen05_pair_lane(i % m, part) : tcgen05_lane(m, lane, i));
                lanes[static_cast<std::size_t>(at / 32)] |= std::int64_t{1} << at % 32;
            }
        }
        out.parameters.insert(out.parameters.end(), lanes.begin(), lanes.end());
    }

    /// Which columns of B count as zeros, of those of a tile of m rows from `col` on.
    Result<void, Problem> set_zero_columns(Instruction& out, std::int64_t m, std::int64_t col, std::int64_t n) const
    {
        const Operation& o = request_->operation();
        const auto is_zero = [&](std::int64_t j) {
            const auto word = static_cast<std::size_t>((col + j) / 32);
            return word < o.zero_columns.size() && (o.zero_columns[word] >> (col + j) % 32 & 1) != 0;
        };
        bool any = false;
        for (std::int64_t j = 0; j < n; ++j) any = any || is_zero(j);
        if (!any) return {};
        const auto columns = zero_columns(n, tcgen05_ws_parts(m), is_zero);
        if (!columns) return Problem(columns.error());
        out.parameters = {out.parameters[0], o.negate_a ? 1 : 0, o.negate_b ? 1 : 0, static_cast<std::int64_t>(columns->bits())};
        return {};
    }

    Request* request_;
    MatrixProduct p_;
    bool ws_, pair_, a_in_tensors_ = false, integers_ = false;
    std::int64_t blocks_, k_ = 16;
    TensorOperands at_{};
};

inline Result<Body, Problem> emit_tensor_products(Request& request, bool ws)
{
    const auto product = matrix_product_of(request);
    if (!product) return product.error();
    if (auto e = check_in_block(request); !e.ok()) return e;
    return TensorProducts(request, *product, ws).emit();
}
inline Result<Body, Problem> emit_tcgen05(Request& request) { return emit_tensor_products(request, false); }
inline Result<Body, Problem> emit_tcgen05_ws(Request& request) { return emit_tensor_products(request, true); }

} // namespace detail

/// Products into tensor memory.      [PTX, tcgen05.mma]
inline constexpr int tensor_products = 4;
inline constexpr Schedule tcgen05_schedules[] = {
    {Op::gemm,
     "tcgen05",
     70,
     "tcgen05",
     "one agent multiplies tiles of shared memory into tensor memory",
     detail::has_tensor_memory,
     detail::emit_tcgen05,
     tensor_products,
     detail::has_tcgen05_types,
     true,
     {.negated = true, .unless_zero = true, .kept_rows = true, .scaled_d = true, .mbarriers = true}},
    {Op::gemm,
     "tcgen05_ws",
     65,
     "tcgen05",
     "the same with .ws, of which fewer rows have all lanes",
     detail::has_tensor_memory,
     detail::emit_tcgen05_ws,
     tensor_products,
     detail::has_tcgen05_types,
     false,
     {.negated = true, .unless_zero = true, .zero_columns = true, .mbarriers = true}},
};

} // namespace v0
} // namespace axe

#endif
