#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests how Wine's tests are split into functions, how their output is read, and what counts as worse than wined3d."""
import os
import sys
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
from aerogpu_build import Failure  # noqa: E402
import wine_test_build  # noqa: E402
import wine_test_results  # noqa: E402
from wine_test_results import Result, parse, worse  # noqa: E402
import wine_test_split  # noqa: E402
import wine_tests  # noqa: E402

D3D9 = wine_test_build.SUITES['d3d9']

SOURCE = '''static void one(void)
{
}
static void two(void)
{
}
START_TEST(file)
{
    if (!load())
        return;
    one();
    cleanup();
    two();
}
'''
OUTPUT = '''file.c:10: Test failed: Got 1.
file.c:10: Test failed: Got 2.
file.c:12: Test marked todo: Got 3.
file.c:14: Tests skipped: no cubes
0098:file: 177 tests executed (1 marked as todo, 0 as flaky, 2 failures), 1 skipped.
'''


class Split(unittest.TestCase):
    def test_calls_are_chosen(self):
        text, names = wine_test_split.split(SOURCE, 'file')
        self.assertEqual(names, ['one', 'two'])
        self.assertIn('    if (chosen("one")) { one(); }\n    cleanup();\n    if (chosen("two")) { two(); }\n', text)

    def test_lines_stay(self):
        """Checks that split() keeps the line numbers of Wine's source, by which failures are named."""
        text, _ = wine_test_split.split(SOURCE, 'file')
        line, expected = 0, {text: number for number, text in enumerate(SOURCE.split('\n'), 1)}
        for row in text.split('\n'):
            if row.startswith('#line '):
                line = int(row.split()[1])
                continue
            if row in expected and row not in ('', '{', '}'):
                self.assertEqual(line, expected[row], row)
            line += 1

    def test_queued(self):
        """Checks that a function which runs several times is a case for each, and that statements keep their lines."""
        source = ('static void one(void)\n{\n}\nstatic void both(BOOL d3d11)\n{\n}\n'
                  'static void each(const D3D_FEATURE_LEVEL level)\n{\n}\nstatic void on(IUnknown *device, BOOL is_d3d12)\n{\n}\n'
                  'START_TEST(file)\n{\n    print_adapter_info();\n    queue_test(one);\n    queue_test(both);\n'
                  '    queue_d3d10_test(both2);\n    queue_for_each_9_x_feature_level(each);\n'
                  '    queue_for_each_feature_level_in_range(D3D_FEATURE_LEVEL_10_1, D3D_FEATURE_LEVEL_11_0,\n            more);\n'
                  '    run_on_d3d10(on);\n    run_on_d3d12(on);\n    run_queued_tests();\n}\n')
        source = source.replace('static void on', 'static void both2(BOOL d3d11)\n{\n}\nstatic void more(const D3D_FEATURE_LEVEL fl)\n{\n}\n'
                                'static void on')
        text, names = wine_test_split.split(source, 'file')
        self.assertEqual(names, ['one', 'both@d3d10', 'both@d3d11', 'both2@d3d10', 'each@9_3', 'each@9_2', 'each@9_1',
                                 'more@11_0', 'more@10_1', 'on@d3d10'])
        self.assertIn('if (chosen("both@d3d11")) { both(TRUE); }', text)
        self.assertIn('each(D3D_FEATURE_LEVEL_9_2);', text)
        for call in ('run_on_d3d12', 'print_adapter_info', 'run_queued_tests', 'queue_'):
            self.assertNotIn(call, text)
        self.assertEqual(text.count('\n'), source.count('\n') + 5)  # what split() adds

    def test_another_wine(self):
        for text in (SOURCE.replace('START_TEST(file)', 'START_TEST(other)'), SOURCE.replace('two();', 'one();'),
                     'START_TEST(file)\n{\n}\n'):
            with self.assertRaises(Failure):
                wine_test_split.split(text, 'file')


