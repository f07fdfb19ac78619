// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_WGMMA_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_WGMMA_HPP

#include <axe/schedule/copy/moves.hpp>
#include <axe/schedule/gemm.hpp>
#include <axe/support/sort.hpp>
#include <axe/target/nvidia/messages.hpp>
#include <axe/target/nvidia/wgmma/descriptor.hpp>
#include <axe/target/nvidia/wgmma/forms.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline bool has_wgmma(const Machine& machine) noexcept { return has_instruction(machine, "wgmma"); }

/// The accumulators that a machine's wgmma has for D, the widest first.
inline std::vector<Atom> wgmma_accumulators(const Machine& machine, DType d)
{
    std::vector<Atom> out;
    for (const Atom& atom : machine.atoms)
        if (same_text(atom.operand, "D") && same_text(atom.scope, "warpgroup") && same_text(atom.element, ptx_type(d)))
            out.push_back(atom);
    sort_stably(out, [](const Atom& a, const Atom& b) { return a.dims[1] > b.dims[1]; });
    return out;
}

inline Result<void, Problem> check_warpgroups(const ExecutionScope& scope)
{
    if (scope.first % 4 == 0 && scope.count % 4 == 0 && scope.stride == 1) return {};
    return Problem(errc::bad_argument,
                   "{0} agents from {1} in steps of {2} run it; warpgroups are 4 neighbors, the first a multiple of 4",
                   {scope.count, scope.first, scope.stride});
}

/// wgmma rounds a sum of f16 with each instruction, other products of registers once: it is taken where the program asks for it.
inline bool takes_wgmma_sums(const Request& r)
{
    const Options& o = r.operation().options;
    return r.tensor(0).dtype != DType::f16 || o.async || o.schedule == "wgmma";
}
inline bool has_wgmma_types(const Request& r)
{
    return has_wgmma(r.machine()) && is_wgmma_product(r.tensor(0).dtype, r.tensor(1).dtype, r.tensor(2).dtype) &&
           takes_wgmma_sums(r);
}

/// The widest accumulator of which D is made, and D's tiles by issue: those of agent a, which is the first of a warpgroup, at a/4.
struct WgmmaTiles {
    Atom atom{};
    std::shared_ptr<const Distribution> distribution{};
};
inline Result<WgmmaTiles, Problem> wgmma_tiles(const Request& request, const MatrixProduct& p)
{
    const ProgramTensor& t = request.tensor(p.d);
    const auto layout = box_layout(request, p.d);
    if (!layout) return layout.error();
    const auto where = element_placement(request, p.d);
    if (!where) return where.error();
    const ExecutionScope& scope = request.execution_scope();
    Error why;
    for (const Atom& atom : wgmma_accumulators(request.machine(), t.dtype)) {
        const std::int64_t m = atom.dims[0], n = atom.dims[1];
        if (const auto grid = grid_of_tiles(*layout, p.shape(), atom); !grid) {
            why = grid.error();
            continue;
        }
        // The tiles of each warpgroup, row by row.
        std::vector<std::vector<std::int64_t>> corners(static_cast<std::size_t>(scope.count / 4));
        for (std::int64_t i = 0; i < p.m; i += m)
            for (std::int64_t j = 0; j < p.n; j += n) {
                const auto corner = static_cast<std::size_t>(i * p.n + j);
                for (auto o = where->begin[corner]; o < where->begin[corner + 1]; ++o) {
                    const int agent = where->owner[static_cast<std::size_t>(o)].agent, at = scope.index_of(agent);
                    if (at < 0) return idle_owner(agent, where->name);
                    corners[static_cast<std::size_t>(at / 4)].push_back(i * p.n + j);
                }
            }
        Distribution out;
        out.agents = scope.count;
        out.lanes = 32;
        out.vector = static_cast<int>(n / 2);
        out.issues = 0;
        for (const auto& list : corners) out.issues = std::max(out.issues, static_cast<int>(list.size()));
        out.element.assign(out.at(out.issues, 0, 0), -1);
        Point point;
        for (std::int64_t x = 0; x < m * n; ++x) {
            evaluate_into(atom.layout(), x, point);
            for (std::size_t g = 0; g < corners.size(); ++g)
                for (std::size_t issue = 0; issue < corners[g].size(); ++issue)
                    out.element[out.at(static_cast<int>(issue), static_cast<int>(4 * g) + static_cast<int>(point[Axis{"warp"}]),
                                       static_cast<int>(point[Axis{"lane"}]), static_cast<int>(point[Axis{"reg"}]))] =
                        static_cast<std::int32_t>(corners[g][issue] + x / n * p.n + x % n);
        }
        if (!holds_fragments(*where, out, scope)) {
            why = Error(errc::bad_argument, -1, "its registers are not in the order of the instruction's");
            continue;
        }
        return WgmmaTiles{atom, std::make_shared<const Distribution>(std::move(out))};
    }
    return Problem(why.code,
                   worded("{0} is not made of accumulators of a warpgroup, 64 x N: {1}", {t.name, why.message().c_str()}));
}

