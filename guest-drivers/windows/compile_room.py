#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compiles several sources of Windows code as one, which takes little longer than one of them, since most of the time
goes into the Windows headers.

usage: compile_room.py [--apart] OUTPUT DEPFILE ROOT COMPILER ARGUMENT... -- SOURCE...

For several sources OUTPUT.cpp is written, which includes them by their paths from ROOT, so that its bytes do not depend
on the folder of the build. With --apart each source is also compiled alone before, which shows whether it includes what
it uses; OUTPUT is the same. The exit status is the compiler's."""
import os
import subprocess
import sys


def write_if_changed(path, text):
    try:
        with open(path, encoding='utf-8') as file:
            if file.read() == text:
                return
    except FileNotFoundError:
        pass
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def compile_one(compiler, source, output, target, depfile):
    return subprocess.run([*compiler, '-MD', '-MF', depfile, '-MQ', target, '-c', source, '-o', output]).returncode


def main():
    arguments = sys.argv[1:]
    apart = arguments[:1] == ['--apart']
    arguments = arguments[apart:]
    if '--' not in arguments or arguments.index('--') < 4 or arguments[-1] == '--':
        sys.exit(__doc__)
    end = arguments.index('--')
    output, depfile, root, *compiler = arguments[:end]
    sources = arguments[end + 1:]
    if len(sources) == 1:
        return compile_one(compiler, sources[0], output, output, depfile)
    for source in sources if apart else ():
        # Each object overwrites the one before; the object of all sources overwrites the last.
        if code := compile_one(compiler, source, output, output, depfile):
            return code
    unit = os.path.splitext(output)[0] + '.cpp'
    paths = [os.path.relpath(source, root).replace(os.sep, '/') for source in sources]
    write_if_changed(unit, ''.join('#include "%s"\n' % path for path in paths))
    return compile_one(compiler, unit, output, output, depfile)


if __name__ == '__main__':
    sys.exit(main())
