// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scripts made from the table, so that a new operation is completed as soon as it is there.
#include "help.hpp"
#include "relayout_options.hpp"
#include "run_options.hpp"
#include "topics.hpp"

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
            if ((place == 0)); then COMPREPLY=($(compgen -W '@OPERATIONS@ @TOPICS@' -- "$current"))
            elif ((place == 1)); then COMPREPLY=($(compgen -W "$(_axe_group "$first")" -- "$current"))
            fi ;;
        completion) COMPREPLY=($(compgen -W 'bash fish zsh' -- "$current")) ;;
        run) COMPREPLY=($(compgen -f -W '@EXAMPLES@' -- "$current")) ;;
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
            if (( ${#words_left} == 1 )); then _describe operation operations; compadd -- @TOPICS@
            elif (( ${#words_left} == 2 )); then _axe_group ${words_left[2]}
            fi ;;
        completion) compadd bash fish zsh ;;
        run) compadd -- @EXAMPLES@; _files ;;
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

// A rule a word; this is what they ask.
constexpr const char* fish_script = R"script(# Completion of the command axe for fish:  axe completion fish | source
function __axe_after --argument-names least most # are there so many words before this one, options aside, and the first of them these?
    set -l words (commandline -opc)
    set -e words[1]
    set words (string match -v -- '--*' $words)
    test (count $words) -ge $least -a (count $words) -le $most; or return 1
    for i in (seq 3 (count $argv))
        test "$words[$(math $i - 2)]" = "$argv[$i]"; or return 1
    end
end
complete -c axe -f
)script";

std::string fish_quoted(std::string_view text)
{
    std::string out = "'";
    for (const char c : text) out.append(c == '\\' || c == '\'' ? "\\" : "").append(1, c);
    return out + "'";
}

/// Where `after` holds, `words` are offered, or options with `--`, or also names of files.
std::string fish_rule(std::string_view after, std::string_view words, std::string_view meaning = "", bool files = false)
{
    std::string out = "complete -c axe -n " + fish_quoted("__axe_after " + std::string(after)) + (files ? " -F" : "");
    if (!words.empty()) out += " -a " + fish_quoted(words);
    if (!meaning.empty()) out += " -d " + fish_quoted(meaning);
    return out + "\n";
}

std::string fish_rules()
{
    std::string out;
    for (const Family& family : families()) {
        const std::string group(family.group);
        for (const std::string_view after : {"0 0", "1 1 help"})
            if (!group.empty()) out += fish_rule(after, group, family.meaning);
        for (const Operation& op : family.operations) {
            out += fish_rule(group.empty() ? "0 0" : "1 1 " + group, last_word(op), op.meaning);
            out += fish_rule(group.empty() ? "1 1 help" : "2 2 help " + group, last_word(op), op.meaning);
        }
    }
    for (const Command& command : commands()) out += fish_rule("0 0", command.name, command.meaning);
    for (const Topic& topic : topics()) out += fish_rule("1 1 help", topic.name, topic.meaning);
    out += fish_rule("0 0", "--json --help --version");
    out += fish_rule("1 1 completion", "bash fish zsh");
    for (const examples::Example& example : examples::table()) out += fish_rule("1 1 run", example.name);
    for (const Option& option : run_options()) out += fish_rule("1 99 run", option.name);
    for (const Option& option : relayout_options()) out += fish_rule("1 99 relayout", option.name);
    for (const std::string_view after : {"1 99 run", "1 99 relayout", "3 3 picture"}) out += fish_rule(after, "", "", true);
    for (const std::string_view key : picture_keys) out += fish_rule("4 99 picture", key);
    return out;
}

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
    if (shell == "fish") return fish_script + fish_rules();
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
    std::string pages;
    for (const Topic& topic : topics()) pages.append(pages.empty() ? "" : " ").append(topic.name);
    out = fill(out, "@TOPICS@", pages);
    std::string words; // of run
    for (const examples::Example& example : examples::table()) words.append(words.empty() ? "" : " ").append(example.name);
    for (const Option& option : run_options()) words.append(" ").append(option.name);
    out = fill(out, "@EXAMPLES@", words);
    std::string choices;
    for (const Option& option : relayout_options()) choices.append(choices.empty() ? "" : " ").append(option.name);
    out = fill(out, "@RELAYOUT@", choices);
    std::string keys;
    for (const std::string_view key : picture_keys) keys.append(keys.empty() ? "" : " ").append(key);
    return fill(out, "@OPTIONS@", keys);
}

} // namespace axe_cli
