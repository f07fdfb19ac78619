// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum of what devices hold, of which each keeps a part: a reduction into a sharded tensor, and nothing else.      [Axe figure 8]
#include "../common/example.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

Result<Program, axe::Problem> reduce_scatter_program(const Setting& setting)
{
    const std::int64_t devices = setting.devices, M = setting.number("M"), N = setting.number("N");
    if (M % devices != 0)
        return Problem(errc::bad_argument, "M is " + std::to_string(M) + "; each of the " + std::to_string(devices) +
                                               " devices gets as many rows, so it must be a multiple of that");
    const Iter device{devices, 1, "gpuid"};
    Kernel k("reduce_scatter", setting.machine);
    const auto terms = k.input("terms", {devices, M, N}, f32, Layout{{device, {M * N, 1}}, {}, {}});
    const auto sum = k.output("sum", {M, N}, f32, Layout{{device, {M / devices * N, 1}}, {}, {}});
    k.computes(sum, axe::sum(terms, 0));
    const std::string& schedule = setting.word("schedule");
    k.sum(sum, terms, 0, {.schedule = schedule == "any" ? "" : schedule});
    return k.program();
}

} // namespace

const Example reduce_scatter{"reduce_scatter",
                             "a sum over devices of which each keeps a share of the rows",
                             {{"M", "40", "rows, a multiple of the devices", 1 << 14},
                              {"N", "33", "columns", 1 << 14},
                              {"schedule", "any", "how the devices do it", 0, {"any", "one_shot", "ring", "in_network"}}},
                             {"sm90", "sm80", "trn1", "cpu"},
                             {8, 2, 3, 4, 5, 6, 7},
                             reduce_scatter_program,
                             made_inputs,
                             nullptr};

} // namespace examples
