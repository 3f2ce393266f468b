#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests check_rule_texts.py on a folder of pages: it tells other words from another meaning, and keeps numbers away
from new rules."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).with_name('check_rule_texts.py')
PAGE = '''# A page

- **EXAMPLE-1.** A lid that is missing is CMD_DECODE, as in EXAMPLE-2, and
  changes nothing.

  A second part of the rule.

| a table | of the page |
| --- | --- |

- **EXAMPLE-2.** A box holds 4 things.
'''
WITHDRAWN = '| anchor | now |\n| --- | --- |\n'


class RuleTexts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / 'docs/abi/test').mkdir(parents=True)
        (self.root / 'docs/abi/test/rules.txt').touch()
        self.write('README.md', PAGE)
        self.write('withdrawn.md', WITHDRAWN)
        self.assertEqual(self.run_checker('--record', 'EXAMPLE-1', '--record', 'EXAMPLE-2'), '')

    def write(self, name, text):
        (self.root / 'docs/abi' / name).write_text(text)

    def run_checker(self, *options):
        """Returns what the checker complains of."""
        run = subprocess.run([sys.executable, CHECKER, *options, self.root], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1 if run.stderr else 0)
        return run.stderr

    def test_lines_tables_and_citations_may_change(self):
        self.write('README.md', PAGE.replace(' and\n  changes', '\n  and changes').replace('of the page', 'of 7 pages')
                   .replace('as in EXAMPLE-2', 'as in EXAMPLE-3'))
        self.assertEqual(self.run_checker(), '')

    def test_other_words_are_recorded(self):
        self.write('README.md', PAGE.replace('holds', 'has room for'))
        self.assertIn('EXAMPLE-2 has other words', self.run_checker())
        self.assertEqual(self.run_checker('--record', 'EXAMPLE-2'), '')
        self.assertEqual(self.run_checker(), '')

    def test_other_names_and_numbers_are_another_rule(self):
        for old, new, anchor in (('CMD_DECODE', 'OOB', 'EXAMPLE-1'), ('CMD_DECODE', 'no error', 'EXAMPLE-1'),
                                 ('4 things', '5 things', 'EXAMPLE-2')):
            self.write('README.md', PAGE.replace(old, new))
            self.assertIn(f'{anchor} has other names or numbers', self.run_checker())
            self.assertIn(f'{anchor} has other names or numbers', self.run_checker('--record', anchor))

    def test_the_second_part_of_a_rule_counts(self):
        self.write('README.md', PAGE.replace('second part', 'third part'))
        self.assertIn('EXAMPLE-1 has other words', self.run_checker())

    def test_a_number_is_given_once(self):
        self.write('README.md', PAGE.replace('EXAMPLE-2.**', 'EXAMPLE-3.**'))
        self.assertIn('EXAMPLE-2 is no rule any more', self.run_checker())
        self.write('withdrawn.md', WITHDRAWN + '| EXAMPLE-2 | EXAMPLE-3 |\n')
        self.assertEqual(self.run_checker('--record', 'EXAMPLE-2', '--record', 'EXAMPLE-3'), '')
        self.write('README.md', PAGE + '- **EXAMPLE-3.** A box holds 4 things.\n')
        self.assertIn('EXAMPLE-2 is withdrawn, and is a rule again', self.run_checker())
        self.write('withdrawn.md', WITHDRAWN)
        self.assertIn('EXAMPLE-2 was withdrawn once', self.run_checker())
        self.assertIn('EXAMPLE-2 was withdrawn once', self.run_checker('--record', 'EXAMPLE-2'))

    def test_a_new_rule_is_recorded(self):
        self.write('README.md', PAGE + '- **EXAMPLE-3.** Boxes are red.\n')
        self.assertIn('EXAMPLE-3 is new', self.run_checker())


if __name__ == '__main__':
    unittest.main()
