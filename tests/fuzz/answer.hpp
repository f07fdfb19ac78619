// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_FUZZ_ANSWER_HPP
#define AXE_TESTS_FUZZ_ANSWER_HPP

#include <tests/fuzz/sampled.hpp>
#include <tests/fuzz/stop.hpp>

/// What an answer must be, whatever the numbers of the question.
namespace fuzz {

/// Is the value a layout? Decided here from the definitions, in wide numbers.
bool valid(const axe::Layout& l);
/// Is it one of as many elements as the shape has?
bool admits(const axe::Layout& l, const axe::Shape& shape);
/// Is no axis named twice, and are they no more than a list of axes holds?
bool distinct(const axe::Layout::Axes& axes);
/// Does some replica reach more than one point?
bool has_replicas(const axe::Layout& l);
Wide size(const axe::Layout& l);

/// One question, put to one operation.
struct Asked {
    const char* operation;
    const Question& q;

    [[noreturn]] void wrong(const std::string& what) const { stop(std::string(operation) + ": " + what + "\n  " + text(q)); }
    void that(bool holds, const char* what) const
    {
        if (!holds) wrong(what);
    }

    /// A well-formed question has an answer, or there is none, or a limit was met: the integer's, the capacity's or the search's. An
    /// ill-formed one is refused with an error that is not "none". The error can be read.
    /// @param searched is the answer searched for, so that `too_hard` may come to small numbers too?
    void answered(const axe::Error& error, bool well_formed, bool searched = false) const;

    /// The answer is a canonical layout of this many elements, whose least corner at every sampled x is truth(x), with these replicas.
    template <class Truth>
    void is(const axe::Layout& got, Wide elements, Truth truth, const std::vector<Term>& replica) const
    {
        sound(got);
        that(size(got) == elements, "another size");
        const Map map(got);
        for (Int x : samples(static_cast<Int>(elements), got))
            if (!(map(x) == truth(x))) wrong("another point at " + std::to_string(x) + ", got " + print(got).c_str());
        same_replicas(map.replica, replica);
    }
    void sound(const axe::Layout& got) const;
    void same_replicas(const std::vector<Term>& got, const std::vector<Term>& want) const;
};

} // namespace fuzz

#endif
