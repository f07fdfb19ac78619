// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SUPPORT_FACTOR_HPP
#define AXE_SUPPORT_FACTOR_HPP

#include <axe/support/integer.hpp>

#include <initializer_list>

/// The prime factors of an integer, in time of the fourth root of the number.
namespace axe {
inline namespace v0 {
namespace detail {

template <class Int>
constexpr Int power_mod(Int base, Int exponent, Int m) noexcept
{
    wider_t<Int> result = 1 % m, b = base % m;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) result = result * b % m;
        b = b * b % m;
    }
    return static_cast<Int>(result);
}

/// Miller and Rabin's test with the bases that decide every n < 2^64.
template <class Int>
constexpr bool is_prime(Int n) noexcept
{
    if (n < 2) return false;
    for (const Int p : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37})
        if (n % p == 0) return n == p;
    Int odd = n - 1;
    int twos = 0;
    for (; odd % 2 == 0; odd /= 2) ++twos;
    for (const Int base : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) {
        wider_t<Int> x = power_mod<Int>(base, odd, n);
        bool witness = x != 1 && x != n - 1;
        for (int i = 1; i < twos && witness; ++i) {
            x = x * x % n;
            witness = x != n - 1;
        }
        if (witness) return false;
    }
    return true;
}

/// A proper divisor of a composite n: Pollard's rho.
template <class Int>
constexpr Int divisor(Int n) noexcept
{
    for (Int p = 2; p < 1000 && p * p <= n; ++p)
        if (n % p == 0) return p;
    for (Int c = 1;; ++c) {
        wider_t<Int> slow = 2, fast = 2;
        Int d = 1;
        while (d == 1) {
            slow = (slow * slow + c) % n;
            fast = (fast * fast + c) % n;
            fast = (fast * fast + c) % n;
            d = gcd(static_cast<Int>(slow > fast ? slow - fast : fast - slow), n);
        }
        if (d != n) return d;
    }
}

/// Calls f with every prime factor of n ≥ 1, with its multiplicity, in no order.
template <class Int, class F>
constexpr void for_each_prime_factor(Int n, F& f) noexcept
{
    if (n == 1) return;
    if (is_prime(n)) {
        f(n);
        return;
    }
    const Int d = divisor(n);
    for_each_prime_factor(d, f);
    for_each_prime_factor(Int(n / d), f);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
