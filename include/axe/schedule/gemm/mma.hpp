// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_GEMM_MMA_HPP
#define AXE_SCHEDULE_GEMM_MMA_HPP

#include <axe/schedule/copy/moves.hpp>
#include <axe/schedule/dispatch.hpp>
#include <axe/schedule/gemm/product.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Which element of an atom's operand a lane holds in each register: row-major (lane, reg).
inline std::vector<std::int32_t> fragment_table(const Atom& atom, int lanes)
{
    const Layout layout = atom.layout();
    std::int64_t n = 1;
    for (const auto& it : layout.shard) n *= it.extent;
    std::vector<std::int32_t> out(static_cast<std::size_t>(n));
    const std::int64_t vector = n / lanes;
    Point p;
    for (std::int64_t x = 0; x < n; ++x) {
        evaluate_into(layout, x, p);
        out[static_cast<std::size_t>(p[Axis{"lane"}] * vector + p[Axis{"reg"}])] = static_cast<std::int32_t>(x);
    }
    return out;
}

/// Tile (b, i, j) of D.
struct MatrixCell {
    std::int64_t b, i, j;
};

/// The tiles of each agent that runs the operator, in the order of the issues: row by row.
inline Result<std::vector<std::vector<MatrixCell>>, Problem> cells_of_agents(const Request& request, const MatrixProduct& p,
                                                                             const MatrixAtom& atom)
{
    const auto where = element_placement(request, p.d);
    if (!where) return where.error();
    std::vector<std::vector<MatrixCell>> out(static_cast<std::size_t>(request.execution_scope().count));
    for (std::int64_t b = 0; b < p.batch; ++b)
        for (std::int64_t i = 0; i < p.m / atom.m(); ++i)
            for (std::int64_t j = 0; j < p.n / atom.n(); ++j) {
                const auto corner = static_cast<std::size_t>((b * p.m + i * atom.m()) * p.n + j * atom.n());
                for (auto o = where->begin[corner]; o < where->begin[corner + 1]; ++o) {
                    const int agent = where->owner[static_cast<std::size_t>(o)].agent,
                              at = request.execution_scope().index_of(agent);
                    if (at < 0) return idle_owner(agent, where->name);
                    out[static_cast<std::size_t>(at)].push_back({b, i, j});
                }
            }
    return out;
}

/// The distribution of one operand of the instruction: `first(cell)` and `pitch` say where a tile of `cols` columns begins in the view.
template <class First>
std::shared_ptr<const Distribution> tile_distribution(const std::vector<std::vector<MatrixCell>>& cells, int lanes,
                                                      const Atom& operand, std::int64_t pitch, const First& first)
{
    const auto table = fragment_table(operand, lanes);
    Distribution out;
    out.agents = static_cast<int>(cells.size());
    out.lanes = lanes;
    out.vector = static_cast<int>(table.size()) / lanes;
    out.issues = 0;
    for (const auto& list : cells) out.issues = std::max(out.issues, static_cast<int>(list.size()));
    out.element.assign(out.at(out.issues, 0, 0), -1);
    for (int agent = 0; agent < out.agents; ++agent)
        for (std::size_t issue = 0; issue < cells[static_cast<std::size_t>(agent)].size(); ++issue) {
            const std::int64_t begin = first(cells[static_cast<std::size_t>(agent)][issue]);
            const std::size_t at = out.at(static_cast<int>(issue), agent, 0);
            for (std::size_t x = 0; x < table.size(); ++x)
                out.element[at + x] =
                    static_cast<std::int32_t>(begin + table[x] / operand.dims[1] * pitch + table[x] % operand.dims[1]);
        }
    return std::make_shared<const Distribution>(std::move(out));
}

} // namespace detail

