# SPDX-License-Identifier: MIT
"""What a function of Wine's tests said, and whether it is worse than with Wine's own Direct3D (wined3d).

Worse is: it does not end, or crashes; a source line misses more checks than with wined3d; fewer checks run; more is skipped.
A check counts as missed whether it is marked todo_wine or not: the mark is about wined3d, so only wined3d's result
says what it is worth."""
import collections
import dataclasses
import json
import os
import re

from aerogpu_build import Failure
from wine_d3d9_build import OURS

WINED3D = os.path.join(OURS, 'wined3d.json')
KNOWN = os.path.join(OURS, 'known_failures.txt')
_MESSAGE = re.compile(r'^(\w+\.[ch]:\d+): (Test failed|Test marked todo|Tests skipped): (.*)$')
_SUMMARY = re.compile(r'^[0-9a-f]{4}:\w+: (\d+) tests executed \((\d+) marked as todo, (?:(\d+) as flaky, )?'
                      r'(\d+) failures?\), (\d+) skipped\.$', re.M)
_OF_DRIVER = re.compile(r'^aerogpu-d3d9: (the driver broke a rule: .*)$', re.M)


@dataclasses.dataclass
class Result:
    """Of one function. `end` is empty, or how it ended before its end; `missed` counts checks by FILE:LINE."""
    end: str = ''
    checks: int = 0
    skipped: int = 0
    missed: dict[str, int] = dataclasses.field(default_factory=dict)
    said: list[str] = dataclasses.field(default_factory=list)
    seconds: float = 0


def parse(text: str, code: int | None) -> Result:
    """From what the program said, and its exit code, None when it was ended."""
    missed: collections.Counter[str] = collections.Counter()
    result = Result()
    for line in text.split('\n'):
        found = _MESSAGE.match(line)
        if not found:
            continue
        if found[2] == 'Tests skipped':
            result.said.append(line)
            continue
        missed[found[1]] += 1
        if len(result.said) < 40:
            result.said.append(line)
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
        result.checks, result.skipped = int(summary[1]), int(summary[5])
    return result


def worse(now: Result, wined3d: Result) -> str:
    """What is worse than with wined3d, or nothing."""
    notes = [now.end] if now.end and not wined3d.end else []
    lines = {line: count - wined3d.missed.get(line, 0) for line, count in now.missed.items()}
    more = sorted((line for line, count in lines.items() if count > 0), key=lambda line: (-lines[line], line))
    if more:
        notes.append('misses ' + ', '.join('%s x%d' % (line, lines[line]) for line in more[:6]) +
                     (' and %d more lines' % (len(more) - 6) if len(more) > 6 else ''))
    if now.checks < wined3d.checks and not now.end:
        notes.append('%d checks, not %d' % (now.checks, wined3d.checks))
    if now.skipped > wined3d.skipped:
        notes.append('skips %d, not %d' % (now.skipped, wined3d.skipped))
    return '; '.join(notes)


def write_baseline(results: dict[str, Result]) -> None:
    """Records what wined3d does; functions that were not run keep what they had."""
    kept = read_baseline() if os.path.exists(WINED3D) else {}
    kept.update(results)
    lines = []
    for name in sorted(kept):
        one = {key: value for key, value in dataclasses.asdict(kept[name]).items()
               if value and key in ('end', 'checks', 'skipped', 'missed')}
        lines.append('%s: %s' % (json.dumps(name), json.dumps(one, sort_keys=True)))
    with open(WINED3D, 'w') as file:
        file.write('{\n%s\n}\n' % ',\n'.join(lines))


def read_baseline() -> dict[str, Result]:
    with open(WINED3D) as file:
        return {name: Result(**one) for name, one in json.load(file).items()}


def read_known() -> dict[str, str]:
    """The functions that are worse, and why: lines of FILE/FUNCTION: REASON."""
    known: dict[str, str] = {}
    with open(KNOWN) as file:
        for number, line in enumerate(file, 1):
            if line.startswith('#') or not line.strip():
                continue
            name, colon, reason = line.strip().partition(': ')
            if not colon or not reason or name in known:
                raise Failure('%s:%d: not FILE/FUNCTION: REASON, or there twice' % (KNOWN, number))
            known[name] = reason
    return known
