/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef AXE_C_H
#define AXE_C_H

#include <stddef.h>
#include <stdint.h>

/*
 * The algebra for C, and for whatever calls C: C++17, Rust, Julia, Python's ctypes. One shared library, libaxe_c, defines it.
 *
 * A layout is a handle that does not change; every function that makes one gives it to the caller, who frees it. Functions that may fail
 * return a code, AXE_OK or the reason; `error`, where it is not null, is then filled, and the result is left as it was. Strings end
 * with a zero. Null handles, results and lists (of more than no items) are AXE_BAD_ARGUMENT. No function throws, prints, or keeps
 * state: any number of threads may use one layout at a time.
 */

#if defined(_WIN32)
#  error axe_c is not built for Windows
#else
#  define AXE_C_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What came of a call. The numbers stay as they are in all versions. */
typedef enum axe_code {
    AXE_OK = 0,
    AXE_NOT_GROUPED = 1,        /* none: the shape does not cut the layout into dimension groups */
    AXE_NO_LAYOUT = 2,          /* none: the map that was asked for is not a layout */
    AXE_BAD_EXTENT = 3,         /* an extent below 1 */
    AXE_BAD_AXIS = 4,           /* a name that no axis can have */
    AXE_BAD_ARGUMENT = 5,       /* an argument that the function cannot take; a null pointer */
    AXE_RANK_MISMATCH = 6,      /* lists that must be of one length are not */
    AXE_SIZE_MISMATCH = 7,      /* a shape whose product is not the size of its layout */
    AXE_OUT_OF_DOMAIN = 8,      /* an index, region or value outside the domain */
    AXE_UNKNOWN_AXIS = 9,       /* an axis that the layout does not have */
    AXE_NOT_SINGLE_VALUED = 10, /* a layout with replicas, where one point for each index is asked for */
    AXE_CAPACITY = 11,          /* more iters, dimensions or axes than a layout holds; a list that is too short for the answer */
    AXE_OVERFLOW = 12,          /* a number beyond 64 bits */
    AXE_TOO_HARD = 13,          /* not decided: a search was given up */
    AXE_BAD_SYNTAX = 14,        /* a text that is not a layout */
    AXE_INTERNAL = 15,          /* a mistake in the library: please report it */
    AXE_NO_MEMORY = 16,
    AXE_CODE_IS_INT32 = 0x7fffffff /* no code: the type has 32 bits under -fshort-enums, too */
} axe_code;

typedef struct axe_error {
    axe_code code;
    int32_t position; /* in the list that the message names, from 0 on; -1: none */
    char message[256];
} axe_error;

typedef struct axe_layout axe_layout;

/* The version of the library that is loaded, 10000·major + 100·minor + patch. */
AXE_C_API int32_t axe_version(void);

/* The name of a code as the C++ library spells it, "no_layout"; "?" for any other number. */
AXE_C_API const char* axe_code_name(axe_code code);

/* Reads a layout, "(8,2):(4@lane,1@reg) + [2:4@warp] + 5@warp": `length` characters. */
AXE_C_API axe_code axe_parse(const char* text, size_t length, axe_layout** layout, axe_error* error);

/*
 * Writes the text of a layout, as much of it as `capacity` characters hold, and a zero. Returns the length of the whole text without
 * the zero: it was cut if that is not below `capacity`. With capacity 0 nothing is written, and `text` may be null. 0 for a null layout.
 */
AXE_C_API size_t axe_print(const axe_layout* layout, char* text, size_t capacity);

/* Frees a layout; a null layout is left alone. */
AXE_C_API void axe_free(axe_layout* layout);

/* The number of elements of the domain. */
AXE_C_API axe_code axe_size(const axe_layout* layout, int64_t* size, axe_error* error);

/* The one spelling of the map: equal maps have equal canonical texts, as long as their replicas leave gaps. */
AXE_C_API axe_code axe_canonicalize(const axe_layout* layout, axe_layout** result, axe_error* error);

/*
 * Are two layouts one map? AXE_OK: decided, `equal` is 1 or 0, and `witness`, if it is not null, is after a no the least index at which
 * they differ, -1 where their sizes do. Any other code: not decided.
 */
AXE_C_API axe_code axe_equal(const axe_layout* a, const axe_layout* b, int32_t* equal, int64_t* witness, axe_error* error);

/* The part of a layout on a shape that lies in the region [low[d], high[d]) of each of `rank` dimensions. */
AXE_C_API axe_code axe_slice(const axe_layout* layout, const int64_t* shape, const int64_t* low, const int64_t* high, int32_t rank,
                             axe_layout** result, axe_error* error);

/* Tiles of the shape of `inner`, arranged as `outer` says. */
AXE_C_API axe_code axe_tile(const axe_layout* outer, const int64_t* outer_shape, const axe_layout* inner,
                            const int64_t* inner_shape, int32_t rank, axe_layout** result, axe_error* error);

/* x -> outer(inner(x)), where `inner` gives indices on the axis m. */
AXE_C_API axe_code axe_compose(const axe_layout* outer, const axe_layout* inner, axe_layout** result, axe_error* error);

/* From the box of points on the named axes, the last one fastest, back to indices. */
AXE_C_API axe_code axe_inverse(const axe_layout* layout, const char* const* axes, int32_t count, axe_layout** result,
                               axe_error* error);

/*
 * The points of an index: of each the coordinates on the named axes, `count` numbers a point, as many points as `capacity` holds.
 * `points` is how many there are; AXE_CAPACITY where that is more. With capacity 0, `coordinates` may be null.
 */
AXE_C_API axe_code axe_evaluate(const axe_layout* layout, int64_t index, const char* const* axes, int32_t count,
                                int64_t* coordinates, size_t capacity, size_t* points, axe_error* error);

#ifdef __cplusplus
}
#endif

#endif
