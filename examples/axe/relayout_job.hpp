// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RELAYOUT_JOB_HPP
#define AXE_CLI_RELAYOUT_JOB_HPP

#include "relayout_npy.hpp"
#include "relayout_options.hpp"

#include <axe/relayout/relayout.hpp>

namespace axe_cli {

/// What is to be copied, and what the file looks like that it makes.
struct RelayoutJob {
    axe::RelayoutPlan plan{};
    std::int64_t elements = 0; ///< of the tensor
    NpyFile out{};             ///< of which `start` and `bytes` say where its data is
    std::string head{};        ///< of the new file; empty where the elements are added to the old one's
    bool reads_in_order = false, writes_in_order = false;
};

/// From what was asked and what the file has; `old` is the file that is added to, if one is.
axe::Result<RelayoutJob, axe::Problem> make_relayout_job(const RelayoutRequest& request, const NpyFile& in, const NpyFile* old);

} // namespace axe_cli

#endif
