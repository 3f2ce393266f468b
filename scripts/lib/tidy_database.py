# SPDX-License-Identifier: MIT
"""Writes one compile database for clang-tidy from those of the build folders, for scripts/run-tidy.

usage: tidy_database.py OUTPUT-FOLDER BUILD-FOLDER...

A file's commands come from the first folder that compiles it. The Windows driver is compiled by custom commands of
mingw-w64, which meson leaves out of its database; ninja knows them. What only gcc understands is dropped. Prints the
files, one a line, those under version control only."""
import functools
import json
import os
import shlex
import subprocess
import sys

from aerogpu_build import ROOT

# gcc's own warnings, and what clang would answer with "unknown argument"; clang-tidy has its checks from .clang-tidy.
DROPPED_PREFIXES = ('-W', '-fprofile', '-ffile-prefix-map', '-fsanitize', '-fno-sanitize', '-march=i686')
DROPPED = {'-mgeneral-regs-only', '-fno-ident', '-MD', '-c'}
DROPPED_WITH_VALUE = {'-MF', '-MQ', '-MT', '-o'}


@functools.cache
def mingw_headers():
    """Options for mingw-w64's C++ headers, which clang does not find by itself."""
    found = subprocess.run(['x86_64-w64-mingw32-g++', '-print-file-name=include/c++'], stdout=subprocess.PIPE,
                           check=True).stdout.decode().strip()
    return ['-isystem', found, '-isystem', os.path.join(found, 'x86_64-w64-mingw32')]


COMPILERS = {
    'x86_64-w64-mingw32-g++': ['clang++', '--target=x86_64-w64-mingw32'],
    'x86_64-w64-mingw32-gcc': ['clang', '--target=x86_64-w64-mingw32'],
}


def words_of(entry):
    """The words of a command, from the compiler on."""
    words = shlex.split(entry['command'])
    while os.path.basename(words[0]) == 'ccache':
        words.pop(0)
    return words


def commands(folder):
    """Entries of meson's database, then those of custom commands that compile."""
    with open(os.path.join(folder, 'compile_commands.json')) as file:
        yield from json.load(file)
    custom = subprocess.run(['ninja', '-C', folder, '-t', 'compdb', 'CUSTOM_COMMAND', 'CUSTOM_COMMAND_DEP'],
                            stdout=subprocess.PIPE, check=True).stdout
    for entry in json.loads(custom):
        if os.path.basename(words_of(entry)[0]) in COMPILERS and entry['file'].endswith(('.c', '.cpp')):
            yield entry


def arguments(entry):
    words = words_of(entry)
    name = os.path.basename(words[0])
    result = COMPILERS.get(name) or ['clang++' if name in ('g++', 'c++', 'clang++') else 'clang']
    result = list(result)
    if name == 'x86_64-w64-mingw32-g++':
        result += mingw_headers()
    rest = iter(words[1:])
    for word in rest:
        if word in DROPPED_WITH_VALUE:
            next(rest, None)
        elif word not in DROPPED and not word.startswith(DROPPED_PREFIXES):
            result.append(word)
    return result


def main():
    output, folders = sys.argv[1], sys.argv[2:]
    tracked = subprocess.run(['git', '-C', ROOT, 'ls-files', '-z', '*.c', '*.cpp'], stdout=subprocess.PIPE,
                             check=True).stdout.decode().split('\0')
    tracked = {os.path.join(ROOT, name) for name in tracked if name}
    known = {}
    for folder in folders:
        for entry in commands(folder):
            path = os.path.normpath(os.path.join(entry['directory'], entry['file']))
            if path in tracked and path not in known:
                known[path] = {'directory': entry['directory'], 'file': path, 'arguments': arguments(entry)}
    os.makedirs(output, exist_ok=True)
    with open(os.path.join(output, 'compile_commands.json'), 'w') as file:
        json.dump(list(known.values()), file, indent=1)
    print('\n'.join(sorted(known)))


main()
