// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_IMPL_MOVEMENT_HPP
#define AXE_PICTURE_IMPL_MOVEMENT_HPP

#include <axe/picture/embedded/movement_css.hpp>
#include <axe/picture/impl/svg.hpp>
#include <axe/picture/movement.hpp>
#include <axe/sim/report/format.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Draws a movement: statements from top to bottom, what they are on the left, memories as columns. A tensor has its card where it is
/// met first, later its name. Arrows run level: each source has a separate height, and the destination is as tall as its sources.
class MovementDrawing {
    static constexpr const char* strong_ink = "strong ink"; // the classes of a heading

  public:
    explicit MovementDrawing(const MovementPicture& movement) : m_(movement), met_(movement.tensors.size()) {}

    std::string draw()
    {
        columns_top_ = picture_margin + 62;
        int y = columns_top_ + 26;
        for (const MovementStep& step : m_.steps) y = step.destination ? arrows(step, y) : mark(step, y);
        bottom_ = y + 6;
        return file();
    }

  private:
    static constexpr int gutter = 360, column = 208, gap = 54, line = 14, chip = 20;
    static constexpr std::size_t box_characters = (column - 16) * 10 / 66;

    [[nodiscard]] int left_of(int memory) const { return picture_margin + gutter + memory * (column + gap); }
    [[nodiscard]] int full_width() const
    {
        const int columns = std::max(static_cast<int>(m_.memories.size()), 1);
        return left_of(columns - 1) + column + picture_margin;
    }
    /// How many characters have room on the left of the columns, in from the margin by `indent` pixels.
    static std::size_t room_at(int indent) { return static_cast<std::size_t>(std::max(gutter - 16 - indent, 80) * 10 / 66); }
    static std::string cut(const std::string& text, std::size_t most) { return sim::format::shortened(text, most); }

    void words(int x, int y, const char* kind, const std::string& text)
    {
        (texts_ << "<text class=\"" << kind << "\" x=\"" << x << "\" y=\"" << y << "\">").text(text) << "</text>\n";
    }

    /// What is between: a line of the program.
    int mark(const MovementStep& step, int y)
    {
        const int x = picture_margin + step.depth * 10;
        const std::string number = step.statement < 0 ? "" : std::to_string(step.statement) + " ";
        words(x, y + 14, step.faulty ? strong_ink : "ink",
              cut((step.faulty ? "✗ " : "") + number + step.words, room_at(step.depth * 10)));
        const int from = picture_margin + gutter, to = full_width() - picture_margin;
        back_ << "<path class=\"line\" d=\"M" << from << " " << y + 10 << "H" << to << "\" stroke-dasharray=\"1 4\"/>\n";
        return y + 20;
    }

    int gutter_text(const MovementStep& step, int y)
    {
        const int x = picture_margin + step.depth * 10;
        const std::size_t room = room_at(step.depth * 10 + 8);
        std::string head = (step.faulty ? "✗ " : "") + std::to_string(step.statement) + " " + step.words;
        if (step.faulty) head += ": the fault";
        y += line;
        words(x, y, strong_ink, cut(head, room));
        const auto soft = [&](const std::string& text) {
            for (const std::string& part : wrapped(text, static_cast<int>(room), 3)) words(x + 8, y += line, "quiet", part);
        };
        for (const std::string& text : step.instructions) soft(text);
        for (const std::string& text : step.bytes) soft(text);
        if (step.link_bytes != 0) soft(sim::format::grouped(step.link_bytes) + " B between devices");
        return y + 6;
    }

