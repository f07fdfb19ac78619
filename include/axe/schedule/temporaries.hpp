// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_TEMPORARIES_HPP
#define AXE_SCHEDULE_TEMPORARIES_HPP

#include <axe/schedule/copy/moves.hpp>
#include <axe/schedule/register_layout.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Is each element of the view a different element of the tensor?
inline bool is_single(const View& v)
{
    for (int k = 0; k < v.rank(); ++k)
        if (v.extents[k] > 1 && (v.dims[k] < 0 || v.steps[k] == 0)) return false;
    return true;
}

/// A view like `pattern`, of a register tensor of the same shape and layout: its elements are where the pattern's are; without
/// `copies`, each where the first of the pattern's is.
inline View temporary_like(Request& request, const View& pattern, DType type, std::string name, bool copies)
{
    ProgramTensor t = request.tensor(pattern);
    if (!copies) t.layout.layout.replica = {};
    t.name = std::move(name);
    t.dtype = type;
    t.base = -1;
    t.binding = Binding::local;
    View out = pattern;
    out.tensor = request.temporary(std::move(t)).tensor;
    return out;
}

/// A register tensor with an element for each of a view's, spread over the lanes in vectors of v and padded to full rows of them.
///
/// The tensor has one dimension; the view's dimensions are digits of it.
inline View temporary_spread(Request& request, const Shape& extents, std::int64_t v, DType type, std::string name)
{
    const Machine& machine = request.machine();
    const BlockScopes scopes = block_scopes(machine);
    std::int64_t n = 1;
    for (const auto extent : extents) n *= extent;
    const std::int64_t row = v * scopes.lanes() * (scopes.agent == nullptr ? 1 : request.execution_scope().count);
    ProgramTensor t;
    t.name = std::move(name);
    t.dtype = type;
    t.shape = {(n + row - 1) / row * row};
    t.layout.layout = register_layout(machine, request.execution_scope(), t.shape[0], v);
    if (const Memory* memory = memory_for(machine, Role::registers)) t.memory = memory->name;
    View out;
    out.tensor = request.temporary(std::move(t)).tensor;
    out.origin = {Affine(0)};
    out.extents = extents;
    for (const auto extent : extents) {
        n /= extent;
        out.dims.push_back(0);
        out.steps.push_back(n);
    }
    return out;
}

inline std::string in_no_lane_text(std::size_t element, const std::string& tensor)
{
    return worded("element {0} of the view of {1} is outside, in no lane", {element, tensor});
}

/// Where the lanes that do an element-by-element operator keep what is in memories: like the first private operand that names each
/// of its elements once; without one, spread over the lanes in the vectors that a copy between the memory operands would have.
class Staging {
  public:
    static Result<Staging, Problem> make(Request& request, std::vector<View> views)
    {
        Staging out;
        out.request_ = &request;
        out.copies_ = is_private(request.machine(), request.memory(views[0]));
        for (const View& v : views)
            if (is_private(request.machine(), request.memory(v)) && is_single(v) && out.pattern_.tensor < 0) out.pattern_ = v;
        if (out.pattern_.tensor >= 0) {
            if (out.pattern_ == views[0] || !out.pattern_.guarded) return out;
            const auto s = element_placement(request, out.pattern_); // a source outside is zeros, which some lane must have
            if (!s) return s.error();
            for (std::size_t e = 0; e + 1 < s->begin.size(); ++e)
                if (s->begin[e] == s->begin[e + 1]) return Problem(errc::bad_argument, in_no_lane_text(e, s->name));
            return out;
        }
        for (const View& v : views)
            if (is_private(request.machine(), request.memory(v)))
                return Problem(errc::bad_argument,
                               "the elements of {0} repeat, and no other operand in registers determines which lane handles which",
                               {request.tensor(v).name});
        std::vector<ElementPlacement> all;
        std::vector<const ElementPlacement*> operands;
        for (const View& v : views) {
            auto s = element_placement(request, v);
            if (!s) return s.error();
            all.push_back(std::move(*s));
        }
        for (const ElementPlacement& s : all) operands.push_back(&s);
        out.extents_ = views[0].extents;
        const std::int64_t row = out.extents_.empty() ? 1 : out.extents_.back();
        auto distributed = distribute(request, operands, 0, widest_access(request));
        if (!distributed) return distributed.error();
        out.vector_ = std::gcd(row, static_cast<std::int64_t>(distributed->vector));
        return out;
    }

    /// Are the elements spread in vectors, as no operand in registers says where they are? How many follow each other in a lane.
    [[nodiscard]] bool spreads() const noexcept { return pattern_.tensor < 0; }
    [[nodiscard]] std::int64_t vector() const noexcept { return vector_; }

    /// The view itself where lanes have it in registers, else a temporary of the same elements.
    View staged(const View& v)
    {
        if (is_private(request_->machine(), request_->memory(v))) return v;
        const ProgramTensor t = request_->tensor(v);
        const std::string name = t.name + ".r";
        return pattern_.tensor >= 0 ? temporary_like(*request_, pattern_, t.dtype, name, copies_)
                                    : temporary_spread(*request_, extents_, vector_, t.dtype, name);
    }
    /// `staged`, with the move that fills it.
    Result<View, Problem> loaded(const View& v, Body& body)
    {
        View at = staged(v);
        if (at.tensor == v.tensor) return at;
        auto moves = emit_move(*request_, at, v);
        if (!moves) return moves.error();
        body.insert(body.end(), std::make_move_iterator(moves->begin()), std::make_move_iterator(moves->end()));
        return at;
    }
    /// `loaded` of a view with fewer elements, of which a lane has `vector` where it has all of its elements of the others.
    Result<View, Problem> loaded_spread(const View& v, std::int64_t vector, Body& body)
    {
        const ProgramTensor t = request_->tensor(v);
        View at = temporary_spread(*request_, v.extents, vector, t.dtype, t.name + ".r");
        auto moves = emit_move(*request_, at, v);
        if (!moves) return moves.error();
        body.insert(body.end(), std::make_move_iterator(moves->begin()), std::make_move_iterator(moves->end()));
        return at;
    }
    /// The move from where `staged` put it.
    Result<void, Problem> stored(const View& v, const View& at, Body& body)
    {
        if (at.tensor == v.tensor) return {};
        auto moves = emit_move(*request_, v, at);
        if (!moves) return moves.error();
        body.insert(body.end(), std::make_move_iterator(moves->begin()), std::make_move_iterator(moves->end()));
        return {};
    }

  private:
    Request* request_ = nullptr;
    View pattern_{};
    Shape extents_{};
    std::int64_t vector_ = 1;
    bool copies_ = true; ///< of what goes to a memory one lane computes each element: no other may still read it there
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
