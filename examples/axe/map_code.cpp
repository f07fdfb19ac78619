// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps as code.
#include "map_answers.hpp"
#include "settings.hpp"

#include <axe/map/codegen/expression_writer.hpp>
#include <axe/map/emit_c.hpp>
#include <axe/map/emit_loops.hpp>

namespace axe_cli {
namespace {

using axe::IndexingMap;

/// Code in one line. None of it is a comment or a directive, and so it means the same.
std::string in_one_line(std::string_view code)
{
    std::string out;
    for (const char c : code) {
        const bool is_space = static_cast<unsigned char>(c) <= ' ';
        if (!is_space)
            out += c;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

void give_code(Reply& reply, const axe::Result<std::string>& code)
{
    constexpr std::size_t longest = std::size_t{1} << 19;
    if (!code) return reply.refuse(code.error());
    if (code->size() > longest)
        return reply.fail("capacity", "the code has " + std::to_string(code->size()) + " characters, and at most " +
                                          std::to_string(longest) + " are written");
    reply.text = reply.form == Form::page ? code->substr(0, code->size() - 1) : in_one_line(*code);
    if (reply.json()) reply.fields.key("text").string(*code);
}

axe::Status read_word(std::string_view text, std::string& out)
{
    if (!axe::detail::is_identifier(text)) return {axe::errc::bad_syntax, 0, "expected the name of a function at character {0}"};
    out = text;
    return {};
}

/// What is put into the code as it is, but in one line.
axe::Status read_code(std::string_view text, std::string& out)
{
    if (text.empty()) return {axe::errc::bad_syntax, 0, "expected C++ at character {0}"};
    out = in_one_line(text);
    return {};
}

axe::Status read_yes(std::string_view text, bool& out)
{
    if (text != "yes" && text != "no") return {axe::errc::bad_syntax, 0, "expected yes or no at character {0}"};
    out = text == "yes";
    return {};
}

constexpr Key<axe::EmitOptions> emit_keys[] = {
    {"name", [](std::string_view text, axe::EmitOptions& o) { return read_word(text, o.name); }},
    {"checks", [](std::string_view text, axe::EmitOptions& o) { return read_yes(text, o.checks); }},
};
constexpr Key<axe::LoopOptions> loop_keys[] = {
    {"name", [](std::string_view text, axe::LoopOptions& o) { return read_word(text, o.name); }},
    {"type", [](std::string_view text, axe::LoopOptions& o) { return read_code(text, o.type); }},
    {"initial", [](std::string_view text, axe::LoopOptions& o) { return read_code(text, o.initial); }},
    {"combine", [](std::string_view text, axe::LoopOptions& o) { return read_code(text, o.combine); }},
    {"peel", [](std::string_view text, axe::LoopOptions& o) { return read_yes(text, o.peel); }},
};

/// `name=VALUE`, and no map or shape?
bool is_setting(std::string_view words)
{
    const std::size_t at = words.find('=');
    return at != std::string_view::npos && axe::detail::is_identifier(trimmed(words.substr(0, at)));
}

/// An argument as this reader takes it; false with the reply refused.
template <class T>
bool read(Reply& reply, const Text& text, axe::Result<T> (*parse)(axe::TextView), T& out)
{
    const axe::Result<T> value = parse(text);
    if (value)
        out = *value;
    else
        reply.misread(text.argument, text.words, value.error());
    return static_cast<bool>(value);
}

} // namespace

void answer_emit_c(Reply& reply, const IndexingMap& map, const std::vector<Setting>& settings)
{
    axe::EmitOptions options;
    for (const Setting& setting : settings)
        if (!set(reply, setting, emit_keys, options)) return;
    give_code(reply, axe::emit_c(map, options));
}

void answer_emit_loops(Reply& reply, const axe::Shape& shape, const std::vector<Text>& rest)
{
    axe::LoopOptions options;
    options.combine.clear();
    std::vector<IndexingMap> maps;
    std::vector<std::vector<std::int64_t>> operands;
    for (const Text& text : rest) {
        if (is_setting(text.words)) {
            const std::size_t at = text.words.find('=');
            const Setting setting{trimmed(text.words.substr(0, at)), trimmed(text.words.substr(at + 1)), text.argument};
            if (!set(reply, setting, loop_keys, options)) return;
        } else if (maps.size() == operands.size()) {
            if (!read(reply, text, parse_map_argument, maps.emplace_back())) return;
        } else {
            axe::Shape operand;
            if (!read(reply, text, axe::parse_shape, operand)) return;
            operands.emplace_back(operand.begin(), operand.end());
        }
    }
    if (maps.size() != operands.size())
        return reply.fail("wrong_arguments", "the map of operand " + std::to_string(operands.size()) + " has no shape after it");
    if (options.combine.empty()) {
        options.combine = "acc + x0";
        for (std::size_t i = 1; i < maps.size(); ++i) options.combine += " * x" + std::to_string(i);
    }
    const auto nest = axe::loop_nest({shape.begin(), shape.end()}, maps, operands);
    if (!nest) return reply.refuse(nest.error());
    give_code(reply, axe::emit_loops(*nest, options));
}

} // namespace axe_cli
