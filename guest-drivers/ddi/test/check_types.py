#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares types of the Direct3D 10, 10.1, 11 and DXGI headers with the recorded ones (d3d10-types.json beside this
file: names and types only): of every member of a structure, of every function type its result and arguments, and what
a few names stand for.

This is what layouts cannot show. All pointers have one size, so a table whose slots are swapped, or a slot with a
function of another version, has the right layout (check_layouts.py); the driver would read garbage from its arguments.

Nothing runs: each type is a static assertion of a generated C++ unit. A function without a convention of its own is
APIENTRY, as all functions of these headers are; on x86 its convention is part of its type.

Usage: check_types.py DDI_DIR COMPILER [ARG...]
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PRELUDE = '''#include <windows.h>
#include "d3d10umddi.h"
template <typename A, typename B> constexpr bool same = false;
template <typename A> constexpr bool same<A, A> = true;
'''


def spelled(recorded):
    """Returns a recorded type as C++ has it: RESULT(*)(ARGUMENTS) with its convention, all others as they are."""
    return recorded.replace('(*)', '(APIENTRY *)')


def pointer_to(function):
    """Returns the type of a pointer to RESULT(ARGUMENTS)."""
    result, arguments = re.fullmatch(r'(.*?)\((.*)\)', function).groups()
    return f'{result}(APIENTRY *)({arguments})'


def assertions(types):
    """Yields a type of the headers and the recorded one, each as C++, and what to call the first in a message."""
    for name, recorded in types['typedefs'].items():
        yield name, recorded, name
    for name, members in types['structs'].items():
        for member, recorded in members.items():
            yield f'decltype({name}::{member})', spelled(recorded), f'{name}.{member}'
    for name, recorded in types['functions'].items():
        yield name, pointer_to(recorded), name


def main():
    ddi, *compiler = sys.argv[1:]
    types = json.loads((HERE / 'd3d10-types.json').read_text())
    lines = [f'static_assert(same<{ours}, {recorded}>, "{what} is not {recorded}");'
             for ours, recorded, what in assertions(types)]
    with tempfile.TemporaryDirectory() as tmp:
        source = pathlib.Path(tmp) / 'types.cpp'
        source.write_text(PRELUDE + '\n'.join(lines) + '\n')
        done = subprocess.run([*compiler, '-std=gnu++20', '-fsyntax-only', '-I', ddi, str(source)],
                              capture_output=True, text=True, check=False)
    if done.returncode:
        print('\n'.join([line for line in done.stderr.splitlines() if 'error' in line][:40]) or done.stderr)
        return 1
    print(f'{compiler[0]}: {len(lines)} types compared; 0 mismatches')
    return 0


if __name__ == '__main__':
    sys.exit(main())
