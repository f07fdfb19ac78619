// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_SPECIFICATION_HPP
#define AXE_PROGRAM_SPECIFICATION_HPP

#include <axe/program/formula.hpp>

namespace axe {
inline namespace v0 {

/// A node of a formula with its shape and type; operands are places in `Specification::nodes`.
struct SpecificationNode {
    std::shared_ptr<const FormulaNode> formula{};
    std::vector<int> operands{};
    Shape shape{};
    DType type = DType::f32;    ///< of its elements
    DType working = DType::f32; ///< in what it is computed; i32 of integers, which are exact
    bool literal = false;       ///< a number, whose type is that of the operands beside it
    bool whole = false;         ///< computed in integers
};

/// What a kernel computes: a formula for outputs, over the values that inputs and inouts have before the run.
///
/// Plain data: nodes in an order in which operands come first. Made by `Kernel::computes`, carried by `Program::specification`, and
/// what `verify` compares a run with.
struct Specification {
    struct Output {
        int tensor = -1; ///< place in `Program::tensors`
        int node = -1;
    };
    std::vector<SpecificationNode> nodes{};
    std::vector<Output> outputs{};

    /// The formula's node of an output; null if it has none.
    [[nodiscard]] const Output* find(int tensor) const noexcept
    {
        for (const Output& o : outputs)
            if (o.tensor == tensor) return &o;
        return nullptr;
    }
};

/// The most operations one inside the other.
inline constexpr int max_formula_depth = 2000;

/// States that `tensor`, an output or inout of the program, is to be `formula`.
///
/// Errors, each with the output and the part of the formula by the user's names: a tensor that is none of the kernel's, or no output;
/// a second formula of one output; operands that are no inputs; shapes and types that the operations do not take, or that are not the
/// output's. Cost: linear in the nodes.
AXE_DECL Result<void, Problem> specify(const Program& program, Specification& specification, const TensorRef& tensor,
                                       const Formula& formula);

/// A formula by the names of the program's tensors: `softmax((0.125 * X), 1)`. Long ones are cut after `most` characters.
AXE_DECL std::string print(const Program& program, const Formula& formula, std::size_t most = 400);

/// Each output and its formula, a line each: `C = matmul(A, B)`.
AXE_DECL std::string print(const Program& program, const Specification& specification);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/specification.hpp>
#endif

#endif
