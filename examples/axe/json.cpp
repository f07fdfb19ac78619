// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A writer is all that is needed here, and so the command has no dependencies.
#include "json.hpp"

namespace axe_cli {
namespace {

/// The length of the well-formed UTF-8 character at the start of the text, 0 when there is none.   [Unicode 15, table 3-7]
std::size_t character_length(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto follows = [&](std::size_t i, unsigned from = 0x80, unsigned to = 0xbf) { return byte(i) >= from && byte(i) <= to; };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef) { // no longer form of what two bytes say, no surrogate
        const bool second = follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
        return second && follows(2) ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) { // nothing above U+10FFFF
        const bool second = follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
        return second && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

} // namespace

void JsonWriter::separate()
{
    if (out_.empty()) return;
    const char last = out_.back();
    if (last != '{' && last != '[' && last != ':') out_ += ',';
}

JsonWriter& JsonWriter::open(char bracket)
{
    separate();
    out_ += bracket;
    return *this;
}

JsonWriter& JsonWriter::close(char bracket)
{
    out_ += bracket;
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name)
{
    string(name);
    out_ += ':';
    return *this;
}

JsonWriter& JsonWriter::string(std::string_view text)
{
    static constexpr char digits[] = "0123456789abcdef";
    separate();
    out_ += '"';
    while (!text.empty()) {
        const char c = text.front();
        std::size_t length = 1;
        if (c == '"' || c == '\\') {
            out_ += '\\';
            out_ += c;
        } else if (c == '\n') {
            out_ += "\\n";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out_ += "\\u00";
            out_ += digits[c >> 4];
            out_ += digits[c & 15];
        } else if (length = character_length(text); length > 0) {
            out_ += text.substr(0, length);
        } else {
            out_ += "\xef\xbf\xbd"; // U+FFFD
            length = 1;
        }
        text.remove_prefix(length);
    }
    out_ += '"';
    return *this;
}

JsonWriter& JsonWriter::number(std::int64_t n)
{
    separate();
    out_ += std::to_string(n);
    return *this;
}

JsonWriter& JsonWriter::boolean(bool b)
{
    separate();
    out_ += b ? "true" : "false";
    return *this;
}

} // namespace axe_cli
