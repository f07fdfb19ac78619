// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_SETTINGS_HPP
#define AXE_CLI_SETTINGS_HPP

#include "arguments.hpp"

#include <axe/text/nearest_word.hpp>

#include <string>

namespace axe_cli {

/// A setting `name=VALUE` of an operation, and how its value is read.
template <class Options>
struct Key {
    const char* name;
    axe::Status (*read)(std::string_view, Options&);
};

/// Reads one setting into the options; false with the reply refused.
template <class Options, std::size_t n>
bool set(Reply& reply, const Setting& setting, const Key<Options> (&keys)[n], Options& options)
{
    const char* names[n];
    for (std::size_t i = 0; i < n; ++i) {
        names[i] = keys[i].name;
        if (setting.key != keys[i].name) continue;
        const axe::Status error = keys[i].read(setting.value, options);
        if (!error.ok()) reply.misread(setting.argument, setting.value, error.error());
        return error.ok();
    }
    const std::string message = "argument " + std::to_string(setting.argument) + ": there is no setting " + quoted(setting.key);
    const int meant = axe::nearest_word(setting.key.data(), static_cast<int>(setting.key.size()), names, static_cast<int>(n));
    reply.fail("bad_argument", message, meant < 0 ? "" : names[meant]);
    return false;
}

} // namespace axe_cli

#endif
