// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SIM_REFERENCES_HPP
#define AXE_TESTS_UNIT_SIM_REFERENCES_HPP

#include <axe/program/kernel.hpp>
#include <axe/sim/reference/reference.hpp>
#include <catch.hpp>
#include <tests/unit/sim/arrays.hpp>

/// What the reference says of the output of a kernel.
namespace references {

using namespace axe;
using Numbers = std::vector<double>;

inline Result<Reference, Problem> run(const Kernel& k, Bindings in = {})
{
    const auto p = k.program();
    if (!p) return p.error();
    return reference(*p, in);
}
inline Numbers values(const Result<Reference, Problem>& r, const char* tensor = "C")
{
    Numbers out;
    if (!r) {
        UNSCOPED_INFO(r.error().text);
        return out;
    }
    const ReferenceTensor& t = *r->find(tensor);
    for (std::int64_t i = 0; i < t.size(); ++i) out.push_back(t.at(i).value);
    return out;
}
inline Bindings given(std::string name, Array array)
{
    Bindings b;
    b.set(std::move(name), std::move(array));
    return b;
}

} // namespace references

#endif