/// Do registers hold an operand as the instruction wants it: each element in the lane that the distribution names, what shares 32 bits
/// of the instruction's registers sharing them here?
inline bool holds_fragments(const ElementPlacement& placement, const Distribution& p, const ExecutionScope& place)
{
    const int pack = std::max(1, 4 / placement.bytes);
    for (int issue = 0; issue < p.issues; ++issue)
        for (int agent = 0; agent < p.agents; ++agent)
            for (int lane = 0; lane < p.lanes; ++lane)
                for (int e = 0; e < p.vector; ++e) {
                    const std::int32_t element = p.element[p.at(issue, agent, lane, e)];
                    if (element < 0) continue;
                    const Owner* here = placement.held_by(element, place.first + agent * place.stride, lane);
                    if (here == nullptr) return false;
                    if (here->reg % pack != e % pack) return false;
                    const Owner* first = placement.held_by(p.element[p.at(issue, agent, lane, e - e % pack)],
                                                           place.first + agent * place.stride, lane);
                    if (first == nullptr || here->reg != first->reg + e % pack) return false;
                }
    return true;
}

namespace detail {

/// The largest instruction of which D is made and that K is a multiple of.
inline Result<MatrixAtom, Problem> choose_atom(const Request& request, const MatrixProduct& p, const Layout& d)
{
    const DType td = request.tensor(p.d).dtype, ta = request.tensor(p.a).dtype, tb = request.tensor(p.b).dtype;
    const auto known = matrix_atoms(request.machine(), td, ta, tb);
    if (known.empty())
        return Problem(errc::bad_argument, "{0} has no matrix instruction of a warp for {1} = {2} x {3} + {1}",
                       {request.machine().name, name(td), name(ta), name(tb)});
    Error of_layout;
    std::int64_t least = 0;
    for (const MatrixAtom& atom : known) {
        const auto grid = grid_of_tiles(d, p.shape(), atom);
        if (!grid) {
            of_layout = grid.error();
            continue;
        }
        if (p.k % atom.k() == 0) return atom;
        least = atom.k();
    }
    if (least > 0)
        return Problem(errc::size_mismatch, hinted("K is {0}, not a multiple of {1}, the least K of {2}", "pad with zeros"),
                       {p.k, least, request.machine().name});
    return Problem(of_layout.code, worded("{0} is not a tiling of the instruction's accumulator: {1}",
                                          {request.tensor(p.d).name, of_layout.message().c_str()}));
}

/// One operand of each step: where it is already, if that is right, else a temporary that a copy fills.
class FragmentSource {
  public:
    FragmentSource(Request& request, View whole, MatrixSide side, std::shared_ptr<const Distribution> distribution,
                   const Layout& layout, std::int64_t depth)
        : request_(&request),
          whole_(std::move(whole)),
          from_last_(side == MatrixSide::a ? 0 : 1),
          distribution_(std::move(distribution)),
          layout_(layout),
          depth_(depth)
    {
    }

    /// The access of step number `step`; what fills it is appended to `body`.
    Result<Access, Problem> step(std::int64_t step, Body& body)
    {
        View part = narrowed(whole_, from_last_, step * depth_, depth_);
        if (is_private(request_->machine(), request_->memory(part)) && !part.guarded) {
            const auto where = element_placement(*request_, part);
            if (!where) return where.error();
            if (holds_fragments(*where, *distribution_, request_->execution_scope())) return Access{std::move(part), distribution_};
        }
        if (temporary_.tensor < 0) {
            const ProgramTensor t = request_->tensor(part);
            temporary_ = register_temporary(*request_, t.name + ".fragments", part.extents, t.dtype, layout_);
        }
        auto copy = emit_nested(*request_, operation_of(Op::copy, temporary_, std::move(part)));
        if (!copy) return copy.error();
        for (const Statement& s : *copy)
            if (const auto* i = std::get_if<Instruction>(&s.what)) how_ = i->text;
        add_statements(body, std::move(*copy));
        return Access{temporary_, distribution_};
    }

    /// By which instruction the operand comes, for who reads the choice.
    [[nodiscard]] std::string how() const
    {
        const std::string& name = request_->tensor(whole_).name;
        return how_.empty() ? worded("{0} is in place", {name}) : worded("{0} by {1}", {name, how_});
    }

