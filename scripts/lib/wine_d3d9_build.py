# SPDX-License-Identifier: MIT
"""Builds Wine's Direct3D 9 tests from Debian's wine source package as Windows programs, build/wine-tests/ARCH/NAME.exe,
for x64 and x86. `NAME.exe NAME FUNCTION` runs that one test function."""
import os
import re
import subprocess
from collections.abc import Iterable

from aerogpu_build import BUILD, ROOT, Failure, run_logged

NAMES = ('d3d9ex', 'device', 'stateblock', 'visual')  # files of dlls/d3d9/tests
SOURCES = os.path.join(BUILD, 'wine-tests')
OURS = os.path.join(ROOT, 'testbed', 'd3d9-runtime', 'test', 'wine')
COMPILERS = {'x64': 'x86_64-w64-mingw32-gcc', 'x86': 'i686-w64-mingw32-gcc'}
_DRAW = re.compile(r'IDirect3DDevice9(?:Ex)?_Draw(?:Indexed)?(?:Primitive|RectPatch|TriPatch)(?:UP)?\(')
_LIBRARIES = ('d3d9', 'dxguid', 'uuid', 'user32', 'gdi32', 'psapi')


def program(name: str, arch: str) -> str:
    """Returns the path of the program that is built from a test file."""
    return os.path.join(SOURCES, arch, name + '.exe')


def split(text: str, name: str) -> tuple[str, list[str]]:
    """Changes a test file so that START_TEST calls only functions for which chosen() (choose.h) is true; returns the
    new text, and the names of the functions in order."""
    begin = re.search(r'^START_TEST\(%s\)\n\{\n' % re.escape(name), text, re.M)
    end = text.find('\n}\n', begin.end()) if begin else -1
    if not begin or end < 0:
        raise Failure("%s.c has no START_TEST: this is not the Wine that is known" % name)
    tests = set(re.findall(r'^static void (\w+)\(void\)\n\{', text, re.M))
    found: list[str] = []

    def choose(call: re.Match[str]) -> str:
        function = call.group(2)
        if function not in tests:
            return call.group(0)
        found.append(function)
        return '%sif (chosen("%s")) %s();' % (call.group(1), function, function)

    body = re.sub(r'^([ \t]+)(\w+)\(\);', choose, text[begin.end():end], flags=re.M)
    if not found or len(found) != len(set(found)):
        raise Failure('START_TEST of %s.c calls nothing, or a function twice' % name)
    line = text.count('\n', 0, begin.start()) + 1
    return '#line 1 "%s.c"\n%s#include "choose.h"\n#line %d "%s.c"\n%sSetUnhandledExceptionFilter(say_crash);\n#line %d\n%s%s' % (
        name, text[:begin.start()], line, name, begin.group(0), line + 2, body, text[end:]), found


def _source(name: str) -> str:
    with open(os.path.join(SOURCES, 'd3d9', name + '.c'), encoding='utf-8') as file:
        return file.read()


def functions() -> list[str]:
    """Returns all test functions, as FILE/FUNCTION. The source must have been fetched."""
    return ['%s/%s' % (name, function) for name in NAMES for function in split(_source(name), name)[1]]


def mode_lines(name: str) -> set[int]:
    """Returns the line numbers of a file's checks of EnumAdapterModes, which run once for each mode of the display."""
    return {_source(name).count('\n', 0, found.start(1)) + 1
            for found in re.finditer(r'IDirect3D9(?:Ex)?_EnumAdapterModes\([^;]*;\s*(ok)\(', _source(name))}


def drawing(text: str, names: Iterable[str]) -> set[str]:
    """Returns those functions of a file's source that draw, themselves or in functions of the file that they call. A
    clear, a copy and a present are no draw: most tests of reference counts and refusals make some."""
    bodies = {found[1]: found[2] for found in re.finditer(r'^[\w *]*?\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}', text, re.M | re.S)}
    draws = {name for name, body in bodies.items() if _DRAW.search(body)}
    calls = {name: set(re.findall(r'\b(\w+)\(', body)) & set(bodies) for name, body in bodies.items()}
    while more := {name for name, called in calls.items() if called & draws} - draws:
        draws |= more
    return draws & set(names)


def drawing_functions() -> set[str]:
    """Returns the test functions that draw, as FILE/FUNCTION. The source must have been fetched."""
    return {'%s/%s' % (name, function) for name in NAMES
            for function in drawing(_source(name), split(_source(name), name)[1])}


def fetch() -> None:
    """Fetches Wine's tests if they are missing."""
    if subprocess.run([os.path.join(ROOT, 'scripts', 'prepare-wine-tests')], stdin=subprocess.DEVNULL,
                      check=False).returncode:
        raise Failure('scripts/prepare-wine-tests failed')


def build(arch: str) -> None:
    """Fetches the source; builds the programs that are missing or older than their sources."""
    fetch()
    os.makedirs(os.path.join(SOURCES, arch), exist_ok=True)
    own = [os.path.join(OURS, 'before.h'), os.path.join(OURS, 'choose.h'), __file__]
    for name in NAMES:
        inputs = [os.path.join(SOURCES, 'd3d9', name + '.c'), *own]
        target, copy = program(name, arch), os.path.join(SOURCES, arch, name + '.c')
        if os.path.exists(target) and all(os.path.getmtime(path) <= os.path.getmtime(target) for path in inputs):
            continue
        with open(copy, 'w', encoding='utf-8') as file:
            file.write(split(_source(name), name)[0])
        run_logged("building Wine's %s test for %s" % (name, arch),
                   os.path.join(BUILD, 'logs', 'wine-tests-%s-%s.log' % (name, arch)),
                   [COMPILERS[arch], '-std=gnu11', '-O1', '-w', '-s', '-static-libgcc', '-DSTANDALONE',
                    '-include', os.path.join(OURS, 'before.h'), '-I', os.path.join(SOURCES, 'include'), '-I', OURS,
                    '-I', os.path.join(SOURCES, 'd3d9'), copy, '-o', target + '.new',
                    *['-l' + library for library in _LIBRARIES]])
        os.rename(target + '.new', target)
