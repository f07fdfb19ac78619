// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/text/pretty.hpp>
#include <axe/text/table.hpp>
#include <tests/fuzz/text_input.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

/// Any bytes, read as every text there is. What is read prints, and the print reads to the same value; what is not is explained.
namespace fuzz {
namespace {

/// The numbers and names of a text, in no order. `m`, which a print leaves out, is left out, and so are the letters of TVM.
std::vector<string> words(std::string_view text)
{
    const auto digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
    const auto letter = [&](std::size_t i) {
        return i < text.size() && ((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z'));
    };
    std::vector<string> out;
    for (std::size_t i = 0, from = 0; i < text.size();) {
        from = i;
        if (letter(i)) {
            while (letter(i) || digit(i) || (i < text.size() && (text[i] == '_' || text[i] == '.'))) ++i;
            const string name(text.substr(from, i - from));
            const std::size_t next = text.find_first_not_of(" \t\r\n", i);
            if (name != "m" && !((name == "S" || name == "R") && next < text.size() && text[next] == '[')) out.push_back(name);
        } else if (digit(i) || (text[i] == '-' && digit(i + 1))) {
            for (++i; digit(i);) ++i;
            const bool negative = text[from] == '-';
            std::string_view digits = text.substr(from + negative, i - from - negative);
            while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
            out.push_back((negative && digits != "0" ? "-" : "") + string(digits));
        } else {
            ++i;
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

/// Whether strides are left to be row-major, as in S[2,3,4].
bool extents_alone(std::string_view text)
{
    for (std::size_t at = text.find('S'); at != std::string_view::npos; at = text.find('S', at + 1)) {
        const std::size_t open = text.find_first_not_of(" \t\r\n", at + 1);
        if (open == std::string_view::npos || text[open] != '[') continue;
        const std::size_t close = text.find(']', open);
        if (text.substr(open, close - open).find(':') == std::string_view::npos) return true;
    }
    return false;
}

/// Reads the text, and what it prints.
template <class T>
bool read(const Input& in, axe::Result<T> (*parse)(axe::TextView), T& out)
{
    const auto value = parse({in.text, in.length});
    if (!value) {
        check_error(in, value.error());
        return false;
    }
    out = *value;
    in.that(axe::explain(in.text, in.length, value.error()).size == 0, "an explanation of no error");
    const auto printed = [](const auto& v) {
        if constexpr (std::is_same_v<T, Int>)
            return std::to_string(v);
        else
            return string(axe::print(v).c_str());
    };
    const string once = printed(out);
    if constexpr (!std::is_same_v<T, Int> && !std::is_same_v<T, axe::Axis>)
        in.that(axe::print(out).size < decltype(axe::print(out))::capacity, "a print cut short");
    const auto again = parse(once);
    in.that(again.has_value() && *again == out, "the print reads to another value");
    in.that(printed(*again) == once, "the value read again prints otherwise");
    string given(in.text, static_cast<std::size_t>(in.length));
    if constexpr (std::is_same_v<T, axe::Shape>) std::replace(given.begin(), given.end(), 'x', ','); // 8x16
    if constexpr (!std::is_same_v<T, axe::Swizzled<axe::Layout>>) { // which leaves out a width of 1
        const auto had = words(given), has = words(once);
        in.that(extents_alone(given) ? std::includes(has.begin(), has.end(), had.begin(), had.end()) : had == has,
                "the print has other numbers or names");
    }
    return true;
}

/// Two lines of the same columns.
void check_lines(const Input& in, const string& shown)
{
    const auto lines = split(shown, '\n');
    in.that(plain(shown) && lines.size() == 2 && shown.back() != '\n', "a pretty form of other than two lines");
    for (const char bracket : {'(', '[', ')', ']'}) {
        std::size_t at = lines[0].find(bracket);
        for (; at != string::npos; at = lines[0].find(bracket, at + 1))
            in.that(at < lines[1].size() && lines[1][at] == bracket, "a pretty form out of line");
    }
}

/// The pretty form holds the extents above, the strides and the offset below, in order.
void check_pretty(const Input& in, const axe::Layout& l)
{
    const string shown = axe::pretty(l).c_str();
    check_lines(in, shown);
    string above, below;
    const auto put = [&](const auto& list) {
        for (const auto& it : list) {
            const auto item = split(axe::print(it).c_str(), ':');
            above += item[0] + ' ';
            below += item[1] + ' ';
        }
    };
    put(l.shard);
    put(l.replica);
    for (const auto& e : l.offset) below += "+ " + std::to_string(e.value) + '@' + axe::print(e.axis).c_str() + ' ';
    const auto items = [](const string& line) {
        string out;
        for (const string& word : split(line, ' '))
            if (!word.empty() && word.find_first_of("()[]") == string::npos) out += word + ' ';
        return out;
    };
    const auto lines = split(shown, '\n');
    in.that(items(lines[0]) == above, "a pretty form with other extents");
    in.that(items(lines[1]) == below, "a pretty form with other strides or offsets");
}

/// A table of every shape that takes the layout in rows, if only one of them.
template <class L>
void check_table(const Input& in, const L& l, Int size)
{
    Int columns = size;
    for (Int f : {2, 3, 5, 7, 11, 32})
        if (size % f == 0) columns = size / f;
    for (const axe::Shape& shape : {axe::Shape{size}, axe::Shape{size / columns, columns}, axe::Shape{columns, size / columns}}) {
        const auto shown = axe::table(l, shape, 4, 5, 60);
        if (!shown) {
            in.that(!shown.error().is_none() && shown.error().message().size > 10, "no table, and no reason");
            continue;
        }
        in.that(plain(*shown) && !shown->empty() && shown->back() != '\n', "a table that is not text");
        in.that(shown->size() < 16'384, "a table without end");
    }
}

} // namespace
} // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace fuzz;
    const char* text = reinterpret_cast<const char*>(data);
    const int length = static_cast<int>(size);

    axe::Layout layout;
    if (const Input in{text, length, "layout"}; read(in, axe::parse_layout, layout)) {
        check_pretty(in, layout);
        check_table(in, layout, *axe::size(layout));
    }
    axe::Grouped<axe::Layout> grouped;
    if (const Input in{text, length, "grouped"}; read(in, axe::parse_grouped, grouped))
        check_lines(in, axe::pretty(grouped).c_str());
    axe::Swizzled<axe::Layout> swizzled;
    if (const Input in{text, length, "swizzled"}; read(in, axe::parse_swizzled, swizzled)) {
        in.that(plain(axe::pretty(swizzled).c_str()), "a pretty form that is not text");
        check_table(in, swizzled, *axe::size(swizzled.layout));
    }
    axe::Shape shape;
    if (const Input in{text, length, "shape"}; read(in, axe::parse_shape, shape))
        in.that(axe::volume(shape).has_value(), "no shape");
    axe::Coord coord;
    read(Input{text, length, "coord"}, axe::parse_coord, coord);
    axe::Region region;
    read(Input{text, length, "region"}, axe::parse_region, region);
    axe::Point point;
    read(Input{text, length, "point"}, axe::parse_point, point);
    axe::Axis axis{};
    read(Input{text, length, "axis"}, axe::parse_axis, axis);
    axe::Layout::Axes axes;
    read(Input{text, length, "axes"}, axe::parse_axes, axes);
    axe::Iter iter{};
    read(Input{text, length, "iter"}, axe::parse_iter, iter);
    Int integer = 0;
    read(Input{text, length, "integer"}, axe::parse_integer, integer);

    constexpr int count = sizeof axe::known_words / sizeof *axe::known_words;
    const int nearest = axe::nearest_word(text, length, axe::known_words, count);
    if (nearest < -1 || nearest >= count) stop("no word is near");
    for (int w = 0; w < count; ++w)
        if (axe::known_words[w] == std::string_view(text, size) && nearest != w) stop("a known word is nearer to another");
    return 0;
}
