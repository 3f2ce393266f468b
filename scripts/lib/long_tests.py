# SPDX-License-Identifier: MIT
"""Writes and checks the table of the last long tests in docs/develop/testing.md, for run-long-tests and run-tests.

usage: long_tests.py record PART SECONDS RAN FAILURES
       long_tests.py check
       long_tests.py parts      prints the parts' names, in the order in which they run

record writes the row of PART: HEAD's commit, today's date, the duration, what ran, the failures. It refuses while a
tracked file other than the page differs from HEAD, since the row names the commit that was tested.

check fails if the last run of a part had failures, or if no part has a row. It only warns of a part without a row, of
one whose row is more than 200 commits old or of another history, and of one whose age a shallow clone cannot tell."""
import datetime
import os
import re
import subprocess
import sys

PARTS = ('oracles', 'moved', 'rows', 'stress', 'states', 'migration', 'backports', 'calls', 'fuzz', 'hostile',
         'threads', 'apart', 'tidy', 'wine', 'programs', 'saves', 'restarts', 'moves', 'sharing', 'packages')
MOST_COMMITS = 200
PAGE = 'docs/develop/testing.md'
BEGIN = '<!-- long tests: rows are written by scripts/run-long-tests -->\n'
END = '<!-- end of the long tests -->\n'
HEADER = '| part | commit | date | duration | ran | failures |\n| --- | --- | --- | --- | --- | --- |\n'


class Failure(Exception):
    """An error that the user has to know of; its text is the whole message."""


def git(root, *arguments):
    """Runs git; returns its output, and whether it succeeded."""
    done = subprocess.run(['git', '-C', root, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode().strip(), done.returncode == 0


def split(text):
    """Splits the page; returns the text before the table, {part: list of its row's cells}, and the text after the
    table."""
    try:
        before, rest = text.split(BEGIN)
        table, after = rest.split(END)
    except ValueError:
        raise Failure('%s has no table of long tests' % PAGE)
    rows = {}
    for line in table.splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip().strip('|').split('|')]
        if len(cells) != 6 or not re.fullmatch('[0-9a-f]{7,40}', cells[1]) or not cells[5].isdigit():
            raise Failure('%s: "%s" is no row of the long tests' % (PAGE, line))
        rows[cells[0]] = cells
    return before, rows, after


def read(root):
    with open(os.path.join(root, PAGE)) as file:
        return split(file.read())


def duration(seconds):
    return '%d min %02d s' % divmod(seconds, 60)


def record(root, part, seconds, ran, failures):
    if part not in PARTS:
        raise Failure('there is no part "%s" of the long tests' % part)
    changed, known = git(root, 'status', '--porcelain', '--untracked-files=no', '--', '.', ':!' + PAGE)
    if not known or changed:
        raise Failure('the result is not recorded: files differ from the last commit')
    commit, _ = git(root, 'rev-parse', '--short=12', 'HEAD')
    before, rows, after = read(root)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    ran = ' '.join(ran.replace('|', ' ').split())  # one cell of one line
    rows[part] = [part, commit, today, duration(int(seconds)), ran, str(int(failures))]
    table = ''.join('| %s |\n' % ' | '.join(rows[name]) for name in PARTS if name in rows)
    with open(os.path.join(root, PAGE), 'w') as file:
        file.write(before + BEGIN + HEADER + table + END + after)


def age(root, commit):
    """Returns how many commits HEAD is ahead of `commit`, or a text that says why this is not known."""
    shallow = git(root, 'rev-parse', '--is-shallow-repository')[0] != 'false'
    there = git(root, 'cat-file', '-e', commit + '^{commit}')[1]
    if there and git(root, 'merge-base', '--is-ancestor', commit, 'HEAD')[1]:
        return int(git(root, 'rev-list', '--count', '%s..HEAD' % commit)[0])
    if shallow:
        return 'the history is shallow, so the age of their last run at %s cannot be told' % commit
    return 'ran at %s, which is not a commit that this one comes from' % commit


def check(root):
    """Returns a line for each part, and whether the check passes."""
    _, rows, _ = read(root)
    lines, good = [], bool(rows)
    for part in PARTS:
        if part not in rows:
            lines.append('warning: long tests, %s: not run yet; scripts/run-long-tests %s' % (part, part))
            continue
        commit, failures = rows[part][1], int(rows[part][5])
        commits = age(root, commit)
        if failures:
            lines.append('long tests, %s: %d failures at %s; scripts/run-long-tests %s' % (part, failures, commit, part))
            good = False
        elif isinstance(commits, str):
            lines.append('warning: long tests, %s: %s' % (part, commits))
        elif commits > MOST_COMMITS:
            lines.append('warning: long tests, %s: ran %d commits ago, at %s; scripts/run-long-tests %s'
                         % (part, commits, commit, part))
        else:
            lines.append('long tests, %s: ran %d commits ago' % (part, commits))
    return lines, good


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        if sys.argv[1:2] == ['record'] and len(sys.argv) == 6:
            record(root, *sys.argv[2:])
        elif sys.argv[1:] == ['parts']:
            print('\n'.join(PARTS))
        elif sys.argv[1:] == ['check']:
            lines, good = check(root)
            print('\n'.join(lines))
            return 0 if good else 1
        else:
            sys.exit(__doc__)
    except Failure as failure:
        print('long_tests.py: error: %s' % failure, file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
