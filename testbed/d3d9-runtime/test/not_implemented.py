#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the names in the runtime's calls of notImplemented() with not_implemented.txt. The list may only become
shorter: who implements a function removes its line."""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MOST = 29  # lines; may only decrease


def main():
    found = set()
    for path in glob.glob(os.path.join(HERE, '..', '*', '*.cpp')) + glob.glob(os.path.join(HERE, '..', '*.cpp')):
        if os.path.basename(path) == 'log.cpp':  # this file receives the names
            continue
        with open(path) as file:
            for call in re.findall(r'notImplemented\(([^;]*?)\);', file.read(), re.S):
                found.update(re.findall(r'"([^"]+)"', call))
    with open(os.path.join(HERE, 'not_implemented.txt')) as file:
        listed = [line.rstrip('\n') for line in file if line.strip() and not line.startswith('#')]
    right = True
    for name in sorted(found - set(listed)):
        print('not in the list: %s' % name)
        right = False
    for name in sorted(set(listed) - found):
        print('in the list, but implemented: %s' % name)
        right = False
    if len(listed) > MOST:
        print('%d lines, at most %d' % (len(listed), MOST))
        right = False
    print('%d not implemented' % len(listed))
    return 0 if right else 1


if __name__ == '__main__':
    sys.exit(main())
