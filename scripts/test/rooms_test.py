#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that the folders of the tree include each other one way only (docs/develop/architecture.md, "Folders, and who
may include whom").

Includes must be paths from the root, which show the included folder. A folder is a room; X.h and X.c or X.cpp of one
folder are one part. Neither rooms nor parts may form a circle (CONTAINERS and RING are exceptions), and FORBIDDEN lists
which folders may not include which, such as what ships the stand-ins for Windows in testbed/."""
import collections
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
SOURCE = re.compile(r'\.(c|cpp|h|S)$')
# Stand-ins for foreign headers are found in the same way, through an include folder: the WDK's and the contract's.
STAND_INS = ('guest-drivers/ddi/', 'guest-drivers/kmd/test/wdk/', 'guest-drivers/umd-common/linux/')
PUBLIC = ('aerogpu/',)
# The device's parts know their container, AeroGPUState; hw-aerogpu/test/layers_test.py checks their calls.
CONTAINERS = ('hw-aerogpu/aerogpu.h', 'hw-aerogpu/types.h')
# The objects of Direct3D 9 and the device that made them include each other.
RING = 'testbed/d3d9-runtime/com/'
# Forbidden includes: the first must not include the second.
FORBIDDEN = (
    ('protocol/', ('d3d9/', 'renderer/', 'hw-aerogpu/', 'guest-drivers/', 'testbed/', 'tests-qtest/')),
    ('d3d9/', ('renderer/', 'hw-aerogpu/', 'guest-drivers/', 'testbed/', 'tests-qtest/')),
    ('renderer/', ('hw-aerogpu/', 'guest-drivers/', 'testbed/', 'tests-qtest/')),
    ('hw-aerogpu/', ('renderer/', 'guest-drivers/', 'testbed/', 'tests-qtest/')),
    ('guest-drivers/', ('hw-aerogpu/', 'testbed/', 'tests-qtest/')),
    ('guest-drivers/umd-common/', ('guest-drivers/umd-d3d9/', 'guest-drivers/umd-d3d10/', 'guest-drivers/kmd/')),
    ('guest-drivers/umd-d3d9/', ('guest-drivers/umd-d3d10/', 'guest-drivers/kmd/')),
    ('guest-drivers/umd-d3d10/', ('guest-drivers/umd-d3d9/', 'guest-drivers/kmd/')),
    ('testbed/', ('hw-aerogpu/', 'tests-qtest/')),
)


def tracked():
    names = subprocess.run(['git', '-C', ROOT, 'ls-files', '-z'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if names.returncode == 0:
        return [name for name in names.stdout.decode().split('\0') if SOURCE.search(name) and os.path.exists(os.path.join(ROOT, name))]
    return [os.path.relpath(os.path.join(folder, name), ROOT)  # sources without their history
            for top in ('protocol', 'd3d9', 'renderer', 'hw-aerogpu', 'guest-drivers', 'testbed', 'tests-qtest')
            for folder, _, files in os.walk(os.path.join(ROOT, top)) for name in files if SOURCE.search(name)]


def part(name):
    return os.path.splitext(name)[0]


def circles(uses):
    """Returns the sets of two or more names that all reach each other (Tarjan's algorithm)."""
    numbers, lowest, stack, found = {}, {}, [], []

    def visit(name):
        numbers[name] = lowest[name] = len(numbers)
        stack.append(name)
        for other in sorted(uses.get(name, ())):
            if other not in numbers:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], numbers[other])
        if lowest[name] == numbers[name]:
            ring = [stack.pop()]
            while ring[-1] != name:
                ring.append(stack.pop())
            if len(ring) > 1:
                found.append(sorted(ring))

    for name in sorted(uses):
        if name not in numbers:
            visit(name)
    return found


class RoomsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.names = tracked()
        known = set(cls.names)
        cls.includes = {}
        cls.strange = []
        for name in cls.names:
            with open(os.path.join(ROOT, name), encoding='utf-8', errors='replace') as file:
                written = INCLUDE.findall(file.read())
            cls.includes[name] = [path for path in written if path in known]
            for path in written:
                folder = os.path.dirname(path)
                if path in known or path.startswith(PUBLIC):
                    continue
                # Generated headers have a folder of the tree; QEMU's and the WDK's headers are foreign.
                generated = folder and os.path.isdir(os.path.join(ROOT, folder))
                if not generated and not cls.stands_in(name, path):
                    cls.strange.append('%s includes "%s"' % (name, path))
        sys.setrecursionlimit(10000)

    @staticmethod
    def stands_in(name, path):
        if name.startswith('hw-aerogpu/') or path == 'src/gtest-all.cc':
            return True
        if name.startswith('protocol/include/'):
            return True
        return any(os.path.exists(os.path.join(ROOT, os.path.dirname(stand_in), path)) for stand_in in STAND_INS)

    def test_includes_are_from_the_root(self):
        self.assertGreater(len(self.names), 1000)
        self.assertEqual(self.strange, [])

    def test_who_may_include_whom(self):
        wrong = ['%s includes %s' % (name, path) for name, paths in self.includes.items() for path in paths
                 for who, whom in FORBIDDEN if name.startswith(who) and path.startswith(whom)
                 and not ('/test/' in name and path.startswith('renderer/'))
                 and not path.startswith('renderer/include/')]
        self.assertEqual(wrong, [])

    def test_rooms_form_no_circle(self):
        uses = collections.defaultdict(set)
        for name, paths in self.includes.items():
            for path in paths:
                if os.path.dirname(path) != os.path.dirname(name) and path not in CONTAINERS and name not in CONTAINERS:
                    uses[os.path.dirname(name)].add(os.path.dirname(path))
        self.assertEqual(circles(uses), [])

    def test_parts_form_no_circle(self):
        uses = collections.defaultdict(set)
        for name, paths in self.includes.items():
            for path in paths:
                if part(path) != part(name) and not (name.startswith(RING) and path.startswith(RING)) and \
                        name not in CONTAINERS and path not in CONTAINERS:
                    uses[part(name)].add(part(path))
        self.assertEqual(circles(uses), [])

    def test_a_circle_is_found(self):
        self.assertEqual(circles({'a': {'b'}, 'b': {'c'}, 'c': {'b', 'd'}}), [['b', 'c']])
        self.assertEqual(circles({'a': {'b', 'c'}, 'b': {'c'}}), [])


if __name__ == '__main__':
    unittest.main()
