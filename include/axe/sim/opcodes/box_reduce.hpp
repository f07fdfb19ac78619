// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_BOX_REDUCE_HPP
#define AXE_SIM_OPCODES_BOX_REDUCE_HPP

#include <axe/sim/memory/box_copies.hpp>
#include <axe/sim/opcodes/map.hpp>

/// Reductions of whole views over some of their dimensions.
namespace axe {
inline namespace v0 {
namespace sim {

/// What instructions that reduce say in their parameters: dimensions of A's view, and −1 at the end where D = f(D, reduction).
struct ReducedDims {
    InlineVector<int, max_rank> dims{};
    bool accumulate = false;

    [[nodiscard]] bool has(int dim) const noexcept { return std::find(dims.begin(), dims.end(), dim) != dims.end(); }
};

inline constexpr const char* no_reduced_dim =
    "parameter {0} is {1}; parameters are dimensions of the view of {2}, below {3}, each once; the last can be -1";

/// Reads and checks the parameters: dimensions that A has, each once, the others being D's.
inline Result<ReducedDims, Problem> reduced_dims(const Preparation& p)
{
    ReducedDims out;
    const View &d = p.instruction->operands[0].view, &a = p.instruction->operands[1].view;
    const auto& parameters = p.instruction->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i] == -1 && i + 1 == parameters.size()) {
            out.accumulate = true;
            continue;
        }
        const int dim = static_cast<int>(parameters[i]);
        if (parameters[i] < 0 || parameters[i] >= a.rank() || out.has(dim))
            return p.refuse(no_reduced_dim, {i, parameters[i], p.plan(1).name(), a.rank()});
        out.dims.push_back(dim);
    }
    Shape kept;
    for (int k = 0; k < a.rank(); ++k)
        if (!out.has(k)) kept.push_back(a.extents[k]);
    if (!(kept == d.extents))
        return p.refuse("the view of {0} has {1} elements; the view of {2} without its reduced dimensions has {3}",
                        {p.plan(0).name(), shape_text(d.extents), p.plan(1).name(), shape_text(kept)}, errc::size_mismatch);
    return out;
}

/// One view of the terms for each combination of the reduced dimensions, row-major; all of the shape that is kept.
struct TermViews {
    View kept{};                                      ///< without the reduced dimensions
    std::vector<std::vector<std::int64_t>> origins{}; ///< of each term

    TermViews(const View& view, const ReducedDims& reduced, const std::vector<std::int64_t>& origin) : kept(view)
    {
        kept.extents = {}, kept.dims = {}, kept.steps = {};
        for (int k = 0; k < view.rank(); ++k) {
            if (reduced.has(k)) continue;
            kept.extents.push_back(view.extents[k]);
            kept.dims.push_back(view.dims[k]);
            kept.steps.push_back(view.steps[k]);
        }
        origins.push_back(origin);
        for (int k = 0; k < view.rank(); ++k) {
            if (!reduced.has(k)) continue;
            std::vector<std::vector<std::int64_t>> more;
            for (const auto& o : origins)
                for (std::int64_t x = 0; x < view.extents[k]; ++x) {
                    more.push_back(o);
                    if (view.dims[k] >= 0) more.back()[static_cast<std::size_t>(view.dims[k])] += x * view.steps[k];
                }
            origins = std::move(more);
        }
    }
};

/// Sums, or what else a function makes of terms, that grow: in integers if all terms and results are, in f64 if one is, else in f32.
class Reduction {
  public:
    /// The problem of a function that reduces nothing, or not these types.
    static Result<Reduction, Problem> make(const Preparation& p)
    {
        const FunctionRow& row = p.instruction->function.row();
        const DType to = p.plan(0).tensor->dtype, from = p.plan(1).tensor->dtype;
        if (!row.reduces) return p.refuse("{0} is not a reduction", {row.name});
        Reduction out;
        out.row_ = &row;
        out.from_ = from;
        out.to_ = to;
        out.arithmetic_ = arithmetic_of(std::initializer_list<DType>{to, from});
        if (auto problem = check_arithmetic(p, row, out.arithmetic_); !problem.ok()) return problem;
        return out;
    }
    /// The same for `n` results of which no term is known.
    [[nodiscard]] Reduction started(std::int64_t n) const
    {
        Reduction out = *this;
        (arithmetic_ == Arithmetic::integer ? out.whole_.resize(static_cast<std::size_t>(n))
                                            : out.real_.resize(static_cast<std::size_t>(n)));
        return out;
    }
    [[nodiscard]] bool in_integers() const noexcept { return arithmetic_ == Arithmetic::integer; }
    /// Does an application count as arithmetic?
    [[nodiscard]] int operations() const noexcept { return row_->operations; }

    /// Adds n terms to the results from `index` on; null: zeros.
    void add(std::int64_t index, const std::byte* data, const Stretch::At& at, std::int64_t n, bool is_first)
    {
        const int width = storage_bytes(from_);
        if (from_ == DType::f32 && arithmetic_ == Arithmetic::f32 && data != nullptr && !is_first) {
            for (std::int64_t i = 0; i < n; ++i) {
                float x = 0;
                std::memcpy(&x, data + at(i) * 4, 4);
                double& sum = real_[static_cast<std::size_t>(index + i)];
                sum = static_cast<double>(row_->apply_f32(static_cast<float>(sum), x, 0));
            }
            return;
        }
        for (std::int64_t i = 0; i < n; ++i) {
            const std::uint64_t bits = data == nullptr ? encode(from_, 0.0) : load_bits(data + at(i) * width, width);
            const auto r = static_cast<std::size_t>(index + i);
            if (in_integers())
                whole_[r] = is_first ? decode_int(from_, bits) : row_->apply_integer(whole_[r], decode_int(from_, bits), 0);
            else
                real_[r] = is_first ? term(from_, bits) : apply(real_[r], term(from_, bits));
        }
    }
    /// Result `index` as bits of D's type; with `old` bits of D, f(D, result).
    [[nodiscard]] std::uint64_t result(std::int64_t index, const std::uint64_t* old) const
    {
        const auto r = static_cast<std::size_t>(index);
        if (in_integers())
            return encode_int(to_, old == nullptr ? whole_[r] : row_->apply_integer(decode_int(to_, *old), whole_[r], 0));
        return encode(to_, old == nullptr ? real_[r] : apply(term(to_, *old), real_[r]));
    }

  private:
    /// An element in the numbers that are computed in.
    [[nodiscard]] double term(DType type, std::uint64_t bits) const
    {
        const double x = decode(type, bits);
        return arithmetic_ == Arithmetic::f64 ? x : static_cast<double>(static_cast<float>(x));
    }
    [[nodiscard]] double apply(double x, double y) const
    {
        if (arithmetic_ == Arithmetic::f64) return row_->apply(x, y, 0);
        return static_cast<double>(row_->apply_f32(static_cast<float>(x), static_cast<float>(y), 0));
    }

    const FunctionRow* row_ = nullptr;
    DType from_ = DType::f32, to_ = DType::f32;
    Arithmetic arithmetic_ = Arithmetic::f32;
    std::vector<double> real_{};
    std::vector<std::int64_t> whole_{};
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
