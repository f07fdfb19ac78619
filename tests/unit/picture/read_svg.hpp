// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_PICTURE_READ_SVG_HPP
#define AXE_TESTS_UNIT_PICTURE_READ_SVG_HPP

#include <catch.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

/// Drawings read back.
namespace pictures {

/// An element as it is read back: its name, its attributes as they stand, and the text right inside it.
struct Element {
    std::string name;
    std::string attributes;
    std::string text;
    int parent = -1;

    [[nodiscard]] std::string operator[](const std::string& attribute) const
    {
        const auto at = attributes.find(" " + attribute + "=\"");
        if (at == std::string::npos) return {};
        const auto from = at + attribute.size() + 3;
        return attributes.substr(from, attributes.find('"', from) - from);
    }
};

inline std::string decoded(std::string_view text, std::string& wrong)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '&') {
            out += text[i];
            continue;
        }
        const auto end = std::min(text.find(';', i), text.size());
        const auto name = text.substr(i, end - i + 1);
        if (name == "&amp;")
            out += '&';
        else if (name == "&lt;")
            out += '<';
        else if (name == "&gt;")
            out += '>';
        else if (name == "&quot;")
            out += '"';
        else if (name == "&#39;")
            out += '\'';
        else
            wrong = "an entity that XML does not have: " + std::string(name);
        i = end;
    }
    return out;
}

/// Reads XML of the plain kind (no comments, no processing instructions); `wrong` says what keeps it from being well-formed.
inline std::vector<Element> read(const std::string& xml, std::string& wrong)
{
    std::vector<Element> all;
    std::vector<int> open;
    for (std::size_t at = 0; at < xml.size() && wrong.empty();) {
        const auto next = std::min(xml.find('<', at), xml.size());
        const auto text = std::string_view(xml).substr(at, next - at);
        if (text.find('>') != std::string_view::npos) wrong = "a bare >";
        const auto content = decoded(text, wrong);
        if (!open.empty())
            all[static_cast<std::size_t>(open.back())].text += content;
        else if (content.find_first_not_of('\n') != std::string::npos)
            wrong = "text outside of the root";
        if (next == xml.size()) break;
        const auto end = xml.find('>', next);
        if (end == std::string::npos) {
            wrong = "a tag without an end";
            break;
        }
        std::string tag = xml.substr(next + 1, end - next - 1);
        at = end + 1;
        if (tag[0] == '/') {
            if (open.empty() || all[static_cast<std::size_t>(open.back())].name != tag.substr(1))
                wrong = "a stray </" + tag.substr(1) + ">";
            if (!open.empty()) open.pop_back();
            continue;
        }
        const bool closed = tag.back() == '/';
        if (closed) tag.pop_back();
        const auto blank = std::min(tag.find(' '), tag.size());
        Element e{tag.substr(0, blank), tag.substr(blank), "", open.empty() ? -1 : open.back()};
        std::string rest = e.attributes;
        while (!rest.empty() && wrong.empty()) { // each is: blank, name, =, quoted text
            const auto equals = rest.find("=\""), quote = rest.find('"', equals + 2);
            if (rest[0] != ' ' || equals == std::string::npos || quote == std::string::npos ||
                rest.substr(1, equals - 1).find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") !=
                    std::string::npos)
                wrong = "attributes that are none: " + e.attributes;
            else {
                decoded(std::string_view(rest).substr(equals + 2, quote - equals - 2), wrong);
                rest = rest.substr(quote + 1);
            }
        }
        if (open.empty() && !all.empty()) wrong = "a second root";
        all.push_back(e);
        if (!closed) open.push_back(static_cast<int>(all.size()) - 1);
    }
    if (wrong.empty() && !open.empty()) wrong = "<" + all[static_cast<std::size_t>(open.back())].name + "> is not closed";
    return all;
}

inline std::vector<Element> read(const std::string& xml)
{
    std::string wrong;
    auto all = read(xml, wrong);
    REQUIRE(wrong == "");
    REQUIRE(!all.empty());
    REQUIRE(all[0].name == "svg");
    return all;
}

} // namespace pictures

#endif
