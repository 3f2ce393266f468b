# SPDX-License-Identifier: MIT
"""Runs Wine's Direct3D 9 tests (258 functions of d3d9ex.c, device.c, stateblock.c and visual.c), its Direct3D 8 tests
(141 functions of device.c, stateblock.c and visual.c), or its tests of Direct3D 10 and 11, DXGI and Direct2D (481 cases
of d3d11.c, d3d10core.c, d3d10_1.c, d3d10's device.c and effect.c, dxgi.c and d2d1.c), on our stack: each in a separate
process with a time limit, all on one kernel side. One fails if its result is worse than that of Wine's own Direct3D
(wined3d.json in testbed/d3d9-runtime/test/wine, d3d8-runtime, d3d11-runtime); its result includes objects that stay
after its process has ended, errors that the device latched, and the end of the kernel side. known_failures.txt beside
that file lists, with reasons, those that are expected to fail; one that no longer does is reported as a failure, so that
its entry is removed. Output is TAP.

usage: scripts/run-wine-tests [options] [REGEX...]
  REGEX                 runs only functions whose FILE/FUNCTION matches one of these, as visual/fog
  --api d3d9|d3d8|d3d11 whose tests (default: d3d9)
  --arch x64|x86        architecture of programs, runtime and user-mode driver (default: x64; d3d8 has x86 only)
  --fixed               runs only the functions of fixed.txt, as scripts/run-tests does
  --list                prints the names
  --no-build            does not build our stack
  --json FILE           writes the result of each function
  --logs FOLDER         writes the output of each function
  --device-options S    gives the device properties: NAME=VALUE,...
  --save-every SECONDS  saves, kills and restores the machine again and again, as with scripts/run-d3d9-tests
  --limit S             seconds that a function may take (default: 120)
  --wined3d             runs with Wine's own Direct3D, without our stack
  --record              with --wined3d: records the results, with which ours are compared from then on
  --driver, --umd, --d3d9, --umd10, --d3d11, --dxgi, the same with -x86, --d3d8-x86 FILE    use other parts, as with
                        scripts/run-d3d9-tests and run-d3d11-tests"""
import collections
import contextlib
import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from typing import Iterator, Protocol

from aerogpu_build import Failure, say
from aerogpu_vm import die_with_parent
import d3d9_stack
from tap_report import Report
import wine
import wine_test_build
from wine_test_build import SUITES, Suite
from wine_test_results import Result, parse, read_baseline, read_known, worse, write_baseline

SIZE = (1024, 768)
OBJECTS_LIMIT = 20  # s, limit until the objects of an ended process are gone
# 30 back buffers of a full screen are 93 MiB of VRAM, of which the device has 48 of 64 for them by default.
_DEVICE = 'vgamem_mb=256'
# Wine's virtual desktop: it has display modes and a foreground window without a window manager.
_DESKTOP = ('\n[Software\\\\Wine\\\\Explorer]\n"Desktop"="Default"\n'
            '\n[Software\\\\Wine\\\\Explorer\\\\Desktops]\n"Default"="%dx%d"\n' % SIZE)


class Place(Protocol):
    """Interface to what programs run on: our stack, or Wine's own Direct3D."""
    both: bool  # run programs for x86 too
    def variables(self) -> dict[str, str]: ...
    def after(self) -> str: ...
    def renew(self) -> None: ...


class Wined3d:
    """Wine's own Direct3D in a prefix."""

    def __init__(self, prefix: str, display: str, both: bool):
        self.prefix, self.display, self.both = prefix, display, both

    def variables(self) -> dict[str, str]:
        return wine.environment(self.prefix, display=self.display, both=self.both)

    def after(self) -> str:
        """Returns what the last function left or broke, or ''."""
        return ''

    def renew(self) -> None:
        """Makes a new prefix for the next function: one that ended early may have left its display mode."""
        wine.stop_server(self.prefix)
        wine.make_prefix(self.prefix, 'x11', _DESKTOP, self.both)
        wine.start_server(self.prefix)


