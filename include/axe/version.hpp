// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_VERSION_HPP
#define AXE_VERSION_HPP

/// The one place of the version; CMakeLists.txt reads these three lines.
#define AXE_VERSION_MAJOR 0
#define AXE_VERSION_MINOR 1
#define AXE_VERSION_PATCH 0

#endif
