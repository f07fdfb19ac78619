// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout inference as a pass of a compiler that is built on LLVM. The tensors of a small program are distributed over the registers and
// lanes of a warp. Loads, stores and dots fix layouts; the pass spreads them over the other operations, and where two of them want
// different layouts it inserts a conversion. The types are LLVM's; each rule about layouts is one call of axe.
#include <axe/interop/linear/convert.hpp>
#include <axe/interop/linear/shuffles.hpp>
#include <axe/llvm.hpp>
#include <axe/text/literals.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/FormatVariadic.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace axe::literals;

namespace {

struct TensorType {
    llvm::SmallVector<std::int64_t, 4> shape;
    llvm::StringRef element;
    std::optional<axe::Layout> layout{}; ///< from the row-major index of an element to register and lane
};

/// An operation and its value, both with the number that is its place in the program.
struct Operation {
    llvm::StringRef name;
    llvm::SmallVector<unsigned, 2> operands;
    TensorType type;
    axe::Order order{};    ///< of a transpose
    std::string comment{}; ///< of a conversion
};

/// mma.sync.m16n8k16 with f16 operands and f32 sums.      [PTX ISA, "Matrix Fragments for mma.m16n8k16"]
constexpr axe::Layout mma_a = "(2,8,2,4,2):(2@reg,4@lane,4@reg,1@lane,1@reg)"_axe;
constexpr axe::Layout mma_b = "(2,4,2,8):(2@reg,1@lane,1@reg,4@lane)"_axe;
constexpr axe::Layout mma_c = "(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)"_axe;

/// How a warp gets from one layout to another: the fewest shuffles that do it, none where the elements stay in their lanes.
axe::Result<std::string> describe(const axe::Layout& from, const axe::Layout& to, const TensorType& type)
{
    const auto shape = axe::shape_from_array(type.shape);
    if (!shape) return shape.error();
    const auto a = axe::linear::to_linear(from, *shape, axe::linear::distributed_names);
    const auto b = axe::linear::to_linear(to, *shape, axe::linear::distributed_names);
    if (!a || !b) return a ? b.error() : a.error();
    const auto shuffles = axe::linear::shuffles(*a, *b, type.element == "f16" ? 2 : 4);
    if (!shuffles) return shuffles.error();
    return llvm::formatv("{0} shuffles", shuffles->count()).str();
}

class LayoutInference {
  public:
    explicit LayoutInference(std::vector<Operation> program) : program_(std::move(program)) {}

    axe::Status run()
    {
        for (const bool is_dot :
             {false, true}) // the last is taken first: where both reach, the tensor cores decide, not the memory
            for (unsigned v = 0; v < program_.size(); ++v)
                if (program_[v].type.layout && (program_[v].name == "dot") == is_dot) worklist_.insert(v);
        while (!worklist_.empty()) {
            const unsigned v = worklist_.pop_back_val();
            for (unsigned i = 0; i < program_[v].operands.size(); ++i)
                if (const axe::Status e = spread(operand_layout(program_[v], i), program_[v].operands[i]); !e.ok()) return e;
            for (unsigned user = 0; user < program_.size(); ++user)
                if (llvm::is_contained(program_[user].operands, v))
                    if (const axe::Status e = spread(result_layout(program_[user], v), user); !e.ok()) return e;
        }
        const auto count = static_cast<unsigned>(program_.size());
        for (unsigned v = 0; v < count; ++v) {
            for (unsigned i = 0; i < program_[v].operands.size(); ++i)
                if (const axe::Status e = convert(v, i); !e.ok()) return e;
            sequence_.push_back(v);
        }
        return {};
    }

    void print(llvm::raw_ostream& out) const
    {
        llvm::DenseMap<axe::Layout, unsigned> aliases;
        for (const unsigned v : sequence_)
            if (const auto& layout = program_[v].type.layout; layout && aliases.try_emplace(*layout, aliases.size()).second)
                out << "#" << aliases.lookup(*layout) << " = " << *layout << "\n";
        for (const unsigned v : sequence_) {
            const Operation& op = program_[v];
            out << llvm::formatv("%{0,-2} = {1,-9}", v, op.name);
            for (const unsigned operand : op.operands) out << " %" << operand;
            if (!op.order.empty()) out << " " << op.order;
            out << llvm::formatv(" : {0:$[x]}x{1}", llvm::make_range(op.type.shape.begin(), op.type.shape.end()), op.type.element);
            if (op.type.layout) out << ", #" << aliases.lookup(*op.type.layout);
            out << op.comment << "\n";
        }
    }

