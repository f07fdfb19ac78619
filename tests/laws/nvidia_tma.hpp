// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_NVIDIA_TMA_HPP
#define AXE_TESTS_LAWS_NVIDIA_TMA_HPP

#include <axe/target/nvidia/tma/plan.hpp>
#include <axe/text/print.hpp>
#include <tests/random.hpp>

#include <functional>
#include <map>
#include <string>

/// A copy by TMA from its definition alone, element by element, and what a request asks for from its layouts alone.
namespace tma {

using laws::Int;

inline constexpr Int outside = -1; ///< in place of a global byte: filled by a load, left out by a store

/// The global byte that each shared byte takes, byte by byte of elements: shared byte of an element ↦ its global byte.
using Moves = std::map<Int, Int>;

inline Int width_of(axe::TmaType type) { return axe::row(type).bits / 8; }

/// The digits of a point x under a list of iters, as the layout says: last iter fastest.
inline Int apply(const axe::Layout& layout, Int x)
{
    Int at = layout.offset.size() == 0 ? 0 : layout.offset[axe::Axis{}];
    for (int k = layout.shard.size() - 1; k >= 0; --k) {
        at += x % layout.shard[k].extent * layout.shard[k].stride;
        x /= layout.shard[k].extent;
    }
    return at;
}

inline Int swizzled(const axe::Swizzle& s, Int byte)
{
    const Int mask = (Int{1} << s.bits) - 1;
    return byte ^ ((byte >> (s.base + s.shift) & mask) << s.base); // shift > 0 in all modes of a map
}

inline axe::Region all_of(const axe::Shape& shape)
{
    axe::Region out;
    for (const Int n : shape) out.push_back({0, n});
    return out;
}

/// What the request asks for: each element of the region, at the byte that the shared layout says.
inline Moves asked(const axe::TmaRequest& r)
{
    Moves out;
    const axe::Region from = r.global_region.empty() ? all_of(r.global_shape) : r.global_region;
    const axe::Region to = r.shared_region.empty() ? all_of(r.shared_shape) : r.shared_region;
    const Int width = width_of(r.type);
    Int count = 1;
    for (int d = 0; d < from.size(); ++d) count *= from[d].hi - from[d].lo;
    for (Int n = 0; n < count; ++n) {
        const auto linear = [&](const axe::Region& region, const axe::Shape& shape, const axe::Shape& steps, bool& inside) {
            Int rest = n, at = 0, pitch = 1;
            for (int d = region.size() - 1; d >= 0; --d) {
                const Int extent = region[d].hi - region[d].lo, c = region[d].lo + rest % extent * (steps.empty() ? 1 : steps[d]);
                rest /= extent;
                inside = inside && c >= 0 && c < shape[d];
                at += c * pitch;
                pitch *= shape[d];
            }
            return at;
        };
        bool inside = true, always = true;
        const Int g = linear(from, r.global_shape, r.global_steps, inside), s = linear(to, r.shared_shape, {}, always);
        out[swizzled(r.shared.swizzle, apply(r.shared.layout, s) * width)] = inside ? apply(r.global, g) * width : outside;
    }
    return out;
}

/// What the copies of a plan do, by the definition, cut into elements of the request's type. `sound` is false where two write one byte.
inline Moves done(const axe::TmaPlan& plan, Int width, bool& sound)
{
    Moves out;
    const axe::TensorMap& map = plan.map;
    const Int wide = width_of(map.type);
    for (const axe::TmaIssue& issue : plan.issues) {
        std::vector<Int> n, i(static_cast<std::size_t>(map.rank()), 0);
        for (int d = 0; d < map.rank(); ++d) n.push_back((map.box[d] + map.element_stride(d) - 1) / map.element_stride(d));
        for (Int dense = 0;; ++dense) {
            Int global = map.offset;
            bool inside = true;
            for (int d = 0; d < map.rank(); ++d) {
                const Int c = issue.coords[d] + i[static_cast<std::size_t>(d)] * map.element_stride(d);
                inside = inside && c >= 0 && c < map.dims[d];
                global += c * (d == 0 ? wide : map.strides[d - 1]);
            }
            const axe::TmaElement e = axe::issue_element(map, issue, issue.shared, dense);
            sound = sound && e.inside == inside && (!inside || e.global == global) &&
                    e.shared == swizzled(axe::row(map.swizzle).swizzle, issue.shared + dense * wide);
            for (Int b = 0; b < wide; b += width) {
                const Int shared = swizzled(axe::row(map.swizzle).swizzle, issue.shared + dense * wide + b);
                sound = sound && out.emplace(shared, inside ? global + b : outside).second;
            }
            int d = 0;
            for (; d < map.rank(); ++d) {
                if (++i[static_cast<std::size_t>(d)] < n[static_cast<std::size_t>(d)]) break;
                i[static_cast<std::size_t>(d)] = 0;
            }
            if (d == map.rank()) break;
        }
    }
    return out;
}

/// A run of adjacent elements of shared memory, before the swizzle: the global bytes they take, in order.
struct Run {
    Int first = 0; ///< byte
    std::vector<Int> global{};
};

/// The runs of a copy within the tensor.
inline std::vector<Run> runs_of(const axe::TmaRequest& r, const Moves& moves)
{
    const Int width = width_of(r.type);
    Moves plain;
    for (const auto& [shared, from] : moves) plain[swizzled(r.shared.swizzle, shared)] = from; // its own inverse
    std::vector<Run> out;
    for (const auto& [byte, from] : plain) {
        if (out.empty() || byte != out.back().first + static_cast<Int>(out.back().global.size()) * width) out.push_back({byte, {}});
        out.back().global.push_back(from);
    }
    return out;
}

/// Does one box do the `count` elements of a run from element `begin` on? Tries all extents of up to five dimensions, elements of all widths, and
/// whatever strides the copy has. The rows of a swizzled box fill its span.
inline bool is_box(const axe::TmaRequest& r, const Run& run, Int begin, Int count)
{
    const Int width = width_of(r.type);
    if ((run.first + begin * width) % 128 != 0 || run.global[static_cast<std::size_t>(begin)] % 16 != 0) return false;
    const auto mode = axe::tma_swizzle(r.shared.swizzle);
    if (!mode || axe::row(*mode).arch > r.rules.arch) return false;
    const Int span = axe::row(*mode).span;
    const auto global = [&](Int e) { return run.global[static_cast<std::size_t>(begin + e)]; };
    for (Int wide = width; wide <= 8; wide *= 2) {
        std::vector<Int> box, stride;
        const std::function<bool(Int)> grow = [&](Int have) { // elements of `wide` that the box has so far
            if (!box.empty() && have * wide == count * width) {
                for (Int e = 0; e < count; ++e) {
                    Int rest = e * width / wide, at = global(0) + e * width % wide;
                    for (std::size_t d = 0; d < box.size(); ++d) {
                        at += rest % box[d] * stride[d];
                        rest /= box[d];
                    }
                    if (at != global(e)) return false;
                }
                return true;
            }
            if (box.size() == 5) return false;
            const Int left = count * width / wide / have;
            for (Int n = box.empty() ? 1 : 2; n <= std::min<Int>(left, 256); ++n) {
                if (left % n != 0) continue;
                if (box.empty() && (n * wide % 16 != 0 || (span > 0 && n * wide != span))) continue;
                const Int step = box.empty() ? wide : global(have * wide / width) - global(0);
                if (!box.empty() && (step < 0 || step % 16 != 0)) continue;
                box.push_back(n);
                stride.push_back(step);
                const bool found = grow(have * n);
                box.pop_back();
                stride.pop_back();
                if (found) return true;
            }
            return false;
        };
        if (count * width % wide == 0 && global(0) % wide == 0 && grow(1)) return true;
    }
    return false;
}

/// Do some boxes do the run, one after the other?
inline bool are_boxes(const axe::TmaRequest& r, const Run& run)
{
    const Int width = width_of(r.type), count = static_cast<Int>(run.global.size());
    std::vector<bool> done(static_cast<std::size_t>(count) + 1, false); // the elements before this one
    done[0] = true;
    for (Int begin = 0; begin < count; ++begin) {
        if (!done[static_cast<std::size_t>(begin)] || (run.first + begin * width) % 128 != 0) continue;
        for (Int end = begin + 1; end <= count; ++end)
            if (!done[static_cast<std::size_t>(end)] && (end == count || (run.first + end * width) % 128 == 0))
                done[static_cast<std::size_t>(end)] = is_box(r, run, begin, end - begin);
    }
    return done[static_cast<std::size_t>(count)];
}

inline std::string describe(const axe::TmaRequest& r)
{
    std::string text =
        std::string(axe::name(r.type)) + " global " + axe::print(r.global).c_str() + " of " + axe::print(r.global_shape).c_str();
    text += " region " + std::string(axe::print(r.global_region).c_str());
    text += " shared " + std::string(axe::print(r.shared.layout).c_str()) + " of " + axe::print(r.shared_shape).c_str();
    text += " region " + std::string(axe::print(r.shared_region).c_str());
    const axe::Swizzle& s = r.shared.swizzle;
    return text + " swizzle<" + std::to_string(s.bits) + "," + std::to_string(s.base) + "," + std::to_string(s.shift) + ">";
}

} // namespace tma

#endif
