// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pages of the help as one page for man(1).
#include "help.hpp"
#include "relayout_options.hpp"
#include "run_example.hpp"
#include "topics.hpp"

namespace axe_cli {
namespace {

/// Text as roff prints it unchanged: no character of it is a request, a hyphen or a curved quote.
std::string escaped(std::string_view text)
{
    std::string out;
    if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
    for (const char c : text) {
        switch (c) {
        case '\\': out += "\\e"; break;
        case '-': out += "\\-"; break;
        case '\'': out += "\\(aq"; break;
        case '`': out += "\\(ga"; break;
        case '^': out += "\\(ha"; break;
        case '~': out += "\\(ti"; break;
        default: out += c;
        }
    }
    return out;
}

/// The argument of a request, which stands between quotes.
std::string quoted_argument(std::string_view text)
{
    std::string out = "\"";
    for (const char c : escaped(text)) out.append(c == '"' ? std::string("\\(dq") : std::string(1, c));
    return out + '"';
}

std::string_view take_line(std::string_view& text)
{
    const std::size_t to = text.find('\n');
    const std::string_view line = text.substr(0, to);
    text.remove_prefix(to == std::string_view::npos ? text.size() : to + 1);
    return line;
}

/// Paragraphs; indented lines stay as they are.
void add_text(std::string& out, std::string_view text)
{
    bool verbatim = false, first = true; // a paragraph begins
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        const bool indented = line.starts_with(' ');
        if (line.empty()) {
            first = true;
            continue;
        }
        if (verbatim && !indented) out += ".EE\n";
        if (first || verbatim != indented) out += ".PP\n";
        if (indented && !verbatim) {
            out += ".EX\n";
        } else if (indented && first) {
            out.resize(out.size() - std::string_view(".PP\n").size()); // within an example an empty line is one
            out += '\n';
        }
        verbatim = indented;
        first = false;
        out += escaped(line) + "\n";
    }
    if (verbatim) out += ".EE\n";
}

void add_section(std::string& out, std::string_view name) { out += ".SH " + quoted_argument(name) + "\n"; }

std::string upper(std::string_view text)
{
    std::string out;
    for (const char c : text) out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return out;
}

void add_term(std::string& out, std::string_view name, std::string_view arguments, std::string_view meaning)
{
    out += ".TP\n.B " + quoted_argument(std::string(name).append(arguments.empty() ? "" : " ").append(arguments)) + "\n";
    out += escaped(meaning) + "\n";
}

/// What `axe help OPERATION` says below the meaning: arguments, an example, when there is no answer.
void add_operation(std::string& out, const Operation& op)
{
    add_term(out, op.name, op.arguments, op.meaning);
    const std::string page = help_of(op);
    std::string_view rest = page;
    while (!rest.empty() && !take_line(rest).empty()) {} // the usage
    take_line(rest);                                     // the meaning
    out += ".EX\n";
    while (!rest.empty()) out += escaped(take_line(rest)) + "\n";
    out += ".EE\n";
}

} // namespace

std::string manual_page(std::string_view version)
{
    std::string out = ".\\\" Made by `axe help man`.\n.TH AXE 1 \"\" " + quoted_argument(version) + " \"User Commands\"\n";
    out += ".SH NAME\naxe \\- exact algebra of data layouts over named hardware axes\n";

    add_section(out, "SYNOPSIS");
    out += ".B axe\n[\\-\\-json] OPERATION ARGUMENTS...\n";
    for (const Command& command : commands()) {
        out += ".br\n.B axe " + escaped(command.name) + "\n";
        if (!command.arguments.empty()) out += escaped(command.arguments) + "\n";
    }

    const std::string page = help_page();
    add_section(out, "DESCRIPTION");
    std::string_view introduction = std::string_view(page).substr(0, page.find("\nCommands\n") + 1);
    take_line(introduction); // the name
    add_text(out, introduction);

    add_section(out, "COMMANDS");
    for (const Command& command : commands()) add_term(out, command.name, command.arguments, command.meaning);

    add_section(out, "OPERATIONS");
    for (const Family& family : families()) {
        if (family.group.empty()) {
            out += ".SS " + quoted_argument(family.title) + "\n";
        } else {
            out += ".SS " + quoted_argument("axe " + std::string(family.group)) + "\n" + escaped(family.meaning) + "\n";
        }
        for (const Operation& op : family.operations) add_operation(out, op);
    }

    add_section(out, "RUN");
    add_text(out, examples_page());
    add_section(out, "RELAYOUT");
    add_text(out, relayout_page());
    for (const Topic& topic : topics()) {
        add_section(out, topic.name == "status" ? "EXIT STATUS" : upper(topic.name));
        add_text(out, topic.page);
    }
    return out;
}

} // namespace axe_cli
