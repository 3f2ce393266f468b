# SPDX-License-Identifier: MIT
"""Builds Wine's tests of Direct3D 8 and 9 from Debian's wine source package as Windows programs: those of Direct3D 9 as
build/wine-tests/ARCH/NAME.exe for x64 and x86, those of Direct3D 8, which has no x64, as d3d8-NAME.exe for x86.
`NAME.exe NAME FUNCTION` runs that one test function."""
import dataclasses
import os
import re
import subprocess
from collections.abc import Iterable

from aerogpu_build import BUILD, ROOT, Failure, run_logged

SOURCES = os.path.join(BUILD, 'wine-tests')
OURS = os.path.join(ROOT, 'testbed', 'd3d9-runtime', 'test', 'wine')


@dataclasses.dataclass(frozen=True)
class Suite:
    """The tests of a DLL: `names` of the files in dlls/DLL/tests; `folder` of our lists and recorded results; `archs`:
    the architectures that the DLL exists for, the first one by default."""
    dll: str
    names: tuple[str, ...]
    folder: str
    archs: tuple[str, ...]

    def program(self, name: str, arch: str) -> str:
        """Returns the path of the program that is built from a test file."""
        return os.path.join(SOURCES, arch, ('' if self.dll == 'd3d9' else self.dll + '-') + name + '.exe')

    def source(self, name: str) -> str:
        with open(os.path.join(SOURCES, self.dll, name + '.c'), encoding='utf-8') as file:
            return file.read()

    def functions(self) -> list[str]:
        """Returns all test functions, as FILE/FUNCTION. The source must have been fetched."""
        return ['%s/%s' % (name, function) for name in self.names for function in split(self.source(name), name)[1]]

    def mode_lines(self, name: str) -> set[int]:
        """Returns the line numbers of a file's checks of EnumAdapterModes and of what it answers, which run once for
        each mode of the display: those that follow a call in its block, as far in as the call."""
        lines, found = self.source(name).split('\n'), set()
        for number, line in enumerate(lines):
            if not re.search(r'= IDirect3D[89](?:Ex)?_EnumAdapterModes\(.*[^\\]$', line):
                continue
            depth = len(line) - len(line.lstrip())
            for after in range(number + 1, len(lines)):
                if lines[after].strip() == '}' and len(lines[after]) <= depth:
                    break
                if lines[after].startswith(' ' * depth + 'ok('):
                    found.add(after + 1)
        return found

    def drawing_functions(self) -> set[str]:
        """Returns the test functions that draw, as FILE/FUNCTION. The source must have been fetched."""
        return {'%s/%s' % (name, function) for name in self.names
                for function in drawing(self.source(name), split(self.source(name), name)[1])}


SUITES = {
    'd3d9': Suite('d3d9', ('d3d9ex', 'device', 'stateblock', 'visual'), OURS, ('x64', 'x86')),
    'd3d8': Suite('d3d8', ('device', 'stateblock', 'visual'), os.path.join(ROOT, 'testbed', 'd3d8-runtime', 'test', 'wine'),
                  ('x86',)),
}
COMPILERS = {'x64': 'x86_64-w64-mingw32-gcc', 'x86': 'i686-w64-mingw32-gcc'}
_DRAW = re.compile(r'IDirect3DDevice[89](?:Ex)?_Draw(?:Indexed)?(?:Primitive|RectPatch|TriPatch)(?:UP)?\(')
_LIBRARIES = ('dxguid', 'uuid', 'user32', 'gdi32', 'psapi')


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


def drawing(text: str, names: Iterable[str]) -> set[str]:
    """Returns those functions of a file's source that draw, themselves or in functions of the file that they call. A
    clear, a copy and a present are no draw: most tests of reference counts and refusals make some."""
    bodies = {found[1]: found[2] for found in re.finditer(r'^[\w *]*?\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}', text, re.M | re.S)}
    draws = {name for name, body in bodies.items() if _DRAW.search(body)}
    calls = {name: set(re.findall(r'\b(\w+)\(', body)) & set(bodies) for name, body in bodies.items()}
    while more := {name for name, called in calls.items() if called & draws} - draws:
        draws |= more
    return draws & set(names)


def fetch() -> None:
    """Fetches Wine's tests if they are missing."""
    if subprocess.run([os.path.join(ROOT, 'scripts', 'prepare-wine-tests')], stdin=subprocess.DEVNULL,
                      check=False).returncode:
        raise Failure('scripts/prepare-wine-tests failed')


def build(suite: Suite, arch: str) -> None:
    """Fetches the source; builds the programs that are missing or older than their sources."""
    fetch()
    os.makedirs(os.path.join(SOURCES, arch), exist_ok=True)
    own = [os.path.join(OURS, 'before.h'), os.path.join(OURS, 'choose.h'), __file__]
    for name in suite.names:
        inputs = [os.path.join(SOURCES, suite.dll, name + '.c'), *own]
        target = suite.program(name, arch)
        copy = os.path.splitext(target)[0] + '.c'
        if os.path.exists(target) and all(os.path.getmtime(path) <= os.path.getmtime(target) for path in inputs):
            continue
        with open(copy, 'w', encoding='utf-8') as file:
            file.write(split(suite.source(name), name)[0])
        run_logged("building Wine's %s test of %s for %s" % (name, suite.dll, arch),
                   os.path.join(BUILD, 'logs', 'wine-tests-%s-%s-%s.log' % (suite.dll, name, arch)),
                   [COMPILERS[arch], '-std=gnu11', '-O1', '-w', '-s', '-static-libgcc', '-DSTANDALONE',
                    '-include', os.path.join(OURS, 'before.h'), '-I', os.path.join(SOURCES, 'include'), '-I', OURS,
                    '-I', os.path.join(SOURCES, suite.dll), copy, '-o', target + '.new',
                    *['-l' + library for library in (suite.dll, *_LIBRARIES)]])
        os.rename(target + '.new', target)
