#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that the rules (anchors) and pages that comments and pages cite exist, and that tests cite the rules
(docs/abi/README.md says what an anchor is).

usage: check_anchors.py [--uncited] ROOT
  --uncited   prints the rules that no test cites, and checks nothing

Fails when
  - two rules have the same anchor, or the numbers of a subject have a gap (those of EX may skip to a multiple of ten;
    withdrawn numbers are no gap)
  - a withdrawn anchor is cited, or withdrawn.md names a rule that does not exist
  - a cited anchor does not exist
  - no test cites a rule and untested.txt does not excuse it, or untested.txt excuses a rule that a test cites
  - untested.txt has more or fewer entries than its head says (the list may only get shorter)
  - a comment or page names a page, or a heading of a page, that does not exist
"""
import pathlib
import re
import subprocess
import sys

RULE = re.compile(r'^- \*\*([A-Z]+)-(\d+)\.\*\*', re.M)
CITED = re.compile(r'\b([A-Z]{2,8})-(\d+)\b')
WITHDRAWN = re.compile(r'^\| ([A-Z]+-\d+) \| ([A-Z]+-\d+|none) \|', re.M)
NOT_OURS = {'GPL', 'LGPL', 'RFC', 'RSA', 'SHA', 'UTF', 'EXAMPLE'}
PAGE = re.compile(r'(?<!\w)(?:\$?ROOT/)?\b((?:[\w.-]+/)*[\w-]+\.md)\b(?:\)?, "([^"\n]+)")?')
# A word for all pages tells nobody where to look.
VAGUE = re.compile(r'\bABI page\b|\bd3d9ex page\b|\b[Dd]esign, decision\b')
SOURCES = {'.c', '.h', '.cpp', '.hpp', '.py', '.S', '.psa', '.vsa', '.build', '.in', '.cmd', '.options', ''}


def tracked(root):
    listing = subprocess.run(['git', '-C', str(root), 'ls-files', '--cached', '--others', '--exclude-standard', '-z'],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    names = listing.stdout.decode().split('\0')
    if listing.returncode != 0:  # sources without their history
        names = [p.relative_to(root).as_posix() for p in root.rglob('*')]
    for name in sorted(set(filter(None, names))):
        if name.startswith('build'):
            continue
        path = root / name
        if path.is_file() and not path.is_symlink() and not name.startswith('LICENSES/'):
            if path.suffix in SOURCES | {'.md'}:
                yield name, path


def is_test(name):
    folders = name.split('/')[:-1]
    return ('test' in folders
            or name.startswith(('tests-qtest/', 'guest-drivers/programs/', 'testbed/programs/'))
            or re.search(r'_test\.\w+$', name) is not None)


def flat(text):
    """Joins the text's lines, without the marks of comments at their beginnings."""
    return re.sub(r'\s*\n[ \t]*(?:///?<?|\*(?!\*)|#|;)?[ \t]*', ' ', text)


def plain(text):
    return re.sub(r'[^a-z0-9]+', ' ', text.lower()).strip()


class Pages:
    def __init__(self, root):
        self.root = root
        self.headings = {}

    def find(self, name, citing):
        for base in (self.root, (self.root / citing).parent, self.root / 'docs', self.root / 'docs/abi'):
            if (base / name).is_file():
                return base / name
        return None

    def has_heading(self, path, heading):
        if path not in self.headings:
            found = re.findall(r'^#+ (.*)$', path.read_text(), re.M)
            self.headings[path] = [plain(h) for h in found]
        return any(plain(heading) in h for h in self.headings[path])