/// Does a descriptor exist for each tile of an operand that an instruction reads? `tile` rows of A, or columns of B.
inline Result<void, Problem> check_wgmma_operand(const Request& request, const View& v, MatrixSide side, std::int64_t tile,
                                                 std::int64_t k)
{
    const auto where = element_placement(request, v);
    if (!where) return where.error();
    const std::int64_t rows = v.extents[0], cols = v.extents[1], mn = side == MatrixSide::a ? rows : cols, depth = rows * cols / mn;
    for (std::int64_t first = 0; first < mn; first += tile)
        for (std::int64_t step = 0; step < depth; step += k) {
            const auto made = shared_descriptor(tile, k, where->bytes, [&](std::int64_t i, std::int64_t l) {
                const std::int64_t e = side == MatrixSide::a ? (first + i) * cols + step + l : (step + l) * cols + first + i;
                return where->address[static_cast<std::size_t>(e)] * where->bytes;
            });
            if (made) continue;
            return Problem(errc::bad_argument, no_descriptor_text(where->name, side == MatrixSide::a ? first : step,
                                                                  side == MatrixSide::a ? step : first, made.error().text));
        }
    return {};
}

/// Who holds which element of A [M, k] in registers for the issues that write D's tiles: each warp 16 of the 64 rows, as the atom says.
inline Result<std::shared_ptr<const Distribution>, Problem> wgmma_left(const Request& request, const MatrixProduct& p,
                                                                       const Distribution& of_d, std::int64_t k)
{
    const Atom* atom = nullptr;
    for (const Atom& row : request.machine().atoms)
        if (same_text(row.operand, "A") && same_text(row.scope, "warpgroup") && row.dims[1] == k) atom = &row;
    const std::string& name = request.tensor(p.a).name;
    if (atom == nullptr) return Problem(errc::bad_argument, "no product of warpgroups has {0} in registers", {name});
    Distribution out;
    out.issues = of_d.issues;
    out.agents = of_d.agents;
    out.lanes = 32;
    out.vector = static_cast<int>(k / 2);
    out.element.assign(out.at(out.issues, 0, 0), -1);
    Point point;
    for (std::int64_t x = 0; x < 64 * k; ++x) {
        evaluate_into(atom->layout(), x, point);
        const int warp = static_cast<int>(point[Axis{"warp"}]), lane = static_cast<int>(point[Axis{"lane"}]);
        for (int group = 0; group < out.agents / 4; ++group)
            for (int issue = 0; issue < out.issues; ++issue)
                if (const std::int32_t corner = of_d.element[of_d.at(issue, 4 * group, 0)]; corner >= 0)
                    out.element[out.at(issue, 4 * group + warp, lane, static_cast<int>(point[Axis{"reg"}]))] =
                        static_cast<std::int32_t>(corner / p.n * k + x);
    }
    for (std::int64_t step = 0; step < p.k / k; ++step) {
        const auto where = element_placement(request, narrowed(p.a, 0, step * k, k));
        if (!where) return where.error();
        if (!holds_fragments(*where, out, request.execution_scope()))
            return Problem(errc::bad_argument, hinted("{0} is in registers, and not as {1} takes it", "give it the hint operand_a"),
                           {name, atom->name});
    }
    return std::make_shared<const Distribution>(std::move(out));
}

