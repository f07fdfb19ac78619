// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_CATCH_HPP
#define AXE_TESTS_CATCH_HPP

/// The parts of Catch2 that the tests use, from version 2 or 3; and how it shows the library's values, which must be one way in all
/// files of a program.
#if __has_include(<catch2/catch_test_macros.hpp>)
#  include <catch2/catch_template_test_macros.hpp>
#  include <catch2/catch_test_macros.hpp>
#  include <catch2/generators/catch_generators_all.hpp>
#  include <catch2/matchers/catch_matchers_all.hpp>
#else
#  include <catch2/catch.hpp>
#endif

#include <axe/testing/catch.hpp>

namespace catch_texts {

/// Of a string: it has this part. In version 3 `Contains` asks of a range for an element.
#if defined(CATCH_VERSION_MAJOR) && CATCH_VERSION_MAJOR < 3
using Catch::Matchers::Contains;
#else
inline auto Contains(const std::string& part) { return Catch::Matchers::ContainsSubstring(part); }
#endif

} // namespace catch_texts

#endif