    /// The lines of a tensor's box, and how tall it is.
    struct Box {
        std::vector<std::pair<const char*, std::string>> lines{};
        [[nodiscard]] int height() const { return lines.size() == 1 ? chip : 6 + line * static_cast<int>(lines.size()); }
    };
    Box box_of(const MovementEnd& end)
    {
        Box box;
        if (end.tensor < 0) return {{{"plain", cut(end.view, box_characters)}}};
        const MovementTensor& t = m_.tensors[static_cast<std::size_t>(end.tensor)];
        const auto entered = met_.begin() + end.tensor;
        if (*entered) {
            box.lines.emplace_back("plain", cut(end.view, box_characters));
            return box;
        }
        *entered = true;
        constexpr const char* bindings[] = {"", ", input", ", output", ", input and output"};
        box.lines.emplace_back("strong", cut(t.name + bindings[static_cast<int>(t.binding)], box_characters));
        box.lines.emplace_back("plain", cut(t.type, box_characters));
        for (std::string& part : wrapped(t.layout, static_cast<int>(box_characters), 3))
            box.lines.emplace_back("plain", std::move(part));
        if (end.view != t.name) box.lines.emplace_back("plain", cut(end.view, box_characters));
        return box;
    }
    void put_box(const MovementEnd& end, const Box& box, int x, int y, int width, int height, bool written)
    {
        const int memory = end.tensor < 0 ? 0 : m_.tensors[static_cast<std::size_t>(end.tensor)].memory;
        const Color fill = hues[memory_hues[memory % 4]], ink = text_color(fill);
        boxes_ << "<g class=\"" << (written ? "box written" : "box") << "\"><title>";
        if (end.tensor >= 0) {
            const MovementTensor& t = m_.tensors[static_cast<std::size_t>(end.tensor)];
            boxes_.text(t.name + ": " + t.type + ", " + t.layout + "; " + end.view);
        } else {
            boxes_.text(end.view);
        }
        boxes_ << "</title><rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << width << "\" height=\"" << height
               << "\" rx=\"4\" fill=\"" << fill << "\"/>\n";
        int at = y + (height - line * static_cast<int>(box.lines.size())) / 2 - 3;
        for (const auto& [kind, text] : box.lines) {
            at += line;
            (boxes_ << "<text class=\"" << kind << "\" fill=\"" << ink << "\" x=\"" << x + 8 << "\" y=\"" << at << "\">").text(text)
                << "</text>\n";
        }
        boxes_ << "</g>\n";
    }
    void arrow(int x0, int y0, int x1, int y1, bool across)
    {
        const int dx = x1 > x0 ? 1 : x1 < x0 ? -1 : 0, dy = y1 > y0 ? 1 : y1 < y0 ? -1 : 0;
        arrows_ << "<path class=\"" << (across ? "move across" : "move") << "\" d=\"M" << x0 << " " << y0 << "L" << x1 - 7 * dx
                << " " << y1 - 7 * dy << "\"/><path class=\"ink\" d=\"M" << x1 << " " << y1 << "l" << -8 * dx - 4 * dy << " "
                << -8 * dy - 4 * dx << "l" << 8 * dy << " " << 8 * dx << "z\"/>\n";
    }

