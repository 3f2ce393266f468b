# SPDX-License-Identifier: MIT
"""Runs Direct3D 9 programs under Wine on our stack: d3d9.dll, the user-mode driver and the kernel driver that ship, the
device in the distribution's QEMU. No Windows, no virtual machine that boots. Output is TAP.

usage: scripts/run-d3d9-tests [options] [NAME...]
  NAME                  only these tests; --list names them
  --list                prints the names
  --no-build            takes everything as it is
  --pictures FOLDER     saves each window that was compared, and the screen with two, as PNG
  --driver FILE         another aerogpu.sys
  --umd FILE            another user-mode driver
  --d3d9 FILE           another d3d9.dll
  --bench               frames a second beside Wine's own Direct3D, as a table; on an optimised build
  --serve               starts the kernel side, prints its environment, and serves until Ctrl-C or the end of input
  --print-environment   the same, but the server goes on in the background until --stop
  --stop                ends that one

Any Windows program for x64 can run on this stack:

  scripts/run-d3d9-tests --print-environment > /tmp/stack
  env $(grep -v ^DLL= /tmp/stack) /usr/lib/wine/wine64 program.exe
  scripts/run-d3d9-tests --stop

DLL= names our d3d9.dll, which the prefix has as its own; nothing has to be copied."""
import json
import os
import signal
import subprocess
import sys
import time

from aerogpu_build import BUILD, ROOT, Failure
import bench_d3d9
import d3d9_stack
from d3d9_stack import PROGRAMS, Ppm, Stack
import wine

KEPT = os.path.join(BUILD, 'wine', 'd3d9')  # of --print-environment: its prefix, state and log
PART_OPTIONS = ('driver', 'umd', 'd3d9')
# How far channels of the window may be off; as in the programs themselves.
TOLERANCE = {'triangle': 1, 'quad': 2, 'flip': 0, 'shared': 0}


class Tests:
    def __init__(self, stack, pictures):
        self.stack = stack
        self.pictures = pictures
        self.shots = 0

    def start(self, name, *arguments, at=None):
        """Starts a program that keeps its picture; with what it expects in its window."""
        expectation = os.path.join(self.stack.folder.name, '%s-%d.ppm' % (name, self.shots))
        self.shots += 1
        place = ['--at', '%d,%d' % at] if at else []
        program = self.stack.start(os.path.join(PROGRAMS, name + '.exe'), '--hold', '--expectation', expectation, *place,
                                   *arguments)
        program.expectation = expectation
        return program

    def check_window(self, program, screen=None):
        """Compares the window of a program that holds its picture with what it expects."""
        program.wait_line('^holding$')
        where = program.wait_line(r'^window (-?\d+),(-?\d+) (\d+)x(\d+)$')
        screen = screen or self.stack.screen()
        if self.pictures:
            self.save('d3d9-%s.png' % program.name, screen, *(int(number) for number in where.groups()))
        wrong = screen.difference(Ppm(program.expectation), int(where.group(1)), int(where.group(2)),
                                  TOLERANCE[program.name])
        if wrong:
            raise Failure("%s's window on the screen: %s" % (program.name, wrong))

    def save(self, name, screen, *part):
        os.makedirs(self.pictures, exist_ok=True)
        screen.write_png(os.path.join(self.pictures, name), *part)

    def finish(self, program):
        program.release()
        code = program.wait()
        if code != 0:
            raise Failure('%s ended with %d: %s' % (program.name, code, program.said()))

    def window(self, name, *arguments):
        program = self.start(name, *arguments)
        self.check_window(program)
        self.finish(program)

    # The tests; each is a name on the command line.

    def triangle(self):
        self.window('triangle')

    def triangle_ex(self):
        self.window('triangle', '--ex', '--draws', '5')

    def quad(self):
        self.window('quad', '--frames', '150')

    def flip(self):
        self.window('flip', '--frames', '20')

    def readback(self):
        program = self.stack.start(os.path.join(PROGRAMS, 'readback.exe'))
        code = program.wait()
        cases = [line for line in program.lines.text().splitlines() if line.startswith('not ok')]
        if code != 0:
            raise Failure('readback ended with %d: %s' % (code, '; '.join(cases) or program.said()))

    def shared(self):
        self.window('shared')

    def two_programs(self):
        """Both make their first objects under the same numbers, and draw at the same time."""
        one, other = self.start('triangle', at=(40, 40)), self.start('quad', '--frames', '40', at=(420, 300))
        one.wait_line('^holding$')
        other.wait_line('^holding$')
        screen = self.stack.screen()
        if self.pictures:
            self.save('d3d9-two-programs.png', screen)
        self.check_window(one, screen)
        self.check_window(other, screen)
        self.finish(one)
        self.finish(other)

    def killed(self):
        """A program that is killed takes nothing of another's with it."""
        victim, other = self.start('quad', '--frames', '3', at=(40, 40)), self.start('triangle', at=(420, 300))
        victim.wait_line('^holding$')
        other.wait_line('^holding$')
        victim.process.kill()
        victim.wait()
        self.check_window(other)
        self.finish(other)

    ALL = [triangle, triangle_ex, quad, flip, readback, shared, two_programs, killed]


# Counters of the device, and by how much a round of programs may raise them. A context that ended is held until its number is
# used again, and how many numbers are in use at a time is chance; each program has several objects.
COUNTED = {'resources': 0, 'held-objects': 4, 'errors': 0}


