#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the text of each rule of docs/abi/ with its recorded one, since an anchor keeps its meaning for ever
(docs/abi/README.md says what an anchor is, and what a change of meaning is).

usage: check_rule_texts.py [--record ANCHOR]... ROOT
  --record   records the text of this rule: a new one, one that says the same in other words, or a withdrawn one

rules.txt has a line for each anchor: a hash of the rule's words, and one of its names and numbers (names are words in
capitals: packets, error codes, registers). Other words for the same rule keep its names and numbers, so --record
refuses a recorded rule whose names or numbers are others. Tables belong to no rule; other tests compare these.

Fails when a rule has no line, when its words or its names and numbers are others than recorded, when a recorded anchor
is neither a rule nor in withdrawn.md, and when a withdrawn anchor is a rule again.
"""
import argparse
import hashlib
import pathlib
import re
import sys

RULE = re.compile(r'- \*\*([A-Z]+-\d+)\.\*\* ?(.*)')
WITHDRAWN = re.compile(r'^\| ([A-Z]+-\d+) \|', re.M)
ANCHOR = re.compile(r'\b[A-Z]{2,8}-\d+\b')
NAME = re.compile(r'\b(?:[A-Z][A-Z0-9]*[A-Z0-9_]+|\d[\w^]*(?:\.\d+)?)\b')
NO_NAMES = {'CPU', 'GPU'}
HEAD = """\
# SPDX-License-Identifier: MIT
# The recorded rules, which check_rule_texts.py compares with the pages: anchor, hash of the words, hash of the names
# and numbers.
"""


def rules(folder):
    """Returns {anchor: text} of the pages in `folder`."""
    found, current = {}, None
    for page in sorted(folder.glob('*.md')):
        blank = False
        for line in page.read_text().splitlines() + ['#']:
            if m := RULE.match(line):
                current, blank = m[1], False
                found[current] = [m[2]]
            elif not line.strip():
                blank = True
            elif current and line[0] not in '#|<' and not line.startswith('- ') and (not blank or line[0] == ' '):
                found[current].append(line.strip())
            else:
                current = None
    return {anchor: ' '.join(' '.join(lines).split()) for anchor, lines in found.items()}


def short_hash(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def fingerprint(text):
    """Returns the hashes of the text's words, and of its names and numbers. Citations count as neither."""
    text = ANCHOR.sub('', text)
    words = re.sub(r'[^\w^]+', ' ', text).lower()
    return short_hash(words), short_hash(' '.join(sorted(set(NAME.findall(text)) - NO_NAMES)))


def recorded(path):
    """Returns {anchor: [words, names]}; a withdrawn one has None."""
    lines = [line.split() for line in path.read_text().splitlines() if line and not line.startswith('#')]
    return {anchor: None if rest == ['withdrawn'] else tuple(rest) for anchor, *rest in lines}


def compare(now, withdrawn, then):
    """Yields what is wrong."""
    for anchor in sorted({*now, *then, *withdrawn}):
        if anchor in withdrawn:
            if anchor in now:
                yield f'{anchor} is withdrawn, and is a rule again: a new rule takes the next number of its subject'
            elif then.get(anchor, ()) is not None:
                yield f'{anchor} is withdrawn now: record that with --record {anchor}'
        elif anchor not in now:
            yield f'{anchor} is no rule any more: withdrawn.md lists it, with the reason'
        elif anchor not in then:
            yield f'{anchor} is new: record it with --record {anchor}'
        elif then[anchor] is None:
            yield f'{anchor} was withdrawn once: withdrawn.md keeps it, and the rule takes another number'
        elif fingerprint(now[anchor])[1] != then[anchor][1]:
            yield (f'{anchor} has other names or numbers than recorded, so it says something else: this rule takes '
                   f'the next number of its subject, and withdrawn.md lists {anchor}')
        elif fingerprint(now[anchor])[0] != then[anchor][0]:
            yield f'{anchor} has other words than recorded: if they mean the same, record them with --record {anchor}'


def record(anchors, now, withdrawn, then):
    """Changes the lines of `anchors` in `then`. Returns what is refused."""
    refused = []
    for anchor in anchors:
        if anchor in withdrawn and anchor not in now:
            then[anchor] = None
        elif anchor not in now:
            refused.append(f'{anchor} is no rule')
        elif anchor in then and (then[anchor] is None or then[anchor][1] != fingerprint(now[anchor])[1]):
            refused.extend(compare({anchor: now[anchor]}, withdrawn, {anchor: then[anchor]}))
        else:
            then[anchor] = fingerprint(now[anchor])
    return refused


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--record', action='append', default=[])
    parser.add_argument('root', type=pathlib.Path)
    arguments = parser.parse_args()
    folder = arguments.root / 'docs/abi'
    path = folder / 'test/rules.txt'
    now = rules(folder)
    withdrawn = set(WITHDRAWN.findall((folder / 'withdrawn.md').read_text()))
    then = recorded(path)
    problems = record(arguments.record, now, withdrawn, then)
    if arguments.record and not problems:
        order = sorted(then, key=lambda a: (a.rsplit('-', 1)[0], int(a.rsplit('-', 1)[1])))
        path.write_text(HEAD + ''.join(f'{a} {" ".join(then[a] or ["withdrawn"])}\n' for a in order))
    problems = problems or list(compare(now, withdrawn, then))
    if problems:
        sys.exit('\n'.join(problems))
    print(f'{len(now)} rules are as recorded, {len(withdrawn)} are withdrawn')


if __name__ == '__main__':
    main()
