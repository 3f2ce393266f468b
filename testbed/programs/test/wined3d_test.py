#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the test programs with Wine's own Direct3D (OpenGL in memory), which shows that what they expect of Direct3D
is not only our reading of it.

usage: wined3d_test.py FOLDER-OF-PROGRAMS...

Ends with 77, which meson takes for "skipped", if there is no Wine or X server."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', '..', 'scripts', 'lib'))
from aerogpu_build import Failure  # noqa: E402
import wine  # noqa: E402

LIMIT = 120  # s, a program
# Program, arguments, exit code, an expected line. Wine does not share between processes, which the program must
# report, not ignore.
RUNS = [
    ('triangle', [], 0, 'triangle: ok'),
    ('triangle', ['--ex', '--draws', '3', '--frames', '7', '--immediate'], 0, 'frames 7 in '),
    ('triangle', ['--frames', 'x'], 2, "triangle: --frames: 'x' is no number of frames"),
    ('quad', ['--frames', '150'], 0, 'quad: ok'),
    ('quad', ['--ex', '--draws', '2', '--seconds', '0.2'], 0, 'quad: ok'),
    ('quad', ['--frames', '10', '--samples', '4'], 0, 'quad: ok'),
    ('flip', ['--frames', '20'], 0, 'flip: ok'),
    ('flip', ['--ex', '--frames', '3'], 0, 'flip: ok'),
    ('readback', [], 0, 'readback: ok'),
    ('readback', ['--only', 'occlusion'], 0, 'ok occlusion'),
    ('readback', ['--ex', '--only', 'copies'], 0, 'ok copies'),
    ('readback', ['--only', 'nothing'], 2, "readback: there is no case 'nothing'"),
    ('shared', ['--alone'], 0, 'shared: ok'),
    ('shared', [], 1, 'shared: CreateTexture(shared) gave no handle: this Direct3D does not share'),
]
PROGRAMS11 = ['triangle11', 'scene11', 'buffers11', 'deferred11', 'state11', 'quad10', 'direct2d10']  # these take any driver
# These too, but wined3d fails in one case, and must in no other: it loses a volume's other slices when one is cleared.
FAULTS11 = [('shapes11', 'slice targets')]
ALONE11 = ['keyed11', 'shared11']  # these need a device that shares
ASKING = ['composition', 'd3d9ex_test', 'ddi_sanity', 'dirty_regions', 'event_queries', 'frame_pacing', 'player',
          'present_statistics', 'quad', 'query_latency', 'shared', 'sharing', 'submit_stress', 'triangle', 'vblank_pacing']


def find(folders, program):
    paths = [os.path.join(folder, program + '.exe') for folder in folders]
    return next((path for path in paths if os.path.exists(path)), paths[0])


def run(folders, env, program, arguments, code, line, lines=None, faults=None):
    ended, text = wine.run([find(folders, program)] + arguments, env, LIMIT)
    right = ended == code and any(said.startswith(line) for said in text.splitlines()) and \
        '# SKIP' not in text and (lines is None or len(text.splitlines()) == lines) and \
        (faults is None or sum(said.startswith('not ok') for said in text.splitlines()) == faults)
    print('%s %s' % ('ok' if right else 'not ok', ' '.join([program] + arguments)), flush=True)
    if not right:
        print('# ended with %d, not %d, or did not say "%s"\n# %s' % (
            ended, code, line, '\n# '.join(text.splitlines())))
    return right


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        wine.template()
    except Failure as failure:
        print('skipped: %s' % failure)
        return 77
    with wine.x_server() as display, wine.temporary_prefix('x11') as prefix:
        env = dict(os.environ, **wine.environment(prefix, display=display))
        try:
            results = [run(sys.argv[1:], env, program, ['--any-driver', *arguments], *wanted)
                       for program, arguments, *wanted in RUNS]
            results += [run(sys.argv[1:], env, program, ['--alone'], 0, program + ': ok') for program in ALONE11]
            # Programs that need aerogpu's driver report in one line that this is another one.
            results += [run(sys.argv[1:], env, program, [], 0, program + ': ok') for program in PROGRAMS11]
            results += [run(sys.argv[1:], env, program, [], 1, 'not ok ' + case, faults=1) for program, case in FAULTS11]
            results += [run(sys.argv[1:], env, program, [], 1, "%s: the driver is '" % program, lines=1)
                        for program in ASKING]
        except Failure as failure:
            sys.exit('wined3d: %s' % failure)
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
