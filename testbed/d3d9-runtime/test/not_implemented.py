#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the names in a runtime's calls of notImplemented() with its test/not_implemented.txt. The list may only
become shorter: who implements a function removes its line.

usage: not_implemented.py [FOLDER]    (no FOLDER: d3d9-runtime)"""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MOST = {'d3d9-runtime': 29, 'd3d11-runtime': 69}  # lines; may only decrease


def main():
    folder = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, '..'))
    most = MOST[os.path.basename(folder)]
    found = set()
    for path in glob.glob(os.path.join(folder, '*', '*.cpp')) + glob.glob(os.path.join(folder, '*.cpp')):
        with open(path) as file:
            for call in re.findall(r'notImplemented\(([^;]*?)\);', file.read(), re.S):
                found.update(re.findall(r'"([^"]+)"', call))
    with open(os.path.join(folder, 'test', 'not_implemented.txt')) as file:
        listed = [line.rstrip('\n') for line in file if line.strip() and not line.startswith('#')]
    right = True
    for name in sorted(found - set(listed)):
        print('not in the list: %s' % name)
        right = False
    for name in sorted(set(listed) - found):
        print('in the list, but implemented: %s' % name)
        right = False
    if len(listed) > most:
        print('%d lines, at most %d' % (len(listed), most))
        right = False
    print('%d not implemented' % len(listed))
    return 0 if right else 1


if __name__ == '__main__':
    sys.exit(main())
