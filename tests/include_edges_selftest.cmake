# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Does include_edges.cmake see what it must? Each case plants one header in a tree that is otherwise in order.
#   cmake -DSCRATCH=folder -P include_edges_selftest.cmake
cmake_minimum_required(VERSION 3.25)

# expect(FILE TEXT REGEX): with TEXT in FILE the check fails and says REGEX; with an empty REGEX it passes.
function(expect file text regex)
    file(REMOVE_RECURSE "${SCRATCH}")
    file(WRITE "${SCRATCH}/support/base.hpp" "#ifndef A\n#  include <cstdint>\n#endif\nint a[3]; // not an #include <vector>\n")
    file(WRITE "${SCRATCH}/layout/layout.hpp" "#include <axe/support/base.hpp>\n")
    file(WRITE "${SCRATCH}/${file}" "${text}")
    execute_process(COMMAND "${CMAKE_COMMAND}" "-DROOT=${SCRATCH}" -P "${CMAKE_CURRENT_LIST_DIR}/include_edges.cmake"
        RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(regex STREQUAL "" AND NOT status EQUAL 0)
        message(FATAL_ERROR "refused, though in order: ${file}\n${text}\n${out}")
    elseif(NOT regex STREQUAL "" AND (status EQUAL 0 OR NOT out MATCHES "${regex}"))
        message(FATAL_ERROR "not refused with /${regex}/: ${file}\n${text}\n${out}")
    endif()
endfunction()

expect(layout/fine.hpp "#include <axe/layout/layout.hpp>\n#include <concepts>\n" "")
expect(axe.hpp "#include <axe/layout/layout.hpp>\n#include <axe/version.hpp>\n" "")
expect(sim/run.hpp "#include <axe/program/x.hpp>\n#include <vector>\n" "")
expect(sim/opcodes/fine.hpp "#include <axe/sim/opcodes/x.hpp>\n#include <axe/sim/agents/x.hpp>\n#include <axe/program/x.hpp>\n" "")
expect(sim/verify.hpp "#include <axe/sim/reference/x.hpp>\n" "")
expect(picture/fine.hpp "#include <axe/sim/x.hpp>\n#include <axe/interop/x.hpp>\n" "")

expect(support/up.hpp "int x;\n\n#include <axe/layout/layout.hpp>\n" "support/up.hpp:3: support must not include layout")
expect(layout/up.hpp "int a[2]; int b;\n# include <axe/text/parse.hpp>\n" "layout/up.hpp:2: layout must not include text")
expect(layout/heavy.hpp "#include <vector>\n" "layout/heavy.hpp:1: layout must not include <vector>")
expect(support/heavy.hpp "#if 1\n#    include <string>\n#endif\n" "support/heavy.hpp:2: support must not include <string>")
expect(layout/c.hpp "#include <stdint.h>\n" "layout/c.hpp:1: layout must not include <stdint.h>")
expect(layout/quoted.hpp "#include \"layout.hpp\"\n" "layout/quoted.hpp:1: write includes as")
expect(machine/up.hpp "#include <axe/interop/cute.hpp>\n" "machine/up.hpp:1: machine must not include interop")
expect(sim/run.hpp "#include <axe/picture/svg.hpp>\n" "sim/run.hpp:1: sim must not include picture")
expect(sim/agents/across.hpp "#include <axe/schedule/x.hpp>\n" "sim/agents/across.hpp:1: sim must not include schedule")
expect(sim/agents/up.hpp "int x;\n#include <axe/sim/opcodes/move.hpp>\n"
       "sim/agents/up.hpp:2: sim/agents must not include sim/opcodes")
expect(sim/memory/up.hpp "#include <axe/sim/run.hpp>\n" "sim/memory/up.hpp:1: sim/memory must not include sim/run.hpp")
expect(sim/new/x.hpp "int x;\n" "sim/new/x.hpp:1: the table in tests/include_edges.cmake has no row for sim/new")
expect(picture/closed.hpp "#include <axe/sim/reference/x.hpp>\n" "picture/closed.hpp must not include sim/reference")
expect(layout/layout.hpp "#include <axe/layout/layout.hpp>\n" "a circle of includes: layout/layout.hpp -> layout/layout.hpp")
expect(support/base.hpp "#include <axe/layout/layout.hpp>\n"
       "a circle of includes: layout/layout.hpp -> support/base.hpp -> layout/layout.hpp")
expect(schedule/across.hpp "#include <axe/sim/x.hpp>\n" "schedule/across.hpp:1: schedule must not include sim")
expect(layout/all.hpp "#include <axe/axe.hpp>\n" "layout/all.hpp:1: layout must not include axe.hpp")
expect(axe.hpp "#include <axe/tensor/x.hpp>\n" "axe.hpp:1: axe.hpp must not include tensor")
expect(axe.hpp "#include <axe/axe.hpp>\n" "axe.hpp:1: includes itself")
expect(text/fmt.hpp "#include <fmt/format.h>\n" "")
expect(text/heavy.hpp "#include <fmt/format.h>\n" "text/heavy.hpp:1: only an adapter may include <fmt/format.h>")
expect(picture/heavy.hpp "#include <string.h>\n" "picture/heavy.hpp:1: only an adapter may include <string.h>")
expect(testing/heavy.hpp "#include <axe/text/fmt.hpp>\n" "testing/heavy.hpp:1: text/fmt.hpp is for users to include")
expect(strange/new.hpp "int x;\n" "no row for strange")
file(REMOVE_RECURSE "${SCRATCH}")