  private:
    Request* request_;
    View whole_;
    int from_last_;
    std::shared_ptr<const Distribution> distribution_;
    Layout layout_;
    std::int64_t depth_;
    View temporary_{};
    std::string how_{};
};

} // namespace detail

/// D = A·B (+ D) by `mma.sync`: D in registers, made of tiles of the instruction's accumulator; for each k of the instruction the
/// fragments of A and B are copied to registers by the schedules of copy (`ldmatrix` where it applies), unless they are there already,
/// and one instruction issues all tiles of each warp, row by row.
///
/// Declines when the machine has no such instruction for the types, D is not such a tensor, or K is not a multiple of the instruction's.
inline Result<Body, Problem> emit_mma_sync(Request& request)
{
    using namespace detail;
    const auto product = matrix_product_of(request);
    if (!product) return product.error();
    const MatrixProduct& p = *product;
    if (!is_private(request.machine(), request.memory(p.d)))
        return Problem(errc::bad_argument, "{0} is in {1}; mma.sync writes registers",
                       {request.tensor(p.d).name, request.tensor(p.d).memory});
    const auto d = box_layout(request, p.d);
    if (!d) return d.error();
    const auto atom = choose_atom(request, p, *d);
    if (!atom) return atom.error();
    const auto cells = cells_of_agents(request, p, *atom);
    if (!cells) return cells.error();

    const Shape grid_shape{p.batch, p.m / atom->m(), p.n / atom->n()};
    const auto grid = grid_of_tiles(*d, p.shape(), *atom);
    const Axis reg = BlockAxes(request.machine()).reg;
    const auto a_layout = fragment_layout(*grid, grid_shape, MatrixSide::a, atom->k(), *atom, reg);
    const auto b_layout = fragment_layout(*grid, grid_shape, MatrixSide::b, atom->k(), *atom, reg);
    if (!a_layout) return Problem(a_layout.error(), request.tensor(p.a).name + ": ");
    if (!b_layout) return Problem(b_layout.error(), request.tensor(p.b).name + ": ");

    const int lanes = block_scopes(request.machine()).lanes();
    const auto of_d = tile_distribution(*cells, lanes, atom->c, p.n,
                                        [&](const MatrixCell& c) { return (c.b * p.m + c.i * atom->m()) * p.n + c.j * atom->n(); });
    const auto of_a = tile_distribution(*cells, lanes, atom->a, atom->k(),
                                        [&](const MatrixCell& c) { return (c.b * p.m + c.i * atom->m()) * atom->k(); });
    const auto of_b = tile_distribution(*cells, lanes, atom->b, p.n,
                                        [&](const MatrixCell& c) { return c.b * atom->k() * p.n + c.j * atom->n(); });
    FragmentSource a(request, p.a, MatrixSide::a, of_a, *a_layout, atom->k());
    FragmentSource b(request, p.b, MatrixSide::b, of_b, *b_layout, atom->k());

    Body body;
    if (!request.operation().accumulate) {
        auto fill = emit_nested(request, operation_of_fill(p.d, 0));
        if (!fill) return fill.error();
        add_statements(body, std::move(*fill));
    }
    const std::int64_t steps = p.k / atom->k();
    for (std::int64_t step = 0; step < steps; ++step) {
        const auto left = a.step(step, body);
        if (!left) return left.error();
        const auto right = b.step(step, body);
        if (!right) return right.error();
        Instruction mma = make_instruction(request, "mma", atom->name());
        mma.operands = {{p.d, of_d}, *left, *right, {p.d, of_d}};
        body.push_back(make_statement(std::move(mma)));
    }
    request.decided(
        worded("{0}: {1} tiles per warp for each of {2} k; {3}; {4}", {atom->name(), of_d->issues, steps, a.how(), b.how()}));
    return body;
}

} // namespace v0
} // namespace axe

#endif
