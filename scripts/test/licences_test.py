#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks what README and debian/copyright say of licences: each file names its licence within its first lines, MIT, or
in hw-aerogpu/ GPL-2.0-or-later. Files of WITHOUT name none; they have the licence of their folder."""
import fnmatch
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
LINES = 4  # which may begin with #! and the like
WITHOUT = (
    '*.md',                                           # pages; README.md says their licence
    '*.json',                                         # the format has no comments
    'LICENSES/*', '.git*',
    'debian/*',                                       # debian/copyright says it
    'hw-aerogpu/sources.list',                        # read line by line
    'guest-drivers/package/epoch.in',                 # becomes a number
    'guest-drivers/package/disk/README.txt.in',       # what the disc's users read first
)


def tracked():
    """Returns the names of the text files under version control."""
    listed = subprocess.run(['git', '-C', ROOT, 'ls-files', '-z'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            check=False)
    if listed.returncode:
        return []
    return [name for name in listed.stdout.decode().split('\0') if name and os.path.isfile(os.path.join(ROOT, name))
            and not os.path.islink(os.path.join(ROOT, name))]


def licence(name):
    """Returns the licence that a file names, None if it names none, '' if it is no text."""
    with open(os.path.join(ROOT, name), 'rb') as file:
        head = file.read(4096)
    if b'\0' in head:
        return ''
    found = re.search(rb'SPDX-License-Identifier: ([\w.-]+)', b'\n'.join(head.split(b'\n')[:LINES]))
    return found[1].decode() if found else None


class Licences(unittest.TestCase):
    def test_each_file_names_its_licence(self):
        names = tracked()
        if not names:
            self.skipTest('no git here: which files are ours is not known')
        wrong = []
        for name in names:
            expected = 'GPL-2.0-or-later' if name.startswith('hw-aerogpu/') else 'MIT'
            found = licence(name)
            without = any(fnmatch.fnmatch(name, pattern) for pattern in WITHOUT)
            if found not in ('', expected) and not (found is None and without):
                wrong.append(f'{name}: {found or "no licence"}, not {expected}')
        self.assertFalse(wrong, '\n'.join(wrong))

    def test_no_pattern_is_idle(self):
        names = tracked()
        for pattern in WITHOUT if names else ():
            self.assertTrue(any(fnmatch.fnmatch(name, pattern) for name in names), pattern)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
