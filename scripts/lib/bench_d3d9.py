# SPDX-License-Identifier: MIT
"""Runs Direct3D 9 programs by turns on our stack and on Wine's own Direct3D (OpenGL on llvmpipe, an X server in
memory). A ratio is the median over these pairs of runs: 1 is parity, above 1 our stack is faster.

Also prints, per frame, the device's counters in our runs and the processor time of the program's process, without the
time of the device, the kernel side and the X server."""
import os
import re
import resource
import statistics

from aerogpu_build import Failure
import d3d9_stack
from d3d9_stack import Stack
import wine

SECONDS, PAIRS = 2, 3
COUNTERS = ('submissions', 'packets', 'bytes', 'draws', 'presents')
# Name of the measurement, program, arguments.
RUNS = [
    ('one triangle a frame', 'triangle', ['--draws', '1']),
    ('1000 triangles a frame, a draw each', 'triangle', ['--draws', '1000']),
    ('a gradient and 8 blended quads a frame', 'quad', ['--draws', '1']),
    ('900 quads a frame, a locked range and a draw each', 'quad', ['--draws', '100']),
]


def once(program, arguments, env):
    """Runs a program once; returns (frames, frames a second, seconds of processor time a frame)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code, text = wine.run([d3d9_stack.program(program), '--any-driver', '--immediate', '--seconds', str(SECONDS),
                           *arguments], env, 120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(r'^frames (\d+) in ([\d.]+) s$', text, re.M)
    if code != 0 or not found or not int(found.group(1)):
        raise Failure('%s ended with %s: %s' % (program, code, text.strip()))
    frames = int(found.group(1))
    busy = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    return frames, frames / float(found.group(2)), busy / frames


def run(parts):
    print('| what | Wine, frames/s | aerogpu, frames/s | ratio | processor ms a frame: Wine, aerogpu | '
          'a frame: %s |' % ', '.join(COUNTERS))
    print('| --- | --- | --- | --- | --- | --- |')
    with Stack(parts, strict=False) as stack, wine.x_server() as display, wine.temporary_prefix('x11') as prefix:
        ours = dict(os.environ, **stack.variables())
        theirs = dict(os.environ, **wine.environment(prefix, display=display))
        for title, program, arguments in RUNS:
            pairs, counted, frames = [], dict.fromkeys(COUNTERS, 0), 0
            for _ in range(PAIRS):
                other = once(program, arguments, theirs)
                before = {name: stack.counter(name) for name in COUNTERS}
                own = once(program, arguments, ours)
                for name in COUNTERS:
                    counted[name] += stack.counter(name) - before[name]
                frames += own[0] + 1  # the program does not count the last one, which is checked
                pairs.append((other, own))
            median = statistics.median
            print('| %s | %.0f | %.0f | %.2f | %.2f, %.2f | %s |' % (
                title, median(p[0][1] for p in pairs), median(p[1][1] for p in pairs),
                median(p[1][1] / p[0][1] for p in pairs), 1000 * median(p[0][2] for p in pairs),
                1000 * median(p[1][2] for p in pairs), ', '.join('%.4g' % (counted[name] / frames) for name in COUNTERS)),
                flush=True)
    return 0
