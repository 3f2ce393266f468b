# SPDX-License-Identifier: MIT
"""Runs Direct3D 10 and 11 programs under Wine on our stack: the d3d10core.dll, d3d11.dll and dxgi.dll for tests, the
user-mode driver of Direct3D 10 and 11, the kernel driver that ships, the device in the distribution's QEMU. Needs no
Windows and boots no virtual machine. Output is TAP.

usage: scripts/run-d3d11-tests [options] [NAME...]
  NAME                  runs only these tests; --list names them
  --list                prints the names
  --arch x64|x86|both   architecture of the programs, their runtime and user-mode driver (default: x64). For x86 the
                        first run fetches a 32-bit Wine (scripts/prepare-wine32)
  --no-build            builds nothing
  --pictures FOLDER     saves each compared window as PNG
  --driver FILE         uses another aerogpu.sys
  --umd10 FILE          uses another user-mode driver of Direct3D 10 and 11
  --d3d11 FILE          uses another d3d11.dll
  --d3d10core FILE      uses another d3d10core.dll
  --dxgi FILE           uses another dxgi.dll
  --umd10-x86, --d3d11-x86, --d3d10core-x86, --dxgi-x86 FILE   the same for 32-bit programs
  --device-options S    gives the device properties: NAME=VALUE,...
  --save-every SECONDS  saves, kills and restores the machine again and again, as with scripts/run-d3d9-tests
  --serve               starts the kernel side, prints its environment, and serves until Ctrl-C or the end of input
  --print-environment   like --serve, but returns, and leaves the server running in the background
  --stop                ends the server that --print-environment started

Any x64 Windows program of Direct3D 10 or 11 can try this stack; with --arch both an x86 one too, with
build/wine32/usr/lib/wine/wine:

  scripts/run-d3d11-tests --print-environment > /tmp/stack
  env $(grep -v ^DLL= /tmp/stack) /usr/lib/wine/wine64 program.exe
  scripts/run-d3d11-tests --stop

DLL= is the path of our d3d11.dll, which is installed in the Wine prefix already."""
import d3d11_tests
import d3d9_stack
import stack_command

COMMAND = stack_command.Command('run-d3d11-tests', __doc__, 'd3d11', d3d11_tests.Tests,
                                options=('driver', *d3d9_stack.PARTS11, *d3d9_stack.PARTS11_32))
main = COMMAND.main
