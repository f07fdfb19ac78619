// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of its own, since the handler of refusals is chosen once a program: here a value that is not there throws.
#include <stdexcept>
#define AXE_ON_BAD_ACCESS(error) throw std::runtime_error((error).message().c_str())
#include <axe/layout/layout.hpp>

#include <cstdio>
#include <string>

static int failures = 0;

template <class F>
static void expect_refusal(const char* what, const std::string& sentence, F f)
{
    std::string heard = "nothing";
    try {
        f();
    } catch (const std::runtime_error& e) {
        heard = e.what();
    }
    if (heard == sentence) return;
    std::printf("%s: expected \"%s\", heard \"%s\"\n", what, sentence.c_str(), heard.c_str());
    ++failures;
}

int main()
{
    const std::string sentence = "the extent of iter 1 is 0; it must be at least 1";
    const auto none = axe::make_layout({{8, 4}, {0, 1}});
    expect_refusal("value()", sentence, [&] { (void)none.value(); });
    expect_refusal("operator*", sentence, [&] { (void)*none; });
    expect_refusal("operator->", sentence, [&] { (void)none->shard.size(); });
    expect_refusal("Decision", sentence, [&] { (void)static_cast<bool>(axe::Decision(none.error())); });
    expect_refusal("value_or", "nothing", [&] { (void)none.value_or(axe::Layout{}); });
    expect_refusal("value() of a value", "nothing", [] { (void)axe::make_layout({{8, 4}}).value(); });
    expect_refusal("Decision decided", "nothing", [] { (void)static_cast<bool>(axe::Decision(false, 3)); });
    return failures;
}
