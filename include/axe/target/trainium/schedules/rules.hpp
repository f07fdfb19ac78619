// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_SCHEDULES_RULES_HPP
#define AXE_TARGET_TRAINIUM_SCHEDULES_RULES_HPP

#include <axe/program/messages.hpp>
#include <axe/schedule/schedule.hpp>
#include <axe/text/common/words.hpp>

/// What the engines of a NeuronCore ask of an access, as functions of numbers that the machine has as data.
namespace axe {
inline namespace v0 {
namespace detail::trainium {

inline constexpr Axis P{"P"}, F{"F"};

/// The engines in the machine's order: an agent of a block is one of them.
enum Engine : int { tensor_engine, vector_engine, scalar_engine, gpsimd_engine };

constexpr const char* engine_name(int engine) noexcept
{
    constexpr const char* names[] = {"tensor", "vector", "scalar", "gpsimd"};
    return engine >= 0 && engine < 4 ? names[engine] : "?";
}

/// The most partitions of an access that starts at this one; 0 where none may start.      [AWS NKI, tile size rules]
///
/// More than 64 partitions start at 0, 33 to 64 at 0 or 64, up to 32 at a multiple of 32.
constexpr std::int64_t most_partitions(std::int64_t start) noexcept
{
    switch (start) {
    case 0: return 128;
    case 64: return 64;
    case 32:
    case 96: return 32;
    default: return 0;
    }
}

/// Why a schedule does not apply: one message with its words.
inline Result<void, Problem> declined(std::string_view message, std::initializer_list<MessageArgument> words,
                                      errc code = errc::no_layout)
{
    return {code, worded(message, words)};
}

inline Result<void, Problem> at_one_place(const std::string& name, std::int64_t values, int dim)
{
    return declined("{0}: an iter of {1} values of dimension {2} is at one place; each must be written", {name, values, dim});
}

/// A number of the machine by its name. A machine without it declines rather than being guessed at.
inline Result<std::int64_t, Problem> limit(const Machine& machine, const char* name)
{
    if (const Limit* found = find_limit(machine, name)) return found->value;
    return Problem(errc::bad_argument, no_limit_text(machine, name));
}

/// Is this engine among those that the operator is for?
inline bool has_engine(const ExecutionScope& place, int engine) noexcept
{
    const int from = engine - place.first, stride = place.stride < 1 ? 1 : place.stride;
    return from >= 0 && from % stride == 0 && from / stride < place.count;
}

/// The first of these engines that the operator is for.
inline Result<int, Problem> choose_engine(const Request& request, std::initializer_list<int> engines)
{
    const ExecutionScope& place = request.execution_scope();
    if (!place.in_block) return declined("no engine runs outside a block; the operator is for devices", {});
    std::string names;
    for (const int e : engines) {
        if (has_engine(place, e)) return e;
        names += (names.empty() ? "" : ", ") + std::string(engine_name(e)) + " (" + std::to_string(e) + ")";
    }
    return declined("the operator is for {0} engines from {1} on in steps of {2}; it needs one of: {3}",
                    {place.count, place.first, place.stride, names});
}

/// Options that speak of lanes mean nothing to an engine.
inline Result<void, Problem> check_options(const Request& request)
{
    if (request.operation().options.vector_bytes == 0) return {};
    return declined("vector_bytes is {0}; an engine has no lanes that move vectors", {request.operation().options.vector_bytes});
}

inline bool is_memory(const Request& request, const View& v, const char* name) { return same_text(request.memory(v).name, name); }

/// "A = acc": the part an operand plays and the tensor it is.
inline std::string operand_name(const Request& request, const View& v, const char* part)
{
    return std::string(part) + " = " + request.tensor(v).name;
}

} // namespace detail::trainium
} // namespace v0
} // namespace axe

#endif
