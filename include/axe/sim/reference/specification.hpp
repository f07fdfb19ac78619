// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_SPECIFICATION_HPP
#define AXE_SIM_REFERENCE_SPECIFICATION_HPP

#include <axe/sim/reference/formula_lines.hpp>
#include <axe/sim/reference/reference.hpp>

#include <set>

/// What a program's outputs are to be by its specification.
namespace axe {
inline namespace v0 {
namespace ref {

/// How a kind of node is computed: `need` wants of the operands what the node's wanted elements take, `make` gives these.
struct FormulaRun {
    FormulaNode::Kind kind;
    Result<void, Problem> (*need)(const FormulaScene&);
    Result<void, Problem> (*make)(const FormulaScene&);
};
/// In the order of the kinds. Tensors and numbers are read where they are used.
inline constexpr FormulaRun formula_runs[] = {
    {FormulaNode::Kind::tensor, need_nothing, nullptr},
    {FormulaNode::Kind::number, need_nothing, nullptr},
    {FormulaNode::Kind::iota, need_nothing, make_iota},
    {FormulaNode::Kind::function, need_broadcast, make_function},
    {FormulaNode::Kind::cast, need_same, make_cast},
    {FormulaNode::Kind::rounded, need_same, make_rounded},
    {FormulaNode::Kind::reduce, need_terms, make_reduce},
    {FormulaNode::Kind::matmul, need_matmul, make_matmul},
    {FormulaNode::Kind::permute, need_places, make_places},
    {FormulaNode::Kind::reshape, need_same, make_same},
    {FormulaNode::Kind::slice, need_places, make_places},
    {FormulaNode::Kind::shift, need_shifted, make_shifted},
    {FormulaNode::Kind::broadcast, need_places, make_places},
    {FormulaNode::Kind::softmax, need_softmax, make_softmax},
    {FormulaNode::Kind::gather, need_gather, make_gather},
    {FormulaNode::Kind::scatter_add, need_scatter_add, make_scatter_add},
    {FormulaNode::Kind::cumsum, need_cumsum, make_cumsum},
    {FormulaNode::Kind::concat, need_parts, make_parts},
    {FormulaNode::Kind::by_function, need_nothing, make_by_function},
};
// Each kind of node is computed, in the order of the kinds.
static_assert([] {
    int i = 0;
    for (const FormulaRun& row : formula_runs)
        if (static_cast<int>(row.kind) != i++) return false;
    return i == static_cast<int>(FormulaNode::Kind::by_function) + 1;
}());

inline Result<void, Problem> Evaluation::run()
{
    const auto row = [&](int i) -> const FormulaRun& { return formula_runs[static_cast<int>(node(i).formula->kind)]; };
    const int count = static_cast<int>(nodes_.size());
    // Users come after their operands: from the last to the first, all that want something of a node have spoken.
    for (int i = count - 1; i >= 0; --i) {
        elements(i).wanted.close();
        if (elements(i).wanted.size() == 0) continue;
        if (auto e = row(i).need({*this, i}); !e.ok()) return e;
        if (!goes_on(1)) return stopped();
    }
    // A node's elements are kept until the last that uses them is computed.
    std::vector<int> last(nodes_.size(), count);
    for (int i = count - 1; i >= 0; --i) {
        if (elements(i).wanted.size() == 0) continue;
        for (const int operand : node(i).operands) {
            int& user = last[static_cast<std::size_t>(operand)];
            if (user == count && !kept(operand)) user = i;
        }
    }
    for (int i = 0; i < count; ++i) {
        if (elements(i).wanted.size() == 0 || row(i).make == nullptr) continue;
        elements(i).values = Values(elements(i).wanted.size());
        if (auto e = row(i).make({*this, i}); !e.ok()) return e;
        if (!goes_on(1)) return stopped();
        for (const int operand : node(i).operands)
            if (last[static_cast<std::size_t>(operand)] == i) elements(operand).values = Values();
    }
    return {};
}

/// `count` of the numbers below `all`, ascending, each set of them as probable; all where there are no more.
inline std::vector<std::int64_t> chosen_rows(std::int64_t count, std::int64_t all, std::uint64_t seed)
{
    std::set<std::int64_t> out;
    std::uint64_t state = seed;
    const auto next = [&](std::int64_t below_this) { // SplitMix64      [Steele, Lea, Flood 2014]
        std::uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<std::int64_t>((z ^ (z >> 31)) % static_cast<std::uint64_t>(below_this));
    };
    // One more number in each step; where the choice was taken already, the step's own.      [Floyd]
    for (std::int64_t i = all - std::min(count, all); i < all; ++i)
        if (const std::int64_t row = next(i + 1); !out.insert(row).second) out.insert(i);
    return {out.begin(), out.end()};
}

} // namespace ref

/// What a program's outputs are to be by its specification: of each element the value in f64, and bounds of what a correct run may give.
///
/// Each operation may be rounded to its working type, and need not be; sums come in any order; results are rounded to the type of the
/// output. `ReferenceOptions::rows` chooses rows of each output, and no more is computed than they need.
/// Outputs without a formula are left out.
///
/// The errors of `check_inputs`; `errc::bad_argument` for a program without a specification; `errc::out_of_domain` for an index outside
/// of what it indexes, `errc::too_hard` for one that depends on rounding, with output and operand, and where the caller stops it.
/// Cost: 50 to 130 ns for an element of an operation, some 2 ns for a product of a `matmul`; memory for the elements that are needed.
inline Result<Reference, Problem> specified(const Program& program, const Bindings& inputs, const ReferenceOptions& options = {})
{
    if (program.specification == nullptr)
        return Problem(errc::bad_argument,
                       detail::hinted("{0} has no specification", "state what an output is with `Kernel::computes`"),
                       {program.name});
    if (auto e = check_inputs(program, inputs); !e.ok()) return e;
    const Specification& specification = *program.specification;
    std::vector<const Array*> arrays;
    for (const ProgramTensor& t : program.tensors) arrays.push_back(inputs.find(t.name));
    Pulse pulse = options.progress ? Pulse([&] { return options.progress(0); }) : Pulse();
    Reference out;
    for (std::size_t t = 0; t < program.tensors.size(); ++t) {
        const Specification::Output* output = specification.find(static_cast<int>(t));
        if (output == nullptr) continue;
        const ProgramTensor& tensor = program.tensors[t];
        const std::int64_t count = volume(tensor.shape).value_or(0);
        const std::int64_t size = tensor.shape.size() < 2 ? 1 : tensor.shape.back();
        std::vector<std::int64_t> rows;
        if (options.rows > 0 && options.rows < count / size) rows = ref::chosen_rows(options.rows, count / size, options.seed + t);
        ref::Evaluation evaluation(program, specification, arrays, &pulse);
        evaluation.keep(output->node);
        if (rows.empty()) evaluation.want_all(output->node);
        const std::int64_t chosen = static_cast<std::int64_t>(rows.size()) * size;
        const auto element = [&](std::int64_t i) {
            return rows.empty() ? i : rows[static_cast<std::size_t>(i / size)] * size + i % size;
        };
        const auto want = [&](std::int64_t i) { evaluation.want(output->node, element(i)); };
        if (auto e = ref::for_each_number(&pulse, chosen, 50, want); !e.ok()) return e.error();
        if (auto e = evaluation.run(); !e.ok())
            return Problem(e.code(), program.name + ", specification of " + tensor.name + ": " + e.error().text);
        ref::Values values(rows.empty() ? count : chosen);
        if (!ref::goes_on(&pulse, 1 << 20)) return ref::stopped(); // memory was given back and taken
        const auto store = [&](std::int64_t i) {
            values.set(i, ref::stored(evaluation.at(output->node, element(i)), tensor.dtype));
        };
        if (auto e = ref::for_each_number(&pulse, values.size(), 40, store); !e.ok()) return e.error();
        out.tensors.push_back(rows.empty() ? ReferenceTensor(tensor, std::move(values))
                                           : ReferenceTensor(tensor, std::move(values), std::move(rows), size));
        out.tensors.back().specified = true;
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
