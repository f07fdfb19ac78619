// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_INTERRUPT_HPP
#define AXE_CLI_INTERRUPT_HPP

#include <csignal>

namespace axe_cli {

/// Has Ctrl-C been pressed while an `InterruptGuard` was there?
bool interrupted();

/// Ctrl-C asks to end at the next good place; the second one ends at once, as the handler is gone by then.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

  private:
    struct sigaction before_ = {};
};

} // namespace axe_cli

#endif
