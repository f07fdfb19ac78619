// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_SCHEDULE_HPP
#define AXE_SCHEDULE_SCHEDULE_HPP

#include <axe/program/target.hpp>

#include <memory>
#include <utility>

namespace axe {
inline namespace v0 {

/// Which agents of a block an operator is for; outside blocks, which devices.
struct ExecutionScope {
    bool in_block = false;
    int first = 0, count = 1, stride = 1; ///< agents of the block, or devices
    int lanes = 1;                        ///< of an agent

    /// The number of an agent among those that run the operator: the n-th is first + n·stride; −1 when it does not run it.
    [[nodiscard]] constexpr int index_of(int agent) const noexcept
    {
        const int past = agent - first;
        return past < 0 || past % stride != 0 || past / stride >= count ? -1 : past / stride;
    }
    friend bool operator==(const ExecutionScope&, const ExecutionScope&) = default;
};

class Loops; // of all variables, values.hpp
namespace detail {
struct KnownPlacements; // block_scopes.hpp
} // namespace detail

/// What a schedule is asked: an operator, on which tensors, for whom. It may make temporary tensors, which exist where the operator
/// stands.
class Request {
  public:
    Request(const Program& program, const Target& target, const Operation& operation, const ExecutionScope& place)
        : program_(&program), target_(&target), operation_(&operation), place_(place)
    {
    }
    /// The same with the program's loops, which have been found; they outlive the request.
    Request(const Program& program, const Target& target, const Operation& operation, const ExecutionScope& place,
            const Loops& loops)
        : program_(&program), target_(&target), operation_(&operation), place_(place), loops_(&loops)
    {
    }

    [[nodiscard]] const Program& program() const noexcept { return *program_; }
    [[nodiscard]] const Target& target() const noexcept { return *target_; }
    [[nodiscard]] const Machine& machine() const noexcept { return program_->machine; }
    [[nodiscard]] const Operation& operation() const noexcept { return *operation_; }
    /// The program's loops; null: they have not been looked for.
    [[nodiscard]] const Loops* loops() const noexcept { return loops_; }
    [[nodiscard]] const ExecutionScope& execution_scope() const noexcept { return place_; }
    /// Where views of the program's tensors are, as far as schedules have asked; shared by copies of the request. Null: nothing is kept.
    [[nodiscard]] detail::KnownPlacements* known_placements() const noexcept { return known_placements_.get(); }
    /// The same for the first of its agents alone, who starts what goes on by itself.
    [[nodiscard]] Request started_by_one() const
    {
        ExecutionScope one = place_;
        one.count = 1;
        Request out(*program_, *target_, *operation_, one);
        out.loops_ = loops_;
        out.known_placements_ = known_placements_;
        return out;
    }
    void keep_placements(std::shared_ptr<detail::KnownPlacements> known) noexcept { known_placements_ = std::move(known); }
    [[nodiscard]] const View& view(int operand) const { return operation_->operands[static_cast<std::size_t>(operand)]; }
    [[nodiscard]] const ProgramTensor& tensor(const View& v) const
    {
        const auto id = static_cast<std::size_t>(v.tensor), known = program_->tensors.size();
        return id < known ? program_->tensors[id] : temporaries_[id - known];
    }
    [[nodiscard]] const ProgramTensor& tensor(int operand) const { return tensor(view(operand)); }
    [[nodiscard]] const Memory& memory(const View& v) const { return *find_memory(machine(), tensor(v).memory.c_str()); }

    /// Has every element of the view's tensor been written by a statement that comes before, whatever the run does? False where it is not known.
    [[nodiscard]] bool is_written_before(const View& v) const noexcept
    {
        const auto id = static_cast<std::size_t>(v.tensor);
        return written_ != nullptr && id < written_->size() && (*written_)[id];
    }
    /// @param written for each tensor of the program; it outlives the request
    void written_before(const std::vector<bool>& written) noexcept { written_ = &written; }
    /// A tensor of the schedule's own, seen as a whole.
    View temporary(ProgramTensor t)
    {
        View whole;
        whole.tensor = static_cast<int>(program_->tensors.size() + temporaries_.size());
        whole.extents = t.shape;
        for (int d = 0; d < t.shape.size(); ++d) {
            whole.origin.emplace_back(0);
            whole.dims.push_back(d);
            whole.steps.push_back(1);
        }
        temporaries_.push_back(std::move(t));
        return whole;
    }
    [[nodiscard]] const std::vector<ProgramTensor>& temporaries() const noexcept { return temporaries_; }
    /// What was decided, in words, for the reader of the choice: "16 bytes a lane".
    void decided(std::string words) { decided_ = std::move(words); }
    [[nodiscard]] const std::string& decision() const noexcept { return decided_; }

  private:
    const Program* program_;
    const Target* target_;
    const Operation* operation_;
    ExecutionScope place_;
    const Loops* loops_ = nullptr;
    const std::vector<bool>* written_ = nullptr;
    std::shared_ptr<detail::KnownPlacements> known_placements_{};
    std::vector<ProgramTensor> temporaries_{};
    std::string decided_{};
};

/// The options that only some schedules do; the others decline.
struct Honors {
    bool cache_hints = false;  ///< `Options::cache`
    bool nan_fill = false;     ///< `Options::fill_nan`
    bool byte_masks = false;   ///< `Options::byte_mask`
    bool negated = false;      ///< `Operation::negate_a`, `negate_b`
    bool unless_zero = false;  ///< `Operation::unless_zero`
    bool kept_rows = false;    ///< `Operation::kept_rows`
    bool scaled_d = false;     ///< `Operation::scale_d`
    bool zero_columns = false; ///< `Operation::zero_columns`
    bool mbarriers = false;    ///< `Options::completes_on` of gather, scatter, atomic and products
};

/// One way to do one operator, as a row of a table of a target: the first by priority that does not decline is taken.
struct Schedule {
    Op op;
    const char* name;
    int priority;     ///< the higher goes first
    const char* asks; ///< of the machine, in words: "ldmatrix"
    const char* what; ///< in a message, for the printed table
    bool (*fits)(const Machine&);
    /// The statements that do it; or why this schedule does not apply here, as a message that names the operand.
    Result<Body, Problem> (*emit)(Request&);
    /// The class of its instructions among those that do the operator: one of a greater number is much faster. 0 where all are alike.
    int instruction_class = 0;
    /// Has a machine that fits such instructions for the types of the operands? Null: for all that `emit` takes.
    bool (*has_types)(const Request&) = nullptr;
    bool pairs = false; ///< does it do what two blocks do together (`Options::pair`)?
    Honors also{};
};

namespace detail {

/// A failure of the algebra, whose message follows.
inline std::string layout_of(const ProgramTensor& tensor) { return worded("the layout of {0}: ", {tensor.name}); }

} // namespace detail

} // namespace v0
} // namespace axe

#endif
