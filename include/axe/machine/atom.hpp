// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MACHINE_ATOM_HPP
#define AXE_MACHINE_ATOM_HPP

#include <axe/layout/group.hpp>
#include <axe/layout/swizzle.hpp>

namespace axe {
inline namespace v0 {

/// How the layout of an atom is known.
enum class Evidence : std::uint8_t {
    documents, ///< read in the source, and no more
    executed,  ///< each element compared with what the vendor's code computes when run, or with what the instruction itself did
};

/// What the operands of one instruction, or the forms of one memory, have in common.
struct AtomHead {
    const char* name;   ///< the instruction as its vendor spells it; else family.form, as in `smem_atom.K_SW128.b16`
    const char* arch;   ///< the vendor's name of the generation; `+` at the end: and later ones
    const char* scope;  ///< what holds the whole operand: `warp`, `wave`, `warpgroup`, `cta`, …
    const char* source; ///< the file or document, with its commit or version
    Evidence evidence;
};

/// One operand of a hardware instruction, or one form of a memory, as a row of data: element x of `shape()`, row-major, is at the
/// points `layout()(x)`.
///
/// A is [M, K], B is [K, N], C and D are [M, N]. `reg` counts elements in a thread's fragment, the low bits of its first register
/// first; `lane` counts within one warp or wave, `warp` within its warpgroup; `m` counts elements, not bytes. Where an operand may
/// are at several places, the row is the one at 0, and the note has the offsets of the others, for `shift`.
struct Atom : AtomHead {
    const char* operand; ///< `A`, `B`, `C`, `D`, `frag`, `addr`, …
    const char* element; ///< the type of an element as the vendor spells it; `b16` is any of 16 bits
    std::int64_t dims[3];
    Iter shard[6]; ///< D, outermost first; as in `replica` and `dims`, what is not used is 0
    const char* note = "";
    Iter replica[1]{};
    Swizzle swizzle{}; ///< of the bits of a byte address on `m`; its form with 0 bits is kept as well
    int width = 1;     ///< bytes of an element, for the swizzle

    [[nodiscard]] constexpr Shape shape() const noexcept
    {
        Shape out;
        for (const auto extent : dims)
            if (extent != 0) out.push_back(extent);
        return out;
    }
    [[nodiscard]] constexpr Layout layout() const noexcept
    {
        Layout out;
        for (const auto& it : shard)
            if (it.extent != 0) out.shard.push_back(it);
        for (const auto& it : replica)
            if (it.extent != 0) out.replica.push_back(it);
        return out;
    }
    /// The layout with its swizzle; of an operand without one, the same map as `layout()`.
    [[nodiscard]] constexpr Swizzled<Layout> swizzled() const noexcept { return {swizzle, Axis{}, width, layout()}; }
};

/// Is the row sound: every word there, layout and swizzle well-formed, and the layout grouped by the shape?
///
/// `errc::bad_argument` for a word that is missing; else the errors of `check` and of `group`.
constexpr Status check(const Atom& atom) noexcept
{
    for (const char* word : {atom.name, atom.arch, atom.scope, atom.source, atom.operand, atom.element})
        if (word == nullptr || *word == '\0')
            return Error(errc::bad_argument, -1,
                         "an atom needs a name, an architecture, a scope, a source, an operand and an element type");
    if (const Status e = check(atom.swizzled()); !e.ok()) return e;
    return group(atom.layout(), atom.shape()).error();
}

} // namespace v0
} // namespace axe

#endif
