// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LLVM_HPP
#define AXE_LLVM_HPP

#include <axe/axe.hpp>
#include <axe/support/errors.hpp>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMapInfo.h>
#include <llvm/ADT/FoldingSet.h>
#include <llvm/ADT/Hashing.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

/// The algebra's values with LLVM's types: ArrayRef and SmallVector of extents, raw_ostream, keys of DenseMap and DenseSet, hash_code, and
/// profiles for FoldingSet. Opt-in: no other header includes this one. It derives from no class of LLVM, and so compiles with and without
/// RTTI and exceptions, however LLVM was built.
namespace axe {
inline namespace v0 {
namespace detail {

/// How many items a list holds; it may claim more.
template <class T, int N>
constexpr int items_of(const InlineVector<T, N>& list) noexcept
{
    return list.overfull() ? N : list.size();
}

/// The numbers that a value consists of, in order. Of two values of one type they are the same if and only if the values are equal.
struct Words {
    template <std::signed_integral Int, class Put>
    static void put(Int n, Put& out)
    {
        out(static_cast<std::uint64_t>(static_cast<std::int64_t>(n)));
    }
    template <std::same_as<Axis> A, class Put>
    static void put(const A& axis, Put& out)
    {
        out(axis.high);
        out(axis.low);
    }
    template <class Int, class Put>
    static void put(const BasicIter<Int>& it, Put& out)
    {
        put(it.extent, out);
        put(it.stride, out);
        put(it.axis, out);
    }
    template <class Int, class Put>
    static void put(const BasicRange<Int>& range, Put& out)
    {
        put(range.lo, out);
        put(range.hi, out);
    }
    template <class T, int N, class Put>
    static void put(const InlineVector<T, N>& list, Put& out)
    {
        put(list.count, out);
        for (int i = 0; i < items_of(list); ++i) put(list[i], out);
    }
    /// Points are equal where they differ in axes whose coordinate is 0.
    template <class Int, int N, class Put>
    static void put(const BasicPoint<Int, N>& point, Put& out)
    {
        int count = 0;
        for (int i = 0; i < items_of(point.entries); ++i) count += point.entries[i].value != 0;
        put(count, out);
        for (int i = 0; i < items_of(point.entries); ++i) {
            if (point.entries[i].value == 0) continue;
            put(point.entries[i].axis, out);
            put(point.entries[i].value, out);
        }
    }
    template <AnyLayout L, class Put>
    static void put(const L& layout, Put& out)
    {
        put(layout.shard, out);
        put(layout.replica, out);
        put(layout.offset, out);
    }
    template <AnyLayout L, class Put>
    static void put(const Grouped<L>& grouped, Put& out)
    {
        put(grouped.layout, out);
        put(grouped.ends, out);
    }
    template <AnyLayout L, class Put>
    static void put(const Swizzled<L>& s, Put& out)
    {
        put(s.swizzle.bits, out);
        put(s.swizzle.base, out);
        put(s.swizzle.shift, out);
        put(s.axis, out);
        put(s.width, out);
        put(s.layout, out);
    }
};

/// Two values that are equal to no other: names of characters that no name has, and lists of more items than memory holds.
struct ReservedKeys {
    static constexpr void set(Axis& axis, int which) noexcept
    {
        axis.high = ~std::uint64_t{0};
        axis.low = ~std::uint64_t{0} - static_cast<std::uint64_t>(which);
    }
    template <class Int>
    static constexpr void set(BasicIter<Int>& it, int which) noexcept
    {
        set(it.axis, which);
    }
    template <class T, int N>
    static constexpr void set(InlineVector<T, N>& list, int which) noexcept
    {
        for (T& item : list.items) item = T{};
        list.count = std::numeric_limits<int>::max() - which;
    }
    template <class Int, int N>
    static constexpr void set(BasicPoint<Int, N>& point, int which) noexcept
    {
        Axis axis{};
        set(axis, which);
        point.entries.push_back({axis, 1});
    }
    template <AnyLayout L>
    static constexpr void set(L& layout, int which) noexcept
    {
        set(layout.shard, which);
    }
    template <AnyLayout L>
    static constexpr void set(Grouped<L>& grouped, int which) noexcept
    {
        set(grouped.layout, which);
    }
    template <AnyLayout L>
    static constexpr void set(Swizzled<L>& s, int which) noexcept
    {
        set(s.layout, which);
    }
    template <class T>
    static constexpr T make(int which) noexcept
    {
        T out{};
        set(out, which);
        return out;
    }
};

template <class T>
llvm::hash_code hash_of_words(const T& value)
{
    llvm::SmallVector<std::uint64_t, 64> words;
    const auto append = [&](std::uint64_t word) { words.push_back(word); };
    Words::put(value, append);
    return llvm::hash_combine_range(words.begin(), words.end());
}

template <class T>
struct LlvmKey {
    static T getEmptyKey() { return ReservedKeys::make<T>(0); }
    static T getTombstoneKey() { return ReservedKeys::make<T>(1); }
    static unsigned getHashValue(const T& value) { return static_cast<unsigned>(hash_of_words(value)); }
    static bool isEqual(const T& a, const T& b) { return a == b; }
};

template <class T>
struct LlvmProfile {
    static void Profile(const T& value, llvm::FoldingSetNodeID& id)
    {
        const auto append = [&](std::uint64_t word) { id.AddInteger(static_cast<unsigned long long>(word)); };
        Words::put(value, append);
    }
};

template <class T>
concept HasStandardHash = requires(const T& value) { std::hash<T>{}(value); };
/// Has the type numbers? Asked of the type alone: nothing of LLVM is instantiated for a class that is not one of these.
template <class T>
concept HasWords = std::is_class_v<T> && requires(const T& value, void (&out)(std::uint64_t)) { Words::put(value, out); };

/// Found by argument-dependent lookup, so that types with their own `print` are written as well: an indexing map where <axe/map/print.hpp> is included.
template <class T>
concept HasPrint = (std::is_class_v<T> || std::is_enum_v<T>) && requires(const T& value) { print(value); };
template <class T>
concept Writable = HasPrint<T> || requires(const T& value) { value.error(); };

template <int N>
void write(llvm::raw_ostream& out, const Text<N>& text)
{
    out.write(text.begin(), static_cast<std::size_t>(text.size));
}
inline void write(llvm::raw_ostream& out, const std::string& text) { out.write(text.data(), text.size()); }

/// The first items of a list of any length, and how many there are.
template <class T, int N>
void assign(InlineVector<T, N>& list, llvm::ArrayRef<T> items)
{
    const auto kept = items.take_front(static_cast<std::size_t>(N));
    std::copy(kept.begin(), kept.end(), list.items);
    list.count = static_cast<int>(std::min(items.size(), static_cast<std::size_t>(std::numeric_limits<int>::max())));
}

} // namespace detail

/// The shape of these extents.
///
/// Errors: those of `volume`. A dimension that MLIR calls dynamic is rejected as an extent below 1. Cost: linear in the dimensions.
inline Result<Shape> shape_from_array(llvm::ArrayRef<std::int64_t> extents)
{
    Shape shape;
    detail::assign(shape, extents);
    return volume(shape).transform([&](std::int64_t) { return shape; });
}

/// The layout of a strided array, as MLIR's `strided<[strides], offset: offset>`:  L(c) = offset + Σ_d c_d·strides_d  on `axis`.
///
/// One iter a dimension, as they are written. `errc::rank_mismatch` for lists of different lengths; else the errors of `check`.
/// Cost: linear in the dimensions.
inline Result<Layout> layout_from_strides(llvm::ArrayRef<std::int64_t> extents, llvm::ArrayRef<std::int64_t> strides,
                                          std::int64_t offset = 0, const Axis& axis = {})
{
    if (extents.size() != strides.size())
        return detail::stride_rank(static_cast<std::int64_t>(extents.size()), static_cast<std::int64_t>(strides.size()));
    llvm::SmallVector<Iter, max_rank> iters;
    for (std::size_t d = 0; d < extents.size(); ++d) iters.push_back({extents[d], strides[d], axis});
    Layout layout;
    detail::assign(layout.shard, llvm::ArrayRef<Iter>(iters));
    if (offset != 0) layout.offset.entries.push_back({axis, offset});
    if (const Status e = check(layout); !e.ok()) return e;
    return layout;
}

/// A view of the items of a list: the extents of a shape, the iters of a layout. It is good for as long as the list.
template <class T, int N>
llvm::ArrayRef<T> array_ref(const InlineVector<T, N>& list)
{
    return {list.items, static_cast<std::size_t>(detail::items_of(list))};
}
template <class T, int N>
llvm::ArrayRef<T> array_ref(const InlineVector<T, N>&& list) = delete; // it would be a view of what is gone

/// A copy of the items of a list.
template <class T, int N>
llvm::SmallVector<T> small_vector(const InlineVector<T, N>& list)
{
    return llvm::SmallVector<T>(list.items, list.items + detail::items_of(list));
}

/// Writes the printed form of a value, of a result the value or `code: message`, of a decision `yes`, `no at 3` (its witness) or
/// `undecided: code: message`, and of a status `ok` or `code: message`. `llvm::formatv` uses it.
template <detail::Writable T>
llvm::raw_ostream& operator<<(llvm::raw_ostream& out, const T& value)
{
    if constexpr (detail::HasPrint<T>) {
        detail::write(out, print(value));
    } else if constexpr (requires { value.undecided(); }) {
        if (value.undecided()) return out << "undecided: " << value.error();
        out << (value.yes() ? "yes" : "no");
        if constexpr (std::is_integral_v<typename T::witness_type>)
            if (value.no() && value.witness() >= 0) out << " at " << value.witness();
    } else {
        if (!value.ok()) return out << value.error();
        if constexpr (std::is_void_v<typename T::value_type>)
            out << "ok";
        else
            out << *value;
    }
    return out;
}

/// Writes a text: what `pretty`, `print` and others return.
template <int N>
llvm::raw_ostream& operator<<(llvm::raw_ostream& out, const Text<N>& text)
{
    detail::write(out, text);
    return out;
}

/// For `llvm::hash_combine`. Equal values have one hash; a type that has `std::hash` has a `hash_value` with it, and needs none here.
template <class T>
    requires(detail::HasWords<T> && !detail::HasStandardHash<T>)
llvm::hash_code hash_value(const T& value)
{
    return detail::hash_of_words(value);
}

} // namespace v0
} // namespace axe

