#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests how scripts/bench --against judges runs, and reads callgrind's files."""
import contextlib
import io
import os
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import bench_against  # noqa: E402

# Functions of two objects; the bench calls the driver (24 instructions, including callees), and the driver calls
# back.
CALLGRIND = '''version: 1
events: Ir
ob=(1) /build/renderer/bench/aerogpu-bench
fl=(1) a.cpp
fn=(1) draw
10 5
+2 7
cob=(2) /usr/lib/libvulkan_lvp.so
cfn=(2) vkCmdDraw
calls=3 40
* 24
-1 2
ob=(2)
fn=(2)
40 20
cob=(1)
cfn=(1)
calls=1 10
44 4
'''


class BenchAgainstTest(unittest.TestCase):
    def test_own_instructions_are_those_of_the_object(self):
        self.assertEqual(bench_against.own_instructions(CALLGRIND.splitlines(True), 'aerogpu-bench'), 5 + 7 + 2)
        self.assertEqual(bench_against.own_instructions(CALLGRIND.splitlines(True), 'libvulkan_lvp.so'), 20)

    def test_a_side_may_have_a_process(self):
        folder = pathlib.Path('/build')
        words, environment = bench_against.command(bench_against.Side(folder), '-x')
        self.assertEqual(words, ['/build/renderer/bench/aerogpu-bench', '-x'])
        self.assertNotIn('AEROGPU_TEST_PROCESS', environment)
        _, environment = bench_against.command(bench_against.Side(folder, 'asked'))
        self.assertEqual(environment['AEROGPU_TEST_PROCESS'], 'asked')
        self.assertEqual(environment['AEROGPU_RENDERER'], '/build/renderer/aerogpu-renderer')

    def report(self, **rows):
        ratios = {name: (values, [], [1.0], [1.0]) for name, values in rows.items()}
        with contextlib.redirect_stdout(io.StringIO()) as out:
            result = bench_against.report(ratios)
        return result, out.getvalue()

    def test_a_row_is_slower_by_its_median(self):
        (slower, scattered), text = self.report(slow=[1.03] * 20, equal=[1.01] * 20, lucky=[0.9] * 9 + [1.02] * 11)
        self.assertEqual(slower, ['slow'])
        self.assertEqual(scattered, ['lucky'])
        self.assertIn('| slow | 1 ms | 1 ms | 1.030 (1.030 to 1.030) |  | slower |', text)

    def test_a_row_that_scatters_is_not_judged_by_time(self):
        (slower, scattered), _ = self.report(wild=[0.9] * 5 + [1.1] * 10 + [1.4] * 5)
        self.assertEqual((slower, scattered), ([], ['wild']))


if __name__ == '__main__':
    unittest.main()