def rules(root, withdrawn, complain):
    """Returns {anchor: page}; complains of anchors that occur twice, and of gaps in the numbers."""
    found = {}
    for page in sorted((root / 'docs/abi').glob('*.md')):
        for subject, number in RULE.findall(page.read_text()):
            anchor = f'{subject}-{number}'
            if anchor in found:
                complain(f'docs/abi/{page.name}: {anchor} stands in {found[anchor]} already')
            found[anchor] = page.name
    for anchor, now in withdrawn.items():
        if anchor in found:
            complain(f'docs/abi/{found[anchor]}: {anchor} is withdrawn: a new rule takes the next number')
        if now != 'none' and now not in found:
            complain(f'withdrawn.md: {now}, in place of {anchor}, is no rule')
    numbers = {}
    for anchor in [*found, *withdrawn]:
        subject, number = anchor.rsplit('-', 1)
        numbers.setdefault(subject, set()).add(int(number))
    for subject, have in numbers.items():
        for n in sorted(have):
            if n > 1 and n - 1 not in have and not (subject == 'EX' and n % 10 == 0):
                complain(f'{subject}-{n - 1} is missing: numbers of a subject have no gaps')
    return found


def excuses(path, known, complain):
    """Reads the lines "ANCHOR  reason" of untested.txt; returns {anchor: reason}, and complains of wrong lines."""
    found, announced = {}, None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if m := re.fullmatch(r'# entries: (\d+)', line):
            announced = int(m[1])
        if not line.strip() or line.startswith('#'):
            continue
        anchor, _, reason = line.partition(' ')
        if anchor not in known or not reason.strip() or anchor in found:
            complain(f'{path.name}:{number}: not a rule, or without a reason, or twice')
        found[anchor] = reason.strip()
    if announced != len(found):
        complain(f'{path.name} has {len(found)} entries and announces {announced}; it may only get shorter')
    return found


def main():
    arguments = [a for a in sys.argv[1:] if a != '--uncited']
    if len(arguments) != 1 or arguments[0] in ('-h', '--help'):
        sys.exit(__doc__.rstrip())
    root = pathlib.Path(arguments[0]).resolve()
    here = pathlib.Path(__file__).resolve().relative_to(root).as_posix()
    problems = []
    withdrawn = dict(WITHDRAWN.findall((root / 'docs/abi/withdrawn.md').read_text()))
    known = rules(root, withdrawn, problems.append)
    subjects = {a.rsplit('-', 1)[0] for a in known}
    pages = Pages(root)
    proven = set()
    for name, path in tracked(root):
        if name == here:
            continue
        text = path.read_text(errors='replace')
        for number, line in enumerate(text.splitlines(), 1):
            for subject, index in CITED.findall(line):
                anchor = f'{subject}-{index}'
                if anchor in known:
                    if is_test(name) and not name.startswith('docs/abi/'):
                        proven.add(anchor)
                elif anchor in withdrawn:
                    if name != 'docs/abi/withdrawn.md':
                        problems.append(f'{name}:{number}: {anchor} is withdrawn: {withdrawn[anchor]} holds now')
                elif subject in subjects or (subject not in NOT_OURS and path.suffix != '.md'):
                    problems.append(f'{name}:{number}: {anchor}: no page has this anchor')
        joined = flat(text)
        for vague in VAGUE.findall(joined):
            problems.append(f'{name}: "{vague}": name the page, or a rule by its anchor')
        for cited, heading in PAGE.findall(joined):
            page = pages.find(cited, name)
            if page is None:
                problems.append(f'{name}: there is no page {cited}')
            elif heading and not pages.has_heading(page, heading):
                problems.append(f'{name}: {cited} has no heading "{heading}"')
    uncited = sorted(set(known) - proven, key=lambda a: (a.rsplit('-', 1)[0], int(a.rsplit('-', 1)[1])))
    if '--uncited' in sys.argv:
        print('\n'.join(uncited))
        return
    excused = excuses(pathlib.Path(__file__).with_name('untested.txt'), known, problems.append)
    for anchor in uncited:
        if anchor not in excused:
            problems.append(f'docs/abi/{known[anchor]}: no test cites {anchor}')
    for anchor in excused:
        if anchor in proven:
            problems.append(f'untested.txt: a test cites {anchor}: take it out, and count it off')
    if problems:
        sys.exit('\n'.join(problems))
    print(f'{len(known)} rules, {len(proven)} cited by tests, {len(excused)} excused')


main()
