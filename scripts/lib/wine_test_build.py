# SPDX-License-Identifier: MIT
"""Builds Wine's tests of Direct3D from Debian's wine source package as Windows programs, build/wine-tests/ARCH/NAME.exe:
those of Direct3D 9 for x64 and x86, those of Direct3D 8, which has no x64, as d3d8-NAME.exe for x86, and those of
Direct3D 10 and 11, DXGI and Direct2D as DLL-NAME.exe for both. `NAME.exe NAME CASE` runs that one case
(wine_test_split.py)."""
import dataclasses
import functools
import os
import re
import subprocess

from aerogpu_build import BUILD, ROOT, Failure, run_logged
from wine_test_split import drawing, split

SOURCES = os.path.join(BUILD, 'wine-tests')
OURS = os.path.join(ROOT, 'testbed', 'd3d9-runtime', 'test', 'wine')
OURS11 = os.path.join(ROOT, 'testbed', 'd3d11-runtime', 'test', 'wine')


@dataclasses.dataclass(frozen=True)
class Suite:
    """The tests of an API. `files`: {name of a file: the DLL whose dlls/DLL/tests it is in}; `folder` of our lists and
    recorded results; `archs`: the architectures that the API exists for, the first one by default; `headers`: a folder
    of headers to compile with before mingw-w64's; `sources`: files to link; `libraries` besides the DLL's."""
    api: str
    files: dict[str, str]
    folder: str
    archs: tuple[str, ...]
    headers: str = ''
    sources: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()

    def program(self, name: str, arch: str) -> str:
        """Returns the path of the program that is built from a test file."""
        return os.path.join(SOURCES, arch, ('' if self.api == 'd3d9' else self.files[name] + '-') + name + '.exe')

    def path(self, name: str) -> str:
        return os.path.join(SOURCES, self.files[name], name + '.c')

    def source(self, name: str) -> str:
        with open(self.path(name), encoding='utf-8') as file:
            return file.read()

    @functools.cached_property
    def _split(self) -> dict[str, tuple[str, list[str]]]:
        return {name: split(self.source(name), name) for name in self.files}

    def text(self, name: str) -> str:
        """Returns the source to compile."""
        return self._split[name][0]

    def functions(self) -> list[str]:
        """Returns all cases, as FILE/CASE. The source must have been fetched."""
        return ['%s/%s' % (name, case) for name in self.files for case in self._split[name][1]]

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
        """Returns the cases that draw, as FILE/CASE. The source must have been fetched."""
        return {'%s/%s' % (name, case) for name in self.files
                for case in drawing(self.source(name), self._split[name][1])}


SUITES = {
    'd3d9': Suite('d3d9', dict.fromkeys(('d3d9ex', 'device', 'stateblock', 'visual'), 'd3d9'), OURS, ('x64', 'x86')),
    'd3d8': Suite('d3d8', dict.fromkeys(('device', 'stateblock', 'visual'), 'd3d8'),
                  os.path.join(ROOT, 'testbed', 'd3d8-runtime', 'test', 'wine'), ('x86',)),
    'd3d11': Suite('d3d11', {'d3d11': 'd3d11', 'd3d10core': 'd3d10core', 'd3d10_1': 'd3d10_1', 'device': 'd3d10',
                             'effect': 'd3d10', 'dxgi': 'dxgi', 'd2d1': 'd2d1'}, OURS11, ('x64', 'x86'),
                   os.path.join(SOURCES, 'include-d3d11'), (os.path.join(OURS11, 'guids.c'),),
                   ('d3d11', 'd3d10_1', 'd3d10', 'dxgi', 'd2d1', 'dwrite', 'ole32', 'advapi32')),
}
COMPILERS = {'x64': 'x86_64-w64-mingw32-gcc', 'x86': 'i686-w64-mingw32-gcc'}
_LIBRARIES = ('dxguid', 'uuid', 'user32', 'gdi32', 'psapi')
# Names that Wine's other headers have, which the tests of Direct2D print with.
_NAMES = ('-DWINE_TESTS_INLINE', '-Ddebugstr_w=wine_dbgstr_w', '-Ddebugstr_guid=wine_dbgstr_guid')


def fetch() -> None:
    """Fetches Wine's tests if they are missing."""
    if subprocess.run([os.path.join(ROOT, 'scripts', 'prepare-wine-tests')], stdin=subprocess.DEVNULL,
                      check=False).returncode:
        raise Failure('scripts/prepare-wine-tests failed')


def _import_library(arch: str) -> None:
    """Makes libd3d10_1.a of d3d10_1.dll's list of exports; for x86 the names have the arguments' bytes, four each."""
    exports = []
    with open(os.path.join(SOURCES, 'd3d10_1', 'd3d10_1.spec'), encoding='utf-8') as file:
        for name, arguments in re.findall(r'^@ stdcall (\w+)\(([^)]*)\)', file.read(), re.M):
            exports.append(name + ('@%d' % (4 * len(arguments.split())) if arch == 'x86' else ''))
    base = os.path.join(SOURCES, arch, 'd3d10_1.def')
    with open(base, 'w', encoding='utf-8') as out:
        out.write('LIBRARY d3d10_1.dll\nEXPORTS\n%s\n' % '\n'.join(exports))
    run_logged('making an import library of d3d10_1.dll', os.path.join(BUILD, 'logs', 'wine-tests-dlltool.log'),
               [COMPILERS[arch].replace('-gcc', '-dlltool'), '-k', '-d', base, '-l',
                os.path.join(SOURCES, arch, 'libd3d10_1.a')])


def build(suite: Suite, arch: str) -> None:
    """Fetches the source; builds the programs that are missing or older than their sources."""
    fetch()
    folder = os.path.join(SOURCES, arch)
    os.makedirs(folder, exist_ok=True)
    if 'd3d10_1' in suite.libraries and not os.path.exists(os.path.join(folder, 'libd3d10_1.a')):
        _import_library(arch)
    scripts = [os.path.join(os.path.dirname(os.path.abspath(__file__)), 'wine_test_%s.py' % part) for part in ('build', 'split')]
    own = [os.path.join(OURS, 'before.h'), os.path.join(OURS, 'choose.h'), *suite.sources, *scripts]
    for name, dll in suite.files.items():
        inputs = [suite.path(name), *own]
        target = suite.program(name, arch)
        copy = os.path.splitext(target)[0] + '.c'
        if os.path.exists(target) and all(os.path.getmtime(path) <= os.path.getmtime(target) for path in inputs):
            continue
        with open(copy, 'w', encoding='utf-8') as file:
            file.write(suite.text(name))
        headers = [*_NAMES, '-I', suite.headers] if suite.headers else []
        run_logged("building Wine's %s test of %s for %s" % (name, dll, arch),
                   os.path.join(BUILD, 'logs', 'wine-tests-%s-%s-%s.log' % (dll, name, arch)),
                   [COMPILERS[arch], '-std=gnu11', '-O1', '-w', '-s', '-static-libgcc', '-DSTANDALONE',
                    '-include', os.path.join(OURS, 'before.h'), *headers, '-I', os.path.join(SOURCES, 'include'), '-I', OURS,
                    '-I', os.path.join(SOURCES, dll), copy, *suite.sources, '-o', target + '.new', '-L' + folder,
                    *['-l' + library for library in (*(suite.libraries or (suite.api,)), *_LIBRARIES)]])
        os.rename(target + '.new', target)
