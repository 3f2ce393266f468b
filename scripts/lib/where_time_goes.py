# SPDX-License-Identifier: MIT
"""Prints a table of where the time of scripts/run-tests went.

usage: where_time_goes.py BUILD-FOLDER

Reads logs/times.tsv (a line for each step: seconds, title; common.sh writes it), .ninja_log of the build folders for
the shares of compiling, and meson's logs for the longest tests. The time of each compiler process is elapsed time; as
many run at once as there are processors."""
import json
import os
import re
import sys

LONGEST = 6  # number of tests named per suite


def steps(build):
    with open(os.path.join(build, 'logs', 'times.tsv'), encoding='utf-8') as file:
        for line in file:
            seconds, title = line.rstrip('\n').split('\t', 1)
            yield title, int(seconds)


def kind(output):
    """Returns the category of a file that ninja made."""
    if output.endswith(('.exe', '.dll', '.sys')) or re.search(r'/x(64|86)-[^/]*\.o$', output):
        return 'Windows code'
    if '/test/' in output or '-test' in output or output.startswith('tests-qtest/'):
        return 'tests'
    if output.startswith('testbed/'):
        return "Windows' stand-in"
    return 'product'


def compiled(build):
    """Returns {category: seconds} of a build folder's outputs, each with the time of its last build."""
    newest = {}
    try:
        with open(os.path.join(build, '.ninja_log'), encoding='utf-8') as file:
            next(file)
            for line in file:
                begin, end, _, output, _ = line.rstrip('\n').split('\t')
                newest[output] = (int(end) - int(begin)) / 1000
    except FileNotFoundError:
        return {}
    sums = {}
    for output, seconds in newest.items():
        sums[kind(output)] = sums.get(kind(output), 0) + seconds
    return sums


def longest_tests(build, title):
    path = os.path.join(build, 'meson-logs', 'test-%s.json' % title.replace(' ', '-'))
    try:
        with open(path, encoding='utf-8') as file:
            tests = [json.loads(line) for line in file]
    except FileNotFoundError:
        return []
    return sorted(((test['duration'], test['name']) for test in tests), reverse=True)[:LONGEST]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = sys.argv[1]
    rows, total = list(steps(build)), 0
    print('| step | seconds | of which |')
    print('| --- | --- | --- |')
    for title, seconds in rows:
        total += seconds
        details = ''
        if found := re.fullmatch(r'build (\S+)', title):
            folder = build if found[1] == os.path.basename(build) else os.path.join(build, found[1])
            sums = sorted(compiled(folder).items(), key=lambda pair: -pair[1])
            whole = sum(seconds for _, seconds in sums) or 1
            details = ', '.join('%s %d %%' % (name, round(100 * part / whole)) for name, part in sums)
        elif found := re.fullmatch(r'test: (.*)', title):
            folder = os.path.join(build, 'sanitize') if found[1] == 'sanitizers' else build
            details = ', '.join('%s %d' % (name, round(duration)) for duration, name in longest_tests(folder, found[1]))
        print('| %s | %d | %s |' % (title, seconds, details))
    print('| all | %d | |' % total)


if __name__ == '__main__':
    main()
