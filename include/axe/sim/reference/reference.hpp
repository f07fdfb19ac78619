// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_REFERENCE_HPP
#define AXE_SIM_REFERENCE_REFERENCE_HPP

#include <axe/sim/reference/elements.hpp>
#include <axe/sim/report/verification.hpp>

namespace axe {
inline namespace v0 {

/// An output as it should be: of each element, row-major, what a correct run may give.
class ReferenceTensor {
  public:
    ReferenceTensor() = default;
    ReferenceTensor(const ProgramTensor& of, ref::Values values)
        : name(of.name), shape(of.shape), dtype(of.dtype), values_(std::move(values))
    {
    }

    /// Some elements of it: those in `rows`, of `row_size` each.
    ReferenceTensor(const ProgramTensor& of, ref::Values values, std::vector<std::int64_t> rows, std::int64_t row_size)
        : ReferenceTensor(of, std::move(values))
    {
        rows_ = std::move(rows);
        row_size_ = row_size;
    }

    std::string name{};
    Shape shape{};
    DType dtype = DType::f32;
    bool specified = false; ///< by a specification, not by the program's operators

    /// How many elements are known: all, unless rows were chosen.
    [[nodiscard]] std::int64_t size() const noexcept { return values_.size(); }
    /// The row-major number of element i of those that are known, 0 ≤ i < size().
    [[nodiscard]] std::int64_t element(std::int64_t i) const noexcept
    {
        return row_size_ == 0 ? i : rows_[static_cast<std::size_t>(i / row_size_)] * row_size_ + i % row_size_;
    }
    /// The rows that were chosen, ascending; empty: all.
    [[nodiscard]] const std::vector<std::int64_t>& rows() const noexcept { return rows_; }
    [[nodiscard]] std::int64_t row_size() const noexcept { return row_size_; }
    /// Of element(index).
    [[nodiscard]] Bounded at(std::int64_t index) const noexcept { return values_.at(index); }
    /// @pre all elements are known
    [[nodiscard]] Bounded at(const Coord& coord) const { return at(linear_index(shape, coord).value()); }

  private:
    ref::Values values_{};
    std::vector<std::int64_t> rows_{};
    std::int64_t row_size_ = 0;
};

/// What a program should give: each output and inout.
struct Reference {
    std::vector<ReferenceTensor> tensors{};

    /// The tensor of that name; null if none exists.
    [[nodiscard]] const ReferenceTensor* find(std::string_view name) const noexcept
    {
        for (const ReferenceTensor& t : tensors)
            if (t.name == name) return &t;
        return nullptr;
    }
};

/// What a program's outputs should be: the operators, before they are lowered, by naive loops on the logical tensors.
///
/// Of each element the value, in f64 with a rounding wherever an operator writes, and bounds of what a correct run may give:
/// whatever order sums are added in, in the type of the result or in f32 (f64 where an operand is of it); functions within
/// `ref::function_ulps`. Devices, and agents and lanes of an `Each`, do each statement all of them before the next; blocks come one
/// after the other. Where agents of a block wait for mbarriers, each goes through the block for itself, in an order that the waits allow.
///
/// The errors of `check_inputs`; mistakes of the program that only a run finds, with statement, tensor and coordinate: elements
/// that are read and were never written, or are outside of a view that is not guarded (`errc::out_of_domain`), outputs that stay
/// unwritten, rows scattered twice, a `while` without end, agents that wait for what no agent does; `errc::too_hard` for a condition or an
/// index that depends on rounding, and where the caller stops it; `errc::bad_argument` for an instruction; `errc::capacity` for more memory
/// than there is.
/// Cost: the operators' own; some 2 ns for a product and an addition, 50 to 130 for an element of other operators.
AXE_DECL Result<Reference, Problem> reference(const Program& program, const Bindings& inputs, const ReferenceOptions& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/reference/impl/reference.hpp>
#endif

#endif
