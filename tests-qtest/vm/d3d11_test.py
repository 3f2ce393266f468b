#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs tests of scripts/run-d3d11-tests in a booted VM (guest_stack.py), all in one boot, with the parts that are built.

usage: d3d11_test.py [--x86] [NAME...]
  NAME    runs only these tests (default: those of TESTS)
  --x86   runs them with x86 programs"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from guest_stack import GuestStack  # noqa: E402; finds scripts/lib
from aerogpu_build import Failure  # noqa: E402
from d3d11_tests import Tests  # noqa: E402
import stack_tests  # noqa: E402

# Each start of Wine takes some seconds here.
TESTS = ['triangle', 'scene_10_0', 'scene_10_1', 'buffers', 'deferred', 'quad10_10_1', 'shared_with_9', 'flip']


def main():
    names = sys.argv[1:]
    x86 = names[:1] == ['--x86']
    try:
        sys.exit(stack_tests.run(GuestStack({}, both=x86, d3d11=True), Tests, names[x86:] or TESTS, again=(),
                                 arch='x86' if x86 else 'x64'))
    except Failure as failure:
        sys.exit('d3d11 vm: %s' % failure)


main()
