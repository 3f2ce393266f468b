# SPDX-License-Identifier: MIT
"""Merges the compile databases of build folders into one for clang-tidy. For scripts/run-tidy.

usage: tidy_database.py OUTPUT-FOLDER BUILD-FOLDER...

A file's command is that of the first folder that compiles it. Sources that are compiled together (in meson's unity
files, or by guest-drivers/windows/compile_room.py, whose commands only ninja has) get an entry each with the common
command. Options that clang does not accept are dropped. Only files under version control are entered; prints them, one
a line."""
import functools
import json
import os
import re
import shlex
import subprocess
import sys

from aerogpu_build import ROOT

# gcc's own warnings, and options that clang rejects with "unknown argument"; clang-tidy takes its checks from
# .clang-tidy.
DROPPED_PREFIXES = ('-W', '-fprofile', '-ffile-prefix-map', '-fsanitize', '-fno-sanitize', '-march=i686')
DROPPED = {'-mgeneral-regs-only', '-fno-ident', '-MD', '-c', '-fpch-preprocess'}
DROPPED_WITH_VALUE = {'-MF', '-MQ', '-MT', '-o', '-include-pch'}


@functools.cache
def mingw_headers():
    """Returns the options that name mingw-w64's C++ headers, which clang does not find by itself."""
    found = subprocess.run(['x86_64-w64-mingw32-g++', '-print-file-name=include/c++'], stdout=subprocess.PIPE,
                           check=True).stdout.decode().strip()
    return ['-isystem', found, '-isystem', os.path.join(found, 'x86_64-w64-mingw32')]


COMPILERS = {
    'x86_64-w64-mingw32-g++': ['clang++', '--target=x86_64-w64-mingw32'],
    'x86_64-w64-mingw32-gcc': ['clang', '--target=x86_64-w64-mingw32'],
}


def without_ccache(words):
    while os.path.basename(words[0]) == 'ccache':
        words.pop(0)
    return words


def sources_of(path):
    """Returns the sources that a unity file includes; for another file, the file itself."""
    if not re.search(r'-unity\d+\.(c|cpp)$', path):
        return [path]
    try:
        with open(path) as file:
            return re.findall(r'^#include\s*["<]([^">]+)[">]', file.read(), re.M)
    except FileNotFoundError:  # not configured to the end
        return []


def commands(folder):
    """Yields (working folder, source, words from the compiler on) of meson's database, then of ninja's custom
    commands."""
    with open(os.path.join(folder, 'compile_commands.json')) as file:
        for entry in json.load(file):
            path = os.path.join(entry['directory'], entry['file'])
            words = [word for word in without_ccache(shlex.split(entry['command'])) if word != entry['file']]
            for source in sources_of(path):
                yield entry['directory'], os.path.join(os.path.dirname(path), source), words
    custom = subprocess.run(['ninja', '-C', folder, '-t', 'compdb', 'CUSTOM_COMMAND', 'CUSTOM_COMMAND_DEP'],
                            stdout=subprocess.PIPE, check=True).stdout
    for entry in json.loads(custom):
        words = shlex.split(entry['command'])
        if any(os.path.basename(word) == 'compile_room.py' for word in words[:2]) and '--' in words:
            end = words.index('--')
            compiler = [at for at in range(end) if os.path.basename(words[at]) in COMPILERS]
            for source in words[end + 1:] if compiler else ():
                yield entry['directory'], source, words[compiler[0]:end]
        elif os.path.basename(without_ccache(words)[0]) in COMPILERS and entry['file'].endswith(('.c', '.cpp')):
            yield entry['directory'], entry['file'], [word for word in words if word != entry['file']]


def arguments(words, source):
    name = os.path.basename(words[0])
    result = COMPILERS.get(name) or ['clang++' if name in ('g++', 'c++', 'clang++') else 'clang']
    result = list(result)
    if name == 'x86_64-w64-mingw32-g++':
        result += mingw_headers()
    rest = iter(words[1:])
    for word in rest:
        if word in DROPPED_WITH_VALUE:
            next(rest, None)
        elif word == '-include':
            value = next(rest, '')
            if os.path.dirname(value):  # else meson's, for a precompiled header
                result += [word, value]
        elif word not in DROPPED and not word.startswith(DROPPED_PREFIXES):
            result.append(word)
    return [*result, source]


def main():
    output, folders = sys.argv[1], sys.argv[2:]
    tracked = subprocess.run(['git', '-C', ROOT, 'ls-files', '-z', '*.c', '*.cpp'], stdout=subprocess.PIPE,
                             check=True).stdout.decode().split('\0')
    tracked = {os.path.join(ROOT, name) for name in tracked if name}
    known = {}
    for folder in folders:
        for directory, source, words in commands(folder):
            path = os.path.normpath(os.path.join(directory, source))
            if path in tracked and path not in known:
                known[path] = {'directory': directory, 'file': path, 'arguments': arguments(words, path)}
    os.makedirs(output, exist_ok=True)
    with open(os.path.join(output, 'compile_commands.json'), 'w') as file:
        json.dump(list(known.values()), file, indent=1)
    print('\n'.join(sorted(known)))


main()
