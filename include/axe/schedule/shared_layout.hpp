// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_SHARED_LAYOUT_HPP
#define AXE_SCHEDULE_SHARED_LAYOUT_HPP

#include <axe/machine/banks.hpp>
#include <axe/schedule/dispatch.hpp>
#include <axe/schedule/element_placement.hpp>
#include <axe/schedule/hint.hpp>
#include <axe/schedule/uses.hpp>
#include <axe/schedule/values.hpp>

#include <limits>

namespace axe {
inline namespace v0 {

/// What accesses ask of the banks of a shared memory. A phase is what banks serve together, 128 bytes at most; each goes to memory
/// once if no two of its words share a bank.
struct BankUse {
    std::int64_t phases = 0, passes = 0;
    std::int64_t slow_products = 0; ///< for which the machine has a faster class of instructions, which does not apply
    friend bool operator==(const BankUse&, const BankUse&) = default;
};

namespace detail {

/// The phases of one access of an agent: lane l moves `bytes` bytes from byte address[l] on, −1 where it takes no part.
inline BankUse bank_use(const std::vector<std::int64_t>& address, int bytes, bool loads)
{
    WarpAccess access;
    access.bytes = bytes;
    const int together = lanes_at_once(static_cast<int>(address.size()), bytes, loads, [&](int l, int m) {
        const std::int64_t a = address[static_cast<std::size_t>(l)], b = address[static_cast<std::size_t>(m)];
        return a >= 0 && b >= 0 && a != b;
    });
    BankUse out;
    for (std::size_t first = 0; first < address.size(); first += static_cast<std::size_t>(together)) {
        access.lanes = 0;
        for (std::size_t lane = first; lane < std::min(address.size(), first + static_cast<std::size_t>(together)); ++lane)
            if (address[lane] >= 0) access.address[access.lanes++] = address[lane];
        if (access.lanes == 0) continue;
        ++out.phases;
        out.passes += bank_load(access, 0).degree();
    }
    return out;
}

inline BankUse& operator+=(BankUse& a, const BankUse& b)
{
    a.phases += b.phases;
    a.passes += b.passes;
    a.slow_products += b.slow_products;
    return a;
}

/// The bank use of a tensor by what a schedule emitted; loops and branches count once.
inline Result<void, Problem> add_bank_use(const Request& request, const Body& body, int tensor, BankUse& use)
{
    return for_each_statement(body, [&](const Statement& s) -> Result<void, Problem> {
        const auto* i = std::get_if<Instruction>(&s.what);
        if (i == nullptr) return {};
        for (std::size_t operand = 0; operand < i->operands.size(); ++operand) {
            const Access& access = i->operands[operand];
            if (access.view.tensor != tensor || !access.distribution) continue;
            const auto where = element_placement(request, access.view);
            if (!where) return where.error();
            const Distribution& p = *access.distribution;
            std::vector<std::int64_t> lanes(static_cast<std::size_t>(p.lanes));
            for (int issue = 0; issue < p.issues; ++issue)
                for (int agent = 0; agent < p.agents; ++agent) {
                    for (int lane = 0; lane < p.lanes; ++lane) {
                        const std::int32_t e = p.element[p.at(issue, agent, lane)];
                        lanes[static_cast<std::size_t>(lane)] =
                            e < 0 ? -1 : where->address[static_cast<std::size_t>(e)] * where->bytes;
                    }
                    use += bank_use(lanes, p.vector * where->bytes, operand > 0);
                }
        }
        return {};
    });
}

inline Swizzled<Layout> plain_rows(const Memory& memory, const ProgramTensor& t, std::int64_t pitch = 0)
{
    Swizzled<Layout> out;
    out.axis = memory.axes[memory.axes.size() - 1];
    out.width = storage_bytes(t.dtype);
    const std::int64_t n = *volume(t.shape), cols = t.shape.empty() ? 1 : t.shape[t.shape.size() - 1];
    if (pitch > cols) out.layout.shard.push_back({n / cols, pitch, out.axis});
    out.layout.shard.push_back({pitch > cols ? cols : n, 1, out.axis});
    return out;
}

inline std::string swizzle_text(const Swizzle& s)
{
    return "swizzle<" + std::to_string(s.bits) + "," + std::to_string(s.base) + "," + std::to_string(s.shift) + ">";
}

} // namespace detail

/// Bytes of the widest swizzle of the hardware's own copies that divides a row, or 16, without one; 0: not even that.
inline std::int64_t widest_span(std::int64_t row) noexcept
{
    for (std::int64_t span = 128; span >= 16; span /= 2)
        if (row % span == 0) return span;
    return 0;
}

/// Columns of `span` bytes, one after the other, each swizzled: what products by descriptors and tensor maps ask of rows that are longer.
///
///   [lead, rows, (cols/w, w)] : (rows·cols, w, (rows·w, 1)),   w the elements of a span
inline HintedLayout swizzled_columns(const Memory& memory, const ProgramTensor& t, std::int64_t span)
{
    const std::int64_t width = storage_bytes(t.dtype), w = span / width, rank = t.shape.size();
    const std::int64_t cols = t.shape[static_cast<int>(rank) - 1], rows = rank > 1 ? t.shape[static_cast<int>(rank) - 2] : 1;
    HintedLayout out{detail::plain_rows(memory, t), {}};
    const Axis& axis = out.layout.axis;
    int bits = 0;
    while ((std::int64_t{32} << bits) <= span) ++bits;
    if (bits > 0) out.layout.swizzle = {bits, 4, 3};
    if (bits > 0) out.detail = detail::swizzle_text(out.layout.swizzle) + ", ";
    out.detail += detail::worded("columns of {0} bytes", {span});
    if (cols == w) return out;
    out.layout.layout.shard = {
        {*volume(t.shape) / rows / cols, rows * cols, axis}, {rows, w, axis}, {cols / w, rows * w, axis}, {w, 1, axis}};
    return out;
}

namespace detail {

/// Row-major and its variants, the simplest first: the swizzles of 32, 64 and 128 bytes that the hardware's own copies know, swizzles
/// of the bits that a row or a line of banks begins with, and rows with a gap.
inline std::vector<HintedLayout> shared_candidates(const Memory& memory, const ProgramTensor& t)
{
    std::vector<HintedLayout> out{{plain_rows(memory, t), "row-major"}};
    const std::int64_t width = storage_bytes(t.dtype), cols = t.shape.empty() ? 1 : t.shape[t.shape.size() - 1];
    const std::int64_t bytes = *volume(t.shape) * width, row = cols * width;
    const auto add = [&](const Swizzle& s) {
        // What it exchanges must be within the tensor: whole blocks of 2^(base + bits) bytes.
        if ((std::int64_t{1} << s.base) < width || bytes % (std::int64_t{1} << (s.base + s.bits)) != 0) return;
        if ((std::int64_t{1} << (s.base + s.shift)) >= bytes) return; // it would read bits that are always 0
        HintedLayout c{plain_rows(memory, t), swizzle_text(s)};
        c.layout.swizzle = s;
        for (const HintedLayout& known : out)
            if (known.layout.swizzle == s) return;
        out.push_back(std::move(c));
    };
    for (int bits = 1; bits <= 3; ++bits) add({bits, 4, 3});
    int row_bit = 0;
    while ((std::int64_t{2} << row_bit) <= row) ++row_bit;
    for (int base = 4; base >= 2; --base)            // vectors of 16, 8 and 4 bytes stay whole
        for (int bits = 1; base + bits <= 7; ++bits) // 2^7 bytes: one word in each bank
            for (const int from : {7, row_bit})
                if (from - base >= bits) add({bits, base, from - base});
    for (const std::int64_t gap : {16, 8, 4})
        if (gap % width == 0 && (memory.capacity == 0 || bytes / row * (row + gap) <= memory.capacity))
            out.push_back({plain_rows(memory, t, cols + gap / width), worded("rows of {0} bytes", {row + gap})});
    if (const std::int64_t span = widest_span(row); span > 0 && row > span && bytes % (8 * span) == 0)
        out.push_back(swizzled_columns(memory, t, span));
    return out;
}

} // namespace detail

namespace detail {

/// The operators that use a tensor in shared memory, lowered for one layout of it after another.
class BankTrials {
  public:
    /// @param program outlives this; the layouts of its tensors in `changing`, one entry for each tensor, may change from trial to trial
    BankTrials(const Program& program, const Target& target, int tensor, std::vector<bool> changing)
        : program_(&program), target_(&target), tensor_(tensor), changing_(std::move(changing)), loops_(program)
    {
        for (const Use& use : uses_of(program, tensor))
            if (use.place.in_block) uses_.push_back({use, std::make_shared<KnownPlacements>()});
    }

    /// `bank_use_of`, with the layouts that the program has now. The result may lack operators where it is no better than `enough` without them.
    Result<BankUse, Problem> operator()(std::int64_t most_slow, const BankUse* enough = nullptr)
    {
        BankUse out;
        for (auto& [use, placements] : uses_) {
            if (enough != nullptr && !is_better(out, *enough)) break;
            // Views of the other tensors are where they were.
            auto& list = placements->list;
            list.erase(std::remove_if(list.begin(), list.end(),
                                      [&](const auto& one) { return changing_[static_cast<std::size_t>(one.view.tensor)]; }),
                       list.end());
            Request request(*program_, *target_, *use.operation, use.place, loops_);
            request.keep_placements(placements);
            Choice choice;
            const auto body = dispatch(request, &choice, use.operation->op == Op::gemm && out.slow_products >= most_slow);
            if (!body) return body.error();
            if (use.operation->op == Op::gemm && !choice.faster.empty()) ++out.slow_products;
            if (auto p = add_bank_use(request, *body, tensor_, out); !p.ok()) return p;
        }
        return out;
    }

    /// Fewer slow products, or as many and fewer passes.
    static bool is_better(const BankUse& a, const BankUse& b)
    {
        return a.slow_products < b.slow_products || (a.slow_products == b.slow_products && a.passes < b.passes);
    }

  private:
    const Program* program_;
    const Target* target_;
    int tensor_;
    std::vector<bool> changing_;
    Loops loops_;
    std::vector<std::pair<Use, std::shared_ptr<KnownPlacements>>> uses_{};
};

} // namespace detail

/// How often the operators of a program go to the banks for a tensor in shared memory, each operator once, where the layouts are as
/// they are and all variables at their first values. Errors: those of `dispatch`; `errc::bad_argument` for more than `most_slow` products
/// by instructions that are not the fastest.
inline Result<BankUse, Problem> bank_use_of(const Program& program, const Target& target, int tensor,
                                            std::int64_t most_slow = std::numeric_limits<std::int64_t>::max())
{
    return detail::BankTrials(program, target, tensor, std::vector<bool>(program.tensors.size(), false))(most_slow);
}

namespace detail {

/// The tensors in shared memory whose layouts are not chosen yet, other than one: what they are for now.
class UndecidedTensors {
  public:
    UndecidedTensors(Program& program, int but) : program_(&program)
    {
        for (std::size_t i = 0; i < program.tensors.size(); ++i) {
            const ProgramTensor& t = program.tensors[i];
            const Memory* m = find_memory(program.machine, t.memory.c_str());
            if (static_cast<int>(i) != but && t.hint != LayoutHint::none && m != nullptr && !is_private(program.machine, *m) &&
                volume(t.shape))
                which_.emplace_back(i, m);
        }
    }
    /// For each tensor of the program, is it one of these?
    [[nodiscard]] std::vector<bool> flags() const
    {
        std::vector<bool> out(program_->tensors.size(), false);
        for (const auto& one : which_) out[one.first] = true;
        return out;
    }
    /// Row-major, or in the columns that products by descriptors ask for, where the rows have such.
    void set(bool in_columns)
    {
        for (const auto& [i, memory] : which_) {
            ProgramTensor& t = program_->tensors[i];
            const std::int64_t span = t.shape.empty() ? 0 : widest_span(t.shape.back() * storage_bytes(t.dtype));
            t.layout = in_columns && span > 0 ? swizzled_columns(*memory, t, span).layout : plain_rows(*memory, t);
        }
    }

  private:
    Program* program_;
    std::vector<std::pair<std::size_t, const Memory*>> which_{};
};

} // namespace detail

/// A layout of a tensor in shared memory, and why it was taken ("swizzle<3,4,3>: 64 passes for 64 accesses, row-major 512"): one with
/// which products take the fastest instructions they can; of those, without bank conflicts in the operators that use it, or with the fewest passes.
///
/// Tries row-major and its variants (swizzles, rows with a gap, columns) by lowering those operators with each and counting passes; the first
/// with the fewest is taken, so that the simplest wins. A gap is taken only where no swizzle does as well. Memories whose banks are
/// not those of the rule, or none, get row-major. Errors: those of `bank_use_of` for row-major.
/// Cost: a lowering of the tensor's operators for each variant, some thirty at most, two where products are slow. A variant ends at the
/// operator at which it has as many passes as the best one so far, the search at the first without conflicts.
inline Result<HintedLayout, Problem> conflict_free_layout(const Program& program, const Target& target, int tensor)
{
    Program trial = program;
    ProgramTensor& t = trial.tensors[static_cast<std::size_t>(tensor)];
    const Memory* memory = find_memory(program.machine, t.memory.c_str());
    if (memory == nullptr || !volume(t.shape))
        return Problem(errc::bad_argument, "{0} is in no memory of the machine, or has no shape", {t.name});
    std::vector<HintedLayout> candidates = detail::shared_candidates(*memory, t);
    if (memory->banks != bank_count || memory->word != bank_bytes) return candidates.front();
    detail::UndecidedTensors others(trial, tensor);

    // Of the products that are slow as things are, how many are so whatever the layouts?
    std::int64_t most_slow = std::numeric_limits<std::int64_t>::max();
    std::vector<bool> changing = others.flags();
    changing[static_cast<std::size_t>(tensor)] = true;
    detail::BankTrials trials(trial, target, tensor, std::move(changing));
    const auto use_with = [&](const HintedLayout& c, bool in_columns, const BankUse* enough = nullptr) {
        t.layout = c.layout;
        others.set(in_columns);
        return trials(most_slow, enough);
    };
    const auto plain_use = use_with(candidates.front(), false);
    constexpr std::int64_t fails = std::int64_t{1} << 32; // as good as: a product that no instruction does
    const BankUse plain = plain_use.value_or(BankUse{0, 0, fails});
    std::int64_t slow = plain.slow_products;
    const std::int64_t span = t.shape.empty() ? 0 : widest_span(t.shape.back() * storage_bytes(t.dtype));
    if (slow > 0 && span > 0)
        if (const auto use = use_with(swizzled_columns(*memory, t, span), true)) slow = std::min(slow, use->slow_products);

    const HintedLayout* best = nullptr;
    BankUse least{};
    const auto search = [&](std::int64_t limit) {
        best = nullptr;
        most_slow = limit;
        for (const HintedLayout& c : candidates) {
            // Where layouts in columns are tried as well, the number of slow products decides whether.
            const bool is_enough = best != nullptr && slow == plain.slow_products;
            auto use = &c == &candidates.front() ? plain_use : use_with(c, false, is_enough ? &least : nullptr);
            if (slow < plain.slow_products && (!use || use->slow_products > slow))
                if (auto other = use_with(c, true); other && (!use || other->slow_products < use->slow_products)) use = other;
            if (!use) continue;
            if (best == nullptr || detail::BankTrials::is_better(*use, least)) {
                best = &c;
                least = *use;
            }
            // As few as the accesses of row-major are without conflicts.
            if (least.slow_products <= slow && least.passes <= (slow < plain.slow_products ? least.phases : plain.phases)) break;
        }
    };
    // Those with more slow products than layouts need to have are not the best: they are not looked at, unless all are such.
    const std::int64_t any = most_slow;
    search(slow < plain.slow_products ? slow : any);
    if (slow < plain.slow_products && (best == nullptr || least.slow_products > slow)) search(any);
    if (best == nullptr) return plain_use.error();
    HintedLayout out = *best;
    if (least.phases == 0) return out;
    out.detail = detail::worded(best == &candidates.front() || !plain_use ? "{0}: {1} wavefronts for {2} accesses"
                                                                          : "{0}: {1} wavefronts for {2} accesses, row-major {3}",
                                {out.detail, least.passes, least.phases, plain.passes});
    return out;
}

} // namespace v0
} // namespace axe

#endif