    int arrows(const MovementStep& step, int y)
    {
        y += 4;
        const MovementEnd& d = *step.destination;
        const auto memory_of = [&](const MovementEnd& e) {
            return e.tensor < 0 ? 0 : m_.tensors[static_cast<std::size_t>(e.tensor)].memory;
        };
        const int to = memory_of(d), x = left_of(to);
        const int text_bottom = gutter_text(step, y - 2);
        std::vector<const MovementEnd*> above, beside;
        bool in_place = false;
        for (const MovementEnd& s : step.sources) {
            if (s == d)
                in_place = true;
            else
                (memory_of(s) == to ? above : beside).push_back(&s);
        }
        // Sources in the destination's own column are above it, each further one indented, so that arrows pass beside them.
        int at = y;
        std::vector<int> bottoms;
        for (std::size_t i = 0; i < above.size(); ++i) {
            const Box box = box_of(*above[i]);
            const int indent = 22 * static_cast<int>(i);
            put_box(*above[i], box, x + indent, at, column - indent, box.height(), false);
            at += box.height();
            bottoms.push_back(at);
            at += i + 1 < above.size() ? 5 : 20;
        }
        int level = at;
        std::vector<std::pair<int, int>> ends; // the edge and the height of each source beside
        for (const MovementEnd* s : beside) {
            const Box box = box_of(*s);
            const int from = memory_of(*s);
            put_box(*s, box, left_of(from), level, column, box.height(), false);
            ends.emplace_back(from, level + box.height() / 2);
            level += box.height() + 5;
        }
        const Box box = box_of(d);
        const int height = std::max(box.height(), level - at - (beside.empty() ? 0 : 5));
        put_box(d, box, x, at, column, height, true);
        for (const auto& [from, middle] : ends)
            arrow(from < to ? left_of(from) + column : left_of(from), middle, from < to ? x : x + column, middle,
                  step.across_devices);
        for (std::size_t i = 0; i < bottoms.size(); ++i) {
            const int across = x + 11 + 22 * static_cast<int>(i);
            arrow(across, bottoms[i], across, at, step.across_devices);
        }
        if (in_place) {
            const int right = x + column, middle = at + height / 2;
            arrows_ << "<path class=\"move\" d=\"M" << right << " " << middle - 5
                    << "q7 0 7 4.5q0 4.5 -4 5\"/><path class=\"ink\" d=\"M" << right << " " << middle + 5 << "l5 -3.5v7z\"/>\n";
        }
        return std::max(text_bottom, at + height) + 8;
    }

    void put_heads()
    {
        for (std::size_t i = 0; i < m_.memories.size(); ++i) {
            const int x = left_of(static_cast<int>(i));
            back_ << "<rect class=\"column\" x=\"" << x - 8 << "\" y=\"" << columns_top_ - 16 << "\" width=\"" << column + 16
                  << "\" height=\"" << bottom_ - columns_top_ + 16 << "\" rx=\"6\"/>\n";
            const std::string& name = m_.memories[i].name;
            words(x, columns_top_, strong_ink, name);
            words(x + label_width(characters(name)) + 12, columns_top_, "quiet", m_.memories[i].whose);
        }
    }
    static void put_movement_theme(Markup& out, const Theme& theme)
    {
        out << ".axe .move{stroke:" << theme.ink << "}.axe .quiet{fill:" << theme.soft << "}.axe .column{stroke:" << theme.line
            << "}.axe .written rect{stroke:" << theme.ink << "}";
    }
    std::string file()
    {
        put_heads();
        const char* key = "An arrow leads from what a statement reads to what it writes, outlined; a broken one crosses devices, a "
                          "loop is done in place.";
        int y = bottom_ + 20;
        for (const std::string& part : wrapped(key, (full_width() - 2 * picture_margin) * 10 / 66, 4)) {
            words(picture_margin, y, "soft", part);
            y += 17;
        }
        Markup out;
        out << "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"axe\" role=\"img\" width=\"" << full_width() << "\" height=\""
            << y << "\" viewBox=\"0 0 " << full_width() << " " << y << "\">\n<title>";
        (out.text("Data movement of " + m_.title) << "</title>\n<desc>").text(key) << "</desc>\n";
        put_style(out);
        out << "<style>" << movement_css;
        put_movement_theme(out, light_theme);
        out << "@media (prefers-color-scheme:dark){";
        put_movement_theme(out, dark_theme);
        out << "}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n<text class=\"head ink\" x=\"" << picture_margin
            << "\" y=\"32\">";
        out.text(m_.title) << "</text>\n" << back_.str() << arrows_.str() << boxes_.str() << texts_.str() << "</svg>\n";
        return out.str();
    }

    /// Of the palette, those that stay apart side by side and carry black text.
    static constexpr int memory_hues[4] = {0, 1, 3, 2};

    const MovementPicture& m_;
    std::vector<bool> met_;
    int columns_top_ = 0, bottom_ = 0;
    Markup back_{}, arrows_{}, boxes_{}, texts_{};
};

} // namespace detail

AXE_DECL std::string draw(const MovementPicture& movement) { return detail::MovementDrawing(movement).draw(); }

} // namespace v0
} // namespace axe

#endif
