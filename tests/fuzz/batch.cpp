// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/request.hpp>
#include <tests/fuzz/stop.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>

/// Any bytes, as lines of requests to `axe batch`: each has one line for an answer, and the same one as JSON.
namespace fuzz {
namespace {

/// Pictures are drawn, but into a folder of this process's own, whatever file the request names: the third argument of
/// `picture; L; S; FILE` and of `atoms; NAME; --draw; FILE`.
std::string contained(std::string_view line)
{
    static const std::string folder = [] {
        const auto made = std::filesystem::temp_directory_path() / ("axe-fuzz-" + std::to_string(getpid()));
        std::filesystem::create_directories(made);
        return made.string();
    }();
    const std::size_t end = line.find(';');
    const auto is_of = [&](const char* word) { return line.substr(0, end).find(word) != std::string_view::npos; };
    if (!is_of("picture") && !is_of("atoms")) return std::string(line);
    std::string out;
    int field = 0;
    for (std::size_t from = 0; from != std::string_view::npos; ++field) {
        const std::size_t to = line.find(';', from);
        std::string_view text = line.substr(from, to - from);
        if (field > 0) out += ';';
        if (field == 3) {
            out += folder + "/drawn" + (text.find(".html") != std::string_view::npos ? ".html" : ".svg");
            if (text.find_first_of("\r\n") != std::string_view::npos) out += '\n';
        } else {
            out += text;
        }
        from = to == std::string_view::npos ? to : to + 1;
    }
    return out;
}

// ---- JSON -----------------------------------------------------------------------------------------------------------------------

/// Reads JSON of RFC 8259; what it finds wrong ends the program.
class Json {
  public:
    explicit Json(std::string_view text) : text_(text) {}

    /// A record; the strings of "status" and "answer" are kept.
    void record()
    {
        value(0, "");
        that(at_ == text_.size(), "more than one value");
    }
    std::string status, answer;

  private:
    std::string_view text_;
    std::size_t at_ = 0;

    void that(bool holds, const char* what) const
    {
        if (!holds) stop(std::string("JSON: ") + what + " at " + std::to_string(at_) + ": " + std::string(text_));
    }
    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void take(char c)
    {
        that(peek() == c, "another character expected");
        ++at_;
    }
    bool digits()
    {
        const std::size_t first = at_;
        while (peek() >= '0' && peek() <= '9') ++at_;
        return at_ > first;
    }

    std::string string()
    {
        take('"');
        std::string out;
        while (peek() != '"') {
            that(at_ < text_.size(), "a string without end");
            const auto c = static_cast<unsigned char>(text_[at_]);
            that(c >= 0x20, "a control character");
            if (c == '\\')
                escaped(out);
            else
                character(out, c);
        }
        ++at_;
        return out;
    }
    void escaped(std::string& out)
    {
        ++at_;
        const char c = peek();
        ++at_;
        if (c == 'u') {
            unsigned code = 0;
            for (int i = 0; i < 4; ++i, ++at_) {
                const std::size_t digit = std::string_view("0123456789abcdef").find(peek());
                that(digit != std::string_view::npos && peek() != '\0', "a code of other than four digits");
                code = code * 16 + static_cast<unsigned>(digit);
            }
            that(code < 0x20, "a code for a character that needs none"); // the writer's own rule
            out += static_cast<char>(code);
            return;
        }
        that(c == '"' || c == '\\' || c == 'n' || c == 't', "an escape that is none");
        out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
    void character(std::string& out, unsigned char first)
    {
        const int more = first < 0x80 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
        that(first < 0x80 || (first >= 0xc2 && first <= 0xf4), "no UTF-8");
        out += text_[at_++];
        for (int i = 0; i < more; ++i, ++at_) {
            that((static_cast<unsigned char>(peek()) & 0xc0) == 0x80, "no UTF-8");
            out += peek();
        }
    }

    void value(int depth, std::string_view name)
    {
        that(depth < 48, "too deep"); // the tuples of a CuTe layout nest up to 40 deep
        const char c = peek();
        if (depth == 0) that(c == '{', "no record");
        if (c == '{') {
            members(depth);
        } else if (c == '[') {
            ++at_;
            for (bool first = true; peek() != ']'; first = false) {
                if (!first) take(',');
                value(depth + 1, "");
            }
            ++at_;
        } else if (c == '"') {
            const std::string text = string();
            if (depth == 1 && name == "status") status = text;
            if (depth == 1 && name == "answer") answer = text;
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            if (c == '-') ++at_;
            that(digits(), "a number without digits");
        } else {
            for (const std::string_view word : {"true", "false", "null"})
                if (text_.substr(at_, word.size()) == word) {
                    at_ += word.size();
                    return;
                }
            that(false, "no value");
        }
    }
    void members(int depth)
    {
        ++at_;
        for (bool first = true; peek() != '}'; first = false) {
            if (!first) take(',');
            const std::string key = string();
            that(!key.empty(), "a member without a name");
            take(':');
            value(depth + 1, key);
        }
        ++at_;
    }
};

void check(std::string_view request)
{
    const std::string line = contained(request), plain = axe_cli::answer(line, false), json = axe_cli::answer(line, true);
    const auto that = [&](bool holds, const char* what) {
        if (!holds) stop(std::string(what) + "\n  request: " + line + "\n  answer: " + plain + "\n  as JSON: " + json);
    };
    std::string status;
    for (const std::string_view word : {"ok", "none", "error", "undecided"})
        if (plain.compare(0, word.size() + 2, std::string(word) + ": ") == 0) status = word;
    that(!status.empty(), "an answer without a status");
    for (const char c : plain) that(static_cast<unsigned char>(c) >= ' ' && c != '\x7f', "an answer with a control character");
    Json read(json);
    read.record();
    that(read.status == status, "another status as JSON");
    // bytes that are no UTF-8 are replaced there
    const bool ascii = plain.find_first_of("\x80\xff") == std::string::npos && read.answer.find('\xef') == std::string::npos;
    if (ascii) that(plain == status + ": " + read.answer, "another answer as JSON");
    that(plain.size() < (1u << 20), "an answer without end");
}

} // namespace
} // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (std::size_t from = 0; from != std::string_view::npos;) {
        const std::size_t to = text.find('\n', from);
        fuzz::check(text.substr(from, to - from));
        from = to == std::string_view::npos ? to : to + 1;
    }
    return 0;
}
