#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that no source defines a constant of the same namespace and name as a header of its room.

A library's sources are compiled twelve at a time. A constant in the unnamed namespace of one source then hides a
header's constant in the enclosing namespace, for the sources after it too, and no compiler warns of that."""
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
CONSTANT = re.compile(r'^(?:inline )?(?:static )?const(?:expr)? [\w:<>, *]+?\b(k[A-Z]\w*)\b(?=\[|\s*[={;]|,)')
MORE = re.compile(r',\s*(k[A-Z]\w*)(?=\s*=)')
ENUMERATOR = re.compile(r'^  (k[A-Z]\w*)(?=\s*(?:=[^;(]*)?,)')
NAMESPACE = re.compile(r'^namespace ([\w:]*) ?\{')


def room(path):
    """Returns the folder of a file's library: the second folder of the path in guest-drivers, testbed and tests-qtest,
    which hold several libraries, else the first."""
    folders = path.split('/')
    return '/'.join(folders[:2 if folders[0] in ('guest-drivers', 'testbed', 'tests-qtest') else 1])


def constants(path):
    """Returns {(namespace, name)} of the file's constants and unscoped enumerators; for those in an unnamed namespace,
    the namespace around it."""
    found, space = set(), ''
    with open(os.path.join(ROOT, path), errors='replace') as file:
        scoped = False
        for line in file:
            opened = NAMESPACE.match(line)
            if opened and opened.group(1):
                space = opened.group(1)
            if re.match(r'\s*enum\b', line):
                scoped = bool(re.match(r'\s*enum (class|struct)\b', line))
            match = CONSTANT.match(line)
            if match:
                found.add((space, match.group(1)))
                found.update((space, name) for name in MORE.findall(line[match.end():]))
            elif not scoped and (enumerator := ENUMERATOR.match(line)):
                found.add((space, enumerator.group(1)))
    return found


def main():
    files = subprocess.run(['git', '-C', ROOT, 'ls-files', '--', '*.cpp', '*.h'], stdout=subprocess.PIPE,
                           check=True).stdout.decode().split()
    headers = {}
    for path in files:
        if path.endswith('.h'):
            for constant in constants(path):
                headers.setdefault((room(path), constant), path)
    if not headers:
        sys.exit('no header defines a constant: this test looks at nothing')
    wrong = [f'{path}: {name} hides what {headers[(room(path), (space, name))]} defines'
             for path in files if path.endswith('.cpp') and '/test/' not in path
             for space, name in sorted(constants(path)) if (room(path), (space, name)) in headers]
    print('\n'.join(wrong) or f'{len(headers)} constants of headers, none is hidden')
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
