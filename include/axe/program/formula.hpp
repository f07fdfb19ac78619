// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_FORMULA_HPP
#define AXE_PROGRAM_FORMULA_HPP

#include <axe/program/handles.hpp>
#include <axe/tensor/array.hpp>

#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>

/// What a kernel computes, as formulas on whole tensors: no machine, scope, tile or order.
///
///   k.computes(C, matmul(A, B));        k.computes(Y, softmax(scale * X, 1));
namespace axe {
inline namespace v0 {

struct FormulaNode;

/// What a function of the user's own says of one element: the value, and how far a correct result may be off:
/// absolute + relative·|value|. A value that is NaN or infinite is exact.
struct Estimate {
    double value = 0, absolute = 0, relative = 0;
};
/// Fills `out`, which has an entry for each element of the result, row-major, from the operands' arrays.
using FormulaFunction = std::function<void(const std::vector<const Array*>& operands, std::vector<Estimate>& out)>;

/// An expression over whole tensors: a directed acyclic graph of nodes that never change, shared between the formulas made of it.
///
/// A formula has no shape and no type by itself: both follow from the tensors when a kernel takes it (`Kernel::computes`), and so do
/// its errors. Operands are broadcast as NumPy does: shapes are aligned at their last dimension, and extent 1 or a missing dimension
/// repeats. Each operation is computed in its working type: f64 where an operand is, the integers where all are, else f32;
/// `in(type)` states another. A result may be rounded to the working type, and need not be.
class Formula {
  public:
    Formula(const TensorRef& tensor); // NOLINT(google-explicit-constructor): tensors and numbers are formulas
    Formula(double number);           // NOLINT(google-explicit-constructor)
    Formula(int number) : Formula(static_cast<double>(number)) {} // NOLINT(google-explicit-constructor)
    explicit Formula(FormulaNode node);

    /// The same with this last operation computed in the type: sums grow in it, results may be rounded to it.
    [[nodiscard]] Formula in(DType working) const;
    [[nodiscard]] const FormulaNode& node() const noexcept { return *node_; }
    [[nodiscard]] const std::shared_ptr<const FormulaNode>& shared() const noexcept { return node_; }

  private:
    std::shared_ptr<const FormulaNode> node_;
};

/// An operation of a formula, as plain data.
struct FormulaNode {
    enum class Kind : std::uint8_t {
        tensor,
        number,
        iota,     ///< the index along axes[0], i32
        function, ///< function(operands…), element by element
        cast,     ///< rounded to the type exactly once
        rounded,  ///< with an error of one rounding to the type, at whatever scale
        reduce,
        matmul,
        permute, ///< dimension k is dimension axes[k]
        reshape,
        slice, ///< begin[0], begin[0] + step, …: shape[0] indices of axes[0]
        shift, ///< at index c the element at c + begin, `number` outside
        broadcast,
        softmax,
        gather,      ///< (x, index, other, …): x[index[i], other[i], …]
        scatter_add, ///< (base, index, values): base[index[i], …] + values[i, …], all of them
        cumsum,
        concat,
        by_function
    };
    Kind kind = Kind::number;
    std::vector<Formula> operands{};
    int tensor = -1;   ///< place in `Program::tensors`
    KernelTag owner{}; ///< of the tensor
    double number = 0;
    Function function = Function::identity;
    std::optional<DType> type{};    ///< of cast, rounded and by_function
    std::optional<DType> working{}; ///< null: by the operands' types
    InlineVector<int, max_rank> axes{};
    InlineVector<std::int64_t, max_rank> begin{};
    std::int64_t step = 1;
    Shape shape{};
    bool keep = false; ///< of reduce: the dimensions stay, with extent 1
    bool transpose_a = false, transpose_b = false;
    std::string name{}; ///< of by_function
    FormulaFunction by{};
    int depth = 1; ///< operations on the longest way to a leaf
};

/// Of `reduce` and its kind: dimensions that are reduced stay, with extent 1, so that the result broadcasts against the operand.
inline constexpr bool keep_dims = true;
/// As BLAS has it: a transposed operand is [k, m], or [n, k].
struct Matmul {
    bool transpose_a = false, transpose_b = false;
};

/// f(a, …) element by element, for each function of functions.hpp and of the user's own.
AXE_DECL Formula elementwise(Function f, std::vector<Formula> operands);

inline Formula operator+(const Formula& a, const Formula& b) { return elementwise(Function::add, {a, b}); }
inline Formula operator-(const Formula& a, const Formula& b) { return elementwise(Function::sub, {a, b}); }
inline Formula operator*(const Formula& a, const Formula& b) { return elementwise(Function::mul, {a, b}); }
inline Formula operator/(const Formula& a, const Formula& b) { return elementwise(Function::div, {a, b}); }
inline Formula operator-(const Formula& a) { return elementwise(Function::neg, {a}); }
inline Formula operator<(const Formula& a, const Formula& b) { return elementwise(Function::less, {a, b}); }
inline Formula operator<=(const Formula& a, const Formula& b) { return elementwise(Function::less_equal, {a, b}); }
inline Formula operator>(const Formula& a, const Formula& b) { return elementwise(Function::less, {b, a}); }
inline Formula operator>=(const Formula& a, const Formula& b) { return elementwise(Function::less_equal, {b, a}); }
inline Formula equals(const Formula& a, const Formula& b) { return elementwise(Function::equal, {a, b}); }
inline Formula min(const Formula& a, const Formula& b) { return elementwise(Function::min, {a, b}); }
inline Formula max(const Formula& a, const Formula& b) { return elementwise(Function::max, {a, b}); }
inline Formula abs(const Formula& a) { return elementwise(Function::abs, {a}); }
inline Formula exp(const Formula& a) { return elementwise(Function::exp, {a}); }
inline Formula exp2(const Formula& a) { return elementwise(Function::exp2, {a}); }
inline Formula log(const Formula& a) { return elementwise(Function::log, {a}); }
inline Formula sqrt(const Formula& a) { return elementwise(Function::sqrt, {a}); }
inline Formula rsqrt(const Formula& a) { return elementwise(Function::rsqrt, {a}); }
inline Formula reciprocal(const Formula& a) { return elementwise(Function::reciprocal, {a}); }
inline Formula tanh(const Formula& a) { return elementwise(Function::tanh, {a}); }
inline Formula relu(const Formula& a) { return elementwise(Function::relu, {a}); }
inline Formula sigmoid(const Formula& a) { return elementwise(Function::sigmoid, {a}); }
inline Formula log2(const Formula& a) { return elementwise(Function::log2, {a}); }
inline Formula sin(const Formula& a) { return elementwise(Function::sin, {a}); }
inline Formula cos(const Formula& a) { return elementwise(Function::cos, {a}); }
inline Formula floor(const Formula& a) { return elementwise(Function::floor, {a}); }
inline Formula ceil(const Formula& a) { return elementwise(Function::ceil, {a}); }
inline Formula round(const Formula& a) { return elementwise(Function::round, {a}); }
/// where ≠ 0 ? yes : no
inline Formula select(const Formula& where, const Formula& yes, const Formula& no)
{
    return elementwise(Function::select, {where, yes, no});
}

/// x as an element of the type: one rounding, as `encode` has it. For results that a kernel stores in that type.
AXE_DECL Formula cast(const Formula& x, DType type);
/// x with an error of one rounding to the type, wherever between the bounds it falls: for intermediates that a kernel keeps in the type,
/// but scaled (exp(x − m) before the quotient of a softmax).
AXE_DECL Formula rounded(const Formula& x, DType type);
/// The index along dimension `axis` of the shape, i32: causal masks are `iota(s, 1) <= iota(s, 0)`.
AXE_DECL Formula iota(const Shape& shape, int axis);

// Axes may be counted from the end: −1 is the last.

/// x reduced over dimensions by f, which must be an operation of reductions; in any order.
AXE_DECL Formula reduce(Function f, const Formula& x, const InlineVector<int, max_rank>& axes, bool keep = false);
inline Formula sum(const Formula& x, const InlineVector<int, max_rank>& axes, bool keep = false)
{
    return reduce(Function::add, x, axes, keep);
}
/// The sum over an axis. A template, so that a list of one axis is a list.
template <std::same_as<int> Axis>
Formula sum(const Formula& x, Axis axis, bool keep = false)
{
    return reduce(Function::add, x, InlineVector<int, max_rank>{axis}, keep);
}
inline Formula maximum_of(const Formula& x, int axis, bool keep = false) { return reduce(Function::max, x, {axis}, keep); }
inline Formula minimum_of(const Formula& x, int axis, bool keep = false) { return reduce(Function::min, x, {axis}, keep); }

/// D[…, m, n] = Σ_k a[…, m, k]·b[…, k, n], the dimensions before the last two broadcast. Sums grow in the type that `gemm` has for the
/// operands' types, the widest where there are several; in any order.
AXE_DECL Formula matmul(const Formula& a, const Formula& b, Matmul form = {});
/// Dimension k of the result is dimension order[k] of x.
AXE_DECL Formula permute(const Formula& x, const InlineVector<int, max_rank>& order);
/// The elements in row-major order under another shape.
AXE_DECL Formula reshape(const Formula& x, const Shape& shape);
/// `extent` indices of dimension `axis`: begin, begin + step, …
AXE_DECL Formula slice(const Formula& x, int axis, std::int64_t begin, std::int64_t extent, std::int64_t step = 1);
/// D[c] = x[c + offset], `fill` where that is outside: the neighbors of a stencil.
AXE_DECL Formula shift(const Formula& x, const InlineVector<std::int64_t, max_rank>& offset, double fill = 0);
AXE_DECL Formula broadcast(const Formula& x, const Shape& shape);
/// exp(x − max x) / Σ exp(x − max x) along the axis, by whatever formula: also with running maxima, or with exp2.
AXE_DECL Formula softmax(const Formula& x, int axis);
/// D[i…, …] = x[index[i…], …]: rows of the first dimension.
AXE_DECL Formula gather(const Formula& x, const Formula& index);
/// D[i…, …] = x[index_0[i…], index_1[i…], …]: an index for each of the first dimensions. Indices broadcast.
AXE_DECL Formula gather_at(const Formula& x, const std::vector<Formula>& indices);
/// base, with values[i…, …] added to row index[i…], for each i, in any order.
AXE_DECL Formula scatter_add(const Formula& base, const Formula& index, const Formula& values);
/// How often each of 0 … bins − 1 is in `index`, i32.
AXE_DECL Formula histogram(const Formula& index, std::int64_t bins);
/// Along the axis, D[i] = Σ_{j≤i} x[j]; in any order.
AXE_DECL Formula cumsum(const Formula& x, int axis);
/// One after the other along the axis.
AXE_DECL Formula concat(std::vector<Formula> parts, int axis);
/// What a function of the user's own computes from these tensors, with its own bounds.
AXE_DECL Formula by_function(std::string name, FormulaFunction f, const std::vector<TensorRef>& operands, const Shape& shape,
                             DType type);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/formula.hpp>
#endif

#endif
