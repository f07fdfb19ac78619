// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_MATRICES_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_MATRICES_HPP

#include <axe/schedule/copy/moves.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// An 8×8 matrix of 16-bit elements as a warp holds it, lane l row l/4, columns 2(l mod 4) and the next, or transposed; `element[r][c]`
/// is the number of its element in the view, rows as stored in memory.
struct FragmentMatrix {
    std::array<std::array<std::int32_t, 8>, 8> element{};
    std::int64_t reg = 0; ///< the first of its two registers in every lane
};

/// The matrices that agents hold, by agent and by ascending register, and how many of them follow each other there.
struct Fragments {
    std::vector<std::vector<FragmentMatrix>> matrices{};
    bool transposed = false;
    int together = 1; ///< matrices of one instruction: 1, 2 or 4
};

/// What the lanes hold as fragments of matrices, taken apart; the reason where it is something else. Of copies in several places all are
/// taken, or (`first_only`) the first.
inline Result<Fragments, Problem> fragments_of(const Request& request, const ElementPlacement& held, bool first_only)
{
    const ExecutionScope& place = request.execution_scope();
    constexpr int lanes = 32;
    const auto no = [&](const std::string& why) {
        return Problem(errc::bad_argument, "{0} is not held as 8x8 matrices: {1}", {held.name, why});
    };
    std::vector<std::vector<LaneElement>> lists(static_cast<std::size_t>(place.count) * lanes);
    for (std::int32_t e = 0; e < held.count; ++e) {
        const auto begin = held.begin[static_cast<std::size_t>(e)], end = held.begin[static_cast<std::size_t>(e) + 1];
        if (begin == end) return no(worded("element {0} of the view is outside", {e}));
        for (auto i = begin; i < (first_only ? begin + 1 : end); ++i) {
            const Owner& o = held.owner[static_cast<std::size_t>(i)];
            const int at = place.index_of(o.agent);
            if (at < 0) return no(worded("agent {0} holds a part but does not run this statement", {o.agent}));
            lists[static_cast<std::size_t>(at * lanes + o.lane)].push_back({o.reg, e});
        }
    }
    for (auto& list : lists) std::sort(list.begin(), list.end());
    Fragments out;
    out.matrices.resize(static_cast<std::size_t>(place.count));
    for (std::size_t agent = 0; agent < out.matrices.size(); ++agent) {
        const auto* mine = &lists[agent * lanes];
        for (int l = 0; l < lanes; ++l) {
            if (mine[l].size() != mine[0].size() || mine[l].size() % 2 != 0)
                return no(worded("lane {0} holds {1} elements, lane 0 {2}", {l, mine[l].size(), mine[0].size()}));
            for (std::size_t i = 0; i < mine[l].size(); ++i)
                if (mine[l][i].reg != mine[0][i].reg || (i % 2 == 1 && mine[l][i].reg != mine[l][i - 1].reg + 1) ||
                    (i % 2 == 0 && mine[l][i].reg % 2 != 0))
                    return no("the lanes do not hold pairs in the same registers");
        }
        for (std::size_t i = 0; i < mine[0].size(); i += 2) {
            FragmentMatrix m;
            m.reg = mine[0][i].reg;
            for (int row = 0; row < 8; ++row)
                for (int c = 0; c < 8; ++c)
                    m.element[static_cast<std::size_t>(row)][static_cast<std::size_t>(c)] =
                        mine[4 * row + c / 2][i + static_cast<std::size_t>(c % 2)].element;
            out.matrices[agent].push_back(m);
        }
    }
    // As many per instruction as are consecutive in registers everywhere.
    const auto follow = [&](int x) {
        for (const auto& list : out.matrices) {
            if (list.size() % static_cast<std::size_t>(x) != 0) return false;
            for (std::size_t i = 0; i < list.size(); ++i)
                if (i % static_cast<std::size_t>(x) != 0 && list[i].reg != list[i - 1].reg + 2) return false;
        }
        return true;
    };
    out.together = follow(4) ? 4 : follow(2) ? 2 : 1;
    return out;
}

inline FragmentMatrix turned(const FragmentMatrix& m)
{
    FragmentMatrix out = m;
    for (std::size_t r = 0; r < 8; ++r)
        for (std::size_t c = 0; c < 8; ++c) out.element[r][c] = m.element[c][r];
    return out;
}

/// Are the rows of all matrices runs of 16 aligned bytes in memory; of all of them, or of all transposed?
inline bool have_rows_in(const ElementPlacement& memory, Fragments& fragments)
{
    const auto whole = [&] {
        for (const auto& list : fragments.matrices)
            for (const FragmentMatrix& m : list)
                for (const auto& row : m.element)
                    if (!memory.is_vector(row.data(), 8)) return false;
        return true;
    };
    if (whole()) return true;
    for (auto& list : fragments.matrices)
        for (FragmentMatrix& m : list) m = turned(m);
    fragments.transposed = true;
    return whole();
}

