// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of an operator on Spyre: `m k, k n -> m n` and the sizes of its operands.
#include "settings.hpp"
#include "spyre_answers.hpp"

#include <axe/target/spyre/compiler/kernel_json.hpp>

namespace axe_cli {
namespace {

using axe::spyre::Division, axe::spyre::DivideOptions, axe::spyre::Tensor, axe::spyre::Work;

/// What stands behind the operands' sizes.
struct WorkSettings {
    DivideOptions options{};
    std::string name{};
};

axe::Status read_number(std::string_view text, std::int64_t& out)
{
    const auto n = axe::parse_integer(text);
    if (!n) return n.error();
    out = *n;
    return {};
}

axe::Status read_name(std::string_view text, std::string& out)
{
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '"' || text[i] == '\\' || text[i] < ' ')
            return axe::Error(axe::errc::bad_syntax, static_cast<int>(i), "character {0} cannot be in the name of an operator",
                              static_cast<std::int64_t>(i));
    out = text;
    return {};
}

constexpr Key<WorkSettings> work_keys[] = {
    {"cores", [](std::string_view text, WorkSettings& s) { return read_number(text, s.options.cores); }},
    {"span", [](std::string_view text, WorkSettings& s) { return read_number(text, s.options.span); }},
    {"name", [](std::string_view text, WorkSettings& s) { return read_name(text, s.name); }},
};

/// The loops of a formula: for each tensor the numbers of those that its dimensions run on.
struct Formula {
    axe::InlineVector<axe::Axis, axe::spyre::max_loops> names{};
    std::vector<axe::InlineVector<int, axe::max_rank>> tensors{};
};

/// Reads `m k, k n -> m n`; the loops of the result come first.
axe::Result<Formula> parse_formula(axe::TextView given)
{
    const auto [text, length] = given;
    axe::detail::Reader in(text, length);
    std::vector<std::vector<axe::Axis>> tensors;
    const auto names = [&] {
        auto& list = tensors.emplace_back();
        while (in.is_letter(in.peek())) {
            axe::Axis name;
            if (!in.axis(name)) return false;
            if (list.size() == axe::max_rank - 1)
                return in.fail(axe::errc::capacity, in.at, "the tensor before character {0} has more than {1} dimensions",
                               axe::max_rank - 1);
            list.push_back(name);
        }
        return true;
    };
    do {
        if (!names()) return in.error;
    } while (in.accept(','));
    if (!in.expect('-', "expected the name of a loop, ',' or -> at character {0}") ||
        !in.expect('>', "expected -> at character {0}") || !names() ||
        !in.finish("expected the name of a loop, or the end of the text, at character {0}"))
        return in.error;
    if (tensors.size() > axe::spyre::max_operands)
        return axe::Error(axe::errc::capacity, -1, "an operator has at most {0} tensors here, this one has {1}",
                          axe::spyre::max_operands, static_cast<std::int64_t>(tensors.size()));
    Formula out;
    out.tensors.resize(tensors.size());
    for (std::size_t k = 0; k < tensors.size(); ++k) { // the result first
        const std::size_t t = (k + tensors.size() - 1) % tensors.size();
        for (const axe::Axis& name : tensors[t]) {
            int v = 0;
            while (v < out.names.size() && !(out.names[v] == name)) ++v;
            if (v == out.names.size() && !out.names.push_back(name))
                return axe::Error(axe::errc::capacity, -1, "an operator has at most {0} loops here", axe::spyre::max_loops);
            out.tensors[t].push_back(v);
        }
    }
    return axe::Result<Formula>(std::move(out));
}

/// Work and what else was said; nothing when it cannot be read: that is the reply then.
struct Request {
    Work work{};
    WorkSettings settings{};
};

/// Makes the work of a formula from the sizes of its operands; all tensors are in their default layouts.
axe::Result<Work> make_work(const Formula& formula, const std::vector<axe::Shape>& sizes, axe::spyre::DataFormat format)
{
    axe::Result<Work> work{Work{}};
    for (const axe::Axis& name : formula.names) work->loops.push_back({name, 1, true});
    for (const int v : formula.tensors.back()) work->loops[v].is_reduced = false;
    axe::Shape result;
    for (std::size_t t = 0; t < formula.tensors.size(); ++t) {
        const bool is_result = t + 1 == formula.tensors.size();
        const auto& loops = formula.tensors[t];
        if (is_result)
            for (const int v : loops) result.push_back(work->loops[v].size);
        const axe::Shape& shape = is_result ? result : sizes[t];
        if (shape.size() != loops.size())
            return axe::Error(axe::errc::rank_mismatch, static_cast<int>(t),
                              "tensor {0} has {1} dimensions, but loops are given for {2}", static_cast<std::int64_t>(t),
                              shape.size(), loops.size());
        for (int d = 0; d < shape.size(); ++d)
            if (work->loops[loops[d]].size == 1) work->loops[loops[d]].size = shape[d];
        const auto tensor = axe::spyre::make_tensor(axe::spyre::contiguous(shape), format);
        if (!tensor) return tensor.error();
        work->tensors.push_back({*tensor, loops});
    }
    if (const axe::Status e = axe::spyre::check(*work); !e.ok()) return e;
    return work;
}

std::optional<Request> read_request(Reply& reply, const Text& text, const SpyreType& type, const std::vector<Text>& more)
{
    const auto formula = parse_formula(text);
    if (!formula) {
        reply.misread(text.argument, text.words, formula.error());
        return std::nullopt;
    }
    Request out;
    std::vector<axe::Shape> sizes;
    for (const Text& one : more) {
        const std::size_t at = one.words.find('=');
        if (at != std::string_view::npos) {
            const Setting setting{trimmed(one.words.substr(0, at)), trimmed(one.words.substr(at + 1)), one.argument};
            if (!set(reply, setting, work_keys, out.settings)) return std::nullopt;
            continue;
        }
        const auto shape = axe::parse_shape(one);
        if (!shape) {
            reply.misread(one.argument, one.words, shape.error());
            return std::nullopt;
        }
        sizes.push_back(*shape);
    }
    if (sizes.size() + 1 != formula->tensors.size()) {
        const std::string operands = std::to_string(formula->tensors.size() - 1), given = std::to_string(sizes.size());
        reply.fail("wrong_arguments", "the formula has " + operands + (operands == "1" ? " operand; " : " operands; ") +
                                          (given == "1" ? "here is the size of " : "here are the sizes of ") + given);
        return std::nullopt;
    }
    const auto work = make_work(*formula, sizes, type->format);
    if (!work) {
        reply.refuse(work.error());
        return std::nullopt;
    }
    out.work = *work;
    return out;
}

} // namespace

