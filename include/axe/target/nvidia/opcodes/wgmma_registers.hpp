// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_WGMMA_REGISTERS_HPP
#define AXE_TARGET_NVIDIA_OPCODES_WGMMA_REGISTERS_HPP

#include <axe/machine/atoms_of.hpp>
#include <axe/sim/opcodes/engine.hpp>
#include <axe/sim/opcodes/prepare.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// A [64, K] of a product of warpgroups in registers: each warp's 16 rows are in its own lanes.      [PTX ISA, 9.7.15.5.1]
class WgmmaLeft {
  public:
    static constexpr int warps = 4;

    /// @param corners of each warpgroup and issue, the first element of its tile in D's view, of rows of `columns`; −1: none
    /// @param blocks whether `load` makes blocks as `tile::run` wants them
    Result<void, Problem> prepare(const Preparation& p, const LaneAccess& a, std::int64_t k,
                                  const std::vector<std::int32_t>& corners, std::int64_t columns, bool blocks)
    {
        const Atom* atom = nullptr;
        for (const Atom& row : p.compiled->program->machine.atoms)
            if (detail::same_text(row.operand, "A") && detail::same_text(row.scope, "warpgroup") && row.dims[1] == k) atom = &row;
        if (atom == nullptr) return p.refuse("no atom of a warpgroup with an operand A of {0} columns exists", {k});
        const Distribution& part = *p.instruction->operands[1].distribution;
        const std::int64_t registers = k / 2;
        if (a.vector != registers || a.lanes != 32 || part.issues * part.agents != static_cast<int>(corners.size()) * warps)
            return p.refuse("a lane holds {0} elements of A; the view gives it {1}", {registers, a.vector});
        const Layout layout = atom->layout();
        std::vector<std::int32_t> element(static_cast<std::size_t>(64 * k), -1);
        to_.assign(element.size(), -1);
        for (std::int64_t x = 0; x < 64 * k; ++x) {
            const auto point = evaluate(layout, x);
            if (!point) return Problem(point.error(), p.where() + ": ");
            const auto at = static_cast<std::size_t>(((*point)["warp"] * 32 + (*point)["lane"]) * registers + (*point)["reg"]);
            const std::int64_t i = x / k, l = x % k;
            element[at] = static_cast<std::int32_t>(x);
            to_[at] = static_cast<std::int32_t>(blocks ? i / 16 * 256 + l / 8 * 128 + i % 16 * 8 + l % 8 : x);
        }
        for (int agent = 0; agent < part.agents; ++agent)
            for (int issue = 0; issue < part.issues; ++issue) {
                const std::int32_t corner = corners[static_cast<std::size_t>(agent / warps * part.issues + issue)];
                for (int lane = 0; lane < 32; ++lane)
                    for (int v = 0; v < registers; ++v) {
                        const std::int32_t in = element[static_cast<std::size_t>((agent % warps * 32 + lane) * registers + v)];
                        const auto asked = corner < 0 ? -1 : static_cast<std::int32_t>(corner / columns * k + in);
                        if (part.element[part.at(issue, agent, lane, v)] != asked)
                            return p.refuse("its tiles of A are not those of {0}", {atom->name});
                    }
            }
        return {};
    }

    /// The tile of an issue, row-major or in blocks. `at` is where each of the four warps has its elements.
    void load(Block& block, const LaneAccess& a, const LaneElements* at, int column, int agent, int issue,
              std::vector<float>& out) const
    {
        out.resize(to_.size());
        const auto registers = static_cast<std::size_t>(a.vector);
        for (int w = 0; w < warps; ++w) {
            const std::byte* data = block.data(a, agent + w);
            for (std::size_t lane = 0; lane < 32; ++lane)
                for (std::size_t v = 0; v < registers; ++v) {
                    const std::int64_t place = place_of_element(a, at[w], static_cast<std::size_t>(issue) * 32 + lane,
                                                                static_cast<std::size_t>(column + w), static_cast<int>(v));
                    out[static_cast<std::size_t>(to_[(static_cast<std::size_t>(w) * 32 + lane) * registers + v])] =
                        static_cast<float>(decode(a.plan->tensor->dtype, load_bits(data + place * a.plan->width, a.plan->width)));
                }
        }
    }

  private:
    std::vector<std::int32_t> to_{}; ///< [warp][lane][register]: its place in what `load` makes
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