/// The distributions of ldmatrix and stmatrix: of the memory, a row of 8 for each of the first 8x lanes; of the registers, 2x for each lane.
inline std::pair<Distribution, Distribution> matrix_distributions(const Fragments& f)
{
    const int x = f.together;
    Distribution rows, regs;
    rows.agents = regs.agents = static_cast<int>(f.matrices.size());
    rows.lanes = regs.lanes = 32;
    rows.vector = 8, regs.vector = 2 * x;
    int issues = 0;
    for (const auto& list : f.matrices) issues = std::max(issues, static_cast<int>(list.size()) / x);
    rows.issues = regs.issues = issues;
    rows.element.assign(rows.at(issues, 0, 0), -1);
    regs.element.assign(regs.at(issues, 0, 0), -1);
    for (int agent = 0; agent < rows.agents; ++agent) {
        const auto& list = f.matrices[static_cast<std::size_t>(agent)];
        for (int n = 0; n < static_cast<int>(list.size()); ++n) {
            const FragmentMatrix& m = list[static_cast<std::size_t>(n)];
            for (int r = 0; r < 8; ++r)
                for (int c = 0; c < 8; ++c) {
                    const std::int32_t e = m.element[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
                    rows.element[rows.at(n / x, agent, 8 * (n % x) + r, c)] = e;
                    const int lane = f.transposed ? 4 * c + r / 2 : 4 * r + c / 2, half = f.transposed ? r % 2 : c % 2;
                    regs.element[regs.at(n / x, agent, lane, 2 * (n % x) + half)] = e;
                }
        }
    }
    return {std::move(rows), std::move(regs)};
}

/// ldmatrix (`loads`) and stmatrix, which is the same backwards.
inline Result<Body, Problem> emit_matrices(Request& request, bool loads)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    const View &held_view = request.view(loads ? 0 : 1), &view = request.view(loads ? 1 : 0);
    const ProgramTensor &held_tensor = request.tensor(held_view), &tensor = request.tensor(view);
    if (!is_private(request.machine(), request.memory(held_view)) || !request.memory(view).roles.has(Role::shared))
        return Problem(errc::bad_argument, "it copies from {0}, not from {1} to {2}",
                       {(loads ? "shared memory to registers" : "registers to shared memory"), request.tensor(1).memory,
                        request.tensor(0).memory});
    if (held_tensor.dtype != tensor.dtype || storage_bytes(tensor.dtype) != 2)
        return Problem(errc::bad_argument, "it moves 16-bit elements without conversion; {0} is {1} and {2} is {3}",
                       {held_tensor.name, name(held_tensor.dtype), tensor.name, name(tensor.dtype)});
    if (held_view.guarded || view.guarded)
        return Problem(errc::bad_argument, "the view of {0} may cross its edge, but only whole rows are moved",
                       {(view.guarded ? tensor.name : held_tensor.name)});
    const int asked = request.operation().options.vector_bytes;
    if (asked > 0 && asked < 16) return Problem(errc::bad_argument, "rows of 16 bytes exceed the {0} requested", {asked});
    const auto held = element_placement(request, held_view);
    if (!held) return held.error();
    const auto memory = element_placement(request, view);
    if (!memory) return memory.error();
    auto fragments = fragments_of(request, *held, !loads);
    if (!fragments) return fragments.error();
    if (!have_rows_in(*memory, *fragments))
        return Problem(errc::bad_argument,
                       "the rows of the matrices in {0} are not 16 consecutive, aligned bytes in {1}, transposed or not",
                       {held->name, memory->name});
    while (fragments->together > 1 && held->step % (2 * fragments->together) != 0) fragments->together /= 2;
    auto [rows, regs] = matrix_distributions(*fragments);
    const std::string form = ".x" + std::to_string(fragments->together) + (fragments->transposed ? ".trans" : "");
    Instruction out = make_instruction(request, loads ? "ldmatrix" : "stmatrix",
                                       std::string(loads ? "ld" : "st") + "matrix.sync.aligned.m8n8" + form + ".shared.b16");
    const Access registers{held_view, std::make_shared<const Distribution>(std::move(regs))};
    const Access memory_rows{view, std::make_shared<const Distribution>(std::move(rows))};
    out.operands = loads ? std::vector<Access>{registers, memory_rows} : std::vector<Access>{memory_rows, registers};
    out.parameters = {fragments->together, fragments->transposed ? 1 : 0};
    request.decided(form.substr(1));
    return Body{make_statement(std::move(out))};
}

inline bool has_ldmatrix(const Machine& machine) noexcept { return has_instruction(machine, "ldmatrix"); }
inline bool has_stmatrix(const Machine& machine) noexcept { return has_instruction(machine, "stmatrix"); }
inline Result<Body, Problem> emit_ldmatrix(Request& request) { return emit_matrices(request, true); }
inline Result<Body, Problem> emit_stmatrix(Request& request) { return emit_matrices(request, false); }

} // namespace detail

/// Copies of 8×8 matrices between shared memory and the fragments of matrix instructions.      [PTX, ldmatrix, stmatrix]
inline constexpr Schedule matrix_copy_schedules[] = {
    {Op::copy, "ldmatrix", 40, "ldmatrix", "a warp loads 1, 2 or 4 matrices of 8x8 16-bit elements, transposed on the way or not",
     detail::has_ldmatrix, detail::emit_ldmatrix},
    {Op::copy, "stmatrix", 40, "stmatrix", "the same, backwards", detail::has_stmatrix, detail::emit_stmatrix},
};

} // namespace v0
} // namespace axe

#endif
