# SPDX-License-Identifier: MIT
"""Runs the scenes of bench.exe by turns on our and on other Direct3D 9, and prints a table of medians with quartiles.

usage: scripts/bench-d3d9 [options] [SCENE...]
  SCENE            draws, sprites, textures, windows, uploads, readbacks, small-uploads, small-readbacks (default: all)
  --dxvk FILE      DXVK's d3d9.dll for x64; runs the scenes with DXVK on lavapipe too. Debian 13's package dxvk-wine64
                   has it as /usr/lib/dxvk/wine64/d3d9.dll.so, a Windows library; unpacking the package is enough
  --rounds N       runs of each scene on each stack (default: 5)
  --seconds S      duration of a run; ten frames before it are not counted (default: 3)
  --no-build       builds nothing
  --umd FILE       runs our stack with this user-mode driver
  --setting NAME   runs our stack with this setting of the kernel driver at 1 (docs/windows/package.md), such as
                   DisableHardwareBuffers

bench.exe runs under Wine on three stacks. Wine's own Direct3D draws with OpenGL on llvmpipe and DXVK (with --dxvk) with
Vulkan on lavapipe, both into a window on an X server in memory. Ours draws with Vulkan on lavapipe beside a QEMU
without a CPU, and presents onto the device's screen. A fourth program, aerogpu-direct-scenes, draws the same pictures
in plain Vulkan calls on lavapipe, as an engine would, and copies each frame to memory. It has no transfers: a frame of
uploads or readbacks moves 4 MiB, of small-uploads or small-readbacks 64 KiB, and shows nothing. A run whose picture
differs from the others is an error. Processor time is that of the program's process in the counted frames; for our
stack also that of the kernel side and the device, from the start of the program to its end. After each scene a line
compares our time and processor time a frame with the slower of Wine's own Direct3D and direct Vulkan (Wine's alone for
transfers)."""
import os
import re
import statistics
import subprocess
import sys

from aerogpu_build import BUILD, Failure, ninja
from d3d9_stack import PARTS, Stack, program
import d3d9_stack
import wine

SCENES = ('draws', 'sprites', 'textures', 'windows', 'uploads', 'readbacks', 'small-uploads', 'small-readbacks')
TRANSFERS = SCENES[4:]  # up or back; a frame shows nothing, and direct Vulkan has no such scene
LAVAPIPE = '/usr/share/vulkan/icd.d/lvp_icd.x86_64.json'
UNCOUNTED = 15  # frames of bench.exe before and after those that count
TOLERANCE = 3  # of 255, for the field means of a picture
PROGRAM = program('bench')
DIRECT = os.path.join(BUILD, 'testbed', 'direct-scenes', 'aerogpu-direct-scenes')
_TICKS = os.sysconf('SC_CLK_TCK')


def _tree(pid):
    """Yields a process and all its descendants."""
    yield pid
    for thread in os.listdir('/proc/%d/task' % pid):
        with open('/proc/%d/task/%s/children' % (pid, thread)) as file:
            for child in file.read().split():
                yield from _tree(int(child))


def busy(pid):
    """Returns the processor time in seconds that a process and its descendants have used."""
    total = 0
    for process in _tree(pid):
        with open('/proc/%d/stat' % process) as file:
            fields = file.read().rpartition(')')[2].split()
        total += int(fields[11]) + int(fields[12])  # utime, stime (proc(5))
    return total / _TICKS


