# SPDX-License-Identifier: MIT
"""Splits a file of Wine's tests into cases that run one by one: its START_TEST calls a test function only if chosen()
(choose.h) is true for the case's name.

Most cases are a function. A function that START_TEST runs several times is several cases, with what differs behind an @:
`test_fl9_draw@9_1` for a feature level, `test_clip@d3d10` and `test_clip@d3d11` for a device of Direct3D 10.1 and 11.
Functions that are queued for one thread per processor are called at once, by the only thread."""
import re
from collections.abc import Iterable

from aerogpu_build import Failure

LEVELS = ('9_1', '9_2', '9_3', '10_0', '10_1', '11_0', '11_1')
# What START_TEST calls that is no test: the first makes a device which no test uses, the second makes the threads.
_LEFT_OUT = ('print_adapter_info', 'run_queued_tests')
_ABSENT = ('run_on_d3d12',)  # Windows 7 has no Direct3D 12
_CALL = re.compile(r'^([ \t]+)(\w+)\(([\w\s,]*)\);', re.M)
_DRAW = re.compile(r'IDirect3DDevice[89](?:Ex)?_Draw(?:Indexed)?(?:Primitive|RectPatch|TriPatch)(?:UP)?\(|'
                   r'ID3D1(?:0Device1?|1DeviceContext)_D(?:raw|ispatch)\w*\(|'
                   r'ID2D1\w+_(?:Draw(?:Bitmap|Ellipse|Geometry|Glyph|Line|Rect|Rounded|Text)|Fill)\w*\(')


def _levels(call: str, arguments: list[str]) -> tuple[str, ...]:
    """Returns the feature levels that a queue_for_each_... runs a test for."""
    first, last = LEVELS[0], LEVELS[-1]
    if '9_x' in call:
        last = '9_3'
    elif arguments:
        first, last = (argument.removeprefix('D3D_FEATURE_LEVEL_') for argument in arguments)
    return LEVELS[LEVELS.index(first):LEVELS.index(last) + 1]


def _cases(call: str, arguments: list[str], tests: dict[str, str]) -> list[tuple[str, str]] | None:
    """Returns the cases of a statement `call(arguments);` of START_TEST as (name, statements); None if it runs no test.
    `tests`: {function of the file: its parameters}."""
    if not arguments:
        return [(call, call + '();')] if tests.get(call) == 'void' else None
    *options, function = arguments
    if function not in tests:
        return None
    if call.startswith('queue_for_each_'):
        return [('%s@%s' % (function, level), 'winetest_push_context("Feature level %s"); %s(D3D_FEATURE_LEVEL_%s); '
                 'winetest_pop_context();' % (level, function, level)) for level in reversed(_levels(call, options))]
    if call == 'run_on_d3d10':
        return [(function + '@d3d10', 'run_on_d3d10(%s);' % function)]
    if call == 'queue_test' and tests[function] == 'void':
        return [(function, function + '();')]
    devices = {'queue_test': ('FALSE', 'TRUE'), 'queue_d3d10_test': ('FALSE',)}.get(call, ())
    return [('%s@d3d1%d' % (function, eleven == 'TRUE'), '%s(%s);' % (function, eleven)) for eleven in devices] or None


def split(text: str, name: str) -> tuple[str, list[str]]:
    """Changes a test file so that START_TEST runs only chosen cases; returns the new text, and the names of the cases in
    order."""
    begin = re.search(r'^START_TEST\(%s\)\n\{\n' % re.escape(name), text, re.M)
    end = text.find('\n}\n', begin.end()) if begin else -1
    if not begin or end < 0:
        raise Failure("%s.c has no START_TEST: this is not the Wine that is known" % name)
    tests = dict(re.findall(r'^static void (\w+)\(([^()]*)\)\n\{', text, re.M))
    found: list[str] = []

    def choose(match: re.Match[str]) -> str:
        lines = '\n' * match[0].count('\n')
        if match[2] in _LEFT_OUT + _ABSENT:
            return match[1] + ';' + lines
        cases = _cases(match[2], [word.strip() for word in match[3].split(',') if word.strip()], tests)
        if cases is None:
            return match[0]
        found.extend(case for case, _ in cases)
        return match[1] + ' '.join('if (chosen("%s")) { %s }' % case for case in cases) + lines

    body = _CALL.sub(choose, text[begin.end():end])
    if not found or len(found) != len(set(found)):
        raise Failure('START_TEST of %s.c calls nothing, or a function twice' % name)
    line = text.count('\n', 0, begin.start()) + 1
    return '#line 1 "%s.c"\n%s#include "choose.h"\n#line %d "%s.c"\n%sSetUnhandledExceptionFilter(say_crash);\n#line %d\n%s%s' % (
        name, text[:begin.start()], line, name, begin.group(0), line + 2, body, text[end:]), found


def drawing(text: str, names: Iterable[str]) -> set[str]:
    """Returns those cases of a file's source whose function draws, itself or in functions of the file that it calls. A
    clear, a copy and a present are no draw: most tests of reference counts and refusals make some."""
    bodies = {found[1]: found[2] for found in re.finditer(r'^[\w *]*?\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}', text, re.M | re.S)}
    bodies.update(re.findall(r'^#define (\w+)\([^)]*\) (\w+\(.*)', text, re.M))
    draws = {name for name, body in bodies.items() if _DRAW.search(body)}
    calls = {name: set(re.findall(r'\b(\w+)\(', body)) & set(bodies) for name, body in bodies.items()}
    while more := {name for name, called in calls.items() if called & draws} - draws:
        draws |= more
    return {name for name in names if name.split('@')[0] in draws}