class Drawing(unittest.TestCase):
    def test_calls_count(self):
        source = ('static void quad_(unsigned int line, IDirect3DDevice9 *device)\n{\n'
                  '    ok_(file, line)(!IDirect3DDevice9_DrawPrimitiveUP(device, 4, 2, quad, 12), "");\n}\n'
                  'static BOOL again(IDirect3DDevice9 *device)\n{\n    if (device)\n    {\n        quad_(1, device);\n    }\n}\n'
                  'static void test_drawn(void)\n{\n    again(0);\n}\n'
                  'static void test_cleared(void)\n{\n    IDirect3DDevice9_Clear(device, 0);\n    undrawn(quad_);\n}\n'
                  'static void test_ex(void)\n{\n    hr = IDirect3DDevice9Ex_DrawIndexedPrimitive(device, 4, 0);\n}\n')
        self.assertEqual(wine_test_split.drawing(source, ['test_drawn', 'test_cleared', 'test_ex']), {'test_drawn', 'test_ex'})


    def test_macros_count(self):
        source = ('static void quad_(unsigned int line, ID3D11DeviceContext *context)\n{\n'
                  '    ID3D11DeviceContext_DrawIndexed(context, 4, 0, 0);\n}\n'
                  '#define quad(c) quad_(__LINE__, c)\nstatic void test_quad(BOOL d3d11)\n{\n    quad(context);\n}\n'
                  'static void test_none(BOOL d3d11)\n{\n    ID2D1RenderTarget_DrawingState(target);\n}\n')
        self.assertEqual(wine_test_split.drawing(source, ['test_quad@d3d10', 'test_quad@d3d11', 'test_none@d3d10']),
                         {'test_quad@d3d10', 'test_quad@d3d11'})


class Judging(unittest.TestCase):
    def test_counts(self):
        result = parse(OUTPUT, 2, set())
        self.assertEqual((result.end, result.checks, result.skipped), ('', 177, 1))
        self.assertEqual(result.missed, {'file.c:10': 2, 'file.c:12': 1})

    def test_joined(self):
        """Checks two messages on one line, since some lack their line end."""
        result = parse('file.c:10: Test failed: Feature level 10_1: Test 4: Got 1.\n'
                       'file.c:11: Test failed: Got 2.file.c:12: Test marked todo: Got 3.\n', 0, set())
        self.assertEqual(result.missed, {'file.c:10': 1, 'file.c:11': 1, 'file.c:12': 1})

    def test_modes_do_not_count(self):
        source = ('for (;;)\n{\n  hr = IDirect3D9_EnumAdapterModes(d3d9, 0, X, i, &mode);\n  ok(SUCCEEDED(hr), "%#lx.\\n", hr);\n'
                  '  ok(mode.Format == X, "");\n}\nok(1, "");\n')
        with mock.patch.object(wine_test_build.Suite, 'source', return_value=source):
            lines = D3D9.mode_lines('file')
        self.assertEqual(lines, {4, 5})
        output = 'file.c:4: Test succeeded\n' * 5 + 'file.c:7: Test succeeded\n' + OUTPUT
        self.assertEqual(parse(output, 2, lines).checks, 172)

    def test_ends(self):
        self.assertIn('crash: c0000005 in d3d9.dll+10', parse('crash: c0000005 in d3d9.dll+10 after x.c:1\n', 3, set()).end)
        self.assertEqual(parse(OUTPUT, None, set()).end, 'did not end')
        self.assertEqual(parse('wine: bad\n', 5, set()).end, 'ended with 5 and no summary: wine: bad')
        self.assertIn('broke a rule', parse(OUTPUT + 'aerogpu-d3d9: the driver broke a rule: Lock gave no pointer\n', 3, set()).end)

    def test_worse(self):
        wined3d = Result(checks=10, missed={'a.c:1': 2}, skipped=1)
        same = Result(checks=10, missed={'a.c:1': 2}, skipped=1)
        self.assertEqual(worse(same, wined3d), '')
        self.assertEqual(worse(Result(checks=12), wined3d), '')
        self.assertEqual(worse(Result(checks=10, missed={'a.c:1': 3, 'a.c:2': 1}), wined3d), 'misses a.c:1 x1, a.c:2 x1')
        self.assertEqual(worse(Result(checks=7), wined3d), '7 checks hold, not 8')
        # A test that always fails is better not reached.
        self.assertEqual(worse(Result(checks=8), wined3d), '')
        self.assertEqual(worse(Result(checks=8, skipped=2), wined3d), 'skips 2, not 1')
        # Where more checks hold, skips may come that wined3d never reaches.
        self.assertEqual(worse(Result(checks=10, skipped=2), wined3d), '')
        self.assertEqual(worse(Result(end='did not end'), wined3d), 'did not end')

    def test_known(self):
        """Checks that a known failure does not count as failed, and that a function listed as known but passing
        does."""
        sums = wine_tests.Sums()
        good, bad, known = Result(checks=1), Result(checks=0), {'f/t': 'no such thing'}
        lines = [wine_tests.judge('f/t', result, good, those, result is good, sums) for result, those in
                 ((good, {}), (bad, {}), (bad, known), (good, known))]
        self.assertEqual(lines, ['ok f/t', 'not ok f/t # 0 checks hold, not 1', 'not ok f/t # TODO no such thing (0 checks hold, not 1)',
                                 'not ok f/t # is no worse than wined3d now: take it out of known_failures.txt'])
        self.assertEqual((sums.ran, sums.good, sums.known, sums.failed, sums.drawing, sums.drawing_good), (4, 2, 1, 2, 2, 2))


