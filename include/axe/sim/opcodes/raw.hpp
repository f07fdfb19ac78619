// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_RAW_HPP
#define AXE_SIM_OPCODES_RAW_HPP

#include <axe/program/raw_function.hpp>
#include <axe/sim/opcodes/engine.hpp>
#include <axe/sim/opcodes/raw_copy.hpp>

#include <array>

namespace axe {
inline namespace v0 {
namespace sim {

/// `raw` D, …, A, …: a function of C++ on views in memories of the block or the device, called by one agent; those that it writes first.
///
/// Each element of what it declares to read and to write is an access of the agent. With all checks it is called twice, on copies of its
/// operands among bytes that differ between the two calls, which shows what it does besides (raw_copy.hpp). Without, it gets the memory
/// itself where an operand's places have strides, else a copy, row-major.
class Raw : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<Raw>();
        const RawFunction* f = p.instruction->raw;
        if (f == nullptr || f->run == nullptr) return p.refuse("the instruction names no function");
        const auto count = static_cast<std::size_t>(operand_count(*f));
        if (auto problem = check_boxes(p, *e, count, count, false); !problem.ok()) return problem;
        if (p.instruction->written != written_count(*f))
            return p.refuse("it writes {0} operands, its function {1}", {p.instruction->written, written_count(*f)});
        e->function_ = f;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int, int agent) const override
    {
        Engine engine(block, *this, agent);
        engine.count_issue();
        std::array<BoxSide, RawFunction::most_operands> sides;
        for (std::size_t k = 0; k < count(); ++k) sides[k] = engine.side(k);
        for (const bool writing : {false, true})
            for (std::size_t k = 0; k < count(); ++k)
                if (!note(engine, sides[k], k, writing)) return false;
        if (block.full()) return run_checked(engine, sides.data());
        std::array<RawCopy, RawFunction::most_operands> copies;
        RawOperand passed[RawFunction::most_operands];
        for (std::size_t k = 0; k < count(); ++k) {
            if (has_strides(sides[k], is_written(k))) {
                passed[k] = in_place(engine.data(sides[k]), sides[k]);
                continue;
            }
            copies[k] = RawCopy::packed(sides[k]);
            copies[k].load(sides[k], engine.data(sides[k]));
            passed[k] = copies[k].operand(sides[k]);
        }
        function_->run(passed);
        for (std::size_t k = 0; k < count(); ++k)
            if (is_written(k) && copies[k].exists()) store(engine, sides[k], copies[k]);
        return true;
    }

  private:
    [[nodiscard]] std::size_t count() const { return instruction->operands.size(); }
    [[nodiscard]] RawAccess access(std::size_t k) const { return function_->operands[k].access; }
    [[nodiscard]] bool is_written(std::size_t k) const { return access(k) != RawAccess::read; }
    [[nodiscard]] bool is_read(std::size_t k) const { return access(k) != RawAccess::write; }

    /// What is read of an operand, or written, as accesses of the agent.
    bool note(Engine& engine, const BoxSide& side, std::size_t k, bool writing) const
    {
        if (writing ? !is_written(k) : !is_read(k)) return true;
        std::int64_t bytes = 0;
        const bool done = walk(side.view->extents, &side, 1, [&](const Stretch& s) {
            bool is_there = true;
            if (!engine.reach(side, s, s.at[0], is_there)) return false;
            if (!is_there) return true;
            bytes += s.n * side.plan->width;
            return writing ? engine.write(side, s, s.at[0]) : engine.read(side, s, s.at[0]);
        });
        if (!done) return false;
        if (writing || !is_written(k))
            engine.count(k, 1, bytes);
        else
            engine.count_read_back(bytes, k);
        return true;
    }

    static void store(Engine& engine, const BoxSide& side, const RawCopy& copy)
    {
        copy.for_elements(side, [&](std::int64_t place, const std::byte* element) {
            engine.store(side, place, load_bits(element, side.plan->width));
            return true;
        });
    }

    bool undeclared(Engine& engine, const std::string& what) const
    {
        return engine.refuse(FaultKind::undeclared, detail::worded("{0} {1} {2}", {engine.who() + ",", function_->name, what}));
    }
    /// "A of `x`"
    [[nodiscard]] std::string operand_text(const BoxSide& side, std::size_t k) const
    {
        return detail::worded("{0} (`{1}`)", {function_->operands[k].name, side.plan->name()});
    }

    /// What is around the elements of an operand in the first and in the second call, others for each operand: large numbers of either sign.
    static std::byte filling(std::size_t k, bool is_first)
    {
        return static_cast<std::byte>((is_first ? 0x70 : 0xf0) + 1 + static_cast<int>(k));
    }

    bool run_checked(Engine& engine, const BoxSide* sides) const
    {
        if (!are_apart(engine, sides)) return false;
        std::array<RawCopy, RawFunction::most_operands> before, first, second;
        for (std::size_t k = 0; k < count(); ++k) {
            before[k] = has_strides(sides[k], false) ? RawCopy::spread(sides[k]) : RawCopy::packed(sides[k]);
            before[k].load(sides[k], engine.data(sides[k]));
        }
        for (auto* copies : {&first, &second}) {
            RawOperand passed[RawFunction::most_operands];
            for (std::size_t k = 0; k < count(); ++k) {
                (*copies)[k] = before[k].filled(filling(k, copies == &first), !is_read(k));
                passed[k] = (*copies)[k].operand(sides[k]);
            }
            function_->run(passed);
            for (std::size_t k = 0; k < count(); ++k)
                if (!stays_inside(engine, sides[k], k, before[k], (*copies)[k], filling(k, copies == &first))) return false;
        }
        for (std::size_t k = 0; k < count(); ++k)
            if (is_written(k) && !is_decided(engine, sides[k], k, first[k], second[k])) return false;
        for (std::size_t k = 0; k < count(); ++k)
            if (is_written(k)) store(engine, sides[k], first[k]);
        return true;
    }

    /// No element of what is written is one of another operand, or there twice.
    bool are_apart(Engine& engine, const BoxSide* sides) const
    {
        for (std::size_t k = 0; k < count(); ++k) {
            if (!is_written(k)) continue;
            std::vector<std::int64_t> places = places_of(sides[k]);
            std::sort(places.begin(), places.end());
            for (std::size_t other = 0; other < count(); ++other) {
                if (other == k || sides[other].tensor != sides[k].tensor || (other < k && is_written(other))) continue;
                for (const std::int64_t place : places_of(sides[other]))
                    if (std::binary_search(places.begin(), places.end(), place))
                        return undeclared(engine, detail::worded("has elements of {0} in {1}; what it writes must be apart",
                                                                 {operand_text(sides[k], k), operand_text(sides[other], other)}));
            }
        }
        return true;
    }
    static std::vector<std::int64_t> places_of(const BoxSide& side)
    {
        std::vector<std::int64_t> out;
        walk(side.view->extents, &side, 1, [&](const Stretch& s) {
            for (std::int64_t i = 0; s.at[0].inside && i < s.n; ++i) out.push_back(s.at[0](i));
            return true;
        });
        return out;
    }

    /// After a call: what is around the elements is as before, and so are the elements that it only reads.
    bool stays_inside(Engine& engine, const BoxSide& side, std::size_t k, const RawCopy& before, const RawCopy& after,
                      std::byte around) const
    {
        if (const std::int64_t byte = after.changed_around(around); byte != RawCopy::none)
            return undeclared(engine, detail::worded("writes byte {0} from the first element of {1} on, which is no element of it",
                                                     {byte, operand_text(side, k)}));
        if (is_written(k)) return true;
        const std::int64_t element = before.first_difference(after);
        return element < 0 ||
               undeclared(engine, detail::worded("writes {0}, which it declares to read", {named(side, k, element)}));
    }
    /// After both calls: what it has written is the same, whatever was there and around before.
    bool is_decided(Engine& engine, const BoxSide& side, std::size_t k, const RawCopy& first, const RawCopy& second) const
    {
        const std::int64_t element = first.first_difference(second);
        if (element < 0) return true;
        const bool stayed =
            !is_read(k) && first.is_filled(element, filling(k, true)) && second.is_filled(element, filling(k, false));
        return undeclared(
            engine,
            stayed ? detail::worded(
                         "leaves {0} as it was, which it declares to write; what it reads or may leave it declares to update",
                         {named(side, k, element)})
                   : detail::worded("reads what it does not declare: {0} differs between two calls with the same elements to read",
                                    {named(side, k, element)}));
    }
    [[nodiscard]] std::string named(const BoxSide& side, std::size_t k, std::int64_t element) const
    {
        return detail::worded("{0} of {1}", {side.element_text(element), function_->operands[k].name});
    }

    const RawFunction* function_ = nullptr;
};

/// Calls of a user's functions.
extern const Opcode raw_opcodes[1];

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/opcodes/impl/raw.hpp>
#endif

#endif
