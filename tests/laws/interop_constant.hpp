// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_INTEROP_CONSTANT_HPP
#define AXE_TESTS_LAWS_INTEROP_CONSTANT_HPP

#include <axe/support/result.hpp>
#include <catch.hpp>

#include <string>
#include <utility>

/// The law that an operation in a constant expression gives what it gives at run time: refusals, and what is behind their end, included.
namespace constant {

/// Keeps the optimizer from seeing the value, so that it is computed when the test runs.
template <class T>
T hidden(T value)
{
    asm volatile("" : : "r"(&value) : "memory");
    return value;
}

inline bool same(const axe::Error& a, const axe::Error& b)
{
    return a.code == b.code && a.position == b.position && std::string(a.message().c_str()) == b.message().c_str();
}
inline bool same(const axe::Decision& a, const axe::Decision& b)
{
    return same(a.error(), b.error()) && a.witness() == b.witness() && (a.undecided() || bool(a) == bool(b));
}
template <class T>
bool same(const T& a, const T& b)
{
    if constexpr (requires { a.c_str(); })
        return std::string(a.c_str()) == b.c_str();
    else
        return a == b;
}
template <class T>
bool same(const axe::Result<T>& a, const axe::Result<T>& b)
{
    return same(a.error(), b.error()) && (!a || same(*a, *b));
}
inline bool same(const axe::Status& a, const axe::Status& b) { return same(a.error(), b.error()); }

/// How often the law was asked, and how often there was an answer to compare, not a refusal.
struct Count {
    int asked = 0, answered = 0;
};

template <class T>
bool answers(const T& result)
{
    if constexpr (requires { result.undecided(); })
        return !result.undecided();
    else if constexpr (requires { result.ok(); })
        return result.ok();
    else
        return true;
}

/// f of the I-th input, or of the I-th and the K-th. Functions and inputs are types, so that both can be constants.
template <class F, class Inputs, int I>
void law(Count& count)
{
    static constexpr auto at_compile_time = F{}(Inputs::list[I]);
    INFO("input " << I);
    CHECK(same(at_compile_time, F{}(hidden(Inputs::list[I]))));
    ++count.asked;
    count.answered += answers(at_compile_time);
}
template <class F, class Inputs, int I, int K>
void law(Count& count)
{
    static constexpr auto at_compile_time = F{}(Inputs::list[I], Inputs::list[K]);
    INFO("inputs " << I << ", " << K);
    CHECK(same(at_compile_time, F{}(hidden(Inputs::list[I]), hidden(Inputs::list[K]))));
    ++count.asked;
    count.answered += answers(at_compile_time);
}

template <class Inputs>
inline constexpr int size = static_cast<int>(sizeof(Inputs::list) / sizeof(Inputs::list[0]));

/// The law for each input.
template <class Inputs, class F>
Count each(F)
{
    Count count;
    [&]<int... I>(std::integer_sequence<int, I...>) {
        (law<F, Inputs, I>(count), ...);
    }(std::make_integer_sequence<int, size<Inputs>>{});
    return count;
}
/// The law for each pair.
template <class Inputs, class F>
Count pairs(F)
{
    Count count;
    constexpr int n = size<Inputs>;
    [&]<int... I>(std::integer_sequence<int, I...>) {
        (law<F, Inputs, I / n, I % n>(count), ...);
    }(std::make_integer_sequence<int, n * n>{});
    return count;
}

} // namespace constant

#endif
