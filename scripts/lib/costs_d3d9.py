# SPDX-License-Identifier: MIT
"""Measures what a frame and a draw of a Direct3D 9 program cost on our stack: system calls of the program's process and
of the driver host, counted by strace (the host's have no counterpart on Windows, where the driver is in the kernel);
instructions of the user-mode driver, counted by the runtime, which single-steps its calls; bytes of command buffers and
tables, counted by the device. The cost of a frame is the difference between runs with more and fewer frames, that of a
draw between runs with more and fewer draws, so neither has the start and the end of the program in it."""
import os
import re
import shutil
import signal
import subprocess
import tempfile

from aerogpu_build import Failure
import d3d9_stack
from d3d9_stack import HOST, Stack
import wine

FRAMES = (10, 310)  # for a frame
DRAW_FRAMES = 30    # for a draw
# Name of the measurement, program, fewer and more --draws, draws in each of them.
RUNS = [('triangles of one state', 'triangle', (1, 200), 1),
        ('quads, a locked range each', 'quad', (1, 40), 9)]
COUNTED_DRAWS = {'triangle': 20, 'quad': 4}  # --draws for counting instructions: some microseconds each
_TOTAL = re.compile(r'^\s*[\d.]+\s+[\d.]+\s+\d*\s+(\d+)\s+(?:\d+\s+)?total$', re.M)


def _strace_total(path):
    with open(path) as file:
        found = _TOTAL.search(file.read())
    if not found:
        raise Failure('strace wrote no total into %s' % path)
    return int(found.group(1))


def _kernel_side(server):
    """Returns the id of the process that serves: a child of the driver host's first process (the other child is
    QEMU)."""
    with open('/proc/%d/task/%d/children' % (server, server)) as file:
        for child in file.read().split():
            if os.path.samefile('/proc/%s/exe' % child, HOST):
                return child
    raise Failure('the driver host has no process that serves')


def _system_calls(stack, program, draws, frames, folder):
    """Runs a program once; returns (its system calls, those of the driver host, bytes that the device counted)."""
    paths = [os.path.join(folder, name) for name in ('program', 'host')]
    before = stack.counter('bytes')
    host = subprocess.Popen(['strace', '-f', '-c', '-o', paths[1], '-p', _kernel_side(stack.server.pid)], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while 'attached' not in (line := host.stderr.readline()):
        if not line:
            raise Failure('strace does not attach to the driver host')
    with tempfile.TemporaryFile() as output:
        code = subprocess.run(['strace', '-f', '-c', '-o', paths[0], wine.LOADER, d3d9_stack.program(program),
                               '--immediate', '--frames', str(frames), '--draws', str(draws)],
                              env=dict(os.environ, **stack.variables()), stdin=subprocess.DEVNULL, stdout=output,
                              stderr=output, timeout=300, check=False).returncode
    host.send_signal(signal.SIGINT)
    host.communicate(timeout=60)
    if code != 0:
        raise Failure('%s ended with %d under strace' % (program, code))
    return tuple(_strace_total(path) for path in paths) + (stack.counter('bytes') - before,)


def _instructions(stack, program):
    """Returns {driver function: median of its instructions} for the functions that each draw calls."""
    env = dict(os.environ, **stack.variables(), AEROGPU_D3D9_COUNT='1')
    draws = COUNTED_DRAWS[program]
    code, text = wine.run([d3d9_stack.program(program), '--frames', '1', '--draws', str(draws)], env, 300)
    if code != 0:
        raise Failure('%s ended with %d while instructions were counted: %s' % (program, code, text.strip()))
    # Those with one call per draw, in two frames; device setup does not count.
    return {name: int(count) for name, count, calls in re.findall(
        r'instructions (\w+): (\d+) in a call \(median of (\d+)\)', text)
        if name in ('DrawPrimitive', 'Lock', 'Unlock') and int(calls) > draws}


def run(parts):
    strace = shutil.which('strace')
    if not strace:
        print('# there is no strace: system calls are not counted')
    print('| what | a frame of one round of draws: system calls of the program, of the host, bytes | '
          'a draw: the same | a draw: instructions of the user-mode driver |\n| --- | --- | --- | --- |', flush=True)
    with Stack(parts, strict=False) as stack, tempfile.TemporaryDirectory() as folder:
        for title, program, (few, many), each in RUNS:
            frame = draw = ('-', '-', '-')
            if strace:
                short, long = (_system_calls(stack, program, few, frames, folder) for frames in FRAMES)
                less, more = (_system_calls(stack, program, n, DRAW_FRAMES, folder) for n in (few, many))
                frame = ['%.0f' % ((b - a) / (FRAMES[1] - FRAMES[0])) for a, b in zip(short, long)]
                # The last frame, which is checked, has the same number.
                draw = ['%.2f' % ((b - a) / ((DRAW_FRAMES + 1) * (many - few) * each)) for a, b in zip(less, more)]
            steps = _instructions(stack, program)
            print('| %s | %s | %s | %s |' % (title, ', '.join(frame), ', '.join(draw), ', '.join(
                '%s %d' % item for item in steps.items())), flush=True)
    return 0
