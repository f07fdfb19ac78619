// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_TENSOR_SHIFT_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_TENSOR_SHIFT_HPP

#include <axe/target/nvidia/schedules/tensor_copy.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Shifts of the 32 lanes of a warp in tensor memory, of 8 columns of 32 bits each.
inline Result<Body, Problem> emit_tensor_shift(Request& request)
{
    const View& d = request.view(0);
    const Options& options = request.operation().options;
    const std::string& name = request.tensor(d).name;
    if (auto e = check_in_block(request); !e.ok()) return e;
    if (!is_in_tensor_memory(request, d)) return Problem(errc::bad_argument, not_shifted_text(name, request.memory(d).name));
    if (options.pair && !options.async && options.completes_on < 0)
        return Problem(errc::bad_argument,
                       "a shift of a pair of blocks goes on by itself, and neither `completes_on` nor `async` is given");
    const std::int64_t bytes = storage_bytes(request.tensor(d).dtype), step = tensor_shift_bytes / bytes;
    if (d.rank() != 2 || d.extents[0] != tensor_shift_rows || d.extents[1] % step != 0)
        return Problem(errc::size_mismatch, "{0} x {1} of {2} is not made of 32 rows of 32 bytes",
                       {d.extents[0], d.rank() == 2 ? d.extents[1] : 0, name});
    if (copies_of(request, d) != std::vector<std::int64_t>{0}) return Problem(errc::bad_argument, shifted_copies_text(name));
    const auto at = tensor_elements(request, d);
    if (!at) return at.error();
    const TensorElement first = at->front();
    for (std::int64_t i = 0; i < d.extents[0]; ++i)
        for (std::int64_t j = 0; j < d.extents[1]; ++j) {
            const TensorElement here = (*at)[static_cast<std::size_t>(i * d.extents[1] + j)],
                                asked{first.lane / tensor_shift_rows * tensor_shift_rows + i, first.place + j};
            if (here != asked)
                return Problem(errc::bad_argument,
                               "({0},{1}) of {2} is in lane {3}, element {4}; a shift has it in lane {5}, element {6}",
                               {i, j, name, here.lane, here.place, asked.lane, asked.place});
        }
    const Request starter = request.started_by_one();
    if (first.place * bytes % 4 != 0)
        return Problem(errc::bad_argument,
                       shifted_column_text("agent " + std::to_string(starter.execution_scope().first), name, first.place * bytes));
    Body body;
    for (std::int64_t col = 0; col < d.extents[1]; col += step) {
        Instruction out =
            make_instruction(starter, "tcgen05_shift", worded("tcgen05.shift.cta_group::{0}.down", {options.pair ? 2 : 1}));
        out.operands = {{narrowed(d, 0, col, step), nullptr}};
        out.async = true;
        out.pair = options.pair;
        if (col + step == d.extents[1]) {
            out.completes_on = options.completes_on;
            out.multicast = options.multicast;
        }
        body.push_back(make_statement(std::move(out)));
    }
    request.decided(
        worded("agent {0} starts {1} of 32 rows", {starter.execution_scope().first, count_words(d.extents[1] / step, "shift")}));
    if (options.async || options.completes_on >= 0) return body;
    return with_tensor_fences(request, std::move(body));
}

} // namespace detail

/// Shifts of rows in tensor memory.      [PTX, tcgen05.shift]
inline constexpr Schedule tensor_shift_schedules[] = {
    {Op::shift_rows, "tcgen05_shift", 40, "tcgen05", "one agent shifts the lanes of a warp in tensor memory",
     detail::has_tensor_memory, detail::emit_tensor_shift, 0, nullptr, true},
};

} // namespace v0
} // namespace axe

#endif
