# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recipe for Conan 2, from the source tree that this file is in:  conan create .github/packaging/conan"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class AxeConan(ConanFile):
    name = "axe"
    description = "Exact algebra of data layouts over named hardware axes, with simulated machines"
    license = "Apache-2.0 WITH LLVM-exception"
    topics = ("layout", "tensor", "compiler", "gpu", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._root, "include", "axe", "version.hpp"))
        numbers = (re.search(rf"#define AXE_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))
        self.version = ".".join(numbers)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "include/*", "docs/*", ".github/packaging/*.cmake"):
            copy(self, pattern, self._root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        if self.settings.get_safe("compiler.cppstd"):
            check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()  # headers alone: one package for all

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({"AXE_BUILD_TESTS": False, "AXE_BUILD_EXAMPLES": False})
        toolchain.generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "share"))  # Conan writes the CMake package and axe.pc itself

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "axe")
        self.cpp_info.set_property("cmake_target_name", "axe::axe")
        self.cpp_info.set_property("pkg_config_name", "axe")
