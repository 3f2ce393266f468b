#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compiles the protocol headers with every supported compiler and compares each value, size and offset with the
recorded numbers of ABI 1.4 (abi-1.4.json beside this file; names and numbers only). The comparison is made of static
assertions, so no compiled code runs, and cross compilers can be used (PRIV-1).

Usage: check_abi.py INCLUDE_DIR COMPILER...
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNEL = ['-ffreestanding', '-fno-builtin', '-mno-red-zone', '-nostdlib']


def load_recorded():
    return json.loads((HERE / 'abi-1.4.json').read_text())


def assertions(abi, keyword):
    def check(condition, name):
        return f'{keyword}({condition}, "{name}");'

    lines = ['#include "aerogpu/aerogpu.h"']
    lines += [check(f'({name}) == {value}ULL', name) for name, value in abi['constants'].items()]
    for enum, members in abi['enums'].items():
        lines.append(check(f'sizeof(enum {enum}) == 4', enum))
        lines += [check(f'(long long)({name}) == {value}LL', name) for name, value in members.items()]
    for struct, (size, fields) in abi['structs'].items():
        lines.append(check(f'sizeof(struct {struct}) == {size}', struct))
        for field, (offset, width) in fields.items():
            where = f'{struct}.{field}'
            lines.append(check(f'offsetof(struct {struct}, {field}) == {offset}', where + ' offset'))
            lines.append(check(f'sizeof(((struct {struct} *)0)->{field}) == {width}', where + ' size'))
    return '\n'.join(lines) + '\n'


def main():
    args = sys.argv[1:]
    recorded = load_recorded()
    if len(args) < 2:
        sys.exit(__doc__)
    include, compilers = args[0], args[1:]
    failures = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        for compiler in compilers:
            cxx = compiler.endswith('++')
            source = pathlib.Path(folder) / ('abi.cpp' if cxx else 'abi.c')
            source.write_text(assertions(recorded, 'static_assert' if cxx else '_Static_assert'))
            modes = [[]] + ([KERNEL] if 'mingw32' in compiler else [])
            for mode in modes:
                if 'i686' in compiler:
                    mode = [flag for flag in mode if flag != '-mno-red-zone']
                standard = '-std=c++17' if cxx else '-std=c11'
                command = [compiler, standard, '-Wall', '-Wextra', '-Werror', '-fsyntax-only', '-I', include, *mode,
                           str(source)]
                result = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
                runs += 1
                if result.returncode:
                    failures += 1
                    print(f'FAILED: {" ".join(command)}\n{result.stderr[:4000]}')
    count = sum(len(v) for v in recorded['enums'].values()) + len(recorded['constants']) + \
        sum(1 + 2 * len(f) for _, f in recorded['structs'].values())
    print(f'{count} numbers, {runs} compilations, {failures} failures')
    sys.exit(1 if failures else 0)


main()
