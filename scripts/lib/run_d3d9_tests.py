# SPDX-License-Identifier: MIT
"""Runs Direct3D 9 programs under Wine on our stack: the d3d9.dll for tests, the user-mode and kernel drivers that ship,
the device in the distribution's QEMU. Needs no Windows and boots no virtual machine. Output is TAP.

usage: scripts/run-d3d9-tests [options] [NAME...]
  NAME                  runs only these tests; --list names them
  --list                prints the names
  --arch x64|x86|both   architecture of the programs, their d3d9.dll and user-mode driver (default: x64). both: all
                        tests as x64, a few as x86 too, and tests that mix both. For x86 the first run fetches a 32-bit
                        Wine (scripts/prepare-wine32)
  --no-build            builds nothing
  --pictures FOLDER     saves each compared window, and the screen with two programs, as PNG
  --driver FILE         uses another aerogpu.sys
  --umd FILE            uses another user-mode driver
  --d3d9 FILE           uses another d3d9.dll
  --umd-x86, --d3d9-x86, --d3d8-x86 FILE   the same for 32-bit programs
  --device-options S    gives the device properties: NAME=VALUE,...
  --save-every SECONDS  while programs run, saves the machine's state to a file, kills its QEMU (SIGKILL) and has another
                        one go on, again and again; a run without any save fails
  --bench               prints a table of frames a second beside Wine's own Direct3D; for an optimised build
  --costs               prints a table of what a frame and a draw cost: system calls (needs strace), instructions, bytes
  --serve               starts the kernel side, prints its environment, and serves until Ctrl-C or the end of input
  --print-environment   like --serve, but returns, and leaves the server running in the background
  --stop                ends the server that --print-environment started

Any x64 Windows program can run on this stack; with --arch both an x86 one too, with build/wine32/usr/lib/wine/wine:

  scripts/run-d3d9-tests --print-environment > /tmp/stack
  env $(grep -v ^DLL= /tmp/stack) /usr/lib/wine/wine64 program.exe
  scripts/run-d3d9-tests --stop

DLL= is the path of our d3d9.dll, which is installed in the Wine prefix already."""
import json
import os
import signal
import subprocess
import sys
import time

from aerogpu_build import BUILD, ROOT, Failure
import bench_d3d9
import costs_d3d9
import d3d9_stack
from d3d9_stack import Stack
import d3d9_tests
import wine

KEPT = os.path.join(BUILD, 'wine', 'd3d9')  # the prefix, state and log of --print-environment
PART_OPTIONS = tuple(d3d9_stack.WHAT)
ARCHITECTURES = ('x64', 'x86', 'both')


def run(options):
    stack = Stack(options['parts'], both=options['arch'] != 'x64', environment=d3d9_tests.STEADY_MEMORY)
    return d3d9_tests.run(stack, options['names'], options['pictures'], arch=options['arch'])


def print_environment(stack):
    for name, value in stack.variables().items():
        print('%s=%s' % (name, value))
    print('DLL=%s' % stack.parts['d3d9'], flush=True)


def serve(options):
    """Starts a stack, prints its environment, and serves until Ctrl-C or the end of input."""
    with Stack(options['parts'], prefix=os.path.join(KEPT, 'prefix'), strict=False, both=options['arch'] != 'x64') as stack:
        print_environment(stack)
        try:
            while sys.stdin.buffer.readline():
                pass
        except KeyboardInterrupt:
            pass
    return 0


def background(options):
    """Starts a --serve that stays when this process ends; prints the environment that it prints."""
    stop(quiet=True)
    os.makedirs(KEPT, exist_ok=True)
    read, write = os.pipe()  # its standard input, which stays open until --stop's signal
    with open(os.path.join(KEPT, 'server.log'), 'wb') as log:
        arguments = [word for name in PART_OPTIONS if name in options['parts']
                     for word in ('--' + name, options['parts'][name])] + ['--arch', options['arch']]
        if d3d9_stack.device_options:
            arguments += ['--device-options', d3d9_stack.device_options]
        if d3d9_stack.save_every:
            arguments += ['--save-every', str(d3d9_stack.save_every)]
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
    options = {'names': [], 'parts': {}, 'pictures': None, 'task': run, 'build': True, 'stops': False, 'arch': 'x64'}
    tasks = {'--bench': lambda given: bench_d3d9.run(given['parts']),
             '--costs': lambda given: costs_d3d9.run(given['parts']), '--serve': serve,
             '--print-environment': background, '--stop': lambda unused: stop()}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word in tasks:
            options['task'] = tasks[word]
            options['stops'] = word == '--stop'
        elif word == '--no-build':
            options['build'] = False
        elif word == '--arch':
            options['arch'] = rest.pop(0) if rest else ''
            if options['arch'] not in ARCHITECTURES:
                raise Failure("--arch: '%s' is not one of %s" % (options['arch'], ', '.join(ARCHITECTURES)))
        elif word == '--device-options':
            if not rest:
                raise Failure('%s needs a value' % word)
            d3d9_stack.device_options = rest.pop(0)
        elif word == '--save-every':
            d3d9_stack.save_every = d3d9_stack.seconds_of(word, rest.pop(0) if rest else '')
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
    for name in d3d9_stack.PARTS32:
        if name in options['parts'] and options['arch'] == 'x64':
            raise Failure('--%s needs --arch x86 or both' % name)
    return options


def main():
    if '-h' in sys.argv or '--help' in sys.argv:
        print(__doc__)
        return 0
    if '--list' in sys.argv:
        print('\n'.join(test.__name__ for test in d3d9_tests.Tests.ALL + d3d9_tests.Tests.MIXED + d3d9_tests.Tests.NAMED +
                        d3d9_tests.Tests.MIXED_NAMED))
        return 0
    options = parse(sys.argv[1:])
    wine.check_wine()
    if options['build'] and not options['stops']:
        d3d9_stack.build(options['arch'] != 'x64')
    return options['task'](options)
