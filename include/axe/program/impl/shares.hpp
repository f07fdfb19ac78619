// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_SHARES_HPP
#define AXE_PROGRAM_IMPL_SHARES_HPP

#include <axe/layout/group.hpp>
#include <axe/layout/project.hpp>
#include <axe/machine/axes.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/operators.hpp>
#include <axe/program/remote_views.hpp>
#include <axe/program/shares.hpp>
#include <axe/program/walk.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace axe {
inline namespace v0 {
namespace detail {

/// Finds tiles that are in the shares of several devices.
class ShareCheck {
  public:
    explicit ShareCheck(const Program& program) : p_(program)
    {
        for (std::size_t t = 0; t < p_.tensors.size(); ++t) note_shares(static_cast<int>(t));
    }

    std::vector<Problem> problems()
    {
        if (shares_.empty() && !has_remote_views(p_)) return {};
        if (p_.device.id >= 0) note(p_.device.id, {0, p_.machine.scopes[0].count, 1});
        for_each_statement(p_.body, [&](const Statement& s) { note_variables(s); });
        for_each_statement(p_.body, [&](const Statement& s) {
            const auto* grid = std::get_if<Grid>(&s.what);
            if (grid == nullptr) return;
            for_each_statement(grid->body, [&](const Statement& inner) {
                in_grids_.insert(inner.id);
                check(inner);
                const auto* o = std::get_if<Operation>(&inner.what);
                const auto* i = std::get_if<Instruction>(&inner.what);
                const bool all_copies =
                    (o != nullptr && o->op.row().all_copies) || (i != nullptr && i->opcode.rfind("multimem", 0) == 0);
                for_each_view(inner, [&](const View& v) { check_remote(v, inner.id, all_copies); });
            });
        });
        for_each_statement(p_.body, [&](const Statement& s) { check_outside(s); });
        return std::move(out_);
    }

  private:
    static constexpr std::int64_t most_checks = std::int64_t{1} << 22;

    /// The devices along one dimension of a tensor: a sum over digits, the last one fastest.
    struct Dimension {
        std::vector<Iter> digits{};
        std::int64_t run = 1; ///< indices that follow each other on one device, from each multiple of it

        [[nodiscard]] std::int64_t device(std::int64_t index) const
        {
            std::int64_t out = 0;
            for (std::size_t i = digits.size(); i-- > 0; index /= digits[i].extent)
                out += index % digits[i].extent * digits[i].stride;
            return out;
        }
        [[nodiscard]] bool is_fixed() const
        {
            return std::all_of(digits.begin(), digits.end(), [](const Iter& it) { return it.stride == 0 || it.extent == 1; });
        }
    };
    /// The values of a variable: low, low + step, …, so many; −1: not known.
    struct Range {
        std::int64_t low = 0, count = -1, step = 1;
        bool in_step = false; ///< of `Each`: the members have all of them at once
    };

    // ---- remote views ---------------------------------------------------------------------------------------------------------

    void check_outside(const Statement& s)
    {
        bool remote = false;
        for_each_view(s, [&](const View& v) { remote = remote || v.remote; });
        if (!remote || in_grids_.count(s.id) != 0) return;
        constexpr const char* text = "a remote view is for blocks, and this is outside a block";
        refuse(s.id, errc::bad_argument, worded(hinted(text, "outside blocks a copy between devices takes plain views"), {}));
    }
    void check_remote(const View& v, int id, bool all_copies)
    {
        if (!v.remote || v.tensor < 0 || static_cast<std::size_t>(v.tensor) >= p_.tensors.size()) return;
        const ProgramTensor& t = tensor_of(p_, v);
        const Memory* memory = find_memory(p_.machine, t.memory.c_str());
        if (memory == nullptr || p_.machine.scopes.empty()) return; // said elsewhere
        if (!same_text(memory->owner, p_.machine.scopes[0].name) || is_partitioned(*memory))
            return refuse(id, errc::bad_argument,
                          worded("{0} is in {1}; a remote view is of a memory that devices have", {t.name, t.memory}));
        if (v.device) {
            for (const Affine::Term& term : v.device->terms())
                if (const auto range = ranges_.find(term.var); range != ranges_.end() && range->second.in_step)
                    refuse(id, errc::bad_argument,
                           worded("the device of {0} depends on the number of a thread; it must be the same for all of them",
                                  {t.name}));
            return;
        }
        const std::int64_t copies = device_copies(t);
        if (all_copies) {
            if (const std::int64_t devices = p_.machine.scopes[0].count; copies != devices)
                refuse(id, errc::bad_argument,
                       worded("{0} has {1} copies of each element on {2} devices; there is to be one on each",
                              {t.name, copies, devices}));
            return;
        }
        if (copies < 2) return;
        constexpr const char* text = "{0} has {1} copies of each element on devices, and a remote view of it names none";
        refuse(id, errc::bad_argument, worded(hinted(text, "name the device: remote(device)"), {t.name, copies}));
    }
    /// How many devices have each element.
    [[nodiscard]] std::int64_t device_copies(const ProgramTensor& t) const
    {
        const Axis axis = p_.machine.scopes[0].axis;
        const auto converted = convert_axes(p_.machine, t.layout.layout, {axis});
        if (!converted || t.hint != LayoutHint::none) return 1;
        std::int64_t copies = 1;
        for (const auto& it : converted->replica)
            if (it.axis == axis && it.stride != 0) copies = limited_product(copies, it.extent);
        return copies;
    }
    void refuse(int statement, errc code, const std::string& text)
    {
        out_.push_back({code, statement_text(p_, statement) + ": " + text});
    }

    void note_shares(int id)
    {
        const ProgramTensor& t = p_.tensors[static_cast<std::size_t>(id)];
        const Memory* memory = find_memory(p_.machine, t.memory.c_str());
        if (memory == nullptr || p_.machine.scopes.empty() || p_.machine.scopes[0].count < 2 || t.hint != LayoutHint::none) return;
        if (!same_text(memory->owner, p_.machine.scopes[0].name)) return;
        const Axis axis = p_.machine.scopes[0].axis;
        const auto converted = convert_axes(p_.machine, t.layout.layout, {axis});
        if (!converted) return;
        const auto devices = project(*converted, {axis});
        if (!devices) return;
        const auto grouped = group(*devices, t.shape);
        if (!grouped) return;
        std::vector<Dimension> dims;
        for (int d = 0; d < t.shape.size(); ++d) {
            Dimension dim;
            for (int i = grouped->begin(d); i < grouped->end(d); ++i) dim.digits.push_back(grouped->layout.shard[i]);
            for (std::size_t i = dim.digits.size(); i-- > 0 && (dim.digits[i].stride == 0 || dim.digits[i].extent == 1);)
                dim.run *= dim.digits[i].extent;
            dims.push_back(std::move(dim));
        }
        if (!std::all_of(dims.begin(), dims.end(), [](const Dimension& d) { return d.is_fixed(); })) shares_[id] = std::move(dims);
    }

    /// The values of the variables that a statement declares, where its text says them.
    void note_variables(const Statement& s)
    {
        if (const auto* grid = std::get_if<Grid>(&s.what)) note(grid->vars, grid->counts, false);
        if (const auto* each = std::get_if<Each>(&s.what)) note(each->vars, each->counts, true);
        if (const auto* loop = std::get_if<For>(&s.what)) {
            const std::int64_t begin = loop->begin.constant();
            std::int64_t span = 0;
            const bool known =
                loop->begin.is_constant() && loop->end.is_constant() && loop->step >= 1 && sub(loop->end.constant(), begin, span);
            note(loop->var.id, known ? Range{begin, span <= 0 ? 0 : (span - 1) / loop->step + 1, loop->step} : Range{});
        }
        if (const auto* let = std::get_if<Let>(&s.what)) note(let->var.id, Range{});
        const auto* slice = std::get_if<Slice>(&s.what);
        if (slice != nullptr && slice->of == Slice::Of::devices) note(p_.device.id, Range{});
    }
    void note(const std::vector<Var>& vars, const Shape& counts, bool in_step)
    {
        for (std::size_t k = 0; k < vars.size() && static_cast<int>(k) < counts.size(); ++k)
            note(vars[k].id, {0, counts[static_cast<int>(k)], 1, in_step});
    }
    void note(int var, const Range& range)
    {
        const auto [at, is_new] = ranges_.try_emplace(var, range);
        if (!is_new) at->second = {}; // several: any
    }

    /// For each value of an origin, and each index of the view from there, both ascending; nothing where those are not known or too many.
    struct Indices {
        std::vector<std::int64_t> origins{0}, offsets{0};
    };
    [[nodiscard]] Indices indices_of(const View& v, int d) const
    {
        Indices out;
        const auto spread = [&](std::vector<std::int64_t>& list, const Range& r, std::int64_t step) {
            if (r.count > most_checks || static_cast<std::int64_t>(out.origins.size() * out.offsets.size()) >
                                             most_checks / std::max<std::int64_t>(1, r.count))
                return false;
            std::vector<std::int64_t> more;
            for (const std::int64_t at : list)
                for (std::int64_t i = 0; i < r.count; ++i) {
                    std::int64_t index = 0;
                    if (!mul(i, r.step, index) || !add(r.low, index, index) || !mul(index, step, index) || !add(at, index, index))
                        return false;
                    more.push_back(index);
                }
            std::sort(more.begin(), more.end());
            more.erase(std::unique(more.begin(), more.end()), more.end());
            list = std::move(more);
            return true;
        };
        const Affine& origin = v.origin[static_cast<std::size_t>(d)];
        out.origins = {origin.constant()};
        for (int k = 0; k < v.rank(); ++k)
            if (v.dims[k] == d && !spread(out.offsets, {0, v.extents[k], 1}, v.steps[k])) return {{}, {}};
        for (const Affine::Term& term : origin.terms()) {
            const auto range = ranges_.find(term.var);
            if (range == ranges_.end() || range->second.count < 0) return {{}, {}};
            if (!spread(range->second.in_step ? out.offsets : out.origins, range->second, term.coefficient)) return {{}, {}};
        }
        return out;
    }

    void check(const Statement& s)
    {
        const auto each = [&](const View& v) {
            const auto found = shares_.find(v.tensor);
            if (found == shares_.end() || (v.remote && !v.device)) return;
            const auto rank = found->second.size();
            if (v.origin.size() != rank || v.dims.size() != v.rank() || v.steps.size() != v.rank()) return; // said elsewhere
            for (std::size_t d = 0; d < rank; ++d)
                if (check(v, static_cast<int>(d), found->second[d], s.id)) return;
        };
        // What an index chooses in is found when it is accessed.
        if (const auto* o = std::get_if<Operation>(&s.what)) {
            const bool is_chosen = o->op == Op::scatter || o->op == Op::atomic_rows || o->op == Op::compare_exchange;
            for (std::size_t k = 0; k < o->operands.size(); ++k)
                if (!(o->op == Op::gather && k == 1) && !(is_chosen && k == 0)) each(o->operands[k]);
        }
        if (const auto* i = std::get_if<Instruction>(&s.what); i != nullptr && i->opcode.rfind("indexed", 0) != 0)
            for (const Access& a : i->operands) each(a.view);
    }

    /// Is there a problem along a dimension? It is reported.
    bool check(const View& v, int d, const Dimension& dim, int statement)
    {
        if (dim.is_fixed()) return false;
        const Indices indices = indices_of(v, d);
        if (indices.offsets.size() < 2) return false;
        const std::int64_t extent = tensor_of(p_, v).shape[d];
        for (const std::int64_t o : indices.origins) {
            std::int64_t first = -1, run = -1;
            for (const std::int64_t x : indices.offsets) {
                const std::int64_t index = o + x;
                if (index < 0 || index >= extent || index / dim.run == run) continue;
                run = index / dim.run;
                if (first < 0) first = index;
                if (dim.device(index) != dim.device(first))
                    return report(v, d, dim, statement, {o + indices.offsets.front(), o + indices.offsets.back()}, first, index);
            }
        }
        return false;
    }
    bool report(const View& v, int d, const Dimension& dim, int statement, std::pair<std::int64_t, std::int64_t> tile,
                std::int64_t first, std::int64_t other)
    {
        const std::int64_t a = first / dim.run * dim.run, b = other / dim.run * dim.run;
        constexpr const char* text =
            "dimension {0} of {1}: tile [{2}, {3}) is in the shares [{4}, {5}) and [{6}, {7}) of two devices; it must be in one";
        const std::string what =
            hinted(text, "copy {1} between the devices before the grid, take tiles within one share, or take a remote() view");
        out_.push_back({errc::no_layout,
                        statement_text(p_, statement) + ": " +
                            worded(what, {d, tensor_of(p_, v).name, tile.first, tile.second + 1, a, a + dim.run, b, b + dim.run})});
        return true;
    }

    const Program& p_;
    std::map<int, std::vector<Dimension>> shares_{}; ///< of the tensors that are distributed over devices
    std::map<int, Range> ranges_{};                  ///< of variables
    std::set<int> in_grids_{};                       ///< statements
    std::vector<Problem> out_{};
};

} // namespace detail

AXE_DECL std::vector<Problem> share_problems(const Program& program) { return detail::ShareCheck(program).problems(); }

} // namespace v0
} // namespace axe

#endif
