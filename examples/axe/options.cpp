// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include "reply.hpp"

#include <axe/text/nearest_word.hpp>

#include <charconv>
#include <system_error>

namespace axe_cli {

axe::Result<TypedOption, axe::Problem> typed_option(std::string_view command, std::string_view listed_by,
                                                    std::span<const Option> options, Fields arguments, std::size_t& i)
{
    using axe::errc;
    using axe::Problem;
    std::string_view name = arguments[i], value;
    const std::size_t equals = name.find('=');
    const bool joined = equals != std::string_view::npos; // --machine=sm90
    if (joined) value = name.substr(equals + 1), name = name.substr(0, equals);
    std::vector<const char*> names;
    for (std::size_t k = 0; k < options.size(); ++k) {
        names.push_back(options[k].name.data());
        if (name != options[k].name) continue;
        if (options[k].value.empty()) {
            if (joined) return Problem(errc::bad_syntax, std::string(name) + " takes no value");
        } else if (!joined) {
            if (i + 1 == arguments.size())
                return Problem(errc::bad_syntax, std::string(name) + " takes " + std::string(options[k].value) + " after it");
            value = arguments[++i];
        }
        return TypedOption{k, value};
    }
    return Problem(errc::bad_argument, std::string(command) + " has no option " + quoted(name) + did_you_mean(name, names) + "; `" +
                                           std::string(listed_by) + "` lists them");
}

std::string did_you_mean(std::string_view word, const std::vector<const char*>& names)
{
    const int at = axe::nearest_word(word.data(), static_cast<int>(word.size()), names.data(), static_cast<int>(names.size()));
    return at < 0 ? "" : std::string("; did you mean ") + names[static_cast<std::size_t>(at)] + "?";
}

bool read_number(std::string_view text, std::int64_t least, std::int64_t most, std::int64_t& out)
{
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
    return failed == std::errc() && end == text.data() + text.size() && out >= least && out <= most;
}

} // namespace axe_cli
