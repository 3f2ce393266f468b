#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs tests of scripts/run-d3d9-tests in a booted VM (guest_stack.py), all in one boot.

usage: d3d9_test.py DRIVER.sys USER-MODE-DRIVER.dll d3d9.dll [--x86 USER-MODE-DRIVER.dll d3d9.dll] [NAME...]
  NAME    runs only these tests (default: those of TESTS; those of ROUND once more, to see what they leave)
  --x86   runs the chosen tests with x86 programs too, and can run the tests that mix x64 and x86"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from guest_stack import GuestStack  # noqa: E402; finds scripts/lib
from aerogpu_build import Failure  # noqa: E402
from d3d9_stack import PARTS32  # noqa: E402
from d3d9_tests import Tests  # noqa: E402
import stack_tests  # noqa: E402

# Each start of Wine takes a second or two here. The omitted tests differ in the program or the kernel side, not in
# the machine, and run with the stopped QEMU.
TESTS = ['triangle', 'quad', 'flip', 'readback', 'shared', 'two_programs']
ROUND = ['shared', 'two_programs']


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    try:
        parts, names = dict(zip(('driver', 'umd', 'd3d9'), sys.argv[1:4])), sys.argv[4:]
        if names[:1] == ['--x86']:
            if len(names) < 3:
                sys.exit(__doc__)
            parts.update(zip(PARTS32, names[1:3]))
            names = names[3:]
        sys.exit(stack_tests.run(GuestStack(parts, both='umd-x86' in parts), Tests, names or TESTS, again=() if names else ROUND,
                                 arch='both' if 'umd-x86' in parts else 'x64'))
    except Failure as failure:
        sys.exit('d3d9 vm: %s' % failure)


main()
