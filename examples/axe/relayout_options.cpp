// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "relayout_options.hpp"

#include "columns.hpp"

#include <axe/text/explain.hpp>

#include <cmath>
#include <cstdlib>

namespace axe_cli {
namespace {

using axe::errc;
using axe::Problem;

/// What of a value could not be read, with a caret under the place.
axe::Result<void, axe::Problem> unread(std::string_view option, std::string_view text, const axe::Error& error)
{
    return {error.code,
            std::string(option) + " cannot be read\n" + axe::explain(text.data(), static_cast<int>(text.size()), error).c_str()};
}

axe::Result<void, axe::Problem> read_shape(std::string_view option, std::string_view text, std::optional<axe::Shape>& out)
{
    const auto shape = axe::parse_shape(text);
    if (!shape) return unread(option, text, shape.error());
    out = *shape;
    return {};
}

/// A layout, swizzled or not, grouped or not: the groups say nothing that the shape does not.
axe::Result<void, axe::Problem> read_layout(std::string_view option, std::string_view text, std::optional<SwizzledLayout>& out)
{
    const int length = static_cast<int>(text.size());
    if (text.find('|') != std::string_view::npos) {
        const auto grouped = axe::parse_grouped({text.data(), length});
        if (!grouped) return unread(option, text, grouped.error());
        out.emplace().layout = grouped->layout;
        return {};
    }
    const auto layout = axe::parse_swizzled({text.data(), length});
    if (!layout) return unread(option, text, layout.error());
    out = *layout;
    return {};
}

axe::Result<void, axe::Problem> read_pitch(RelayoutRequest& request, std::string_view text)
{
    const std::size_t at = text.find('=');
    Pitch pitch{};
    if (at == std::string_view::npos || at == 0 || !read_number(text.substr(at + 1), 0, INT64_MAX, pitch.elements))
        return {errc::bad_syntax, "--pitch takes AXIS=N, N elements from one to the next, not " + quoted(text)};
    const auto axis = axe::parse_axis({text.data(), static_cast<int>(at)});
    if (!axis) return unread("--pitch", text.substr(0, at), axis.error());
    pitch.axis = *axis;
    for (const Pitch& p : request.pitches)
        if (p.axis == pitch.axis) return {errc::bad_axis, "--pitch gives the axis " + quoted(text.substr(0, at)) + " twice"};
    request.pitches.push_back(pitch);
    return {};
}

axe::Result<void, axe::Problem> read_type(std::string_view option, std::string_view text, std::optional<axe::DType>& out)
{
    const auto type = axe::parse_dtype(text);
    if (!type) return {type.error().code, std::string(option) + ": " + type.error().text};
    out = *type;
    return {};
}

const OptionRow<RelayoutRequest> relayout_rows[] = {
    {{"--from", "LAYOUT", "the offsets of the elements in IN's data, counted in elements; by default the order of the file"},
     [](RelayoutRequest& r, std::string_view v) -> axe::Result<void, axe::Problem> { return read_layout("--from", v, r.from); }},
    {{"--to", "LAYOUT", "their offsets in OUT's data; row-major by default"},
     [](RelayoutRequest& r, std::string_view v) -> axe::Result<void, axe::Problem> { return read_layout("--to", v, r.to); }},
    {{"--shape", "SHAPE", "of the tensor, whose elements both layouts number row-major; IN's shape by default"},
     [](RelayoutRequest& r, std::string_view v) -> axe::Result<void, axe::Problem> { return read_shape("--shape", v, r.shape); }},
    {{"--from-shape", "SHAPE", "of the layout --from, where it is padded beyond the tensor's"},
     [](RelayoutRequest& r, std::string_view v) -> axe::Result<void, axe::Problem> {
         return read_shape("--from-shape", v, r.from_shape);
     }},
    {{"--to-shape", "SHAPE", "of the layout --to, where it is padded"},
     [](RelayoutRequest& r, std::string_view v) -> axe::Result<void, axe::Problem> {
         return read_shape("--to-shape", v, r.to_shape);
     }},
    {{"--padding", "VALUE", "of elements beyond the tensor's shape, 0 by default: a number, or bits as 0x7f"},
     [](RelayoutRequest& r, std::string_view v) -> axe::Result<void, axe::Problem> {
         r.padding = v;
         return v.empty() ? Problem(errc::bad_syntax, "--padding takes a number, or bits as 0x7f") : Problem();
     }},
    {{"--pitch", "AXIS=N", "elements from one place on an axis to the next; for each axis where layouts have several"}, read_pitch},
    {{"--out-shape", "SHAPE", "in the header of OUT; as many elements as the span of --to, or more"},
     [](RelayoutRequest& r, std::string_view v) -> axe::Result<void, axe::Problem> {
         return read_shape("--out-shape", v, r.out_shape);
     }},
    {{"--as", "TYPE", "convert the elements: f64, f32, f16, bf16, e4m3, i32, ..."},
     [](RelayoutRequest& r, std::string_view v) -> axe::Result<void, axe::Problem> { return read_type("--as", v, r.as); }},
    {{"--of", "TYPE", "what IN's elements are, where the file has only bits (V2, V1)"},
     [](RelayoutRequest& r, std::string_view v) -> axe::Result<void, axe::Problem> { return read_type("--of", v, r.of); }},
    {{"--scale", "NUMBER", "multiply the elements"},
     [](RelayoutRequest& r, std::string_view v) -> axe::Result<void, axe::Problem> {
         const std::string text(v);
         char* end = nullptr;
         r.scale = std::strtod(text.c_str(), &end);
         const bool good = !text.empty() && end == text.c_str() + text.size() && std::isfinite(r.scale);
         return good ? Problem() : Problem(errc::bad_syntax, "--scale takes a number, not " + quoted(v));
     }},
    {{"--accumulate", "", "add to the elements of OUT, which must exist"}, noted<&RelayoutRequest::accumulate>},
    {{"--threads", "N", "on this computer, 1 by default; the result does not depend on it"},
     [](RelayoutRequest& r, std::string_view v) -> axe::Result<void, axe::Problem> {
         std::int64_t n = 0;
         if (!read_number(v, 1, 1 << 10, n))
             return Problem(errc::bad_argument, "--threads takes a number from 1 to 1024, not " + quoted(v));
         r.threads = static_cast<int>(n);
         return Problem();
     }},
    {{"--plan", "", "describe how it would be copied, and write nothing"}, noted<&RelayoutRequest::plan>},
    {{"--quiet", "", "print nothing but errors"}, noted<&RelayoutRequest::quiet>},
};

} // namespace

std::span<const Option> relayout_options()
{
    static const std::vector<Option> shown = options_of(relayout_rows);
    return shown;
}

axe::Result<RelayoutRequest, axe::Problem> read_relayout_request(Fields arguments)
{
    RelayoutRequest out;
    std::vector<std::string_view> files;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!arguments[i].starts_with("--")) {
            files.push_back(arguments[i]);
            continue;
        }
        const auto option = typed_option("relayout", "axe help relayout", relayout_options(), arguments, i);
        if (!option) return option.error();
        if (const auto p = relayout_rows[option->which].read(out, option->value); !p.ok()) return p;
    }
    if (files.size() > 2)
        return Problem(errc::bad_argument, "relayout takes two files, IN and OUT; there is " + quoted(files[2]) + " besides");
    if (files.size() < (out.plan ? 1U : 2U))
        return Problem(errc::bad_argument, "relayout takes two .npy files, IN and OUT; here " +
                                               std::string(files.empty() ? "are none" : "is one") + "\n" +
                                               "usage: axe relayout IN OUT [--from LAYOUT] [--to LAYOUT] ...\n" +
                                               "`axe help relayout` tells more");
    out.in = files[0];
    if (files.size() == 2) out.out = files[1];
    if (out.in.empty() || (files.size() == 2 && out.out.empty())) return Problem(errc::bad_argument, "the name of a file is empty");
    return out;
}

std::string relayout_page()
{
    std::string out =
        "usage: axe relayout IN OUT [OPTIONS]\n"
        "\n"
        "  copies the tensor of a .npy file from one layout to another:  OUT[to(c)] = IN[from(c)]  for every c of SHAPE\n"
        "  A layout is written (8,16):(16,1); swizzled, swizzle<3,4,3>/4((8,64):(64,1)), with the bytes of an element.\n"
        "  Elements that no layout covers are 0. IN may be larger than memory; OUT is written completely or not at\n"
        "  all. Without --as, --scale and --accumulate the bits are copied, of any type of 1, 2, 4, ... bytes.\n"
        "\noptions";
    std::vector<Row> lines;
    for (const Option& o : relayout_options())
        lines.push_back({std::string(o.name) + (o.value.empty() ? "" : " ") + std::string(o.value), std::string(o.what)});
    out += table_of(lines, 2);
    out += "\n\nExample\n"
           "  axe relayout relayout_rows.npy sticks.npy --shape '(6,192)' --to '(6,3,64):(64,384,1)'\n"
           "\nThe exit status is 0 when OUT is written, 2 when it cannot be, 130 after Ctrl-C; in these cases OUT is unchanged.\n";
    return out;
}

} // namespace axe_cli
