# SPDX-License-Identifier: MIT
"""Runs Direct3D 10 and 11 programs on Mesa's user-mode driver of Direct3D 10 (scripts/build-mesa-d3d10umd) in place of ours,
under our d3d10core.dll, d3d11.dll and dxgi.dll: what the runtime does and the DDI does not say shows with a driver of
others. That driver renders with the processor, has level 10_0, and makes no kernel calls. It breaks rules, so these are
only logged here; one that is not known fails. Output is TAP.

usage: scripts/run-mesa-d3d10umd [--no-build] [PROGRAM...]
  --no-build    builds neither that driver nor our stack
  PROGRAM       runs only these programs"""
import os
import re
import subprocess
import sys

from aerogpu_build import BUILD, ROOT, Failure
import d3d9_stack
from tap_report import Report
import wine

DRIVER = os.path.join(BUILD, 'mesa-d3d10umd', 'd3d10sw.dll')
# Programs, and how they fail on that driver: a regular expression that finds each line that says so, as often as the
# number says; None for those that pass.
PROGRAMS = {
    'triangle11': None,
    'scene11': ('^first target: 9 of 76800 pixels differ', 1),  # softpipe: pixels along an edge
    'buffers11': ('^not ok resolve$', 1),           # softpipe has no four samples, which level 10_0 does not demand
    'deferred11': None,
    'shapes11': ('^not ok buffer views$', 1),       # softpipe clamps to a view's last element where 0 is to be read
    'quad10': None,
    'state11': ('^state11: CreateBlendState failed: 0x80070057', 1),  # wants level 10_1
    'direct2d10': ('^Assertion failed: mach->CondStackTop < TGSI_EXEC_MAX_COND_NESTING', 1),  # its UIF have no target
}
# Rules that it breaks.
KNOWN_RULES = [
    'CreateDevice made no context',
    'the table of DXGI: the driver left entry 7 as it was',  # ResolveSharedResource
    'Present called pfnPresentCb 0 times',                   # it paints into the window
]


def judge(name, code, lines):
    """Returns what is wrong with how a program ended and what it said, or ''."""
    expected = PROGRAMS[name]
    if not expected:
        return '' if code == 0 and '%s: ok' % name in lines else 'ended with %d: %s' % (code, '; '.join(lines[-6:]))
    if code == 0:
        return 'passes now; its entry can go'
    found = [line for line in lines if re.search(expected[0], line)]
    others = [line for line in lines if line.startswith('not ok') and line not in found]
    if len(found) != expected[1] or others:
        return 'fails in another way, with %d: %s' % (code, '; '.join(lines[-6:]))
    return ''


def unknown_rules(log):
    """Returns the broken rules in a log that are not known, or ''."""
    if not os.path.exists(log):
        return ''
    with open(log, errors='replace') as file:
        rules = set(re.findall(r'the driver broke a rule: (.*)', file.read()))
    return '; '.join(sorted(rules - set(KNOWN_RULES)))


def run(names):
    report, passing = Report(), 0
    with d3d9_stack.Stack({'umd10': DRIVER}, strict=False, d3d11=True) as stack:
        for name in names:
            log = os.path.join(stack.folder.name, name + '.log')
            stack.for_programs = {'AEROGPU_D3D11_LOG': 'Z:' + log.replace('/', '\\')}
            program = stack.start(d3d9_stack.program(name))
            program.release()
            try:
                code = program.wait()
                passing += code == 0
                program.lines.wait('(?!)', 5)  # its last lines come a little later
                report.point(name, judge(name, code, program.lines.text().splitlines()) or unknown_rules(log))
            except Failure as failure:
                report.point(name, str(failure))
            stack.check_alive(name)
        report.stop(stack)
    report.note('%d of %d programs pass' % (passing, len(names)))
    report.end()
    return 1 if report.failed else 0


def main():
    if '-h' in sys.argv or '--help' in sys.argv:
        print(__doc__)
        return 0
    names = [word for word in sys.argv[1:] if word != '--no-build']
    for name in names:
        if name not in PROGRAMS:
            raise Failure("'%s' is none of %s" % (name, ', '.join(PROGRAMS)))
    wine.check_wine()
    if '--no-build' not in sys.argv:
        builds = [os.path.join(ROOT, 'scripts', 'build-mesa-d3d10umd')]
        if subprocess.run(builds, stdin=subprocess.DEVNULL, check=False).returncode:
            raise Failure('scripts/build-mesa-d3d10umd failed')
        d3d9_stack.build(d3d11=True)
    return run(names or list(PROGRAMS))