  private:
    std::vector<Operation> program_;
    llvm::SmallVector<unsigned> sequence_; ///< the operations in their order, conversions among them
    llvm::SmallSetVector<unsigned, 16> worklist_;

    /// The layout that an operation wants operand i to have. A reshape keeps the row-major index, and so the layout.
    static axe::Result<axe::Layout> operand_layout(const Operation& op, unsigned i)
    {
        if (op.name == "dot") return i == 0 ? mma_a : mma_b;
        if (op.name != "transpose") return *op.type.layout;
        axe::Order back = op.order;
        for (int d = 0; d < op.order.size(); ++d) back[op.order[d]] = d;
        const auto shape = axe::shape_from_array(op.type.shape);
        return shape ? axe::permute(*op.type.layout, *shape, back) : shape.error();
    }

    /// The layout that the result of an operation has when that of an operand is what it is.
    axe::Result<axe::Layout> result_layout(const Operation& op, unsigned operand) const
    {
        const TensorType& type = program_[operand].type;
        if (op.name != "transpose") return *type.layout;
        const auto shape = axe::shape_from_array(type.shape);
        return shape ? axe::permute(*type.layout, *shape, op.order) : shape.error();
    }

    /// Gives a value a layout, if it has none yet.
    axe::Status spread(const axe::Result<axe::Layout>& layout, unsigned value)
    {
        if (!layout) return layout.error();
        auto& own = program_[value].type.layout;
        if (own) return {};
        own = *layout;
        worklist_.insert(value);
        return {};
    }

    /// Converts an operand where it does not have the layout that is wanted. How the two are written does not matter.
    axe::Status convert(unsigned user, unsigned i)
    {
        const unsigned operand = program_[user].operands[i];
        TensorType type = program_[operand].type;
        const auto wanted = operand_layout(program_[user], i);
        if (!wanted) return wanted.error();
        const axe::Decision same = axe::equal(*type.layout, *wanted);
        if (same.undecided()) return same.error();
        if (same) return {};
        const auto how = describe(*type.layout, *wanted, type);
        if (!how) return how.error();
        type.layout = *wanted;
        const auto added = static_cast<unsigned>(program_.size());
        program_.push_back({"convert", {operand}, type, {}, "   // " + *how});
        program_[user].operands[i] = added;
        sequence_.push_back(added);
        return {};
    }
};

} // namespace

int main()
{
    const auto rows_of_8 = "(32,8):(1@lane,1@reg)"_axe, rows_of_4 = "(32,4):(1@lane,1@reg)"_axe; // 16 bytes a lane
    LayoutInference pass({
        {"load", {}, {{16, 16}, "f16", rows_of_8}},
        {"load", {}, {{8, 16}, "f16", rows_of_4}},
        {"transpose", {1}, {{16, 8}, "f16"}, {1, 0}},
        {"dot", {0, 2}, {{16, 8}, "f32", mma_c}},
        {"load", {}, {{128}, "f32"}}, // may have any layout
        {"reshape", {4}, {{16, 8}, "f32"}},
        {"add", {3, 5}, {{16, 8}, "f32"}},
        {"exp", {6}, {{16, 8}, "f32"}},
        {"store", {7}, {{16, 8}, "f32", "(2,32,2):(2@reg,1@lane,1@reg)"_axe}}, // the layout of the sums, written with one iter less
        {"transpose", {7}, {{8, 16}, "f32"}, {1, 0}},
        {"store", {9}, {{8, 16}, "f32", rows_of_4}},
    });
    if (const axe::Status e = pass.run(); !e.ok()) {
        llvm::errs() << "layout inference: " << e << "\n";
        return 1;
    }
    pass.print(llvm::outs());
}
