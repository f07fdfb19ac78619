// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_PROGRAM_HPP
#define AXE_PROGRAM_PROGRAM_HPP

#include <axe/machine/machine.hpp>
#include <axe/program/source_line.hpp>
#include <axe/program/statement.hpp>
#include <axe/tensor/tensor.hpp>

#include <memory>

namespace axe {
inline namespace v0 {

struct Specification;

struct Variable {
    std::string name{};
    std::int64_t low = 0, high = 0; ///< it takes values in [low, high), whatever the run does
};

/// Is it one of the values that the variable takes?
inline bool is_index(const Variable& v, double value) noexcept
{
    constexpr double most = 9007199254740992.0; // 2^53: beyond, a double may not be the number that was meant
    return value == value && value >= -most && value <= most && value == static_cast<double>(static_cast<std::int64_t>(value)) &&
           static_cast<std::int64_t>(value) >= v.low && static_cast<std::int64_t>(value) < v.high;
}

struct Scalar {
    std::string name{};
    double initial = 0;
};

/// Who gives a tensor its value, and who takes it.
enum class Binding : std::uint8_t { local, input, output, inout };

/// What the layout of an allocation is to be, where the program leaves it to the schedules.
enum class LayoutHint : std::uint8_t {
    none,          ///< the layout is given
    conflict_free, ///< of shared memory: without bank conflicts in the operators that use it
    operand_a,     ///< what the machine's matrix instruction asks of its left operand's tile in shared memory
    operand_b,
    accumulator, ///< what the machine's matrix instruction writes
    registers,   ///< spread over the block's agents and lanes, rows of vectors
};

struct ProgramTensor : Tensor {
    Binding binding = Binding::local;
    LayoutHint hint = LayoutHint::none;
};

/// A kernel, as data: what runs on a machine, on which tensors. A program whose operators have been replaced by instructions (`lower`)
/// is one, too: it is what the simulator runs.
///
/// Statements outside a `Grid` are run by every device of the machine for itself, in order; operators there work on tensors of all
/// devices, whose layouts name the device axis. `device` is the variable that numbers the devices, where there are several.
struct Program {
    std::string name{};
    Machine machine{};
    Var device{};
    std::vector<Variable> variables{};
    std::vector<Scalar> scalars{};
    std::vector<ProgramTensor> tensors{};
    Body body{};
    std::int64_t thread_registers = 0;      ///< that each thread of a block starts with; 0: not stated      [PTX, .maxnreg]
    int statements = 0;                     ///< the numbers below this are given to statements
    std::vector<StatementOrigin> origins{}; ///< by the number of a statement; may have fewer
    /// What it computes, which `verify` compares with (specification.hpp); null: not stated. Lowering keeps it.
    std::shared_ptr<const Specification> specification{};
};

/// Where the statement of that number comes from; of one that is not known, an empty origin.
inline StatementOrigin origin_of(const Program& program, int statement)
{
    const auto id = static_cast<std::size_t>(statement);
    return statement >= 0 && id < program.origins.size() ? program.origins[id] : StatementOrigin();
}

/// The tensor that a view is a box of. For a view of this program.
inline const ProgramTensor& tensor_of(const Program& program, const View& v)
{
    return program.tensors[static_cast<std::size_t>(v.tensor)];
}

} // namespace v0
} // namespace axe

#endif
