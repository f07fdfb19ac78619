// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_SCHEDULES_NEST_HPP
#define AXE_TARGET_TRAINIUM_SCHEDULES_NEST_HPP

#include <axe/layout/mixed_radix.hpp>
#include <axe/target/trainium/schedules/placed.hpp>

/// Several operands over the dimensions of one operator, cut into digits that serve all of them; and boxes of that nest.
namespace axe {
inline namespace v0 {
namespace detail::trainium {

/// What a digit of a dimension of the operator moves in each operand; nothing in one that does not have the dimension.
struct NestDigit {
    int dim = 0;
    std::int64_t extent = 1, weight = 1;
    std::vector<std::int64_t> p{}, f{};
};

struct Nest {
    std::vector<Placed> operands{};
    std::vector<std::vector<int>> view_dim{}; ///< [operand][dimension of the operator]: the view's, or −1
    std::vector<NestDigit> digits{};          ///< by dimension, outermost first

    /// Is the digit on P in this operand?
    [[nodiscard]] bool on_p(int digit, int operand) const { return at(digit).p[static_cast<std::size_t>(operand)] != 0; }
    [[nodiscard]] std::int64_t p(int digit, int operand) const { return at(digit).p[static_cast<std::size_t>(operand)]; }
    [[nodiscard]] std::int64_t f(int digit, int operand) const { return at(digit).f[static_cast<std::size_t>(operand)]; }
    [[nodiscard]] const NestDigit& at(int digit) const { return digits[static_cast<std::size_t>(digit)]; }
    [[nodiscard]] int count() const { return static_cast<int>(digits.size()); }
    [[nodiscard]] const Placed& operand(int o) const { return operands[static_cast<std::size_t>(o)]; }
    [[nodiscard]] int operand_count() const { return static_cast<int>(operands.size()); }
};

/// The coarsest digits that serve all operands: their boundaries in each dimension together.      [Axe 3.4, group]
///
/// `errc::no_layout` with the dimension when two boundaries do not divide.
inline Result<Nest, Problem> make_nest(std::vector<Placed> operands, std::vector<std::vector<int>> view_dim, int dims)
{
    Nest nest{std::move(operands), std::move(view_dim), {}};
    const auto of = [&](std::size_t o, int dim) -> const std::vector<Digit>* {
        const int k = nest.view_dim[o][static_cast<std::size_t>(dim)];
        return k < 0 ? nullptr : &nest.operands[o].dims[static_cast<std::size_t>(k)];
    };
    for (int dim = 0; dim < dims; ++dim) {
        MixedRadix common;
        for (std::size_t o = 0; o < nest.operands.size(); ++o) {
            const auto* digits = of(o, dim);
            if (digits == nullptr || digits->empty()) continue;
            MixedRadix own;
            for (const Digit& d : *digits)
                if (const Status e = own.push(d.extent, 0); !e.ok()) return Problem(e.error(), nest.operands[o].name + ": ");
            const auto both = common.digits.empty() ? Result<MixedRadix>(own) : common.refined(own);
            if (!both && both.code() != errc::not_grouped) return Problem(both.error(), nest.operands[o].name + ": ");
            if (!both)
                return declined(
                    "dimension {0} is split after {1} indices by one operand and after {2} by another; one must divide the other",
                    {dim, both.error().numbers[0], both.error().numbers[1]});
            common = *both;
        }
        for (const auto& cut : common.digits) {
            NestDigit digit{dim, cut.extent, cut.weight, {}, {}};
            for (std::size_t o = 0; o < nest.operands.size(); ++o) {
                std::int64_t p = 0, f = 0;
                if (const auto* digits = of(o, dim))
                    for (const Digit& d : *digits)
                        if (d.weight <= digit.weight && digit.weight < d.weight * d.extent) {
                            p = d.p * (digit.weight / d.weight);
                            f = d.f * (digit.weight / d.weight);
                        }
                digit.p.push_back(p);
                digit.f.push_back(f);
            }
            nest.digits.push_back(std::move(digit));
        }
    }
    return nest;
}

/// A run of values of one digit.
struct Chunk {
    std::int64_t start = 0, extent = 1;
};

/// How a nest becomes instructions: each digit's values in runs, one run of each an instruction's.
struct Cut {
    std::vector<std::vector<Chunk>> runs{}; ///< of each digit
    std::vector<std::vector<int>> groups{}; ///< digits within an instruction, by dimension of the instruction, outermost first
};

/// All digits one value at a time.
inline Cut singles(const Nest& nest)
{
    Cut cut;
    for (const NestDigit& d : nest.digits) {
        cut.runs.emplace_back();
        for (std::int64_t i = 0; i < d.extent; ++i) cut.runs.back().push_back({i, 1});
    }
    return cut;
}

inline void take_whole(const Nest& nest, Cut& cut, int digit)
{
    cut.runs[static_cast<std::size_t>(digit)] = {{0, nest.at(digit).extent}};
}

/// Runs as long as they fit, one after the other. On failure the value from which on none does.
template <class Fits>
Result<std::vector<Chunk>, Problem> cut_runs(std::int64_t extent, std::int64_t most, const Fits& fits)
{
    std::vector<Chunk> out;
    for (std::int64_t at = 0; at < extent;) {
        std::int64_t n = std::min(most, extent - at);
        while (n > 0 && !fits(at, n)) --n;
        if (n < 1) return declined("from value {0} on no run fits", {at});
        out.push_back({at, n});
        at += n;
    }
    return out;
}

/// The coordinates on P (or F) that runs of the digits not listed start at, relative to the operand's start.
inline std::set<std::int64_t> offsets(const Nest& nest, const Cut& cut, int operand, bool on_f, const std::vector<int>& without)
{
    std::set<std::int64_t> sums{0};
    for (int d = 0; d < nest.count(); ++d) {
        const std::int64_t stride = on_f ? nest.f(d, operand) : nest.p(d, operand);
        if (stride == 0 || std::find(without.begin(), without.end(), d) != without.end()) continue;
        std::set<std::int64_t> next;
        for (const std::int64_t s : sums)
            for (const Chunk& c : cut.runs[static_cast<std::size_t>(d)]) next.insert(s + stride * c.start);
        sums = std::move(next);
    }
    return sums;
}

/// The part of an operand's view that one instruction takes: a dimension for each digit of each group, neighbors in one dimension of
/// the operator merged where they follow each other, and at least one dimension a group.
inline View box(const Nest& nest, const Cut& cut, int operand, const std::vector<int>& groups, const std::vector<Chunk>& at)
{
    const Placed& placed = nest.operand(operand);
    const View& whole = placed.view;
    const auto& view_dim = nest.view_dim[static_cast<std::size_t>(operand)];
    View out;
    out.tensor = whole.tensor;
    out.origin = whole.origin;
    for (int d = 0; d < nest.count(); ++d) {
        const int k = view_dim[static_cast<std::size_t>(nest.at(d).dim)];
        if (k < 0 || whole.dims[k] < 0) continue;
        out.origin[static_cast<std::size_t>(whole.dims[k])] +=
            whole.steps[k] * nest.at(d).weight * at[static_cast<std::size_t>(d)].start;
    }
    for (const int g : groups) {
        struct Dim {
            int dim;
            std::int64_t extent, weight;
        };
        std::vector<Dim> dims;
        for (const int d : cut.groups[static_cast<std::size_t>(g)]) {
            const NestDigit& digit = nest.at(d);
            const std::int64_t extent = at[static_cast<std::size_t>(d)].extent;
            if (extent == 1) continue;
            if (!dims.empty() && dims.back().dim == digit.dim && dims.back().weight == digit.weight * extent) {
                dims.back().extent *= extent;
                dims.back().weight = digit.weight;
            } else {
                dims.push_back({digit.dim, extent, digit.weight});
            }
        }
        if (dims.empty()) dims.push_back({-1, 1, 1});
        for (const Dim& d : dims) {
            const int k = d.dim < 0 ? -1 : view_dim[static_cast<std::size_t>(d.dim)];
            out.extents.push_back(d.extent);
            out.dims.push_back(k < 0 ? -1 : whole.dims[k]);
            out.steps.push_back(k < 0 || whole.dims[k] < 0 ? 1 : whole.steps[k] * d.weight);
        }
    }
    return out;
}

/// The dimensions of an address pattern in the free dimension: digits in this order, neighbors with chained strides merged.
inline std::vector<Digit> pattern(const Nest& nest, int operand, const std::vector<int>& order,
                                  const std::vector<std::int64_t>& extents)
{
    std::vector<Digit> out;
    for (const int d : order) {
        const std::int64_t extent = extents[static_cast<std::size_t>(d)], stride = nest.f(d, operand);
        if (extent == 1 || nest.view_dim[static_cast<std::size_t>(operand)][static_cast<std::size_t>(nest.at(d).dim)] < 0) continue;
        if (!out.empty() && out.back().f == stride * extent && extent == nest.at(d).extent) {
            out.back().extent *= extent;
            out.back().f = stride;
        } else {
            out.push_back({extent, 1, 0, stride});
        }
    }
    return out;
}

/// Does a pattern obey the machine's limits: dimensions, extents, strides?      [AWS NKI, access patterns]
inline Result<void, Problem> check_pattern(const Machine& machine, const Nest& nest, int operand, const std::vector<Digit>& dims)
{
    const auto most = limit(machine, "access.dims"), extent = limit(machine, "access.extent"),
               stride = limit(machine, "access.stride");
    for (const auto* number : {&most, &extent, &stride})
        if (!*number) return number->error();
    const std::string& name = nest.operand(operand).name;
    if (static_cast<std::int64_t>(dims.size()) > *most)
        return declined("{0} needs {1} dimensions of an address pattern; there are {2}",
                        {name, static_cast<std::int64_t>(dims.size()), *most});
    for (const Digit& d : dims) {
        if (d.extent > *extent)
            return declined("{0}: {1} elements along one dimension of an address pattern exceed {2}", {name, d.extent, *extent});
        if (d.f > *stride || d.f < -*stride - 1) return declined("{0}: a stride of {1} elements exceeds {2}", {name, d.f, *stride});
    }
    return {};
}

/// The most instructions that a schedule writes out.
inline constexpr std::int64_t most_instructions = 65536;

/// Calls f with one run of each digit, the digits of `order` slowest first.
template <class F>
Result<void, Problem> for_each_box(const Nest& nest, const Cut& cut, const std::vector<int>& order, const F& f)
{
    std::int64_t count = 1;
    for (const auto& runs : cut.runs) {
        if (static_cast<std::int64_t>(runs.size()) > most_instructions / count)
            return declined("it would need more than {0} instructions", {most_instructions}, errc::capacity);
        count *= static_cast<std::int64_t>(runs.size());
    }
    std::vector<std::size_t> at(static_cast<std::size_t>(nest.count()), 0);
    for (std::int64_t i = 0; i < count; ++i) {
        std::vector<Chunk> now;
        for (std::size_t d = 0; d < at.size(); ++d) now.push_back(cut.runs[d][at[d]]);
        f(now);
        for (std::size_t o = order.size(); o-- > 0;) {
            const auto d = static_cast<std::size_t>(order[o]);
            if (++at[d] < cut.runs[d].size()) break;
            at[d] = 0;
        }
    }
    return {};
}

/// The statement of an instruction that one engine runs on whole boxes.
inline Statement engine_statement(const char* opcode, std::string text, int engine, std::vector<View> views)
{
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.text = std::move(text);
    for (View& v : views) instruction.operands.push_back({std::move(v), nullptr});
    instruction.first_agent = engine;
    return {-1, std::move(instruction)};
}

} // namespace detail::trainium
} // namespace v0
} // namespace axe

#endif