inline Result<Body, Problem> emit_wgmma(Request& request)
{
    const auto product = matrix_product_of(request);
    if (!product) return product.error();
    const MatrixProduct& p = *product;
    if (auto e = check_in_block(request); !e.ok()) return e;
    const auto type = [&](const View& v) { return request.tensor(v).dtype; };
    if (!is_wgmma_product(type(p.d), type(p.a), type(p.b)))
        return Problem(errc::bad_argument, "wgmma does not multiply {0} and {1} into {2}",
                       {name(type(p.a)), name(type(p.b)), name(type(p.d))});
    if (!takes_wgmma_sums(request))
        return Problem(errc::bad_argument,
                       hinted("{0} is of f16, which wgmma rounds with each instruction", "name the schedule wgmma"),
                       {request.tensor(p.d).name});
    if (p.d.rank() != 2) return Problem(errc::bad_argument, product_rank_text(p.d.rank()));
    if (!is_private(request.machine(), request.memory(p.d))) return Problem(errc::bad_argument, not_in_registers(request, p.d));
    const bool in_registers = is_private(request.machine(), request.memory(p.a)) && !p.a.guarded;
    for (const View* v : {&p.a, &p.b})
        if (!(v == &p.a && in_registers) && (!request.memory(*v).roles.has(Role::shared) || v->guarded))
            return Problem(errc::bad_argument, "{0} is in {1}{2}; the operand must be in shared memory, without a guard",
                           {request.tensor(*v).name, request.memory(*v).name, std::string(v->guarded ? ", guarded" : "")});
    const ExecutionScope& scope = request.execution_scope();
    if (auto e = check_warpgroups(scope); !e.ok()) return e;
    const std::int64_t k = 32 / storage_bytes(type(p.a));
    if (p.k % k != 0) return Problem(errc::size_mismatch, depth_text(p.k, k));
    const auto tiles = wgmma_tiles(request, p);
    if (!tiles) return tiles.error();
    std::shared_ptr<const Distribution> left;
    if (in_registers) {
        auto held = wgmma_left(request, p, *tiles->distribution, k);
        if (!held) return held.error();
        left = std::move(*held);
    } else if (auto e = check_wgmma_operand(request, p.a, MatrixSide::a, tiles->atom.dims[0], k); !e.ok())
        return e;
    if (auto e = check_wgmma_operand(request, p.b, MatrixSide::b, tiles->atom.dims[1], k); !e.ok()) return e;
    const bool leaves = request.operation().options.async;
    Body body;
    // What ordinary accesses have written must be visible to the products; who leaves a product going sees to it.
    if (!leaves) body.push_back({-1, ProxyFence{}});
    for (std::int64_t step = 0; step < p.k / k; ++step) {
        Instruction out = make_instruction(request, "wgmma", tiles->atom.name);
        const bool first = step == 0, last = step + 1 == p.k / k;
        out.operands = {
            {p.d, tiles->distribution}, {narrowed(p.a, 0, step * k, k), left}, {narrowed(p.b, 1, step * k, k), nullptr}};
        out.parameters = {!first || request.operation().accumulate ? 1 : 0, first ? 1 : 0, last ? 1 : 0};
        const Operation& o = request.operation();
        if (o.negate_a || o.negate_b) { // imm-scale-a, imm-scale-b
            out.parameters.push_back(o.negate_a ? 1 : 0);
            out.parameters.push_back(o.negate_b ? 1 : 0);
        }
        out.async = true;
        body.push_back(make_statement(std::move(out)));
    }
    if (!leaves) body.push_back({-1, Wait{0, Wait::Of::products}});
    request.decided(worded("{0}: {1} tiles per warpgroup for each of {2} k{3}",
                           {tiles->atom.name, tiles->distribution->issues, p.k / k,
                            in_registers ? worded("; {0} is in registers", {request.tensor(p.a).name}) : std::string()}));
    return body;
}

} // namespace detail

/// Products of warpgroups.      [PTX, wgmma]
inline constexpr int warpgroup_products = 3;
inline constexpr Schedule wgmma_schedules[] = {
    {Op::gemm,
     "wgmma",
     60,
     "wgmma",
     "warpgroups multiply tiles of shared memory into their registers",
     detail::has_wgmma,
     detail::emit_wgmma,
     warpgroup_products,
     detail::has_wgmma_types,
     false,
     {.negated = true}},
};

} // namespace v0
} // namespace axe

#endif
