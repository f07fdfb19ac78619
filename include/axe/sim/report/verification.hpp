// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_VERIFICATION_HPP
#define AXE_SIM_REPORT_VERIFICATION_HPP

#include <axe/sim/bindings.hpp>

#include <functional>

namespace axe {
inline namespace v0 {

/// What the outputs of a run are compared with.
enum class Against : std::uint8_t {
    stated,        ///< the formula of each output in the program's specification; the program's own operators where it has none
    specification, ///< the specification alone: outputs without a formula are not compared
    program,       ///< the program's own operators
    both           ///< both, and the program with its specification
};

struct ReferenceOptions {
    std::int64_t most_rounds = 1 << 20; ///< of one `while`, before it is said not to end
    Against against = Against::stated;
    /// Of each output that a specification has: check this many rows, chosen at random, and compute no more than they need; 0: all. A
    /// row is all that differs in the last index; of a tensor of one dimension, one element.
    std::int64_t rows = 0;
    std::uint64_t seed = 1; ///< of the choice of rows
    /// Called some 50 times a second with the statements done so far, a statement for each who does it; false stops the work.
    std::function<bool(std::int64_t)> progress{};
};

/// One element of an output beside what it should be.
struct ElementCheck {
    Coord coord{};
    double got = 0;
    double want = 0;  ///< the reference's value
    double error = 0; ///< |got − want|; infinite where one is NaN or an infinity and the other is not
    double bound = 0; ///< the largest error that a correct run may have to this side
    double share = 0; ///< error / bound; 0 without an error, infinite for one where none may be
    bool right = true;
};

/// One output beside the reference: what the specification has for it, or what the program's operators give.
struct TensorCheck {
    std::string name{};
    Shape shape{};
    DType dtype = DType::f32;
    std::int64_t elements = 0, wrong = 0;    ///< compared, and of these wrong
    ElementCheck worst{};                    ///< of the largest share, a wrong one before all that are right
    bool specified = false;                  ///< compared with the specification; else with the program's own operators
    std::int64_t rows = 0, rows_checked = 0; ///< the output's, and those compared, where they were chosen at random; else 0

    [[nodiscard]] bool ok() const noexcept { return wrong == 0; }
    /// "right" or "wrong" beside a specification. Beside its own operators a run is "consistent" or "inconsistent": a mistake in the
    /// operators themselves is in both.
    [[nodiscard]] const char* word() const noexcept
    {
        return specified ? ok() ? "right" : "wrong" : ok() ? "consistent" : "inconsistent";
    }
};

/// An output of which the program's own operators do not compute what its specification has: the first such element.
struct Disagreement {
    std::string name{};
    std::int64_t elements = 0; ///< how many
    Coord coord{};
    double program = 0;                          ///< by the operators, without the rounding of a run
    double specification = 0, low = 0, high = 0; ///< the value, and the least and greatest that a correct run may give
};

/// The outputs of a run beside the reference.
struct Verification {
    std::vector<TensorCheck> tensors{};
    std::vector<Disagreement> disagreements{}; ///< where both comparisons were asked for

    [[nodiscard]] bool ok() const noexcept
    {
        bool yes = disagreements.empty();
        for (const TensorCheck& t : tensors) yes = yes && t.ok();
        return yes;
    }
    /// What is known of the whole: "right" where every output was compared with the specification and none is wrong; "consistent" where
    /// none is wrong, but one or more was compared with the program's own operators; else "wrong".
    [[nodiscard]] const char* word() const noexcept
    {
        bool all_specified = !tensors.empty();
        for (const TensorCheck& t : tensors) {
            bool specified = false;
            for (const TensorCheck& other : tensors) specified = specified || (other.specified && other.name == t.name);
            all_specified = all_specified && specified;
        }
        return !ok() ? "wrong" : all_specified ? "right" : "consistent";
    }
    /// A line a tensor, and one for each disagreement:
    /// "C (128, 70) f32: wrong, 3 of 8960 elements wrong; worst C(3, 4): 1.5, should be 1.25 within 1e-06, error 0.25 = 2.5e+05 bounds"
    [[nodiscard]] std::string text() const;
};

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/report/impl/verification.hpp>
#endif

#endif
