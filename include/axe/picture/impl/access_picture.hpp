// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_IMPL_ACCESS_PICTURE_HPP
#define AXE_PICTURE_IMPL_ACCESS_PICTURE_HPP

#include <axe/picture/access_picture.hpp>
#include <axe/program/print.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Who touches an element of a view: first of all, and how many do.
struct Toucher {
    int issue = 0, agent = 0, lane = 0, place = 0;
    int count = 0;
};

inline std::vector<Toucher> touchers(const Instruction& i, const Distribution& p, std::int64_t elements)
{
    std::vector<Toucher> out(static_cast<std::size_t>(elements));
    for (int issue = 0; issue < p.issues; ++issue)
        for (int agent = 0; agent < p.agents; ++agent)
            for (int lane = 0; lane < p.lanes; ++lane)
                for (int e = 0; e < p.vector; ++e) {
                    const std::int32_t element = p.element[p.at(issue, agent, lane, e)];
                    if (element < 0 || element >= elements) continue;
                    Toucher& t = out[static_cast<std::size_t>(element)];
                    if (t.count++ == 0) t = {issue, i.first_agent + agent * i.agent_stride, lane, e, 1};
                }
    return out;
}

} // namespace detail

AXE_DECL Result<Picture, Problem> access_picture(const Program& lowered, int statement, const AccessPicture& options)
{
    const std::string number = std::to_string(statement);
    const std::vector<const Instruction*> every = detail::instructions_of(lowered.body, statement);
    if (options.instruction < 0 || static_cast<std::size_t>(options.instruction) >= every.size())
        return Problem(errc::bad_argument, "statement {0} has {1}; there is no number {2}",
                       {number, detail::count_words(static_cast<std::int64_t>(every.size()), "instruction"), options.instruction});
    const Instruction& i = *every[static_cast<std::size_t>(options.instruction)];
    const std::string text = i.text.empty() ? i.opcode : i.text;
    if (options.operand < 0 || static_cast<std::size_t>(options.operand) >= i.operands.size())
        return Problem(
            errc::bad_argument, "{0} of statement {1} has {2}; there is no number {3}",
            {text, number, detail::count_words(static_cast<std::int64_t>(i.operands.size()), "operand"), options.operand});
    const Access& access = i.operands[static_cast<std::size_t>(options.operand)];
    const std::string view = print(lowered, access.view);
    if (!access.distribution)
        return Problem(errc::bad_argument, "{0} of statement {1} accesses {2} as a whole, not by lanes", {text, number, view});

    const Shape& shape = access.view.extents;
    const auto size = volume(shape);
    if (!size) return size.error();
    if (*size > max_picture_cells) return detail::too_many_cells();
    const int rank = shape.size();
    const std::int64_t columns = rank == 0 ? 1 : rank == 1 ? line_length(*size) : shape[rank - 1];
    const std::int64_t rows = rank < 2 ? (*size + columns - 1) / columns : shape[rank - 2];
    const std::int64_t panels = rank < 2 ? 1 : *size / (rows * columns);
    if (panels > max_picture_panels) return detail::too_many_panels();

    using By = AccessPicture::By;
    const auto touched = detail::touchers(i, *access.distribution, *size);
    const bool one_agent = i.agents == 1, one_issue = access.distribution->issues == 1;
    bool several = false;
    Picture picture;
    for (std::int64_t p = 0; p < panels; ++p) {
        PicturePanel panel;
        panel.rows = detail::numbers(0, rows, rank < 2 ? columns : 1);
        panel.columns = detail::numbers(0, columns);
        if (rank >= 2) panel.row_name = "dim " + std::to_string(rank - 2);
        if (rank >= 1) panel.column_name = "dim " + std::to_string(rank - 1);
        if (rank > 2) {
            const auto first = coordinate(shape, p * rows * columns);
            for (int d = 0; d < rank - 2; ++d) panel.title += std::to_string(first[d]) + ",";
            panel.title = "(" + panel.title + ":,:)";
        }
        panel.cells.resize(static_cast<std::size_t>(rows * columns));
        for (std::int64_t at = 0; at < rows * columns && p * rows * columns + at < *size; ++at) {
            const std::int64_t element = p * rows * columns + at;
            const detail::Toucher& t = touched[static_cast<std::size_t>(element)];
            PictureCell& cell = panel.cells[static_cast<std::size_t>(at)];
            cell.kind = t.count == 0 ? PictureCell::Kind::hole : PictureCell::Kind::filled;
            if (t.count == 0) continue;
            cell.several = t.count > 1;
            several = several || cell.several;
            const int lead = options.color == By::lane ? t.lane : options.color == By::agent ? t.agent : t.issue;
            cell.value = lead;
            cell.label = std::to_string(lead);
            if (options.color != By::lane) cell.label += "\n" + std::to_string(t.lane);
            if (options.color != By::agent && !one_agent) cell.label += "\n" + std::to_string(t.agent);
            if (options.color != By::issue && !one_issue) cell.label += "\n" + std::to_string(t.issue);
            cell.tip = std::string(print(coordinate(shape, element)).c_str()) + ": lane " + std::to_string(t.lane) + " of agent " +
                       std::to_string(t.agent) + ", issue " + std::to_string(t.issue) + ", place " + std::to_string(t.place) +
                       " of its vector";
            if (cell.several) cell.tip += "; " + std::to_string(t.count) + " touch it in all";
        }
        picture.panels.push_back(std::move(panel));
    }
    constexpr const char* names[] = {"lane", "agent", "issue"};
    picture.color = names[static_cast<int>(options.color)];
    picture.cell_key = picture.color;
    if (options.color != By::lane) picture.cell_key += ", lane";
    if (options.color != By::agent && !one_agent) picture.cell_key += ", agent";
    if (options.color != By::issue && !one_issue) picture.cell_key += ", issue";
    picture.value_leads = true;
    picture.title = options.title.empty() ? text : options.title;
    picture.layout = view;
    picture.subtitle = std::string(options.operand == 0 ? "destination" : "operand " + std::to_string(options.operand)) + " of " +
                       text + ", statement " + number + "; colored by " + picture.color;
    if (several) picture.corner = "an element touched more than once, here by the first";
    detail::collect_values(picture);
    return picture;
}

} // namespace v0
} // namespace axe

#endif
