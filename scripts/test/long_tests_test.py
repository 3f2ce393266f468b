#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests long_tests.py, which records and checks the results of the last long tests, in temporary repositories."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import long_tests  # noqa: E402

ENVIRONMENT = dict(os.environ, GIT_AUTHOR_NAME='a', GIT_AUTHOR_EMAIL='a@b', GIT_COMMITTER_NAME='a',
                   GIT_COMMITTER_EMAIL='a@b', GIT_CONFIG_GLOBAL='/dev/null', GIT_CONFIG_SYSTEM='/dev/null')


class LongTestsTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.root = os.path.join(self._folder.name, 'repository')
        self.git('init', '-q', '-b', 'main', self.root, at='/')
        self.write(long_tests.PAGE, 'before\n' + long_tests.BEGIN + long_tests.HEADER + long_tests.END + 'after\n')
        self.write('source', '1')
        self.git('add', '.')
        self.commit()

    def tearDown(self):
        self._folder.cleanup()

    def git(self, *arguments, at=None):
        done = subprocess.run(['git', '-C', at or self.root, *arguments], env=ENVIRONMENT, check=True,
                              stdout=subprocess.PIPE)
        return done.stdout.decode().strip()

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as file:
            file.write(text)

    def commit(self, times=1):
        self.git('commit', '-q', '--allow-empty', '-a', '-m', 'x')
        if times > 1:  # the others run in one process: one for each takes long
            branch = self.git('symbolic-ref', 'HEAD')
            one = 'commit %s\ncommitter a <a@b> 1700000000 +0000\ndata 1\nx\n' % branch
            stream = one + 'from %s^0\n' % branch + one * (times - 2)
            subprocess.run(['git', '-C', self.root, 'fast-import', '--quiet'], env=ENVIRONMENT, check=True,
                           input=stream.encode())

    def record_all(self):
        for part in long_tests.PARTS:
            long_tests.record(self.root, part, '83', '5 things', '0')

    def page(self):
        with open(os.path.join(self.root, long_tests.PAGE)) as file:
            return file.read()

    def test_that_nothing_ran_fails(self):
        lines, good = long_tests.check(self.root)
        self.assertFalse(good)
        self.assertEqual(len([line for line in lines if 'not run yet' in line]), len(long_tests.PARTS))

    def test_a_part_that_has_not_run_yet_is_named(self):
        self.record_all()
        text = ''.join(line for line in self.page().splitlines(True) if not line.startswith('| fuzz |'))
        self.write(long_tests.PAGE, text)
        lines, good = long_tests.check(self.root)
        self.assertTrue(good)
        self.assertEqual([line for line in lines if 'not run yet' in line],
                         ['warning: long tests, fuzz: not run yet; scripts/run-long-tests fuzz'])

    def test_a_row_says_what_ran(self):
        long_tests.record(self.root, 'fuzz', '83', '7 million inputs', '2')
        head = self.git('rev-parse', '--short=12', 'HEAD')
        self.assertRegex(self.page(), r'\| fuzz \| %s \| \d{4}-\d\d-\d\d \| 1 min 23 s \| 7 million inputs \| 2 \|' % head)
        self.assertTrue(self.page().startswith('before\n') and self.page().endswith('after\n'))
        self.commit()
        long_tests.record(self.root, 'fuzz', '5', 'less |\nand less', '0')
        self.assertIn('| less and less | 0 |', self.page())
        self.assertEqual(self.page().count('| fuzz |'), 1, 'the new row takes the place of the old one')

    def test_a_red_row_fails(self):
        self.record_all()
        self.assertTrue(long_tests.check(self.root)[1])
        long_tests.record(self.root, 'fuzz', '83', 'x', '2')
        lines, good = long_tests.check(self.root)
        self.assertFalse(good)
        self.assertEqual(len([line for line in lines if line.startswith('long tests, fuzz: 2 failures at ')]), 1)

    def test_an_old_row_is_a_warning(self):
        self.record_all()
        self.commit(200)
        lines, good = long_tests.check(self.root)
        self.assertTrue(good)
        self.assertFalse([line for line in lines if line.startswith('warning')])
        self.commit()
        for part in long_tests.PARTS[1:]:
            long_tests.record(self.root, part, '1', 'x', '0')
        lines, good = long_tests.check(self.root)
        self.assertTrue(good)
        self.assertRegex(lines[0], '^warning: long tests, %s: ran 201 commits ago' % long_tests.PARTS[0])
        self.assertFalse([line for line in lines[1:] if line.startswith('warning')])

    def test_a_commit_of_another_branch_is_a_warning(self):
        self.git('checkout', '-q', '-b', 'other')
        self.commit()
        self.record_all()
        page = self.page()
        self.git('checkout', '-q', '-f', 'main')
        for text in (page, page.replace(self.git('rev-parse', '--short=12', 'other'), 'abcdefabcdef')):
            self.write(long_tests.PAGE, text)
            lines, good = long_tests.check(self.root)
            self.assertTrue(good)
            self.assertRegex(lines[0], '^warning: .* not a commit that this one comes from')

    def test_a_shallow_clone_is_not_blamed(self):
        self.record_all()
        self.commit(3)
        clone = os.path.join(self._folder.name, 'clone')
        self.git('clone', '-q', '--depth', '2', 'file://' + self.root, clone, at='/')
        lines, good = long_tests.check(clone)
        self.assertTrue(good)
        self.assertIn('cannot be told', lines[0])
        deep = os.path.join(self._folder.name, 'deep')
        self.git('clone', '-q', '--depth', '4', 'file://' + self.root, deep, at='/')
        lines, good = long_tests.check(deep)
        self.assertTrue(good)
        self.assertIn('ran 3 commits ago', lines[0])

    def test_nothing_is_recorded_of_changed_files(self):
        self.write('source', '2')
        with self.assertRaisesRegex(long_tests.Failure, 'differ'):
            long_tests.record(self.root, 'fuzz', '1', 'x', '0')
        self.assertNotIn('fuzz', self.page())

    def test_a_page_without_its_table_is_an_error(self):
        table = long_tests.BEGIN + long_tests.HEADER + '%s\n' + long_tests.END
        rows = ('| fuzz | ? |', '| fuzz | abcdef0 | today | long | much | few |', '| fuzz | HEAD | today | long | much | 0 |')
        for text in ('', long_tests.BEGIN, *(table % row for row in rows)):
            self.write(long_tests.PAGE, text)
            with self.assertRaises(long_tests.Failure):
                long_tests.check(self.root)

    def test_the_page_of_this_project_can_be_read(self):
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
        self.assertLessEqual(set(long_tests.read(root)[1]), set(long_tests.PARTS))

    def test_the_script_knows_each_part(self):
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
        with open(os.path.join(root, 'scripts', 'run-long-tests')) as file:
            text = file.read()
        self.assertEqual(sorted(re.findall(r'^run_(\w+)\(\) {', text, re.M)), sorted(long_tests.PARTS))
        self.assertEqual(re.findall(r'^#   ([a-z]+) ', text, re.M), list(long_tests.PARTS))
        with open(os.path.join(root, long_tests.PAGE)) as file:
            described = re.findall(r'^\| `(\w+)` \|', file.read(), re.M)
        self.assertEqual(sorted(set(described) & set(long_tests.PARTS)), sorted(long_tests.PARTS))


if __name__ == '__main__':
    unittest.main()
