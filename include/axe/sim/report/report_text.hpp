// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_REPORT_TEXT_HPP
#define AXE_SIM_REPORT_REPORT_TEXT_HPP

#include <axe/program/program.hpp>
#include <axe/sim/report/report.hpp>
#include <axe/sim/report/verification.hpp>

/// A report as text, in tables of at most 100 columns.
namespace axe {
inline namespace v0 {
namespace sim {

/// What a schedule decided about a statement.
struct ChoiceLine {
    int statement = -1;
    std::string schedule{};
    std::string detail{};
};

/// The choices of `lower`, or whatever else has those three members.
template <class Choices>
std::vector<ChoiceLine> choice_lines(const Choices& choices)
{
    std::vector<ChoiceLine> out;
    for (const auto& c : choices) out.push_back({c.statement, c.schedule, c.detail});
    return out;
}

/// Has the run ended without a fault, and are its outputs right?  "ran, 0 faults; verified: 2 outputs right"
AXE_DECL std::string conclusion_text(const Report& report, const Verification* verification = nullptr);

/// What a run came to, for a terminal: conclusion, work and memory traffic by statement, instructions as spelled, outputs beside the
/// reference. Lines have 100 characters at most, but for long names and numbers.
///
/// Wavefronts are set beside what they would be without bank conflicts (the ratio is the degree of conflict, 1 at best), sectors beside
/// what the bytes would fill (the ratio is the efficiency, 100 % at best); lanes are those that took part, of all in the instructions.
///
/// @param program the one with operators, or the lowered one
/// @param choices what lower decided: choice_lines(lowered.choices)
/// @param verification shown where there is one
AXE_DECL std::string report_text(const Program& program, const Report& report, const std::vector<ChoiceLine>& choices = {},
                                 const Verification* verification = nullptr);

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/report/impl/report_text.hpp>
#endif

#endif
