// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_SYNONYMS_HPP
#define AXE_CLI_SYNONYMS_HPP

#include <span>
#include <string_view>

/// Words of other libraries and of the trade for what has another name here: what the distance between spellings does not find.
namespace axe_cli {

struct Synonym {
    std::string_view word;  ///< in lower case, with `-` for `_`
    std::string_view meant; ///< an operation, a group or a command; a machine
};

/// A word that means an operation of one group only.
struct GroupSynonym {
    std::string_view group, word, meant;
};

/// For operations, groups and commands, `transpose` → `permute`.
std::span<const Synonym> operation_synonyms();
/// For machines, `h100` → `sm90`. Architectures, too, where an instruction is asked for.
std::span<const Synonym> machine_synonyms();

/// What is meant by a word, in any case and with `_` or `-`; empty where the list does not have it. `is-` before a question is no
/// difference.
std::string_view synonym(std::span<const Synonym> list, std::string_view word);
/// The last word of the operation of a group that is meant, `divide` of `cute` → `logical-divide`; empty where there is none.
std::string_view synonym(std::string_view group, std::string_view word);

} // namespace axe_cli

#endif
