# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the interactive page in a real browser:  run.py PROGRAM [TEST …], PROGRAM being the one of answers.cpp.

Without Chromium, its driver or the Python package selenium there is nothing to test with: exit status 77.
"""

import os
import sys
import unittest


def main():
    try:
        import support
    except ImportError as error:
        print(f"skipped: the tests of pages need the Python package selenium ({error})")
        return 77
    for program in (support.CHROMIUM, support.DRIVER):
        if not os.access(program, os.X_OK):
            print(f"skipped: the tests of pages need {program} (packages chromium and chromium-driver)")
            return 77
    support.start(sys.argv[1])
    try:
        loader = unittest.TestLoader()
        here = os.path.dirname(os.path.abspath(__file__))
        suite = loader.loadTestsFromNames(sys.argv[2:]) if sys.argv[2:] else loader.discover(here, pattern="test_*.py")
        result = unittest.TextTestRunner(verbosity=2).run(suite)
    finally:
        support.stop()
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
