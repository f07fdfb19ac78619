// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_SCHEDULES_RULES_HPP
#define AXE_TARGET_SPYRE_SCHEDULES_RULES_HPP

#include <axe/layout/evaluate.hpp>
#include <axe/schedule/copy/moves.hpp>
#include <axe/target/spyre/rules/stick.hpp>
#include <axe/target/spyre/sticks.hpp>

/// What the units of a core of Spyre ask of their operands. Which sticks go together is said in target/spyre/rules/.
namespace axe {
inline namespace v0 {
namespace detail::sticks {

constexpr bool has_sticks(const Machine& machine) noexcept { return find_limit(machine, "stick.bytes") != nullptr; }

/// "A = acc": the part an operand plays and the tensor it is.
inline std::string operand_name(const Request& request, const View& v, const char* part)
{
    return std::string(part) + " = " + request.tensor(v).name;
}

/// Why a schedule does not apply: one message with its words.
inline Result<void, Problem> declined(std::string_view message, std::initializer_list<MessageArgument> words,
                                      errc code = errc::no_layout)
{
    return {code, worded(message, words)};
}

/// The place of an element in its memory, in elements, by its row-major number.
inline std::int64_t address(const Request& request, const View& view, std::int64_t index)
{
    const ProgramTensor& tensor = request.tensor(view);
    const auto point = evaluate(tensor.layout, index);
    return point ? (*point)[request.memory(view).axes.back()] : 0;
}

/// How far a step along a dimension of the view is in its tensor, row-major; 0 where it repeats the same elements.
inline std::int64_t pitch_of(const Request& request, const View& view, int k)
{
    if (view.dims[k] < 0) return 0;
    std::int64_t pitch = view.steps[k];
    const Shape& shape = request.tensor(view).shape;
    for (int d = view.dims[k] + 1; d < shape.size(); ++d) pitch *= shape[d];
    return pitch;
}

/// The extents of the view as rules of sticks take them: 1 along a dimension in which it has one element, or repeats it.
inline Shape distinct_extents(const Request& request, const View& view)
{
    Shape out = view.extents;
    for (int k = 0; k < view.rank(); ++k)
        if (pitch_of(request, view, k) == 0 || request.tensor(view).shape[view.dims[k]] <= view.steps[k]) out[k] = 1;
    return out;
}

/// The dimension of the view along which sticks run; `sparse` where no two of its elements are neighbors.
///
/// It is looked at where the tensor begins, so that variables of the view's origin do not matter.
inline spyre::Stick stick_dimension(const Request& request, const View& view)
{
    const std::int64_t first = address(request, view, 0);
    const Shape extents = distinct_extents(request, view);
    for (int k = 0; k < view.rank(); ++k)
        if (extents[k] != 1 && address(request, view, pitch_of(request, view, k)) - first == 1) return k;
    return spyre::sparse;
}

/// The dimension of the whole tensor along which sticks run, whatever of it the view shows.
inline spyre::Stick tensor_stick(const Request& request, const View& view)
{
    View whole;
    whole.tensor = view.tensor;
    whole.extents = request.tensor(view).shape;
    for (int d = 0; d < whole.extents.size(); ++d) whole.dims.push_back(d), whole.steps.push_back(1);
    return stick_dimension(request, whole);
}

/// The stick dimension in words.
inline std::string stick_text(spyre::Stick dimension)
{
    return dimension == spyre::sparse ? std::string("one element a stick") : worded("sticks along dimension {0}", {dimension});
}

/// Units of the core compute on the scratchpad alone.
inline Result<void, Problem> check_in_core(const Request& request, const View& view, const char* part)
{
    if (request.memory(view).roles.has(Role::shared)) return {};
    return declined("{0} is in {1}; the units of a core compute on its scratchpad",
                    {operand_name(request, view, part), request.tensor(view).memory});
}

/// Options that speak of lanes mean nothing here, and outside of blocks there is no core.
inline Result<void, Problem> check_request(const Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    if (request.operation().options.vector_bytes == 0) return {};
    return declined("vector_bytes is {0}; a core has no lanes that move vectors", {request.operation().options.vector_bytes});
}

/// An instruction of the core's one agent on whole views.
inline Statement on_core(const Request& request, const char* opcode, std::string spelled, const std::vector<View>& views,
                         std::vector<std::int64_t> parameters = {})
{
    Instruction out = make_instruction(request, opcode, std::move(spelled));
    out.agents = 1;
    for (const View& v : views) out.operands.push_back({v, nullptr});
    out.parameters = std::move(parameters);
    out.function = request.operation().function;
    out.number = request.operation().number;
    return make_statement(std::move(out));
}

} // namespace detail::sticks
} // namespace v0
} // namespace axe

#endif
