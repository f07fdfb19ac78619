# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the command share: the program (the first argument of each test), run once or as a batch."""

import os
import subprocess
import sys
import unittest

AXE = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "axe"
TILE = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"  # the paper's first example, on (8,16)


def run(*arguments, stdin=b"", **options):
    """Runs the command; .stdout and .stderr are text."""
    done = subprocess.run([AXE, *arguments], input=stdin, capture_output=True, timeout=300, **options)
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    return done


def batch(requests, *options):
    """The answers of one batch run, which must end well: one line a request."""
    if isinstance(requests, list):
        requests = "".join(r + "\n" for r in requests).encode()
    done = run(*options, "batch", stdin=requests)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", done.stderr
    return done.stdout.split("\n")[:-1]


def main():
    unittest.main(verbosity=2)