class Ours:
    """Our stack. It starts with the first function, and again after its server has ended."""

    def __init__(self, parts: dict[str, str], display: str, both: bool, d3d11: bool):
        self.parts, self.display, self.both, self.d3d11 = parts, display, both, d3d11
        self.stack: d3d9_stack.Stack | None = None
        self.resources = self.errors = 0

    def variables(self) -> dict[str, str]:
        if not self.stack:
            self.stack = d3d9_stack.Stack(self.parts, size=SIZE, display=self.display, registry=_DESKTOP, both=self.both,
                                          device=_DEVICE, d3d11=self.d3d11)
            self.stack.__enter__()
            # On the first present the kernel driver makes objects of its own, which stay.
            first = (self.stack.start(d3d9_stack.program('triangle11')) if self.d3d11 else
                     self.stack.start(d3d9_stack.program('triangle'), '--frames', '1'))
            if first.wait():
                raise Failure('%s failed: %s' % (first.name, first.said()))
            self.resources, self.errors = self.stack.counter('resources'), self.stack.counter('errors')
        return self.stack.variables()

    def renew(self) -> None:
        if self.stack:
            self.stack.restart_wine()

    def after(self) -> str:
        assert self.stack
        try:
            return self._left_over()
        except Failure as failure:
            self.stop()
            return str(failure)

    def _left_over(self) -> str:
        """Waits until the device's counters show that the drivers have destroyed the ended process' objects; returns
        what is left after OBJECTS_LIMIT, or ''. Failure if the server has ended."""
        assert self.stack
        self.stack.check_alive('it')
        deadline = time.monotonic() + OBJECTS_LIMIT
        while True:
            resources, errors = self.stack.counter('resources'), self.stack.counter('errors')
            if resources <= self.resources or time.monotonic() > deadline:
                break
            time.sleep(0.05)
        left = []
        if resources > self.resources:
            left.append('leaves %d resources' % (resources - self.resources))
        if errors > self.errors:
            left.append('the device latched %d errors' % (errors - self.errors))
        self.resources, self.errors = resources, errors
        return '; '.join(left)

    def stop(self) -> int | None:
        code = self.stack.stop() if self.stack else 0
        self.stack = None
        return code


def fixed_file(suite: Suite) -> str:
    return os.path.join(suite.folder, 'fixed.txt')


def run_one(suite: Suite, place: Place, name: str, limit: float, logs: str | None) -> Result:
    """Runs one function in a separate process; returns its result."""
    file, function = name.split('/')
    began = time.monotonic()
    uncounted = suite.mode_lines(file)
    env = dict(os.environ, **place.variables(), WINETEST_DEBUG='2', WINETEST_REPORT_SUCCESS='1' if uncounted else '0')
    program = suite.program(file, 'x86' if place.both else 'x64')
    # A file, not a pipe: Wine's own processes would hold the other end of a pipe open.
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([wine.loader_for(program, env), program, file, function], env=env, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                                   preexec_fn=die_with_parent)
        code: int | None
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            code = None
        output.seek(0)
        text = output.read().decode(errors='replace').replace('\r', '')
    if logs:
        with open(os.path.join(logs, name.replace('/', '-') + '.log'), 'w') as log:
            log.write(re.sub(r'^\w+\.[ch]:\d+: Test succeeded\n', '', text, flags=re.M))
    result = parse(text, code, uncounted)
    left = place.after()
    result.end = '; '.join(part for part in (result.end, left) if part)
    result.seconds = round(time.monotonic() - began, 2)
    return result


@dataclasses.dataclass
class Sums:
    """Counts of one test file's functions; `drawing` of those that draw, `drawing_good` of the good ones among these."""
    ran: int = 0
    drawing: int = 0
    drawing_good: int = 0
    good: int = 0
    known: int = 0
    failed: int = 0


def judge(name: str, result: Result, wined3d: Result | None, known: dict[str, str], draws: bool, sums: Sums) -> str:
    """Returns the TAP line of a function, and counts it in `sums`."""
    sums.ran += 1
    sums.drawing += draws
    wrong = worse(result, wined3d) if wined3d else result.end or 'wined3d.json does not have it'
    if not wrong:
        sums.good += 1
        sums.drawing_good += draws
        if name not in known:
            return 'ok %s' % name
        sums.failed += 1
        return 'not ok %s # is no worse than wined3d now: take it out of known_failures.txt' % name
    if name in known:
        sums.known += 1
        return 'not ok %s # TODO %s (%s)' % (name, known[name], wrong)
    sums.failed += 1
    return 'not ok %s # %s' % (name, wrong)


def run(options: dict, names: list[str]) -> int:
    suite, arch = SUITES[options['api']], options['arch']
    results: dict[str, Result] = {}
    sums: dict[str, Sums] = collections.defaultdict(Sums)
    known = {} if options['wined3d'] else read_known(suite, arch)
    baseline = {} if options['record'] else read_baseline(suite, arch)
    unknown = sorted(set(known) - set(suite.functions()))
    if unknown:
        raise Failure('known_failures.txt names %s, which Wine does not have' % ', '.join(unknown))
    drawing = suite.drawing_functions()
    code: int | None = 0
    with wine.x_server(1280, 1024) as display, places(options, display) as place:
        for number, name in enumerate(names, 1):
            result = results[name] = run_one(suite, place, name, options['limit'], options['logs'])
            line = judge(name, result, baseline.get(name, result if options['record'] else None), known,
                         name in drawing, sums[name.split('/')[0]])
            print(line, flush=True)
            if line.startswith('not ok'):
                place.renew()
            say('%d of %d: %s, %d checks, %.1f s' % (number, len(names), name, result.checks, result.seconds))
            if options['record']:
                write_baseline(suite, arch, {name: result})
            if options['json']:
                with open(options['json'], 'w') as file:
                    json.dump({key: dataclasses.asdict(one) for key, one in results.items()}, file, indent=1)
        if isinstance(place, Ours):
            code = place.stop()
    report = Report()
    if code != 0:
        report.point('the kernel driver broke no rule', 'the driver host ended with %s' % code)
    d3d9_stack.report_changes(report)
    print('1..%d' % (len(names) + report.passed + report.failed))
    for file, one in sums.items():
        print('# %s: %d functions, %d no worse than wined3d (%d of the %d that draw), %d known to be, %d failed' % (
            file, one.ran, one.good, one.drawing_good, one.drawing, one.known, one.failed))
    return 1 if report.failed or any(one.failed for one in sums.values()) else 0


