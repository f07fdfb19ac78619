// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_SHARED_READS_HPP
#define AXE_SIM_MEMORY_SHARED_READS_HPP

#include <axe/sim/memory/shadow.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// What the first of several agents has found in cells that all of them read as one engine, at one time. What each knows of the writes may
/// differ, the cells do not.
struct SharedReads {
    bool found = false, noted = true; ///< the engine is noted in all cells as a reader
    Event reader = 0;
    std::vector<Event> writers{}, others{}; ///< of the cells, each once: who wrote them, and who reads them beside the engine

    void note(const Shadow& shadow, std::size_t cell)
    {
        Event writer = 0;
        noted = noted && shadow.notes_reader(cell, reader, writer, others);
        if (noted && (writers.empty() || writers.back() != writer)) writers.push_back(writer);
    }
    /// Would reading them find nothing, and change nothing that is noted?
    [[nodiscard]] bool hold_for(const Actor& actor) const
    {
        const auto is_after = [&](Event e) { return actor.after(e, 0); };
        return found && noted && actor.at(0) == reader && std::all_of(writers.begin(), writers.end(), is_after) &&
               std::none_of(others.begin(), others.end(), is_after);
    }
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
