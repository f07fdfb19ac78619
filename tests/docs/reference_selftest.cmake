# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Does reference.cmake see what it must? SCRATCH a folder to plant errors in.
cmake_minimum_required(VERSION 3.25)

set(header [[
// A comment may say "what it likes to say", and quote "words as these".
#define AXE_GUARD
return Error(errc::no_layout, d, "no {0} here; only \"there\" [{1}, {2})", d);
static_assert(x, "for the library alone");
]])
set(page [[
# op

`#include <axe/layout/op.hpp>`

```cpp excerpt
op
```

## Equation
## When it exists
## Errors

- `no_layout`: `no {0} here; only "there" [{1}, {2})`

## Cost
## Example

```cpp
```

```text
```

## Elsewhere
]])

# Writes the four files of a small repository and compares the verdict.
function(expect what header page index regex)
    file(REMOVE_RECURSE "${SCRATCH}")
    file(WRITE "${SCRATCH}/include/axe/layout/op.hpp" "${header}")
    file(WRITE "${SCRATCH}/docs/reference/op.md" "${page}")
    file(WRITE "${SCRATCH}/docs/reference/index.md" "${index}")
    execute_process(COMMAND "${CMAKE_COMMAND}" "-DROOT=${SCRATCH}" -P "${CMAKE_CURRENT_LIST_DIR}/reference.cmake"
        RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    string(REGEX REPLACE "[ \n]+" " " out "${out}")
    if(regex STREQUAL "")
        if(NOT status EQUAL 0)
            message(FATAL_ERROR "${what}: refused:\n${out}")
        endif()
    elseif(status EQUAL 0 OR NOT out MATCHES "${regex}")
        message(FATAL_ERROR "${what}: expected /${regex}/, found:\n${out}")
    endif()
endfunction()

set(index "[op](op.md) and [elsewhere](https://example.org)\n")
expect("nothing wrong" "${header}" "${page}" "${index}" "")

string(REPLACE "layout/op.hpp" "layout/po.hpp" changed "${page}")
expect("a header without a page" "${header}" "${changed}" "${index}" "axe/layout/op.hpp: no page of the reference names this header")
string(REPLACE "no {0} here" "none {0} here" changed "${page}")
expect("a sentence of a header" "${header}" "${changed}" "${index}" "op.hpp: no page of the reference quotes \"no {0} here; only \"there\" \\[{1}, {2}\\)\"")
expect("a sentence of a page" "${header}" "${changed}" "${index}" "op.md: no header says \"none {0} here; only \"there\" \\[{1}, {2}\\)\"")
string(REPLACE "## Cost\n" "" changed "${page}")
expect("a section" "${header}" "${changed}" "${index}" "op.md: no \"## Cost\" where it belongs")
string(REPLACE "```text\n```\n" "" changed "${page}")
expect("an output" "${header}" "${changed}" "${index}" "op.md: no \"```text\" where it belongs")
expect("the index" "${header}" "${page}" "nothing\n" "op.md: not in index.md")
expect("a link" "${header}" "${page}[there](../there.md#part)\n" "${index}" "op.md: the link to ../there.md leads nowhere")
file(REMOVE_RECURSE "${SCRATCH}")
