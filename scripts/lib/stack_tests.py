# SPDX-License-Identifier: MIT
"""Runs tests that start programs on our stack: what d3d9_tests.py and d3d11_tests.py share. A test is a method of a
class with the members of StackTests; it fails by raising Failure. Output is TAP."""
import itertools
import os
import time

from aerogpu_build import Failure
import d3d9_stack
from tap_report import Report

SHOWN_LIMIT = 10  # s, until a frame that was presented is on the screen
# How much the window's channels may differ; the programs use the same values.
TOLERANCE = {'triangle': 1, 'quad': 2, 'flip': 0, 'gamma': 0, 'shared': 0, 'd3d9ex_test': 0, 'player': 1, 'dirty_regions': 0,
             'compositor': 4,  # contents, three passes of blur, three blends: each rounds
             'triangle11': 1, 'scene11': 1, 'buffers11': 0, 'deferred11': 0, 'state11': 1, 'shapes11': 0, 'streams11': 0,
             'quad10': 1, 'direct2d10': 0}


class StackTests:
    """The base of a class of tests. `pictures`: a folder for PNGs of the compared windows, or None. `arch`: architecture
    of the programs."""
    api = ''  # the beginning of the pictures' names
    # ALL runs without names; --arch both runs SHORT as x86 too, and MIXED, which has programs of both kinds. NAMED and
    # MIXED_NAMED run only when they are named. HARMING leaves an error latched. AGAIN: names of those that a run without
    # names repeats, to see what they leave.
    ALL, SHORT, MIXED, NAMED, MIXED_NAMED, HARMING, AGAIN = [], [], [], [], [], [], []

    def __init__(self, stack, report, pictures=None, arch='x64'):
        self.stack = stack
        self.report = report
        self.pictures = pictures
        self.arch = arch

    def start(self, name, *arguments, at=None, arch=None):
        """Starts a program that shows its last picture until release(). `at`: where its window opens. `arch`: the
        program's architecture if it differs from self.arch."""
        place = ['--at', '%d,%d' % at] if at else []
        return self.stack.start_shown(d3d9_stack.program(name, arch or self.arch), *place, *arguments)

    def check_window(self, program, screen=None, picture=None):
        """Waits until a program holds its last picture; compares its window on the screen with the expected picture.
        `picture`: the end of the PNG's name if it differs from the program's."""
        program.wait_line('^holding$')
        where = program.wait_line(r'^window (-?\d+),(-?\d+) (\d+)x(\d+)$')
        tolerance = TOLERANCE[program.name.removesuffix('-x86')]
        deadline = time.monotonic() + SHOWN_LIMIT
        while True:  # the last frame may still wait for its vertical blank
            seen = screen or self.stack.screen()
            wrong = seen.difference(program.expected(), int(where.group(1)), int(where.group(2)), tolerance)
            if not wrong or screen or time.monotonic() > deadline:
                break
        if self.pictures:
            self.save('%s-%s.png' % (self.api, picture or program.name), seen, *(int(number) for number in where.groups()))
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

    def look_for(self, program, name):
        """Answers a program's questions what the screen shows, until it says that it is ok, or not."""
        for number in itertools.count(1):
            asked = program.wait_line(r'^%s: (?:not )?ok$|^look %d (.*)$' % (name, number)).group(1)
            if not asked:
                break
            program.process.stdin.write(b'yes\n' if self.shows(asked) else b'no\n')
            program.process.stdin.flush()

    def shows(self, what):
        """Returns whether the screen shows all of these within some seconds: words "size=WxH" and "X,Y=RRGGBB"."""
        deadline = time.monotonic() + SHOWN_LIMIT
        while True:
            screen = self.stack.screen()
            if all(screen.shows(word) for word in what.split()):
                return True
            if time.monotonic() > deadline:
                return False

    def window(self, name, *arguments, picture=None):
        program = self.start(name, *arguments)
        self.check_window(program, picture=picture)
        self.finish(program)
        return program


# Counters of the device, and how much a round of programs may raise them. The device holds an ended context until its
# number is used again, and the count of numbers in use varies; each program has several objects.
COUNTED = {'resources': 0, 'held-objects': 4, 'errors': 0}


def _left_over(stack, tests, again, ran, arch, harmed=False):
    """Runs the tests `again`, of the class `tests`, once more with programs for `arch`; returns which of the device's
    COUNTED counters have grown too much, or ''. Those of `again` that are not in `ran`, the tests that have run, run
    once before counting: at the first present the kernel driver makes objects that stay. `harmed`: whether tests left
    an error latched."""
    def round_of_programs(several):
        for test in several:
            test(tests(stack, Report(), arch=arch))

    round_of_programs([test for test in again if test not in ran])
    before = {name: stack.counter(name) for name in COUNTED}
    round_of_programs(again)
    deadline = time.monotonic() + 20
    while True:  # a process is over when its connections are; the driver then destroys its objects
        after = {name: stack.counter(name) for name in COUNTED}
        left = ['%s: %d, before %d' % (name, after[name], before[name]) for name, more in COUNTED.items()
                if after[name] > before[name] + more]
        if after['errors'] and not harmed:
            left.append('errors: %d' % after['errors'])
        if not left or time.monotonic() > deadline:
            return '; '.join(left)
        time.sleep(0.1)


def chosen(tests, names, arch='x64'):
    """Returns [(label, test, architecture of its programs)] of the named tests of a class, or of all. `arch`
    'both' means all as x64, those of SHORT (or the named ones) as x86 too, and the tests that mix both."""
    mixed_tests = tests.MIXED + (tests.MIXED_NAMED if names else [])
    known = {test.__name__ for test in tests.ALL + tests.NAMED + (mixed_tests if arch == 'both' else [])}
    for name in names:
        if name not in known:
            mixed = any(name == test.__name__ for test in mixed_tests)
            raise Failure("the test '%s' needs --arch both" % name if mixed else
                          "there is no test '%s'; --list names them" % name)
    plan = []
    if arch != 'x86':
        plan += [(test.__name__, test, 'x64') for test in tests.ALL + (tests.NAMED if names else [])]
    if arch != 'x64':
        plan += [(test.__name__ + ' x86', test, 'x86') for test in tests.ALL if arch == 'x86' or names or test in tests.SHORT]
    if arch == 'both':
        plan += [(test.__name__, test, 'x64') for test in mixed_tests]
    return [entry for entry in plan if not names or entry[1].__name__ in names]


def run(stack, tests, names=(), pictures=None, again=None, arch='x64'):
    """Starts the stack, runs tests of a class, stops the stack; prints TAP. `again`: names of tests that then run once
    more, to see what they leave (_left_over()); without it the class' own. `arch`: x64, x86 or both. Returns 0, or 1 if
    a point failed."""
    plan = chosen(tests, names, arch)
    again = tests.AGAIN if again is None else again
    first = 'x86' if arch == 'x86' else 'x64'
    report = Report()

    def attempt(name, work):
        try:
            report.point(name, work())
        except Failure as failure:
            if stack.is_older():
                raise  # the message is complete in one line
            report.point(name, str(failure))
        stack.check_alive(name)

    with stack:
        for label, test, kind in plan:
            attempt(label, lambda test=test, kind=kind: test(tests(stack, report, pictures, kind)))
        attempt('nothing is left, no error is latched', lambda: _left_over(
            stack, tests, [test for _, test, _ in chosen(tests, again, first)] if again else [],
            [test for _, test, kind in plan if kind == first], first, any(test in tests.HARMING for _, test, _ in plan)))
        report.stop(stack)
    d3d9_stack.report_changes(report)
    report.end()
    return 1 if report.failed else 0
