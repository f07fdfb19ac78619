// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_LAYOUTS_HPP
#define AXE_TARGET_TRAINIUM_LAYOUTS_HPP

#include <axe/schedule/uses.hpp>
#include <axe/target/trainium/schedules/rules.hpp>

#include <numeric>

/// What a layout hint comes to on Trainium.
namespace axe {
inline namespace v0 {
namespace detail::trainium {

/// The largest divisor of n that is at most `most`.
constexpr std::int64_t largest_divisor(std::int64_t n, std::int64_t most) noexcept
{
    for (std::int64_t d = std::min(n, most); d > 1; --d)
        if (n % d == 0) return d;
    return 1;
}

/// Which dimension of a tensor goes over the partitions, in runs of how many, and which is innermost along F.
struct ProductPart {
    int partitions = 0;   ///< a dimension of the tensor
    int inner = -1;       ///< a dimension of the tensor; −1: none
    std::int64_t run = 0; ///< of indices of the first that one operator covers
};

/// The part that a tensor plays in the products of a program: which of its dimensions is K (of a result, M) and which is not.
///
/// Where several products have it, the first one's dimensions, and runs that serve all that agree with it.
inline ProductPart roles_of(const Program& program, int tensor)
{
    const Shape& shape = program.tensors[static_cast<std::size_t>(tensor)].shape;
    ProductPart out;
    out.inner = shape.size() > 1 ? shape.size() - 1 : -1;
    out.run = shape.size() > 0 ? shape[0] : 1;
    bool found = false;
    for (const Use& use : uses_of(program, tensor)) {
        const Operation& op = *use.operation;
        if (op.op != Op::gemm) continue;
        for (std::size_t o = 0; o < op.operands.size(); ++o) {
            const View& v = op.operands[o];
            if (v.tensor != tensor || v.rank() < 2) continue;
            // D and its M: rows. A [M, K]: K is columns; B [K, N]: K is rows. Transposed, the other way round.
            const bool rows = o == 0 || (o == 1 && op.transpose_a) || (o == 2 && !op.transpose_b);
            const int at = v.rank() - (rows ? 2 : 1), other = v.rank() - (rows ? 1 : 2);
            if (v.dims[at] < 0 || v.steps[at] != 1) continue;
            if (found && v.dims[at] != out.partitions) continue;
            if (!found)
                out = {v.dims[at], v.dims[other], v.extents[at]};
            else
                out.run = std::gcd(out.run, v.extents[at]);
            found = true;
        }
    }
    return out;
}

} // namespace detail::trainium

/// The layout that a tensor in SBUF or PSUM is to have, whatever its hint: what the products that use it ask, and without one its
/// first dimension on P and the others row-major on F.
///
/// An operand has K on P, in runs of at most 128 that divide what one operator covers, K/run and then the other dimension on F. A
/// result has M on P likewise, and N on F so that no run of up to a bank leaves its bank: rows of at most a bank are padded to a
/// power of two where more than one of them is in a partition and they do not divide it, longer rows to whole banks.
///
/// `errc::bad_argument` when the tensor is in another memory. Cost: a walk over the program.
inline Result<Layout, Problem> trainium_layout(const Program& program, int tensor)
{
    namespace trn = detail::trainium;
    const ProgramTensor& t = program.tensors[static_cast<std::size_t>(tensor)];
    const bool in_psum = t.memory == "psum";
    if (!in_psum && t.memory != "sbuf")
        return trn::declined("{0} is in {1}; a layout hint is for tensors in sbuf and psum", {t.name, t.memory},
                             errc::bad_argument);
    const auto most = trn::limit(program.machine, in_psum ? "nc_matmul.m" : "nc_matmul.k");
    if (!most) return most.error();
    const auto n = volume(t.shape);
    if (!n) return n.error();
    Layout layout;
    if (t.shape.size() == 0) {
        layout.shard.push_back({1, 1, trn::F});
        return layout;
    }
    const trn::ProductPart roles = trn::roles_of(program, tensor);
    const std::int64_t whole = t.shape[roles.partitions], run = trn::largest_divisor(std::gcd(whole, roles.run), *most);

    // Pitches along F: the innermost dimension, runs of the partitions' dimension, then the others from the last on.
    std::vector<std::int64_t> pitch(static_cast<std::size_t>(t.shape.size()), 0);
    std::int64_t next = 1;
    if (roles.inner >= 0) {
        pitch[static_cast<std::size_t>(roles.inner)] = 1;
        next = t.shape[roles.inner];
    }
    if (in_psum) {
        const auto bytes = trn::limit(program.machine, "psum.bank_bytes");
        if (!bytes) return bytes.error();
        const std::int64_t bank = *bytes / storage_bytes(t.dtype);
        if (*n / run > bank) { // else all of it is in one bank
            std::int64_t padded = 1;
            while (padded < next && padded < bank) padded *= 2;
            next = bank % next == 0 ? next : next > bank ? (next + bank - 1) / bank * bank : padded;
        }
    }
    const std::int64_t outer = next;
    next *= whole / run;
    for (int d = t.shape.size() - 1; d >= 0; --d) {
        if (d == roles.partitions || d == roles.inner) continue;
        pitch[static_cast<std::size_t>(d)] = next;
        next *= t.shape[d];
    }
    for (int d = 0; d < t.shape.size(); ++d) {
        if (d != roles.partitions) {
            layout.shard.push_back({t.shape[d], pitch[static_cast<std::size_t>(d)], trn::F});
            continue;
        }
        if (whole != run) layout.shard.push_back({whole / run, outer, trn::F});
        layout.shard.push_back({run, 1, trn::P});
    }
    return canonicalize(layout).value_or(layout);
}

} // namespace v0
} // namespace axe

#endif
