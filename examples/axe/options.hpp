// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_OPTIONS_HPP
#define AXE_CLI_OPTIONS_HPP

#include "arguments.hpp"

#include <axe/tensor/problem.hpp>

/// Options of a subcommand that reads its arguments by itself: `--name VALUE`, `--name=VALUE`, or `--name` where there is no value.
namespace axe_cli {

/// As its page shows it; `value` is empty where it takes none.
struct Option {
    std::string_view name, value, what;
};

/// With how its value is taken in. `read` is not asked what an option without a value is.
template <class Into>
struct OptionRow {
    Option shown;
    axe::Result<void, axe::Problem> (*read)(Into&, std::string_view);
};

/// Keeps the value in this member, as it is typed.
template <auto member>
inline constexpr auto kept = [](auto& into, std::string_view value) -> axe::Result<void, axe::Problem> {
    into.*member = value;
    return {};
};
/// Notes in this member that an option without a value is there.
template <auto member>
inline constexpr auto noted = [](auto& into, std::string_view) -> axe::Result<void, axe::Problem> {
    into.*member = true;
    return {};
};

template <class Into, std::size_t n>
std::vector<Option> options_of(const OptionRow<Into> (&rows)[n])
{
    std::vector<Option> out;
    for (const OptionRow<Into>& row : rows) out.push_back(row.shown);
    return out;
}

struct TypedOption {
    std::size_t which = 0;
    std::string_view value{};
};
/// The option at arguments[i], with its value; i is left at the last argument that belongs to it.
///
/// `errc::bad_syntax` of a value that is missing, or too many; `errc::bad_argument` of a name that no option has, with the nearest one
/// and `listed_by`, the words that list them.
axe::Result<TypedOption, axe::Problem> typed_option(std::string_view command, std::string_view listed_by,
                                                    std::span<const Option> options, Fields arguments, std::size_t& i);

/// "; did you mean X?", or nothing where no name is near.
std::string did_you_mean(std::string_view word, const std::vector<const char*>& names);

/// A whole number within bounds, and nothing else.
bool read_number(std::string_view text, std::int64_t least, std::int64_t most, std::int64_t& out);

} // namespace axe_cli

#endif
