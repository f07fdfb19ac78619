// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_JSON_HPP
#define AXE_CLI_JSON_HPP

#include <cstdint>
#include <string>
#include <string_view>

namespace axe_cli {

/// Writes JSON, value after value; commas come by themselves. Valid JSON and valid UTF-8 whatever bytes a text holds: what is no
/// UTF-8 becomes U+FFFD.
class JsonWriter {
  public:
    JsonWriter& open(char bracket);  ///< '{' or '['
    JsonWriter& close(char bracket); ///< '}' or ']'
    JsonWriter& key(std::string_view name);
    JsonWriter& string(std::string_view text);
    JsonWriter& number(std::int64_t n);
    JsonWriter& boolean(bool b);

    /// What is written so far: a value, or the members of an object that the caller opens and closes.
    [[nodiscard]] const std::string& text() const noexcept { return out_; }

  private:
    std::string out_;
    void separate();
};

} // namespace axe_cli

#endif
