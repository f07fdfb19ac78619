// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_REPLY_HPP
#define AXE_CLI_REPLY_HPP

#include "json.hpp"

#include <axe/support/error.hpp>

#include <string>
#include <string_view>

namespace axe_cli {

/// The first word of an answer. Its exit status is 0, 1, 2 or 3; a no to a question exits with 1, too.
enum class Exit { ok, none, error, undecided };

/// How an answer is written.
enum class Form {
    line, ///< one line: `ok: …`, `none: why`, `error: CODE: why` or `undecided: why`
    page, ///< the same with further lines where they help a reader; the form of the command line
    json, ///< one line, an object
};

/// The answer to one request while it is being made.
class Reply {
  public:
    explicit Reply(Form f) : form(f) {}

    const Form form;
    Exit status = Exit::ok;
    bool is_no = false; ///< a question is answered, with no
    std::string text;   ///< what follows the first word
    JsonWriter fields;  ///< members of the JSON object besides "status" and "answer"; written only if `json()`

    [[nodiscard]] bool json() const noexcept { return form == Form::json; }

    /// An error of the command itself, with a code of its own, and the word that was probably meant, if there is one.
    void fail(std::string_view code, std::string_view message, std::string_view meant = {});
    /// What the library says: none, undecided or error, by its code.
    void refuse(const axe::Error& error);
    /// What the library says of the text of an argument, counted from 1, and what was probably meant. A text may be well-formed and
    /// mean what no layout is.
    void misread(int argument, std::string_view argument_text, const axe::Error& error);

    /// The text that could not be read and why, for a message with a caret; the code is `ok` when all texts were read.
    int unread_argument = 0;
    std::string_view unread_text;
    axe::Error unread;

    [[nodiscard]] int exit_status() const noexcept { return is_no ? 1 : static_cast<int>(status); }

    /// The answer, without a newline at the end.
    [[nodiscard]] std::string finish() const;
};

/// A word of the user for a message: 'word', or what is wrong with it when it is long or not plain text.
std::string quoted(std::string_view word);

} // namespace axe_cli

#endif