void answer_divide(Reply& reply, const Text& formula, const SpyreType& type, const std::vector<Text>& more)
{
    const auto request = read_request(reply, formula, type, more);
    if (!request) return;
    const Work& work = request->work;
    const auto division = axe::spyre::divide(work, request->settings.options);
    if (!division) return reply.refuse(division.error());
    const auto cores = axe::spyre::core_layout(work, *division, request->settings.options);
    if (!cores) return reply.refuse(cores.error());
    if (reply.json()) reply.fields.key("splits").open('{');
    for (int v = 0; v < work.loops.size(); ++v) {
        const std::string name = work.loops[v].name.name().c_str();
        reply.text += (v > 0 ? ", " : "") + name + " " + std::to_string(division->splits[v]);
        if (reply.json()) reply.fields.key(name).number(division->splits[v]);
    }
    reply.text += "; " + std::to_string(division->cores()) + (division->cores() == 1 ? " core" : " cores");
    if (reply.json()) reply.fields.close('}').key("cores").number(division->cores());
    add_axe(reply, *cores);
}

void answer_kernel(Reply& reply, const Text& formula, const SpyreType& type, const std::vector<Text>& more)
{
    const auto request = read_request(reply, formula, type, more);
    if (!request) return;
    const auto division = axe::spyre::divide(request->work, request->settings.options);
    if (!division) return reply.refuse(division.error());
    bool sums = false;
    for (const auto& loop : request->work.loops) sums = sums || loop.is_reduced;
    std::string name = request->settings.name;
    if (name.empty()) name = !sums ? "pointwise" : request->work.tensors.size() == 2 ? "reduce" : "matmul";
    const auto kernel = axe::spyre::make_kernel(name, request->work, *division, request->settings.options);
    if (!kernel) return reply.refuse(kernel.error());
    give_text(reply, axe::spyre::to_json(*kernel));
    const auto cores = axe::spyre::core_layout(request->work, *division, request->settings.options);
    if (!cores) return reply.refuse(cores.error());
    add_axe_aside(reply, *cores);
}

} // namespace axe_cli
