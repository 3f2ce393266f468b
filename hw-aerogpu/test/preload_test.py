#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: preload_test.py AEROGPU-QEMU.SO OTHER-QEMU VERSION

Preloads the object into a QEMU of another version than VERSION (MAJOR.MINOR) and into one that lacks symbols that the
device needs: these must print one line and exit with 1. Programs that are no QEMU must run as without it."""
import os
import subprocess
import sys
import unittest

MODULE, OTHER, VERSION = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)


def run(version, *program):
    environment = dict(os.environ, LD_PRELOAD=MODULE, OTHER_QEMU_VERSION=version, LC_ALL='C')
    return subprocess.run(program or [OTHER], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=60, check=False)


class Preload(unittest.TestCase):
    def refused(self, version, text):
        done = run(version)
        self.assertEqual((done.returncode, done.stdout), (1, ''), done.stderr)
        self.assertEqual(done.stderr.count('\n'), 1, done.stderr)
        self.assertIn(text, done.stderr)

    def test_other_versions(self):
        major, minor = (int(word) for word in VERSION.split('.'))
        for version in ('%d.%d' % (major, minor + 1), '%d.%d' % (major + 1, minor), '1.0', '99.0'):
            self.refused(version, 'other-qemu: aerogpu: built for QEMU %s, this is QEMU %s: install or build' %
                         (VERSION, version))

    def test_same_version_without_its_symbols(self):
        self.refused(VERSION, 'other-qemu: aerogpu: cannot load the device: ')

    def test_no_qemu(self):
        done = run('', '/bin/sh', '-c', 'echo "$LD_PRELOAD"')
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, MODULE + '\n', ''))


if __name__ == '__main__':
    unittest.main()
