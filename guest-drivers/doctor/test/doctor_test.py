#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests the aerogpu-doctor.exe that ships, under Wine: on the shipped drivers with the device in a stock QEMU, and on
fake machines where something is wrong.

  doctor_test.py PROGRAM.exe KMT.dll FAKE_KMT.dll [-v]

-v prints the output of each run."""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', '..', 'scripts', 'lib'))
from aerogpu_build import Failure  # noqa: E402
from d3d9_stack import Stack  # noqa: E402
import wine  # noqa: E402

LIMIT = 120
STEPS = ['device', 'driver', 'memory', 'user-mode-driver', 'direct3d', 'caps', 'direct3d-device', 'level-9_1', 'session',
         'desktop', 'composition']


class Test:
    def __init__(self):
        self.failed = 0

    def check(self, good, what, said):
        print('%s - %s' % ('ok' if good else 'not ok', what), flush=True)
        if not good or '-v' in sys.argv:
            print(''.join('# %s\n' % line for line in said.splitlines()), end='', flush=True)
        self.failed += not good

    def run(self, what, env, arguments, expect):
        """Runs aerogpu-doctor. `expect`: {step: text in its line if the step must be OFF, None if it must be ok}; other
        steps may be either. The last line and the exit status must agree with the steps."""
        code, said = wine.run([sys.argv[1], *arguments], env, LIMIT)
        steps = {}  # name: the text of its line if it is off, else None
        for mark, name, text in re.findall(r'^(ok  |OFF ) ([\w-]+): (.*)$', said, re.M):
            steps[name] = text if mark == 'OFF ' else None
        last = re.search(r'^aerogpu-doctor: (ok|off) bits=(\d+) level=9_(\d) steps=(\d+) off=([\w,-]*)$', said, re.M)
        off = [name for name, text in steps.items() if text is not None]
        wrong = [name for name, text in expect.items()
                 if name not in steps or (steps[name] is None) != (text is None) or (text and text not in steps[name])]
        agrees = last and (last.group(1) == 'off') == bool(off) and last.group(5) == ','.join(off) and \
            int(last.group(4)) == len(steps) and code == (1 if off else 0) and \
            (last.group(3) == '0') == (steps.get('level-9_1', 'off') is not None)
        self.check(bool(agrees) and not wrong, what, '%sexit status %d; wrong: %s' % (said, code, wrong))
        return steps


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    kmt, fake = ('Z:' + path.replace('/', '\\') for path in map(os.path.abspath, sys.argv[2:4]))
    test = Test()
    # Wine reports a composed desktop if it plays Windows 8.1 or later.
    with Stack(strict=False, registry='\n[Software\\\\Wine]\n"Version"="win81"\n') as stack:
        env = dict(os.environ, **stack.variables())
        # Level 9_1 may be off here: other tests check what the driver can do.
        steps = test.run('on the drivers that ship', env, ['--d3dkmt', kmt],
                         {name: None for name in STEPS if name != 'level-9_1'})
        test.check(list(steps) == STEPS, 'all steps, in their order', ' '.join(steps))
        test.run('no D3DKMT', env, ['--d3dkmt', 'kernel32.dll'], {'device': 'Windows 7, which has D3DKMT'})
        for more, step, text in (({'FAKE_DISPLAYS': 'none'}, 'device', 'found: none'),
                                 ({'FAKE_DISPLAYS': 'vga', 'FAKE_DRIVER': 'none'}, 'device', 'Standard VGA'),
                                 ({'FAKE_DRIVER': 'none'}, 'driver', 'another driver'),
                                 ({'FAKE_DRIVER': 'other'}, 'driver', 'another driver'),
                                 ({'FAKE_3D': 'off'}, 'driver', '3d.cmd on'),
                                 ({}, 'driver', 'older than this program')):
            test.run('a machine with %s' % (more or 'an older driver'), dict(env, **more), ['--d3dkmt', fake], {step: text})
        code, said = wine.run([sys.argv[1], '--what'], env, LIMIT)
        test.check(code == 2 and len(said.splitlines()) == 1 and "'--what'" in said, 'misuse', said)
    with Stack(strict=False, d3d11=True) as stack:
        steps = test.run('with Direct3D 10 on', dict(os.environ, **stack.variables()), ['--d3dkmt', kmt],
                         {'user-mode-driver': None, 'direct3d-10-driver': None})
    sys.exit(1 if test.failed else 0)


try:
    main()
except Failure as failure:
    sys.exit('doctor test: %s' % failure)