/// Keys of DenseMap and DenseSet, compared as they are written (`==`). The two keys that LLVM reserves are equal to no value that can be
/// made: `check` rejects them, and no text is one. And what `id.Add(layout)` does in the `Profile` of a node of a FoldingSet.
#define AXE_LLVM_KEY(...)                                                                                                          \
    struct llvm::DenseMapInfo<__VA_ARGS__> : axe::detail::LlvmKey<__VA_ARGS__> {}
#define AXE_LLVM_PROFILE(...)                                                                                                      \
    struct llvm::FoldingSetTrait<__VA_ARGS__> : axe::detail::LlvmProfile<__VA_ARGS__> {}
template <>
AXE_LLVM_KEY(axe::Axis);
template <>
AXE_LLVM_PROFILE(axe::Axis);
template <class Int>
AXE_LLVM_KEY(axe::BasicIter<Int>);
template <class Int>
AXE_LLVM_PROFILE(axe::BasicIter<Int>);
template <class T, int N>
AXE_LLVM_KEY(axe::InlineVector<T, N>);
template <class T, int N>
AXE_LLVM_PROFILE(axe::InlineVector<T, N>);
template <class Int, int N>
AXE_LLVM_KEY(axe::BasicPoint<Int, N>);
template <class Int, int N>
AXE_LLVM_PROFILE(axe::BasicPoint<Int, N>);
template <class Int, int S, int R, int A>
AXE_LLVM_KEY(axe::BasicLayout<Int, S, R, A>);
template <class Int, int S, int R, int A>
AXE_LLVM_PROFILE(axe::BasicLayout<Int, S, R, A>);
template <axe::AnyLayout L>
AXE_LLVM_KEY(axe::Grouped<L>);
template <axe::AnyLayout L>
AXE_LLVM_PROFILE(axe::Grouped<L>);
template <axe::AnyLayout L>
AXE_LLVM_KEY(axe::Swizzled<L>);
template <axe::AnyLayout L>
AXE_LLVM_PROFILE(axe::Swizzled<L>);
#undef AXE_LLVM_KEY
#undef AXE_LLVM_PROFILE

#endif
