# SPDX-License-Identifier: MIT
"""Reads what a function of Wine's tests printed, and compares it with the recorded result of Wine's own Direct3D
(wined3d).

A result is worse if the function does not end well (a crash, the time limit, a rule broken by the driver and the like)
and with wined3d it does, if more checks of a source line fail, if fewer checks hold, or if more checks are skipped and
not more hold: where wined3d skips nearly all of a function, it never comes to the skips of the rest. One kind of checks
is not counted, in whatever function it is: those of EnumAdapterModes, which run once for each display
mode. A failed check counts whether it is marked todo_wine or not: the mark describes wined3d, whose recorded result says
the same."""
import collections
import dataclasses
import json
import os
import re

from aerogpu_build import Failure
from wine_test_build import COMPILERS, Suite

# A few messages lack their line end.
_MESSAGE = re.compile(r'(\w+\.[ch]:\d+): (Test failed|Test marked todo|Tests skipped): (.*?)(?=\w+\.[ch]:\d+: |$)')
_SUCCESS = re.compile(r'^\w+\.[ch]:(\d+): Test succeeded$', re.M)
_SUMMARY = re.compile(r'^[0-9a-f]{4}:\w+: (\d+) tests executed \((\d+) marked as todo, (?:(\d+) as flaky, )?'
                      r'(\d+) failures?\), (\d+) skipped\.$', re.M)
_OF_DRIVER = re.compile(r'^aerogpu-d3d\d+: (the driver broke a rule: .*)$', re.M)


@dataclasses.dataclass
class Result:
    """Result of one test function. `end`: empty, or what went wrong besides checks, such as a crash. `checks`: how many
    ran; `skipped`: how many messages of skipped checks; `missed`: {FILE:LINE: how many checks there failed}; `said`:
    messages."""
    end: str = ''
    checks: int = 0
    skipped: int = 0
    missed: dict[str, int] = dataclasses.field(default_factory=dict)
    said: list[str] = dataclasses.field(default_factory=list)
    seconds: float = 0


def parse(text: str, code: int | None, uncounted: set[int]) -> Result:
    """Makes a Result of a program's output and exit code (None: it was killed at the time limit). Successful checks at
    the lines `uncounted` are not counted."""
    missed: collections.Counter[str] = collections.Counter()
    result = Result()
    for line in text.split('\n'):
        for found in _MESSAGE.finditer(line):
            if found[2] != 'Tests skipped':
                missed[found[1]] += 1
            if found[2] == 'Tests skipped' or len(result.said) < 40:
                result.said.append(found[0])
    result.missed = dict(missed)
    summary = _SUMMARY.search(text)
    crash = re.search(r'^crash: .*$', text, re.M)
    rule = _OF_DRIVER.search(text)
    if crash:
        result.end = crash[0]
    elif code is None:
        result.end = 'did not end'
    elif not summary:
        result.end = 'ended with %d and no summary: %s' % (code, (text.strip().split('\n') or [''])[-1])
    if rule:
        result.end = rule[1]
    if summary:
        result.checks = int(summary[1]) - sum(int(line) in uncounted for line in _SUCCESS.findall(text))
        result.skipped = int(summary[5])
    return result


def worse(now: Result, wined3d: Result) -> str:
    """Returns what is worse than with wined3d, or ''."""
    notes = [now.end] if now.end and not wined3d.end else []
    lines = {line: count - wined3d.missed.get(line, 0) for line, count in now.missed.items()}
    more = sorted((line for line, count in lines.items() if count > 0), key=lambda line: (-lines[line], line))
    if more:
        notes.append('misses ' + ', '.join('%s x%d' % (line, lines[line]) for line in more[:6]) +
                     (' and %d more lines' % (len(more) - 6) if len(more) > 6 else ''))
    held, wanted = (one.checks - sum(one.missed.values()) for one in (now, wined3d))
    if held < wanted and not more and not now.end:
        notes.append('%d checks hold, not %d' % (held, wanted))
    if now.skipped > wined3d.skipped and held <= wanted:
        notes.append('skips %d, not %d' % (now.skipped, wined3d.skipped))
    return '; '.join(notes)


def _recorded(result: Result) -> dict:
    return {key: value for key, value in dataclasses.asdict(result).items()
            if value and key in ('end', 'checks', 'skipped', 'missed')}


def known_file(suite: Suite) -> str:
    return os.path.join(suite.folder, 'known_failures.txt')


def _baseline_file(suite: Suite, arch: str) -> str:
    return os.path.join(suite.folder, 'wined3d.json' if arch == suite.archs[0] else 'wined3d-%s.json' % arch)


def write_baseline(suite: Suite, arch: str, results: dict[str, Result]) -> None:
    """Records wined3d's results; functions without a new result keep the old one. For x86 only results that differ from
    those of x64, if there are any, are written."""
    kept = _read(suite, arch)
    kept.update(results)
    base = _read(suite, suite.archs[0]) if arch != suite.archs[0] else {}
    lines = ['%s: %s' % (json.dumps(name), json.dumps(_recorded(kept[name]), sort_keys=True)) for name in sorted(kept)
             if name not in base or _recorded(kept[name]) != _recorded(base[name])]
    with open(_baseline_file(suite, arch), 'w') as file:
        file.write('{\n%s\n}\n' % ',\n'.join(lines))


def _read(suite: Suite, arch: str) -> dict[str, Result]:
    path = _baseline_file(suite, arch)
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return {name: Result(**one) for name, one in json.load(file).items()}


def read_baseline(suite: Suite, arch: str) -> dict[str, Result]:
    """Returns {function: wined3d's recorded result}."""
    return {**_read(suite, suite.archs[0]), **_read(suite, arch)}


def read_known(suite: Suite, arch: str) -> dict[str, str]:
    """Returns {function: reason} of the functions that are known to be worse. Lines of the file are FILE/FUNCTION:
    REASON, or FILE/FUNCTION x86: REASON (or x64) if only programs of that architecture are worse."""
    known: dict[str, str] = {}
    with open(known_file(suite)) as file:
        for number, line in enumerate(file, 1):
            if line.startswith('#') or not line.strip():
                continue
            name, colon, reason = line.strip().partition(': ')
            name, _, only = name.partition(' ')
            if not colon or not reason or only not in ('', *COMPILERS):
                raise Failure('%s:%d: not FILE/FUNCTION: REASON' % (file.name, number))
            if only not in ('', arch):
                continue
            if name in known:
                raise Failure('%s:%d: %s is there twice' % (file.name, number, name))
            known[name] = reason
    return known