def left_over(stack):
    """What programs leave on the device when the same ones run once more; at the first present the kernel driver makes
    objects of its own."""
    names = (Tests.two_programs, Tests.shared, Tests.flip, Tests.killed)

    def round_of_programs():
        for test in names:
            test(Tests(stack, None))

    round_of_programs()
    before = {name: stack.counter(name) for name in COUNTED}
    round_of_programs()
    deadline = time.monotonic() + 20
    while True:  # a process is over when its connections are; the driver then destroys what it had
        after = {name: stack.counter(name) for name in COUNTED}
        left = ['%s: %d, before %d' % (name, after[name], before[name]) for name, more in COUNTED.items()
                if after[name] > before[name] + more]
        if after['errors']:
            left.append('errors: %d' % after['errors'])
        if not left or time.monotonic() > deadline:
            return '; '.join(left)
        time.sleep(0.1)


def run(options):
    names = options['names']
    tests = [test for test in Tests.ALL if not names or test.__name__ in names]
    unknown = [name for name in names if name not in [test.__name__ for test in Tests.ALL]]
    if unknown:
        raise Failure("there is no test '%s'; --list names them" % unknown[0])
    failed = 0

    def report(name, wrong):
        nonlocal failed
        failed += bool(wrong)
        print('%s %s%s' % ('not ok' if wrong else 'ok', name, ' # %s' % wrong if wrong else ''), flush=True)

    def attempt(name, work):
        try:
            report(name, work())
        except Failure as failure:
            if stack.is_older():
                raise  # one line says it all
            report(name, str(failure))

    print('1..%d' % (len(tests) + 2))
    with Stack(options['parts']) as stack:
        for test in tests:
            attempt(test.__name__, lambda test=test: test(Tests(stack, options['pictures'])))
            stack.check_alive(test.__name__)
        attempt('nothing is left, no error is latched', lambda: left_over(stack))
        code = stack.stop()
        report('the kernel driver broke no rule', '' if code == 0 else 'the driver host ended with %s: %s' % (
            code, '; '.join(stack.lines.text().splitlines()[-4:])))
    return 1 if failed else 0


def print_environment(stack):
    for name, value in stack.variables().items():
        print('%s=%s' % (name, value))
    print('DLL=%s' % stack.parts['d3d9'], flush=True)


def serve(options):
    """Until Ctrl-C or the end of input."""
    with Stack(options['parts'], prefix=os.path.join(KEPT, 'prefix'), strict=False) as stack:
        print_environment(stack)
        try:
            while sys.stdin.buffer.readline():
                pass
        except KeyboardInterrupt:
            pass
    return 0


def background(options):
    """A --serve that outlives this process; what it prints is passed on."""
    stop(quiet=True)
    os.makedirs(KEPT, exist_ok=True)
    read, write = os.pipe()  # its standard input, which nobody closes but --stop's signal
    with open(os.path.join(KEPT, 'server.log'), 'wb') as log:
        arguments = [word for name in PART_OPTIONS if name in options['parts']
                     for word in ('--' + name, options['parts'][name])]
        process = subprocess.Popen([os.path.join(ROOT, 'scripts', 'run-d3d9-tests'), '--no-build', '--serve', *arguments],
                                   stdin=read, stdout=subprocess.PIPE, stderr=log, start_new_session=True,
                                   pass_fds=[write])
    os.close(read)
    os.close(write)
    for line in process.stdout:
        sys.stdout.write(line.decode())
        if line.startswith(b'DLL='):
            break
    else:
        with open(os.path.join(KEPT, 'server.log'), errors='replace') as log:
            raise Failure('the server did not start: %s' % log.read().strip())
    with open(os.path.join(KEPT, 'server.json'), 'w') as file:
        json.dump({'pid': process.pid}, file)
    return 0


def stop(quiet=False):
    path = os.path.join(KEPT, 'server.json')
    try:
        with open(path) as file:
            pid = json.load(file)['pid']
        with open('/proc/%d/cmdline' % pid, 'rb') as file:
            running = b'run-d3d9-tests' in file.read()
    except (OSError, ValueError, KeyError):
        running = False
    if running:
        os.kill(pid, signal.SIGINT)
        deadline = time.monotonic() + 60
        while os.path.exists('/proc/%d' % pid) and time.monotonic() < deadline:
            time.sleep(0.05)
    elif not quiet:
        raise Failure('no server of --print-environment runs')
    if os.path.exists(path):
        os.unlink(path)
    return 0


def parse(arguments):
    options = {'names': [], 'parts': {}, 'pictures': None, 'task': run, 'build': True, 'stops': False}
    tasks = {'--bench': lambda given: bench_d3d9.run(given['parts']), '--serve': serve,
             '--print-environment': background, '--stop': lambda unused: stop()}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word in tasks:
            options['task'] = tasks[word]
            options['stops'] = word == '--stop'
        elif word == '--no-build':
            options['build'] = False
        elif word == '--pictures' or word[2:] in PART_OPTIONS and word.startswith('--'):
            if not rest:
                raise Failure('%s needs a value' % word)
            value = os.path.abspath(rest.pop(0))
            if word == '--pictures':
                options['pictures'] = value
            else:
                options['parts'][word[2:]] = value
        elif word.startswith('-'):
            raise Failure("unknown option '%s'; run-d3d9-tests --help lists them" % word)
        else:
            options['names'].append(word)
    return options


def main():
    if '-h' in sys.argv or '--help' in sys.argv:
        print(__doc__)
        return 0
    if '--list' in sys.argv:
        print('\n'.join(test.__name__ for test in Tests.ALL))
        return 0
    options = parse(sys.argv[1:])
    wine.check_wine()
    if options['build'] and not options['stops']:
        d3d9_stack.build()
    return options['task'](options)
