// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_OPERATION_HPP
#define AXE_CLI_OPERATION_HPP

#include "answers.hpp"
#include "arguments.hpp"

#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace axe_cli {

/// One operation of the command: a row of a table. Requests, help, completion and the tests read nothing else.
struct Operation {
    std::string_view name;      ///< a word, `slice`; or a group and a word, `cute composition`
    std::string_view arguments; ///< `L S REGION`; what stands in brackets may be left out
    std::string_view meaning;   ///< one line
    std::string_view details;   ///< the equation that the answer obeys, or further lines; may be empty
    std::string_view refusals;  ///< when the answer is `none` or `error`; lines separated by '\n'
    std::string_view example;   ///< a request as `batch` reads it
    std::string_view answer;    ///< what the command prints then

    void (*run)(Fields, Reply&);
    Count count;   ///< how many arguments it takes
    bool swizzled; ///< does it take swizzled layouts?
};

namespace detail {

/// What a function takes, read by the types of its parameters.
template <class... A>
struct Parameters {
    static constexpr Count count{(count_of<A>.least + ... + 0), (count_of<A>.most + ... + 0)};
    static constexpr bool swizzled = (std::is_same_v<A, SwizzledLayout> || ...);

    using Values = std::tuple<A...>;

    /// False where one cannot be read: that is the reply then. Once for each list of types, whatever reads by it.
    static bool read(Fields fields, Reply& reply, Values& values)
    {
        ArgumentReader reader(fields, reply);
        return std::apply([&](A&... value) { return (reader.read(value) && ...); }, values);
    }
};

/// A row's function from one that takes values: what it returns is given, or it writes the reply itself.
template <class F, class Signature = decltype(&F::operator())>
struct Runner;
template <class F, class R, class... A>
struct Runner<F, R (F::*)(A...) const> : Parameters<std::remove_cvref_t<A>...> {
    static void run(Fields fields, Reply& reply)
    {
        typename Runner::Values values;
        if (Runner::read(fields, reply, values)) std::apply([&](const auto&... value) { give(reply, F{}(value...)); }, values);
    }
};
template <class F, class... A>
struct Runner<F, void (F::*)(Reply&, A...) const> : Parameters<std::remove_cvref_t<A>...> {
    static void run(Fields fields, Reply& reply)
    {
        typename Runner::Values values;
        if (Runner::read(fields, reply, values)) std::apply([&](const auto&... value) { F{}(reply, value...); }, values);
    }
};

} // namespace detail

/// A row; `function` is a lambda without captures over values of the library: `[](const axe::Layout& l, const axe::Shape& s) {…}`.
/// What it returns is written by an overload of `give`, unless its first parameter is the `Reply&`.
template <class F>
constexpr Operation operation(std::string_view name, std::string_view arguments, std::string_view meaning, std::string_view details,
                              std::string_view refusals, std::string_view example, std::string_view answer, F /*function*/)
{
    using Runner = detail::Runner<F>;
    return {name, arguments, meaning, details, refusals, example, answer, &Runner::run, Runner::count, Runner::swizzled};
}

/// Operations that belong together, under one heading of the help.
struct Family {
    std::string_view title;
    std::span<const Operation> operations;
    std::string_view group{};   ///< the first word of all their names, `cute`; empty where names are one word
    std::string_view meaning{}; ///< of a group: one line
};

// One file a family, ops_<name>.cpp. Another operation is another row; another family is a file, a line here and one in
// operations.cpp.
extern const std::span<const Operation> look_operations;
extern const std::span<const Operation> compare_operations;
extern const std::span<const Operation> shape_operations;
extern const std::span<const Operation> combine_operations;
extern const std::span<const Operation> invert_operations;
extern const std::span<const Operation> axis_operations;
extern const std::span<const Operation> picture_operations;
extern const std::span<const Operation> hardware_operations;
extern const std::span<const Operation> tma_operations;
extern const std::span<const Operation> mesh_operations;
extern const std::span<const Operation> run_operations;
extern const std::span<const Operation> map_operations;
extern const std::span<const Operation> cute_operations;
extern const std::span<const Operation> linear_operations;
extern const std::span<const Operation> strides_operations;
extern const std::span<const Operation> sharding_operations;
extern const std::span<const Operation> spyre_operations;

/// The settings of `picture`: `view=`, `color=`, …
extern const std::span<const std::string_view> picture_keys;

/// All of them, in the order of the help.
std::span<const Family> families();

/// What the command line does besides operations: `batch`, `help`, …
struct Command {
    std::string_view name, arguments, meaning;
};
std::span<const Command> commands();

/// The operation that a request names, and how many of its words the name takes: `slice`, or `cute` and `composition`. Null when it
/// names none.
struct Named {
    const Operation* operation;
    std::size_t words;
};
Named find(Fields request);

/// The family of a group, null when there is none.
const Family* find_group(std::string_view group);

/// `composition` of `cute composition`.
std::string_view last_word(const Operation& op);

/// The operation, group or command that was probably meant, `machines sm90` of a machine; or nothing.
std::string nearest_name(std::string_view name);
/// The same among the last words of a group.
std::string_view nearest_name(const Family& group, std::string_view word);

} // namespace axe_cli

#endif
