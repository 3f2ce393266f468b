#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the test cases of the Direct3D 10 and 11 runtime with fake11.dll as the driver, then one frame for each rule that
fake11.dll can break.

usage: runtime_test.py RUNTIME11-TEST.EXE D3D11.DLL D3D10CORE.DLL DXGI.DLL FAKE11.DLL

Ends with 77, which meson takes for "skipped", if there is no Wine."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', '..', 'scripts', 'lib'))
from aerogpu_build import Failure  # noqa: E402
import wine  # noqa: E402

LIMIT = 60  # s
BROKEN = 3  # the exit code with AEROGPU_D3D11_STRICT=1
TEN = {'AEROGPU_D3D11_INTERFACE': 'a0001'}
LAX = {'AEROGPU_D3D11_STRICT': '0'}  # the device goes on
# The driver's misbehaviour, the exit code, the line in the log; variables of the environment, if it takes some.
MISBEHAVIOUR = [
    ('nothing', 0, ''),
    ('nothing', 0, '', TEN),
    ('S_OK as error', BROKEN, 'Draw passed 0x00000000 to pfnSetErrorCb, which it may not'),
    ('memory in a draw', BROKEN, 'Draw passed 0x8007000e to pfnSetErrorCb, which it may not'),
    ('busy without leave', BROKEN, 'StagingResourceMap passed 0x887b0001 to pfnSetErrorCb, which it may not'),
    ('mixed handles', BROKEN, "pfnSetErrorCb without the runtime's core layer handle"),
    ('copied callback', BROKEN, 'pfnSetErrorCb: the driver kept a copy of the entry'),
    ('copied kernel callback', BROKEN, 'pfnRenderCb: the driver kept a copy of the entry'),
    ('beyond the table', BROKEN, "access beyond the device's table, or where it was before it moved", TEN),
    ('wrong member', BROKEN, "access beyond the adapter's table, or where it was before it moved"),
    ('other member', BROKEN, "the adapter's table: the driver left entry 3 as it was"),
    ('old table', BROKEN, "access beyond the device's table, or where it was before it moved"),
    ('no Flush', BROKEN, "the device's table: entry 48 is null"),
    ('no Flush', 0, 'the driver has no Flush', LAX),
    ('seven functions of DXGI', BROKEN, 'the table of DXGI: entry 7 is null'),
    ('unfilled functions of DXGI', BROKEN, 'the table of DXGI: the driver left entry 7 as it was'),
    ('unfilled functions of DXGI', 0, 'the table of DXGI: the driver left entry 7 as it was', LAX),
    ('memory for versions', 0, ''),
    ('list of any length', BROKEN, 'GetSupportedVersions with room for too few gave 0x00000000'),
    ('long object', BROKEN, 'DestroyResource: the driver wrote behind its memory'),
    ('no amortized processing', BROKEN, 'Flush submitted without a call of pfnPerformAmortizedProcessingCb'),
    ('early answer', BROKEN, 'QueryGetData wrote byte 0, and its result has 0'),
    ('false event', BROKEN, 'QueryGetData of an event that is done gave 0'),
    ('no pointer', BROKEN, 'a map gave no pointer and no error'),
    ('control words', BROKEN, 'Draw changed the floating-point control words from 037f'),
    ('no present', BROKEN, 'Present called pfnPresentCb 0 times'),
    ('other context', BROKEN, 'pfnPresentCb with another pDXGIContext than Present had'),
    ('left context', BROKEN, 'DestroyDevice left 1 contexts'),
    ('odd format', BROKEN, 'CheckFormatSupport of format 2: 0x11f'),
    ('levels with gaps', BROKEN, 'pipeline levels 0x5: one without those below it'),
    ('long answer', BROKEN, 'GetCaps 130 writes behind the 4 bytes of its answer'),
    ('nothing shared', BROKEN, 'CreateResource of a shared resource allocated nothing'),
    ('primary of a texture', BROKEN, 'pfnAllocateCb: a primary for a resource that is none'),
    ("lock of another's", BROKEN, 'pfnLockCb of a shared allocation that somebody else created'),
    ('late', 0, ''),
    ('late primary', BROKEN, 'DestroyResource left the allocations of a primary'),
    ('no scanout', 0, ''),
    ('no scanout without a word', BROKEN, 'CreateResource of a primary gave 0x887b0002 and driver flags 0x0'),
    ('no display mode', BROKEN, 'SetDisplayMode called pfnSetDisplayModeCb 0 times'),
    ('mode of a texture', BROKEN, 'pfnSetDisplayModeCb: the allocation is no primary'),
    ('flip of a texture', BROKEN, 'pfnPresentCb: a flip to an allocation that is no primary'),
    ('never', BROKEN, 'Flush left the allocations of a resource that was destroyed'),
    ('refuse device', 1, 'CreateDevice of the driver, interface 0xb000a, gave 0x8007000e'),
]


def windows(path):
    return 'Z:' + os.path.abspath(path).replace('/', '\\')


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    command = [os.path.abspath(sys.argv[1])] + [windows(path) for path in sys.argv[2:]]
    try:
        wine.template()
    except Failure as failure:
        print('skipped: %s' % failure)
        return 77
    right = True
    with wine.temporary_prefix('null') as prefix:
        env = dict(os.environ, **wine.environment(prefix, overrides='services.exe=;d3d10core,d3d11,dxgi=n'))
        env.update(AEROGPU_D3D11_STRICT='1', AEROGPU_D3D11_LOG='', AEROGPU_D3D11_HOSTILE='1')
        try:
            code, text = wine.run(command, env, LIMIT)
            print(text, end='')
            right = code == 0 and text.count('\nok ') > 10
            for how, expected, said, *variables in MISBEHAVIOUR:
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
