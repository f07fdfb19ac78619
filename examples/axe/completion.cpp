// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scripts made from the table, so that a new operation is completed as soon as it is there.
#include "help.hpp"
#include "relayout_options.hpp"
#include "run_options.hpp"

namespace axe_cli {
namespace {

/// Replaces each `@NAME@` of a template.
std::string fill(std::string text, std::string_view name, std::string_view value)
{
    for (std::size_t at; (at = text.find(name)) != std::string::npos;) text.replace(at, name.size(), value);
    return text;
}

/// The first words of all names.
std::string names()
{
    std::string out;
    const auto add = [&out](std::string_view word) { out.append(out.empty() ? "" : " ").append(word); };
    for (const Family& family : families()) {
        if (!family.group.empty()) add(family.group);
        for (const Operation& op : family.operations)
            if (family.group.empty()) add(op.name);
    }
    return out;
}

std::string command_names()
{
    std::string out;
    for (const Command& command : commands()) out.append(out.empty() ? "" : " ").append(command.name);
    return out;
}

constexpr const char* bash_script = R"script(# Completion of the command axe for bash:  source <(axe completion bash)
_axe_group() {
    case $1 in
@GROUPS@        *) ;;
    esac
}
_axe() {
    local current=${COMP_WORDS[COMP_CWORD]} operation= first= place=0 i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            --json | --help | --version | --) ;;
            *)
                if [[ -z $operation ]]; then operation=${COMP_WORDS[i]}
                elif ((place++ == 0)); then first=${COMP_WORDS[i]}
                fi ;;
        esac
    done
    COMPREPLY=()
    case $operation in
        '') COMPREPLY=($(compgen -W '@OPERATIONS@ @COMMANDS@ --json --help --version' -- "$current")) ;;
        help)
            if ((place == 0)); then COMPREPLY=($(compgen -W '@OPERATIONS@' -- "$current"))
            elif ((place == 1)); then COMPREPLY=($(compgen -W "$(_axe_group "$first")" -- "$current"))
            fi ;;
        completion) COMPREPLY=($(compgen -W 'bash zsh' -- "$current")) ;;
        run) COMPREPLY=($(compgen -f -W '@STORIES@' -- "$current")) ;;
        relayout)
            compopt -o filenames 2>/dev/null
            COMPREPLY=($(compgen -f -W '@RELAYOUT@' -- "$current")) ;;
        picture)
            if ((place == 2)); then
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
            elif ((place > 2)); then
                compopt -o nospace 2>/dev/null
                COMPREPLY=($(compgen -W '@OPTIONS@' -- "$current"))
            fi ;;
        *) ((place == 0)) && COMPREPLY=($(compgen -W "$(_axe_group "$operation")" -- "$current")) ;;
    esac
    return 0
}
complete -F _axe axe
)script";

constexpr const char* zsh_script = R"script(#compdef axe
# Completion of the command axe for zsh:  source <(axe completion zsh)
_axe_group() {
    within=()
    case $1 in
@DESCRIBED_GROUPS@        *) ;;
    esac
    if (( $#within )); then _describe operation within; fi
}
_axe() {
    local -a operations commands options words_left within
    operations=(
@DESCRIBED_OPERATIONS@    )
    commands=(
@DESCRIBED_COMMANDS@    )
    options=(--json --help --version)
    words_left=(${words[2,CURRENT-1]:#--*})
    case ${words_left[1]} in
        '') _describe operation operations; _describe command commands; compadd -- $options ;;
        help)
            if (( ${#words_left} == 1 )); then _describe operation operations
            elif (( ${#words_left} == 2 )); then _axe_group ${words_left[2]}
            fi ;;
        completion) compadd bash zsh ;;
        run) compadd -- @STORIES@; _files ;;
        relayout) compadd -- @RELAYOUT@; _files ;;
        picture)
            if (( ${#words_left} == 3 )); then _files
            elif (( ${#words_left} > 3 )); then compadd -S '' -- @OPTIONS@
            fi ;;
        *) if (( ${#words_left} == 1 )); then _axe_group ${words_left[1]}; fi ;;
    esac
}
if [[ $funcstack[1] == _axe ]]; then _axe "$@"; else compdef _axe axe; fi
)script";

/// An item of a zsh array: 'name:meaning', with what would end the quotes escaped.
std::string described(std::string_view name, std::string_view meaning)
{
    std::string out = "'" + std::string(name) + ":";
    for (const char c : meaning) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}
std::string line_of(std::string_view text) { return "        " + std::string(text) + "\n"; }

/// A case for each group: what its words are, for bash; the array `within` of them, for zsh.
std::string group_cases(bool bash)
{
    std::string out;
    for (const Family& family : families()) {
        if (family.group.empty()) continue;
        std::string words;
        for (const Operation& op : family.operations)
            words.append(words.empty() ? "" : " ").append(bash ? std::string(last_word(op)) : described(last_word(op), op.meaning));
        out += line_of(std::string(family.group) + (bash ? ") echo '" + words + "' ;;" : ") within=(" + words + ") ;;"));
    }
    return out;
}

} // namespace

std::string completion(std::string_view shell)
{
    if (shell != "bash" && shell != "zsh") return "";
    std::string operations, command_lines;
    for (const Family& family : families()) {
        if (!family.group.empty()) operations += line_of(described(family.group, family.meaning));
        for (const Operation& op : family.operations)
            if (family.group.empty()) operations += line_of(described(op.name, op.meaning));
    }
    for (const Command& command : commands()) command_lines += line_of(described(command.name, command.meaning));
    std::string out = shell == "bash" ? bash_script : zsh_script;
    out = fill(out, "@DESCRIBED_OPERATIONS@", operations);
    out = fill(out, "@DESCRIBED_COMMANDS@", command_lines);
    out = fill(out, "@DESCRIBED_GROUPS@", group_cases(false));
    out = fill(out, "@GROUPS@", group_cases(true));
    out = fill(out, "@OPERATIONS@", names());
    out = fill(out, "@COMMANDS@", command_names());
    std::string words; // of run
    for (const stories::Story& story : stories::table()) words.append(words.empty() ? "" : " ").append(story.name);
    for (const Option& option : run_options()) words.append(" ").append(option.name);
    out = fill(out, "@STORIES@", words);
    std::string choices;
    for (const Option& option : relayout_options()) choices.append(choices.empty() ? "" : " ").append(option.name);
    out = fill(out, "@RELAYOUT@", choices);
    std::string keys;
    for (const std::string_view key : picture_keys) keys.append(keys.empty() ? "" : " ").append(key);
    return fill(out, "@OPTIONS@", keys);
}

} // namespace axe_cli
