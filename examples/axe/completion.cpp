// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scripts made from the table, so that a new operation is completed as soon as it is there.
#include "help.hpp"
#include "run_options.hpp"

namespace axe_cli {
namespace {

/// Replaces each `@NAME@` of a template.
std::string fill(std::string text, std::string_view name, std::string_view value)
{
    for (std::size_t at; (at = text.find(name)) != std::string::npos;) text.replace(at, name.size(), value);
    return text;
}

std::string names()
{
    std::string out;
    for (const Family& family : families())
        for (const Operation& op : family.operations) out.append(out.empty() ? "" : " ").append(op.name);
    return out;
}

std::string command_names()
{
    std::string out;
    for (const Command& command : commands()) out.append(out.empty() ? "" : " ").append(command.name);
    return out;
}

constexpr const char* bash_script = R"script(# Completion of the command axe for bash:  source <(axe completion bash)
_axe() {
    local current=${COMP_WORDS[COMP_CWORD]} operation= place=0 i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            --json | --help | --version | --) ;;
            *) if [[ -z $operation ]]; then operation=${COMP_WORDS[i]}; else ((place++)); fi ;;
        esac
    done
    COMPREPLY=()
    case $operation in
        '') COMPREPLY=($(compgen -W '@OPERATIONS@ @COMMANDS@ --json --help --version' -- "$current")) ;;
        help) COMPREPLY=($(compgen -W '@OPERATIONS@' -- "$current")) ;;
        completion) COMPREPLY=($(compgen -W 'bash zsh' -- "$current")) ;;
        run) COMPREPLY=($(compgen -f -W '@STORIES@' -- "$current")) ;;
        picture)
            if ((place == 2)); then
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
            elif ((place > 2)); then
                compopt -o nospace 2>/dev/null
                COMPREPLY=($(compgen -W '@OPTIONS@' -- "$current"))
            fi ;;
    esac
}
complete -F _axe axe
)script";

constexpr const char* zsh_script = R"script(#compdef axe
# Completion of the command axe for zsh:  source <(axe completion zsh)
_axe() {
    local -a operations commands options words_left
    operations=(
@DESCRIBED_OPERATIONS@    )
    commands=(
@DESCRIBED_COMMANDS@    )
    options=(--json --help --version)
    words_left=(${words[2,CURRENT-1]:#--*})
    case ${words_left[1]} in
        '') _describe operation operations; _describe command commands; compadd -- $options ;;
        help) _describe operation operations ;;
        completion) compadd bash zsh ;;
        run) compadd -- @STORIES@; _files ;;
        picture)
            if (( ${#words_left} == 3 )); then _files
            elif (( ${#words_left} > 3 )); then compadd -S '' -- @OPTIONS@
            fi ;;
    esac
}
if [[ $funcstack[1] == _axe ]]; then _axe "$@"; else compdef _axe axe; fi
)script";

/// A line of a zsh array: 'name:meaning', with what would end the quotes escaped.
std::string described(std::string_view name, std::string_view meaning)
{
    std::string out = "        '" + std::string(name) + ":";
    for (const char c : meaning) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'\n";
}

} // namespace

std::string completion(std::string_view shell)
{
    if (shell != "bash" && shell != "zsh") return "";
    std::string operations, command_lines;
    for (const Family& family : families())
        for (const Operation& op : family.operations) operations += described(op.name, op.meaning);
    for (const Command& command : commands()) command_lines += described(command.name, command.meaning);
    std::string out = shell == "bash" ? bash_script : zsh_script;
    out = fill(out, "@DESCRIBED_OPERATIONS@", operations);
    out = fill(out, "@DESCRIBED_COMMANDS@", command_lines);
    out = fill(out, "@OPERATIONS@", names());
    out = fill(out, "@COMMANDS@", command_names());
    std::string words; // of run
    for (const stories::Story& story : stories::table()) words.append(words.empty() ? "" : " ").append(story.name);
    for (const RunOption& option : run_options()) words.append(" ").append(option.name);
    out = fill(out, "@STORIES@", words);
    std::string keys;
    for (const std::string_view key : picture_keys) keys.append(keys.empty() ? "" : " ").append(key);
    return fill(out, "@OPTIONS@", keys);
}

} // namespace axe_cli
