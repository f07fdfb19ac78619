// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interrupt.hpp"

namespace axe_cli {
namespace {

volatile std::sig_atomic_t pressed = 0;

} // namespace

bool interrupted() { return pressed != 0; }

InterruptGuard::InterruptGuard()
{
    struct sigaction action = {};
    action.sa_handler = [](int) { pressed = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND); // and no SA_RESTART: reading is to be woken
    sigaction(SIGINT, &action, &before_);
}

InterruptGuard::~InterruptGuard() { sigaction(SIGINT, &before_, nullptr); }

} // namespace axe_cli
