// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_RACES_TENSORS_HPP
#define AXE_TESTS_RACES_TENSORS_HPP

#include <tests/races/rows.hpp>

/// Kernels with tensor memory. An agent is a warp: a load or store is of 32 lanes, which warps 0 and 4 have; a product is of 128 rows.
namespace races {

inline constexpr std::int64_t rows = 128, columns = 16;
inline constexpr int second = 4; ///< the other warp of lanes 0 to 31

/// What may stand between two operations.
enum class Between { nothing, loads, stores, commit };

inline Layout registers_of(int warp, std::int64_t n = columns)
{
    Layout out{{{32, 1, Axis{"lane"}}, {n, 1, Axis{"reg"}}}};
    if (warp != 0) out.offset = {{Axis{"warp"}, warp}};
    return out;
}
/// An operand in shared memory, cols contiguous in rows of 32 bytes, which is one pattern of a swizzle.
inline Swizzled<Layout> operand_layout(std::int64_t n, int bytes)
{
    const Axis m{"m"};
    const std::int64_t c = 32 / bytes;
    return {Swizzle{1, 4, 3}, m, bytes, Layout{{{n, c, m}, {columns / c, n * c, m}, {c, 1, m}}}};
}

/// A block whose agents use tensor memory.
struct TensorBlock : Block {
    [[nodiscard]] TensorRef tensor(const char* name, const Shape& shape = {rows, columns}, const Placement& layout = {})
    {
        return cta.alloc("tmem", shape, f32, layout, name);
    }
    [[nodiscard]] TensorRef operand(const char* name, std::int64_t n)
    {
        return cta.alloc(Role::shared, {n, columns}, f16, operand_layout(n, 2), name);
    }
    [[nodiscard]] TensorRef source(const char* name)
    {
        return cta.alloc(Role::shared, {rows, columns}, f32, operand_layout(rows, 4), name);
    }

    /// Starts a store of a number to 32 lanes; returns the statement.
    [[nodiscard]] int store(Scope w, int warp, const ViewRef& t, double x) const
    {
        const auto r =
            w.alloc(Role::registers, {32, t.shape()[1]}, f32, registers_of(warp, t.shape()[1]), "x" + std::to_string(at()));
        w.fill(r, x);
        const int out = at();
        w.copy_async(t, r);
        return out;
    }
    /// Starts a load of 32 lanes, and stores its registers; returns the statement of the load.
    [[nodiscard]] int load(Scope w, int warp, const ViewRef& t, const TensorRef* out = nullptr) const
    {
        const auto r =
            w.alloc(Role::registers, {32, t.shape()[1]}, f32, registers_of(warp, t.shape()[1]), "x" + std::to_string(at()));
        const int load = at();
        w.copy_async(r, t);
        if (out != nullptr) w.copy(*out, r);
        return load;
    }
    /// Starts a product, which arrives at an mbarrier when it is complete, if one is given.
    [[nodiscard]] int product(Scope w, const ViewRef& d, const ViewRef& a, const ViewRef& b, int on = -1,
                              bool accumulate = false) const
    {
        const int out = at();
        Options options;
        options.async = true;
        options.completes_on = on;
        w.gemm(d, a, b, {.accumulate = accumulate, .transpose_b = true}, options);
        return out;
    }
    [[nodiscard]] int copy(Scope w, const ViewRef& d, const ViewRef& a, int on = -1) const
    {
        const int out = at();
        w.copy_async(d, a, completes_on(on));
        return out;
    }
    void between(Scope w, Between what, int on = 0, int parity = 0) const
    {
        if (what == Between::loads) w.wait_tensor_loads();
        if (what == Between::stores) w.wait_tensor_stores();
        if (what != Between::commit) return;
        commit(w, on);
        see(w, on, parity);
    }
    static void commit(Scope w, int on) { w.mbarrier({Mbarrier::Action::commit, on, 0, {}}); }
    /// Waits for a phase, and sees what others have done in tensor memory.
    static void see(Scope w, int on, int parity = 0) { w.mbarrier(wait_for(on, parity)).tensor_fence_after(); }
    static void hand_over(Scope w, int on) { w.tensor_fence_before().mbarrier(arrive(on)); }
    /// What the row reads without having written it: 32 lanes by one warp, 128 by four.
    void written_before_in(const ViewRef& t, double x = 7)
    {
        const std::int64_t n = t.shape()[1];
        const int warps = static_cast<int>(t.shape()[0] / 32);
        cta.warps(0, warps, [&](Scope w) {
            const Layout held{{{warps, 1, Axis{"warp"}}, {32, 1, Axis{"lane"}}, {n, 1, Axis{"reg"}}}};
            const auto r = w.alloc(Role::registers, {32 * warps, n}, f32, held, "before" + std::to_string(at()));
            w.fill(r, x);
            w.copy(t, r);
        });
        cta.sync();
        cta.tensor_fence_after();
    }
};

/// A kernel with one block.
inline Variant tensors(const std::function<void(Kernel&, TensorBlock&, Sites&)>& body,
                       const std::map<std::string, Numbers>& wanted = {}, int agents = 5)
{
    return {[body, agents](Kernel& k, Sites& sites) {
                one_block(k, agents, [&](Scope cta) {
                    TensorBlock b{{k, cta}};
                    body(k, b, sites);
                });
            },
            wanted, machines::sm100};
}

inline ViewRef quarter(const TensorRef& t) { return t(Interval(0, 32), all); }

} // namespace races

#endif
