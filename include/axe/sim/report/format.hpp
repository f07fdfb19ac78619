// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_FORMAT_HPP
#define AXE_SIM_REPORT_FORMAT_HPP

#include <axe/text/common/utf8.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

/// Numbers, texts and tables as reports have them.
namespace axe {
inline namespace v0 {
namespace sim {
namespace format {

/// 1234567 as "1,234,567"
inline std::string grouped(std::int64_t n)
{
    std::string digits = std::to_string(n);
    const std::size_t first = n < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

/// part/whole in `digits` decimals; "-" where there is nothing to divide by.
inline std::string ratio(std::int64_t part, std::int64_t whole, int digits, double scale = 1)
{
    if (whole == 0) return "-";
    char text[40];
    std::snprintf(text, sizeof text, "%.*f", digits, scale * static_cast<double>(part) / static_cast<double>(whole));
    return text;
}
inline std::string percent(std::int64_t part, std::int64_t whole)
{
    const std::string r = ratio(part, whole, 1, 100);
    return whole == 0 ? r : r + " %";
}

/// At most so many digits.
inline std::string number(double x, int digits = 6)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, x);
    return text;
}

/// At most `most` characters of a text, the last of them an ellipsis where it is longer.
inline std::string shortened(std::string_view text, std::size_t most)
{
    if (static_cast<std::size_t>(detail::characters(text)) <= most) return std::string(text);
    std::size_t at = 0;
    for (std::size_t n = 0; n + 1 < most; ++n) {
        const std::size_t length = detail::character_length(text, at);
        at += length == 0 ? 1 : length;
    }
    return std::string(text.substr(0, at)) + "\u2026";
}

inline constexpr std::size_t page_columns = 100;

/// Rows of one length, in columns: texts first, then numbers, aligned at their ends.
class Table {
  public:
    using Row = std::vector<std::string>;

    /// @param texts how many of the first columns are not numbers
    Table(Row heads, std::size_t texts) : texts_(texts) { rows_.push_back(std::move(heads)); }
    void add(Row row) { rows_.push_back(std::move(row)); }
    [[nodiscard]] std::vector<std::string> lines() const
    {
        const std::size_t columns = rows_[0].size();
        std::vector<std::size_t> width(columns);
        const auto shown = [](const std::string& cell) { return static_cast<std::size_t>(detail::characters(cell)); };
        for (const Row& r : rows_)
            for (std::size_t c = 0; c < columns; ++c) width[c] = std::max(width[c], shown(r[c]));
        std::vector<std::string> out;
        for (const Row& r : rows_) {
            std::string line;
            for (std::size_t c = 0; c < columns; ++c) {
                const std::string blank(width[c] - shown(r[c]), ' ');
                line += (c == 0 ? "" : "  ") + (c < texts_ ? r[c] + blank : blank + r[c]);
            }
            while (!line.empty() && line.back() == ' ') line.pop_back();
            out.push_back(std::move(line));
        }
        return out;
    }
    [[nodiscard]] std::string text() const
    {
        std::string out;
        for (const std::string& line : lines()) out += line + "\n";
        return out;
    }

  private:
    std::size_t texts_;
    std::vector<Row> rows_{};
};

/// The text in lines, broken after blanks; each further line is indented by `indent`.
inline std::string wrapped(const std::string& text, std::size_t indent)
{
    std::string out, line;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size() - 1) + 1;
        const std::string word = text.substr(at, end - at);
        if (!line.empty() &&
            static_cast<std::size_t>(detail::characters(line + word)) > page_columns + (word.back() == ' ' ? 1 : 0)) {
            while (!line.empty() && line.back() == ' ') line.pop_back();
            out += line + "\n";
            line = std::string(indent, ' ');
        }
        line += word;
        at = end;
    }
    return out + line + "\n";
}

} // namespace format
} // namespace sim
} // namespace v0
} // namespace axe

#endif