class Files(unittest.TestCase):
    def test_the_tree(self):
        for suite, functions in ((D3D9, 258), (wine_test_build.SUITES['d3d8'], 141), (wine_test_build.SUITES['d3d11'], 481)):
            with open(wine_tests.fixed_file(suite)) as file:
                fixed = [line.strip() for line in file if line.strip() and not line.startswith('#')]
            for arch in suite.archs:
                baseline = wine_test_results.read_baseline(suite, arch)
                known = wine_test_results.read_known(suite, arch)
                self.assertEqual(len(baseline), functions)
                self.assertLessEqual(set(known) | set(fixed), set(baseline))
                self.assertFalse(set(known) & set(fixed))

    def test_of_one_kind(self):
        text = 'visual/x: both\nvisual/y x86: one\n'
        for arch, names in (('x64', {'visual/x'}), ('x86', {'visual/x', 'visual/y'})):
            with mock.patch('builtins.open', mock.mock_open(read_data=text)):
                self.assertEqual(set(wine_test_results.read_known(D3D9, arch)), names)

    def test_no_reason(self):
        with mock.patch('builtins.open', mock.mock_open(read_data='visual/x\n')):
            with self.assertRaisesRegex(Failure, 'not FILE/FUNCTION: REASON'):
                wine_test_results.read_known(D3D9, 'x64')


class Options(unittest.TestCase):
    def test_errors(self):
        for words, text in ((['--what'], "unknown option '--what'"), (['--json'], '--json needs a value'),
                            (['--limit', 'x'], 'no number of seconds'), (['--arch', 'arm'], 'neither x64 nor x86'),
                            (['--api', 'd3d7'], 'none of d3d9, d3d8, d3d11'),
                            (['--api', 'd3d8', '--arch', 'x64'], 'there is no d3d8.dll for x64'),
                            (['--record'], 'goes with --wined3d')):
            with self.assertRaisesRegex(Failure, text):
                wine_tests.parse_options(words)

    def test_architectures(self):
        self.assertEqual(wine_tests.parse_options([])['arch'], 'x64')
        self.assertEqual(wine_tests.parse_options(['--api', 'd3d8'])['arch'], 'x86')

    def test_choice(self):
        names = ['visual/fog', 'visual/clear', 'device/fog']
        options = wine_tests.parse_options(['visual/f', 'device'])
        self.assertEqual(wine_tests.choose(options, names), ['visual/fog', 'device/fog'])
        for word, text in (('no', 'no such function'), ('(', 'is no regular expression')):
            with self.assertRaisesRegex(Failure, text):
                wine_tests.choose(wine_tests.parse_options([word]), names)


unittest.main()
