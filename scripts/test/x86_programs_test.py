#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests scripts/lib/x86_programs.py: its little program is what the ELF tools take it for, and commands run or are
skipped."""
import os, subprocess, sys, tempfile, unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.join(HERE, '..', 'lib', 'x86_programs.py')
sys.path.insert(0, os.path.dirname(TOOL))
import x86_programs  # noqa: E402


class X86ProgramsTest(unittest.TestCase):
    def test_the_program_is_one_for_x86(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(x86_programs.program())
            file.flush()
            about = subprocess.run(['readelf', '-h', '-l', '-W', file.name], capture_output=True, text=True, check=True)
        self.assertEqual(about.stderr, '')
        for words in ('ELF32', 'Intel 80386', 'EXEC (Executable file)', 'Entry point address:               0x8048054'):
            self.assertIn(words, about.stdout)
        self.assertRegex(about.stdout, r'LOAD +0x000000 0x08048000 0x08048000 0x0005b 0x0005b R E 0x1000')

    def test_commands_run_or_are_skipped(self):
        runs = subprocess.run([TOOL], capture_output=True, text=True)
        reason = x86_programs.why_not()
        self.assertEqual((runs.returncode, runs.stdout), (1, reason + '\n') if reason else (0, ''))
        done = subprocess.run([TOOL, 'run', '/bin/sh', '-c', 'exit 5'], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (77, '# SKIP sh: %s\n' % reason) if reason else (5, ''))

    def test_usage(self):
        for words in (['run'], ['walk', 'true']):
            self.assertEqual(subprocess.run([TOOL, *words], capture_output=True).returncode, 2)


if __name__ == '__main__':
    unittest.main()
