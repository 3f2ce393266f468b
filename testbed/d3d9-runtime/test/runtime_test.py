#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the test cases of a runtime, that of Direct3D 9 or 8, with fake.dll as the driver, then one frame for each rule
that fake.dll can break.

usage: runtime_test.py RUNTIME-TEST.EXE RUNTIME.DLL FAKE.DLL

Ends with 77, which meson takes for "skipped", if there is no Wine."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', '..', 'scripts', 'lib'))
from aerogpu_build import Failure  # noqa: E402
import wine  # noqa: E402

LIMIT = 60  # s
BROKEN = 3  # the exit code with AEROGPU_D3D9_STRICT=1
# The driver's misbehaviour, the exit code, the line in the log; variables of the environment, if it takes some.
MISBEHAVIOUR = [
    ('nothing', 0, ''),
    ('control words', BROKEN, 'SetRenderState changed the floating-point control words from 037f'),
    ('wrong result', BROKEN, 'Lock gave 0x80004005, which it may not give'),
    ('sync without wait', BROKEN, 'pfnLockCb: IgnoreSync has no effect without DonotWait'),
    ('no unlock', BROKEN, 'pfnDeallocateCb of an allocation that is locked'),
    ('too long', BROKEN, 'pfnRenderCb: 0 + '),
    ('late callback', BROKEN, 'pfnRenderCb outside of a call of the device'),
    ('refuse surfaces', BROKEN, 'CreateResource of format 0x16, flags 0x0, pool 2 gave 0x8876086a'),
    ('leak allocations', BROKEN, 'DestroyResource left the allocations of the resource'),
    ('no Flush', BROKEN, 'the driver has no Flush'),
    ('false event', BROKEN, 'GetQueryData of an event gave S_OK and FALSE'),
    ('no levels', BROKEN, 'format 21, multisample type 1 of windows: 0 quality levels, but its bit is set'),
    ('converted luminance', 1, 'no HAL device: FORMATOP_CONVERT_TO_ARGB of format 50'),
    ('half a pair', BROKEN, 'TextureCaps 0x2: POW2 and NONPOW2CONDITIONAL go together'),
    ('unknown bits', BROKEN, 'LineCaps: unknown bits 0x40'),
    ('lazy flush', BROKEN, 'Flush after EndPresentToDwm submitted nothing, so no frame comes', {'AEROGPU_D3D9_COMPOSED': '1'}),
    ('long answer', BROKEN, 'GetCaps 14 writes behind the 4 bytes of its answer'),
    ('no long intervals', BROKEN, 'PresentationIntervals 0x80000003, and the kernel driver has no flip intervals above one'),
    ('few slots', 1, '511 and 511 instruction slots of shader model 3'),
]
MISBEHAVIOUR8 = [
    ('nothing', 0, ''),
    ('unknown bits of 8', BROKEN, 'D3DCAPS8, Caps2: unknown bits 0x400000'),
    ('shaders of 9', BROKEN, 'D3DCAPS8: shaders of 0xfffe0101 and 0xffff0200'),
]


def windows(path):
    return 'Z:' + os.path.abspath(path).replace('/', '\\')


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    command = [os.path.abspath(sys.argv[1])] + [windows(path) for path in sys.argv[2:]]
    try:
        wine.template()
    except Failure as failure:
        print('skipped: %s' % failure)
        return 77
    right = True
    is8 = 'd3d8' in os.path.basename(sys.argv[2])
    with wine.temporary_prefix('null') as prefix:
        env = dict(os.environ, **wine.environment(prefix, overrides='services.exe=;d3d9,d3d8=n'))
        env.update(AEROGPU_D3D9_STRICT='1', AEROGPU_D3D9_LOG='', AEROGPU_D3D9_HOSTILE='1')
        try:
            code, text = wine.run(command, env, LIMIT)
            print(text, end='')
            right = code == 0 and text.count('\nok ') > (4 if is8 else 10)
            for how, expected, said, *variables in MISBEHAVIOUR8 if is8 else MISBEHAVIOUR:
                code, text = wine.run(command + ['--misbehave', how], dict(env, **(variables[0] if variables else {})), LIMIT)
                one = code == expected and said in text
                print('%s misbehave: %s' % ('ok' if one else 'not ok', how))
                if not one:
                    print('# ended with %s, not %d, or did not say "%s"\n# %s' % (code, expected, said, '\n# '.join(text.splitlines())))
                right = right and one
        except Failure as failure:
            sys.exit('runtime: %s' % failure)
    return 0 if right else 1


if __name__ == '__main__':
    sys.exit(main())