def _run(arguments, env, program):
    """Runs a program, under Wine if it is an .exe; returns (exit code, what it printed)."""
    if program.endswith('.exe'):
        return wine.run([program, '--any-driver', *arguments], env, 120)
    done = subprocess.run([program, *arguments], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
    return done.returncode, done.stdout


class Run:
    """One run of a scene: frames a second, processor seconds a frame, and the picture's field means."""

    def __init__(self, scene, seconds, env, server=None, program=PROGRAM):
        before = busy(server) if server else 0
        code, text = _run(['--only', scene, '--seconds', str(seconds)], env, program)
        after = busy(server) if server else 0
        found = re.search(r'^frames (\d+) in ([\d.]+) s, processor ([\d.]+) s$', text, re.M)
        picture = re.search(r'^picture((?: \d+)+)$', text, re.M)
        if code != 0 or not found or not picture or not int(found.group(1)):
            raise Failure('%s --only %s ended with %s: %s' % (os.path.basename(program), scene, code, text.strip()))
        frames = int(found.group(1))
        self.rate = frames / float(found.group(2))
        self.processor = float(found.group(3)) / frames + (after - before) / (frames + UNCOUNTED)
        self.picture = [int(word) for word in picture.group(1).split()]
        self.frames = frames


def _spread(values, form):
    """Formats the median of values, with the quartiles in brackets."""
    low, middle, high = statistics.quantiles(values, n=4, method='inclusive') if len(values) > 1 else values * 3
    return '%s (%s to %s)' % tuple(form % value for value in (middle, low, high))


def _measure(stacks, scene, rounds, seconds):
    stacks = {name: stack for name, stack in stacks.items() if scene not in TRANSFERS or name != 'direct Vulkan'}
    runs = {name: [] for name in stacks}
    for turn in range(rounds):
        names = list(stacks)
        for name in names[turn % len(names):] + names[:turn % len(names)]:
            runs[name].append(Run(scene, seconds, *stacks[name]))
            first = next(iter(runs.values())) or runs[name]
            off = max(abs(a - b) for a, b in zip(first[0].picture, runs[name][-1].picture))
            if off > TOLERANCE:
                raise Failure('%s: the picture of %s is not that of the others, by %d of 255' % (scene, name, off))
    return runs


def _print(scene, runs):
    for name, of_stack in runs.items():
        ratio = '' if name == 'aerogpu' else _spread(
            [other.rate and own.rate / other.rate for own, other in zip(runs['aerogpu'], of_stack)], '%.2f')
        print('| %s | %s | %s | %s | %s |' % (
            scene, name, _spread([run.rate for run in of_stack], '%.0f'),
            _spread([1000 * run.processor for run in of_stack], '%.1f'), ratio), flush=True)


def _beside_the_slower(runs):
    """Returns (time a frame, processor time a frame) of ours divided by that of the slower of wined3d and direct
    Vulkan: medians over the rounds."""
    others = [of_stack for name, of_stack in runs.items() if name in ('wined3d', 'direct Vulkan')]
    return tuple(statistics.median(
        what(own) / max(what(other) for other in turn)
        for own, *turn in zip(runs['aerogpu'], *others)) for what in (lambda one: 1 / one.rate, lambda one: one.processor))


def parse(arguments):
    options = {'scenes': [], 'dxvk': None, 'rounds': 5, 'seconds': 3.0, 'build': True, 'parts': {}, 'settings': {}}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == '--no-build':
            options['build'] = False
        elif word in ('--dxvk', '--rounds', '--seconds', '--umd', '--setting'):
            if not rest:
                raise Failure('%s needs a value' % word)
            value = rest.pop(0)
            try:
                if word == '--rounds':
                    options['rounds'] = int(value)
                elif word == '--seconds':
                    options['seconds'] = float(value)
            except ValueError:
                raise Failure("%s: '%s' is no number" % (word, value)) from None
            if word == '--dxvk':
                options['dxvk'] = os.path.abspath(value)
            elif word == '--umd':
                options['parts']['umd'] = os.path.abspath(value)
            elif word == '--setting':
                options['settings'][value] = 1
        elif word in SCENES:
            options['scenes'].append(word)
        else:
            raise Failure("what is '%s'? bench-d3d9 --help lists options and scenes" % word)
    if options['rounds'] < 1 or options['seconds'] <= 0:
        raise Failure('at least one round, and more than no time')
    if options['dxvk'] and wine.machine_of(options['dxvk']) != 'x64':
        raise Failure('--dxvk: %s is not for x64' % options['dxvk'])
    return options


def moved(stack):
    """Returns how many bytes the device has moved to the GPU and back."""
    return stack.counter('upload-bytes') + stack.counter('readback-bytes')


def run(options):
    print('| scene | Direct3D | frames a second | processor ms a frame | aerogpu is so many times faster |')
    print('| --- | --- | --- | --- | --- |', flush=True)
    with Stack(options['parts'], strict=False, settings=options['settings']) as stack, wine.x_server() as display, \
            wine.temporary_prefix('x11') as theirs, wine.temporary_prefix('x11') as dxvk:
        stacks = {'aerogpu': (dict(os.environ, **stack.variables(), AEROGPU_D3D9_HOSTILE='0'), stack.server.pid),
                  'wined3d': (dict(os.environ, **wine.environment(theirs, display=display)), None),
                  'direct Vulkan': (dict(os.environ, VK_ICD_FILENAMES=LAVAPIPE), None, DIRECT)}
        if options['dxvk']:
            library = os.path.join(dxvk, 'drive_c', 'windows', 'system32', 'd3d9.dll')
            os.unlink(library)
            os.symlink(options['dxvk'], library)
            stacks['DXVK'] = (dict(os.environ, VK_ICD_FILENAMES=LAVAPIPE, DXVK_LOG_LEVEL='none', DXVK_LOG_PATH='none',
                                   DXVK_STATE_CACHE_PATH='C:\\',
                                   **wine.environment(dxvk, overrides='services.exe=;d3d9=n', display=display)), None)
        for scene in options['scenes'] or SCENES:
            draws, bytes_moved = stack.counter('draws'), moved(stack)
            runs = _measure(stacks, scene, options['rounds'], options['seconds'])
            _print(scene, runs)
            beside = 'wined3d' if scene in TRANSFERS else 'the slower of wined3d and direct Vulkan'
            print('# %s: beside %s %.2f times the time, %.2f times the processor time'
                  % (scene, beside, *_beside_the_slower(runs)), file=sys.stderr, flush=True)
            # This would show a renderer that is fast because it did not draw.
            frames = sum(one.frames + UNCOUNTED for one in runs['aerogpu'])
            print('# %s: %.0f draws and %.2f MiB moved a frame on the device' % (
                scene, (stack.counter('draws') - draws) / frames, (moved(stack) - bytes_moved) / frames / (1 << 20)),
                  file=sys.stderr, flush=True)
    print('# load of the machine: %.1f on %d processors' % (os.getloadavg()[0], os.cpu_count()), file=sys.stderr)
    return 0


def main():
    if '-h' in sys.argv or '--help' in sys.argv:
        print(__doc__)
        return 0
    options = parse(sys.argv[1:])
    wine.check_wine()
    if options['build']:
        d3d9_stack.build()
        ninja(os.path.relpath(PROGRAM, BUILD), os.path.relpath(DIRECT, BUILD))
    else:
        for path in (PROGRAM, DIRECT, PARTS['umd']):
            if not os.path.isfile(path):
                raise Failure('%s is not built' % os.path.relpath(path, BUILD))
    return run(options)
