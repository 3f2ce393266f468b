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
import bench_d3d9
import costs_d3d9
import d3d9_stack
import d3d9_tests
import stack_command

COMMAND = stack_command.Command(
    'run-d3d9-tests', __doc__, 'd3d9', d3d9_tests.Tests, options=(*d3d9_stack.PARTS, *d3d9_stack.PARTS32),
    tasks={'--bench': lambda given: bench_d3d9.run(given['parts']), '--costs': lambda given: costs_d3d9.run(given['parts'])},
    environment=d3d9_tests.STEADY_MEMORY)
parse = COMMAND.parse
main = COMMAND.main
