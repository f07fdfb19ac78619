// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_REPORT_HPP
#define AXE_TESTS_LAWS_REPORT_HPP

#include <axe/support/result.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>
#include <tests/oracle.hpp>
#include <tests/random.hpp>

#include <string>
#include <type_traits>

namespace laws {

/// Counts what a law says and what breaks it. The first few failures are kept in the notation, ready for the command line.
class Report {
  public:
    explicit Report(const char* law) : law_(law) {}

    /// A well-formed question whose answer exists, or does not.
    void asked(bool exists) { ++(exists ? yes_ : no_); }

    template <class... T>
    void wrong(const char* what, const T&... arguments)
    {
        if (++wrong_ > 10) return;
        text_ += std::string("\n") + law_ + ": " + what + ":";
        (put(arguments), ...);
    }
    /// Tells what came out wrong, if it did; returns the condition.
    template <class... T>
    bool that(bool holds, const char* what, const T&... arguments)
    {
        if (!holds) wrong(what, arguments...);
        return holds;
    }
    /// Compares existence. True when there is an answer on both sides, whose values are to be compared next.
    template <class R, class... T>
    bool exists(bool truth, const R& result, const T&... arguments)
    {
        asked(truth);
        if (truth && !result) wrong("not found", arguments..., result.error().message().c_str());
        if (!truth && result) wrong("found where there is none", arguments..., "got", *result);
        if (!truth && !result && !result.error().is_none())
            wrong("an error, not none", arguments..., result.error().message().c_str());
        return truth && result.has_value();
    }
    /// Ends the law: nothing was wrong, and it was put to the test.
    void finish(bool both_ways = true) const
    {
        INFO(text_);
        CHECK(wrong_ == 0);
        CHECK(yes_ > 0);
        if (both_ways) CHECK(no_ > 0);
    }
    Int yes() const { return yes_; }
    Int no() const { return no_; }

  private:
    const char* law_;
    Int yes_ = 0, no_ = 0, wrong_ = 0;
    std::string text_;

    void put(const char* s) { text_ += std::string(" ") + s; }
    template <class T>
    void put(const T& value)
    {
        if constexpr (std::is_integral_v<T>)
            text_ += " " + std::to_string(value);
        else
            text_ += std::string(" ") + axe::print(value).c_str() + ";";
    }
};

/// Is the library's answer canonical in D, and the map of the table?
inline bool is_map(const axe::Layout& answer, const oracle::Table& truth)
{
    const auto d = oracle::recover_d(truth.low);
    return d && oracle::same_list(answer.shard, *d) && oracle::table(answer) == truth;
}

} // namespace laws

#endif
