// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_VERIFICATION_HPP
#define AXE_SIM_REPORT_VERIFICATION_HPP

#include <axe/sim/bindings.hpp>

#include <functional>

namespace axe {
inline namespace v0 {

struct ReferenceOptions {
    std::int64_t most_rounds = 1 << 20; ///< of one `while`, before it is said not to end
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

/// One output beside the reference.
struct TensorCheck {
    std::string name{};
    Shape shape{};
    DType dtype = DType::f32;
    std::int64_t elements = 0, wrong = 0;
    ElementCheck worst{}; ///< of the largest share, a wrong one before all that are right

    [[nodiscard]] bool ok() const noexcept { return wrong == 0; }
};

/// The outputs of a run beside the reference.
struct Verification {
    std::vector<TensorCheck> tensors{};

    [[nodiscard]] bool ok() const noexcept
    {
        bool yes = true;
        for (const TensorCheck& t : tensors) yes = yes && t.ok();
        return yes;
    }
    /// A line a tensor:
    /// "C (128, 70) f32: 3 of 8960 elements wrong; worst C(3, 4): 1.5, should be 1.25 within 1e-06, error 0.25 = 2.5e+05 bounds"
    [[nodiscard]] std::string text() const;
};

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/report/impl/verification.hpp>
#endif

#endif