@contextlib.contextmanager
def places(options: dict, display: str) -> Iterator[Wined3d | Ours]:
    if options['wined3d']:
        with tempfile.TemporaryDirectory(prefix='aerogpu-wine-') as folder:
            place = Wined3d(os.path.join(folder, 'prefix'), display, options['arch'] == 'x86')
            place.renew()
            try:
                yield place
            finally:
                wine.stop_server(place.prefix)
        return
    place = Ours(options['parts'], display, options['arch'] == 'x86', options['api'] == 'd3d11')
    try:
        yield place
    finally:
        place.stop()


def parse_options(arguments: list[str]) -> dict:
    options: dict = {'parts': {}, 'patterns': [], 'limit': 120.0, 'json': None, 'logs': None, 'api': 'd3d9',
                     'arch': ''}
    options.update({name: False for name in ('fixed', 'no-build', 'wined3d', 'record', 'list')})
    parts = (*d3d9_stack.PARTS, *d3d9_stack.PARTS32, *d3d9_stack.PARTS11, *d3d9_stack.PARTS11_32)
    values = ('json', 'logs', 'limit', 'api', 'arch', 'device-options', 'save-every', *parts)
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name = word[2:]
        if not word.startswith('-'):
            options['patterns'].append(word)
        elif word.startswith('--') and name in values:
            if not rest:
                raise Failure('%s needs a value' % word)
            value = rest.pop(0)
            if name == 'limit':
                if not re.fullmatch(r'[1-9]\d*', value):
                    raise Failure("--limit: '%s' is no number of seconds" % value)
                options['limit'] = float(value)
            elif name == 'arch':
                if value not in wine_test_build.COMPILERS:
                    raise Failure("--arch: '%s' is neither x64 nor x86" % value)
                options['arch'] = value
            elif name == 'device-options':
                d3d9_stack.device_options = value
            elif name == 'save-every':
                d3d9_stack.save_every = d3d9_stack.seconds_of(word, value)
            elif name == 'api':
                if value not in SUITES:
                    raise Failure("--api: '%s' is none of %s" % (value, ', '.join(SUITES)))
                options['api'] = value
            elif name in parts:
                options['parts'][name] = os.path.abspath(value)
            else:
                options[name] = os.path.abspath(value)
        elif word.startswith('--') and name in options and options[name] is False:
            options[name] = True
        else:
            raise Failure("unknown option '%s'; run-wine-tests --help lists them" % word)
    suite = SUITES[options['api']]
    options['arch'] = options['arch'] or suite.archs[0]
    if options['arch'] not in suite.archs:
        raise Failure('there is no %s.dll for %s' % (suite.api, options['arch']))
    if options['record'] and not options['wined3d']:
        raise Failure('--record goes with --wined3d')
    return options


def choose(options: dict, names: list[str]) -> list[str]:
    """Returns the functions that the options choose."""
    if options['fixed']:
        with open(fixed_file(SUITES[options['api']])) as file:
            fixed = [line.strip() for line in file if line.strip() and not line.startswith('#')]
        missing = sorted(set(fixed) - set(names))
        if missing:
            raise Failure('fixed.txt names %s, which Wine does not have' % ', '.join(missing))
        names = [name for name in names if name in fixed]
    try:
        patterns = [re.compile(pattern) for pattern in options['patterns']]
    except re.error as error:
        raise Failure("'%s' is no regular expression: %s" % (error.pattern, error)) from None
    names = [name for name in names if not patterns or any(pattern.search(name) for pattern in patterns)]
    if not names:
        raise Failure('there is no such function; --list names them')
    return names


def main() -> int:
    if '-h' in sys.argv or '--help' in sys.argv:
        print(__doc__)
        return 0
    options = parse_options(sys.argv[1:])
    wine.check_wine()
    suite = SUITES[options['api']]
    wine_test_build.build(suite, options['arch'])
    if options['arch'] == 'x86' and not options['list']:
        wine.prepare32(opengl=not options['fixed'])  # only wined3d and test_pixel_format need it
    if not options['no-build'] and not options['wined3d'] and not options['list']:
        d3d9_stack.build(options['arch'] == 'x86', options['api'] == 'd3d11')
    names = choose(options, suite.functions())
    if options['list']:
        print('\n'.join(names))
        return 0
    if options['logs']:
        os.makedirs(options['logs'], exist_ok=True)
    return run(options, names)
