// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_WITHOUT_LINES_HPP
#define AXE_TESTS_WITHOUT_LINES_HPP

#include <cctype>
#include <string>

/// A message without the lines of C++ that it gives: without each " (file.cpp:12)".
inline std::string without_lines(std::string text)
{
    for (std::size_t begin = text.find(" ("); begin != std::string::npos; begin = text.find(" (", begin)) {
        const std::size_t end = text.find(')', begin), colon = text.find("pp:", begin);
        bool is_line = end != std::string::npos && colon != std::string::npos && colon + 3 < end;
        for (std::size_t i = colon + 3; is_line && i < end; ++i) is_line = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
        if (is_line)
            text.erase(begin, end + 1 - begin);
        else
            ++begin;
    }
    return text;
}

#endif
