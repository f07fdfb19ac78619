// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_RACES_TABLE_HPP
#define AXE_TESTS_RACES_TABLE_HPP

#include <vector>

namespace races {

/// A row of data/races.jsonl, and what becomes of it here.
struct Row {
    const char* id;
    const char*
        verdict; ///< of the simulator, tested by the TEST_CASE of that name; "" where it cannot be written yet; that of the first kernel
    const char* rule; ///< what decides it; where it cannot be written, what is missing
};

/// All rows.
extern const std::vector<Row> table;

} // namespace races

#endif
