// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/programs/random_programs.hpp>
#include <tests/programs/removals.hpp>
#include <tests/programs/trial.hpp>

/// Every operator, on every machine, with random layouts, types and odd sizes, against the naive reference.

using namespace programs;

namespace {

/// Of a hundred programs so many must run, or the generator asks for what no agent does: on machines of lanes, of engines, and on the
/// portable one.
struct Rate {
    const char* subject;
    int lanes, engines, cpu;
};
constexpr Rate least_right[] = {
    {"fill", 75, 70, 75},    {"copy", 60, 85, 65},       {"copy_async", 50, 90, 0}, // the portable machine has no such copies
    {"cast", 60, 75, 65},    {"map", 55, 35, 60},        {"reduce", 55, 40, 60},       {"gemm", 40, 20, 50},
    {"gather", 60, 0, 65},   {"scatter", 60, 0, 65},     {"atomic", 75, 0, 75}, // engines walk boxes; indices are the DMA's, to come
    {"chain", 30, 10, 50},   {"gather_at", 60, 0, 65},   {"scatter_at", 60, 0, 65},    {"atomic_rows", 50, 0, 50},
    {"scan", 50, 0, 50},     {"vote", 60, 40, 55},       {"scaled_gemm", 40, 0, 40},   {"named_barrier", 60, 85, 65},
    {"pipeline", 50, 90, 0}, {"device_copy", 50, 0, 55}, {"device_reduce", 50, 0, 50}, {"remote", 60, 0, 60},
};

bool contains(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

/// Does each line that names a schedule say why it does not do it?
bool gives_reasons(const std::string& text)
{
    if (text.size() < 20) return false;
    for (std::size_t at = text.find("\n  "); at != std::string::npos; at = text.find("\n  ", at + 1)) {
        const std::size_t colon = text.find(": ", at), end = text.find('\n', at + 1);
        if (colon == std::string::npos || colon > end || text.size() < colon + 8) return false;
    }
    return true;
}

/// What may keep a program from running, and is not a mistake: `lower` says why it cannot; a random layout, or the registers that a
/// schedule adds, take more room than there is.
bool is_limit(const Trial& t)
{
    if (t.fate == Fate::declined) return gives_reasons(t.text);
    if (t.fate == Fate::invalid)
        return (contains(t.text, " bytes of ") && contains(t.text, " has ")) || contains(t.text, " on P, which has 0 to 127");
    return false;
}

void try_all(int stage, Int count)
{
    const axe::Machine& machine = stages()[static_cast<std::size_t>(stage)].machine;
    const bool engines = has_instruction(machine, "nc_matmul"), lanes = !engines && levels_of(machine).lanes > 1;
    for (int subject = 0; subject < subject_count; ++subject) {
        if (subject >= first_device_subject && machine.scopes[0].count == 1) continue;
        Int right = 0, refused = 0;
        for (Int number = 0; number < count; ++number) {
            Random r = random_of(subject, stage, number);
            const auto program = random_program(subject, stage, number, r);
            Trial trial;
            if (!program)
                trial = {Fate::wrong, "the builder: " + program.error().text};
            else
                trial = attempt(*program, random_inputs(*program, r, table_rows));
            right += trial.fate == Fate::right ? 1 : 0;
            refused += trial.fate == Fate::refused || trial.fate == Fate::invalid ? 1 : 0;
            if (trial.fate == Fate::right || is_limit(trial)) continue;
            FAIL_CHECK(name(trial.fate) << ": " << trial.text << "\n" << (program ? print(*program) : std::string()));
        }
        const Rate& rate = least_right[subject];
        INFO(subjects[subject].name << " on " << stages()[static_cast<std::size_t>(stage)].name << ": " << right << " of " << count
                                    << " ran, " << refused << " had no room or no addresses");
        CHECK(std::string(rate.subject) == subjects[subject].name);
        CHECK(100 * right >= count * (engines ? rate.engines : lanes ? rate.lanes : rate.cpu));
        CHECK(100 * refused <= 20 * count);
    }
}

/// Takes barriers, waits, commits and guards away, one at a time: a run then ends in a fault, or the numbers are right all the same.
/// Returns how many faults there were.
Int try_without(int stage, Int count)
{
    Int faults = 0;
    for (int subject = 0; subject < first_device_subject; ++subject)
        for (Int number = 0; number < count; ++number) {
            Random r = random_of(subject, stage, number);
            const auto program = random_program(subject, stage, number, r);
            if (!program) continue;
            const auto inputs = random_inputs(*program, r, table_rows);
            for (int k = 0;; ++k) {
                axe::Program less = *program;
                removals::Remover remover(*program, k);
                if (!remover.from(less.body)) break;
                const Trial trial = attempt(less, inputs, *program);
                faults += trial.fate == Fate::faulty ? 1 : 0;
                if (trial.fate != Fate::wrong && trial.fate != Fate::unstable) continue;
                FAIL_CHECK(name(trial.fate) << ": " << trial.text << "\nwithout statement " << remover.removal.statement << ", "
                                            << remover.removal.what << "\n"
                                            << print(*program));
            }
        }
    return faults;
}

} // namespace

TEST_CASE("random programs without a barrier, a wait or a guard: a fault, or right all the same")
{
    const Int faults = try_without(1, laws::cases(15)) + try_without(0, laws::cases(8));
    CHECK(faults >= laws::cases(100));
    CHECK(try_without(5, laws::cases(4)) > 0);
    try_without(3, laws::cases(8)); // where `lower` puts barriers back
}

TEST_CASE("random programs: cpu") { try_all(0, laws::cases(100)); }
TEST_CASE("random programs: sm80") { try_all(1, laws::cases(100)); }
TEST_CASE("random programs: sm90") { try_all(2, laws::cases(100)); }
TEST_CASE("random programs: trn1") { try_all(3, laws::cases(100)); }
TEST_CASE("random programs: trn2") { try_all(4, laws::cases(100)); }
TEST_CASE("random programs: two sm80") { try_all(5, laws::cases(60)); }
TEST_CASE("random programs: four sm90") { try_all(6, laws::cases(60)); }
TEST_CASE("random programs: two by two sm90") { try_all(7, laws::cases(60)); }
TEST_CASE("random programs: four cpu") { try_all(8, laws::cases(60)); }
