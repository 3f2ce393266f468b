#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests d3d9_stack.py and wine.py without building: errors name a missing or wrong part in one line; the server's
start, answers and end; the comparison of pictures."""
import contextlib
import io
import os
import re
import struct
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'tests-qtest', 'vm'))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
from aerogpu_build import Failure  # noqa: E402
import bench_scenes  # noqa: E402
import costs_d3d9  # noqa: E402
import d3d11_tests  # noqa: E402
import d3d9_stack  # noqa: E402
import d3d9_tests  # noqa: E402
import mesa_d3d10umd  # noqa: E402
from png import Picture  # noqa: E402
import run_d3d9_tests  # noqa: E402
import run_d3d11_tests  # noqa: E402
import stack_tests  # noqa: E402
import tap_report  # noqa: E402
import wine  # noqa: E402


def pe_file(path, machine):
    """Writes the start of a PE file: the DOS header's e_lfanew, the signature and IMAGE_FILE_HEADER.Machine."""
    with open(path, 'wb') as file:
        file.write(b'MZ' + b'\0' * 58 + struct.pack('<I', 64) + b'PE\0\0' + struct.pack('<H', machine) + b'\0' * 200)
    return path


class Changes(unittest.TestCase):
    def points(self, options='', save_every=0, saves=(), moves=0, refused=0):
        """Returns whether report_changes() reports only good points, and all that it prints."""
        report, text = tap_report.Report(), io.StringIO()
        with mock.patch.multiple(d3d9_stack, device_options=options, save_every=save_every, saves=list(saves),
                                          moves={'moves': moves, 'moves-refused': refused}), contextlib.redirect_stdout(text):
            d3d9_stack.report_changes(report)
        return report.passed, report.failed, text.getvalue()

    def test_a_run_without_saves_or_moves_fails(self):
        self.assertEqual(self.points(), (0, 0, ''))
        self.assertEqual(self.points(save_every=2)[:2], (0, 1))
        self.assertEqual(self.points('x-move=objects:20')[:2], (0, 1))
        self.assertEqual(self.points('x-move=objects:20', moves=5)[:2], (1, 0))
        self.assertEqual(self.points('x-move=objects:20', moves=5, refused=1)[:2], (0, 1))

    def test_restarts_say_how_long(self):
        with mock.patch.object(d3d9_stack, 'longest_move_ns', 123_900_000):
            self.assertIn('# 5 moves, the longest of 123 ms\n', self.points('x-move=device:20', moves=5)[2])
            self.assertIn('# 5 moves\n', self.points('x-move=objects:20', moves=5)[2])

    def test_saves_are_summed_up(self):
        lines = ['# saved and restored %d: %d KiB, saved in %d ms, restored in %d ms' % (number, 10 * number, number, 7)
                 for number in (1, 2, 3)]
        passed, failed, text = self.points(save_every=2, saves=lines)
        self.assertEqual((passed, failed), (1, 0))
        self.assertIn('# 3 saves; median 20 KiB, saved in 2 ms, restored in 7 ms\n', text)

    def test_seconds(self):
        self.assertEqual(d3d9_stack.seconds_of('--save-every', '30'), 30)
        for wrong in ('', '0', '-1', '1.5', 'x'):
            with self.assertRaises(Failure):
                d3d9_stack.seconds_of('--save-every', wrong)


class Held(unittest.TestCase):
    def test_the_page_has_the_limits(self):
        """Compares the limits of the sharing test with those that docs/d3d9/testbed.md says."""
        with open(os.path.join(HERE, '../../docs/d3d9/testbed.md'), encoding='utf-8') as file:
            page = re.sub(r'.*?^### Cycles of sharing$(.*?)^##.*', r'\1', file.read(), flags=re.M | re.S)
        units = {'': 1, 'each': 1, 'KiB': 1 << 10, 'MiB': 1 << 20}
        said = {name: int(number) * units[unit] for names, number, unit in re.findall(r'^\| ([^|\d\n]+) \| (\d+) ?(\w*) \|$', page, re.M)
                for name in names.split(', ')}
        self.assertEqual(said, d3d9_tests.HELD)


class Prefix(unittest.TestCase):
    def test_user_folders_stay_inside(self):
        """Checks that own_user_folders() replaces Wine's links to the home folder, whatever that contains."""
        with tempfile.TemporaryDirectory() as folder:
            home = os.path.join(folder, 'home')
            user = os.path.join(folder, 'prefix', 'drive_c', 'users', 'somebody')
            os.makedirs(os.path.join(home, 'deep'))
            os.makedirs(os.path.join(user, 'AppData', 'Roaming'))
            os.symlink(home, os.path.join(user, 'Documents'))
            os.symlink(os.path.join(folder, 'gone'), os.path.join(user, 'AppData', 'Roaming', 'Templates'))
            wine.own_user_folders(os.path.join(folder, 'prefix'))
            self.assertEqual(sorted(path[len(user) + 1:] for path, _, _ in os.walk(user, followlinks=True)),
                             ['', 'AppData', 'AppData/Roaming', 'AppData/Roaming/Templates', 'Documents'])
            self.assertEqual(os.listdir(home), ['deep'])


class Parts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.parts = {name: pe_file(os.path.join(folder.name, name), 0x8664) for name in d3d9_stack.PARTS}
        for name in ('LOADER', 'SERVER', 'BUILTINS', 'LOADER32', 'LOADER_BOTH', 'LIBRARIES32'):
            patched = mock.patch.object(wine, name, '/')
            patched.start()
            self.addCleanup(patched.stop)
        patched = mock.patch.object(d3d9_stack, 'HOST', self.parts['driver'])
        patched.start()
        self.addCleanup(patched.stop)

    def refused(self, text, **parts):
        with self.assertRaises(Failure) as raised:
            d3d9_stack.Stack(dict(self.parts, **parts)).check()
        self.assertIn(text, str(raised.exception))
        self.assertNotIn('\n', str(raised.exception))

    def test_all_there(self):
        d3d9_stack.Stack(self.parts).check()

    def test_missing(self):
        for name, what in d3d9_stack.WHAT.items():
            self.refused('there is no %s: %s/none is missing' % (what, self.folder), **{name: self.folder + '/none'})

    def test_32_bit(self):
        small = pe_file(self.folder + '/small', 0x14C)
        self.refused('the user-mode driver has to be for x64; this one is for x86: %s/small' % self.folder, umd=small)
        self.refused('the Direct3D runtime (d3d9.dll) has to be for x64', d3d9=small)

    def both(self, **changes):
        """Returns a Stack for x64 and x86 programs, with `changes` to its parts."""
        small = {name: pe_file(os.path.join(self.folder, name), 0x14C) for name in d3d9_stack.PARTS32}
        return d3d9_stack.Stack({**self.parts, **small, **changes}, both=True)

    def test_both(self):
        self.both().check()
        for name in d3d9_stack.PARTS32:
            with self.assertRaisesRegex(Failure, '^the .* for 32-bit programs has to be for x86; this one is for x64: '):
                self.both(**{name: self.parts['umd']}).check()
            with self.assertRaisesRegex(Failure, '^there is no .* for 32-bit programs: /none is missing$'):
                self.both(**{name: '/none'}).check()
        for name in ('LOADER32', 'LOADER_BOTH', 'LIBRARIES32'):
            with mock.patch.object(wine, name, '/none'):
                with self.assertRaisesRegex(Failure, '^there is no 32-bit Wine: /none is missing; scripts/prepare-wine32'):
                    self.both().check()

    def test_no_program(self):
        with open(self.folder + '/text', 'w') as file:
            file.write('text')
        self.refused('/text is no Windows program for x86 or x64', umd=self.folder + '/text')

    def test_no_wine(self):
        with mock.patch.object(wine, 'LOADER', '/nonexistent/wine64'):
            self.refused('there is no Wine: /nonexistent/wine64 is missing; scripts/setup installs it')

    def test_no_host(self):
        with mock.patch.object(d3d9_stack, 'HOST', '/nonexistent/host'):
            self.refused('there is no driver host: /nonexistent/host is missing')

    def test_direct3d_11(self):
        """Checks which parts, variables and options of the server a stack with Direct3D 11 has."""
        parts = {name: pe_file(os.path.join(self.folder, name), 0x14C if name.endswith('-x86') else 0x8664)
                 for name in d3d9_stack.parts_of(True, True)}
        d3d9_stack.Stack(parts, both=True, d3d11=True).check()
        for name in (*d3d9_stack.PARTS11, *d3d9_stack.PARTS11_32):
            wrong = parts['umd' if name.endswith('-x86') else 'umd-x86']
            for path, text in (('/none', '^there is no .*: /none is missing$'), (wrong, '^the .* has to be for x..; this one is for x..: ')):
                with self.assertRaisesRegex(Failure, text):
                    d3d9_stack.Stack({**parts, name: path}, both=True, d3d11=True).check()
        for eleven in (False, True):
            stack = d3d9_stack.Stack(d3d11=eleven)
            self.assertEqual([name in stack.parts for name in ('umd10', 'd3d10core', 'd3d11', 'dxgi', 'umd10-x86')],
                             [eleven] * 4 + [False])
            stack.prefix, stack.address = self.folder, '127.0.0.1:1'
            self.assertEqual('d3d10core,d3d11,dxgi=n' in stack.variables()['WINEDLLOVERRIDES'].replace(';', ' ').split(), eleven)
            self.assertEqual(stack.variables().get('AEROGPU_D3D11_STRICT'), '1' if eleven else None)
            stack.strict = False
            self.assertNotIn('AEROGPU_D3D11_STRICT', stack.variables())

    def test_32_bit_program(self):
        stack = d3d9_stack.Stack(self.parts)
        stack.prefix = self.folder
        stack.address = '127.0.0.1:1'
        program = pe_file(self.folder + '/prog.exe', 0x14C)
        with self.assertRaisesRegex(Failure, '^[^\n]*prog.exe is for x86; this Wine runs programs for x64$'):
            stack.start(program)
        with self.assertRaisesRegex(Failure, '^[^\n]*prog.exe is for x86; this Wine runs programs for x64$'):
            wine.run([program], wine.environment(self.folder), 1)
        self.assertEqual(wine.loader_for(program, wine.environment(self.folder, both=True)), wine.LOADER32)


class Server(unittest.TestCase):
    """Tests of a Stack whose server is a shell script."""

    def start(self, script, **arguments):
        with tempfile.NamedTemporaryFile('w', suffix='.sh', delete=False) as file:
            file.write('#!/bin/sh\n' + script)
        os.chmod(file.name, 0o755)
        self.addCleanup(os.unlink, file.name)
        stack = d3d9_stack.Stack(**arguments)
        self.addCleanup(stack.stop)
        with mock.patch.object(d3d9_stack, 'HOST', file.name):
            stack._start_server()
        return stack

    def test_does_not_start(self):
        with self.assertRaisesRegex(Failure, '^the driver host does not serve: aerogpu-driver-host: error: no luck$'):
            self.start('echo aerogpu-driver-host: error: no luck; exit 1\n')

    def test_answers(self):
        stack = self.start('echo aerogpu-kmt: 127.0.0.1:77; while read c n; do echo "aerogpu-kmt: $c $n 5"; done\n')
        self.assertEqual(stack.address, '127.0.0.1:77')
        self.assertEqual(stack.counter('resources'), 5)
        stack.check_alive('nothing')
        self.assertEqual(stack.stop(), 0)

    def test_is_told_the_drivers(self):
        for arguments, wanted in (({}, ['--umd']), ({'both': True}, ['--umd', '--umd-wow']), ({'d3d11': True}, ['--umd', '--umd10']),
                                  ({'both': True, 'd3d11': True}, ['--umd', '--umd-wow', '--umd10', '--umd10-wow'])):
            stack = self.start('echo "$*"; echo aerogpu-kmt: 127.0.0.1:77; read c\n', **arguments)
            words = stack.lines.lines[0].split()
            self.assertEqual([word for word in words if word.startswith('--umd')], wanted)
            files = {'--umd': 'umd', '--umd-wow': 'umd-x86', '--umd10': 'umd10', '--umd10-wow': 'umd10-x86'}
            for option in wanted:
                self.assertEqual(words[words.index(option) + 1], stack.parts[files[option]])

    def test_older_kernel_driver(self):
        stack = self.start('echo aerogpu-kmt: 127.0.0.1:77\necho aerogpu-kmt: the kernel driver does not know escape 18\n'
                           'read c\n')
        self.assertTrue(stack.lines.wait('does not know', 20))
        self.assertEqual(stack.reason('CreateDevice failed'),
                         'the kernel driver is older than the user-mode driver, whose escape 18 it does not know: ' +
                         d3d9_stack.PARTS['driver'])

    def test_refuses(self):
        stack = self.start('echo aerogpu-kmt: 127.0.0.1:77; while read c; do echo "aerogpu-kmt: error: no"; done\n')
        with self.assertRaisesRegex(Failure, "answer to 'counter x': error: no"):
            stack.counter('x')

    def test_died(self):
        stack = self.start('echo aerogpu-kmt: 127.0.0.1:77; echo last words; exit 3\n')
        stack.server.wait()
        stack.lines.wait('never', 20)  # until the end of what it said
        with self.assertRaisesRegex(Failure, '^the driver host ended with 3 during triangle: .*; last words$'):
            stack.check_alive('triangle')


class Pictures(unittest.TestCase):
    def picture(self, width, height, pixels):
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(b'P6\n%d %d\n255\n' % (width, height) + bytes(pixels))
        self.addCleanup(os.unlink, file.name)
        return d3d9_stack.Ppm(file.name)

    def test_difference(self):
        screen = self.picture(3, 2, [0] * 9 + [0, 0, 0, 10, 20, 30, 40, 50, 60])
        window = self.picture(2, 1, [10, 20, 30, 40, 52, 60])
        self.assertIsNone(screen.difference(window, 1, 1, 2))
        self.assertEqual(screen.difference(window, 1, 1, 1), '1 of 2 pixels differ: (2,1) is 28323c, not 28343c')
        self.assertIn('does not have all of it', screen.difference(window, 2, 1, 255))

    def test_difference_but_for_edges(self):
        def row(*greys):
            return self.picture(len(greys), 1, [channel for grey in greys for channel in (grey, 0, 0)])
        edge = row(10, 10, 10, 200, 200, 200)
        for same in (row(12, 8, 10, 200, 202, 198), row(10, 10, 200, 200, 200, 200), row(10, 10, 90, 120, 200, 200)):
            self.assertIsNone(same.difference_but_for_edges(edge, 2, 40, 0.5))
        for other, text in ((row(10, 13, 10, 200, 200, 200), '1 of 6 pixels differ: (1,0) is 0d0000, not 0a0000'),
                            (row(10, 10, 203, 200, 200, 200), '1 of 6 pixels differ: (2,0) is cb0000, not 0a0000, at an edge'),
                            (row(10, 200, 200, 200, 200, 200), '1 of 6 pixels differ: (1,0) is c80000, not 0a0000, at an edge'),
                            (row(10, 10, 10, 10, 10), 'the picture has 5x1 pixels, not 6x1')):
            self.assertEqual(other.difference_but_for_edges(edge, 2, 40, 0.5), text)
        self.assertEqual(row(10, 10, 90, 120, 200, 200).difference_but_for_edges(edge, 2, 40, 0.3),
                         '2 of 6 pixels differ at edges')
        # Above and below too; and what varies by no more than the contrast is no edge.
        tall = self.picture(1, 3, [10, 0, 0, 10, 0, 0, 200, 0, 0])
        self.assertIsNone(self.picture(1, 3, [10, 0, 0, 50, 0, 0, 200, 0, 0]).difference_but_for_edges(tall, 2, 40, 0.5))
        self.assertIn('(1,0) is 140000', row(10, 20, 40).difference_but_for_edges(row(10, 30, 40), 2, 40, 1))

    def test_png(self):
        screen = self.picture(3, 2, [0] * 9 + [1, 2, 3, 10, 20, 30, 40, 50, 60])
        with tempfile.NamedTemporaryFile() as file:
            screen.write_png(file.name, 1, 1, 2, 1)
            read = Picture(file.name)
        self.assertEqual((read.width, read.height, read.at(0, 0), read.at(1, 0)), (2, 1, (10, 20, 30), (40, 50, 60)))

    def test_no_picture(self):
        with self.assertRaisesRegex(Failure, 'is no PPM picture'):
            d3d9_stack.Ppm(os.path.abspath(__file__))
        with self.assertRaisesRegex(Failure, 'is cut off'):
            self.picture(3, 2, [0] * 17)


class MesaDriver(unittest.TestCase):
    def test_known_ends(self):
        """What a program may say on Mesa's driver: to pass where it passed, to fail only as it failed."""
        judge = mesa_d3d10umd.judge
        self.assertEqual(judge('quad10', 0, ['level 0xa000', 'quad10: ok']), '')
        self.assertIn('ended with 0', judge('quad10', 0, ['level 0xa000']))
        self.assertIn('ended with 1', judge('quad10', 1, ['quad10: ok']))
        resolve = ['ok streams', 'not ok resolve']
        self.assertEqual(judge('buffers11', 1, resolve), '')
        self.assertIn('passes now', judge('buffers11', 0, ['buffers11: ok']))
        for other in (resolve + ['not ok mips'], ['not ok mips'], ['buffers11: cannot'], resolve + resolve):
            self.assertIn('fails in another way', judge('buffers11', 1, other))

    def test_known_rules(self):
        with tempfile.NamedTemporaryFile('w', suffix='.log') as log:
            self.assertEqual(mesa_d3d10umd.unknown_rules(log.name), '')
            for rule in mesa_d3d10umd.KNOWN_RULES + ['Draw did harm', 'Draw did harm', '']:
                log.write('aerogpu-d3d11: the driver broke a rule: %s\n' % rule if rule else 'aerogpu-d3d11: 5 broken rules\n')
            log.flush()
            self.assertEqual(mesa_d3d10umd.unknown_rules(log.name), 'Draw did harm')
        self.assertEqual(mesa_d3d10umd.unknown_rules(log.name), '')  # no rule, no log


class Output(unittest.TestCase):
    def test_skipped_points_are_said_and_counted(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            report = tap_report.Report()
            report.point('one')
            report.point('two', skip='no such query')
            report.point('three', wrong='off by 9')
            report.end()
        self.assertEqual(out.getvalue(), 'ok one\nok two # SKIP no such query\nnot ok three # off by 9\n1..3\n'
                                         '# 1 passed, 1 failed, 1 skipped\n')

    def test_readback_tells_each_picture(self):
        stack, said = mock.Mock(), d3d9_stack.Lines()
        for line in ('window 0,0 1x1', 'ok a', 'b: 3 pixels differ', 'not ok b', 'ok c # SKIP why', 'readback: not ok, ...'):
            said.add(line)
        program = stack.start.return_value
        program.lines, program.wait.return_value = said, 1
        report = mock.Mock()
        with self.assertRaisesRegex(Failure, 'readback ended with 1, 3 pictures'):
            d3d9_tests.Tests(stack, report).readback()
        self.assertEqual(report.point.call_args_list, [mock.call('readback: a', None, None),
                                                       mock.call('readback: b', 'b: 3 pixels differ', None),
                                                       mock.call('readback: c', None, 'why')])

    def test_no_such_test(self):
        with self.assertRaisesRegex(Failure, "there is no test 'x'; --list names them"):
            stack_tests.chosen(d3d9_tests.Tests, ['quad', 'x'])
        with self.assertRaisesRegex(Failure, "the test 'two_bitnesses' needs --arch both"):
            stack_tests.chosen(d3d9_tests.Tests, ['two_bitnesses'], 'x86')

    def test_what_runs(self):
        every = [test.__name__ for test in d3d9_tests.Tests.ALL]

        def labels(*arguments):
            return [entry[0] for entry in stack_tests.chosen(d3d9_tests.Tests, *arguments)]
        self.assertEqual(labels([]), every)
        self.assertEqual(labels([], 'x86'), [name + ' x86' for name in every])
        self.assertEqual(labels([], 'both'), every + [*(test.__name__ + ' x86' for test in d3d9_tests.Tests.SHORT),
                                                      'two_bitnesses', 'x86_opens_x64',
                                                      'x64_opens_x86', 'desktop_of_two_bitnesses',
                                                      'sharing_of_two_bitnesses'])
        self.assertEqual(labels(['sharing', 'sharing_long'], 'both'), ['sharing', 'sharing_long'])
        self.assertEqual(labels(['flip', 'two_bitnesses'], 'both'), ['flip', 'flip x86', 'two_bitnesses'])

    def test_what_runs_with_direct3d_11(self):
        every = [test.__name__ for test in d3d11_tests.Tests.ALL]
        self.assertEqual([name for name in every if name.startswith('triangle')],
                         ['triangle'] + ['triangle_' + name for name in d3d11_tests.INTERFACES])
        self.assertEqual([entry[0] for entry in stack_tests.chosen(d3d11_tests.Tests, [], 'both')],
                         every + [name + ' x86' for name in every] +
                         [test.__name__ for test in d3d11_tests.Tests.MIXED])
        self.assertLessEqual(set(d3d11_tests.Tests.AGAIN), set(every))

    def test_another_feature_level(self):
        """Checks that a program with an interface gets its variable, which is gone afterwards, and its feature level."""
        for said, error in (('level 0xa100', None), ('level 0xa000', 'the feature level is 0xa000, not 0xa100')):
            stack = mock.Mock(for_programs={}, program_limit=1)
            program = d3d9_stack.Running(stack, 'triangle11.exe', mock.Mock(), d3d9_stack.Lines())
            program.lines.add(said)
            tests = d3d11_tests.Tests(stack, mock.Mock())
            given = []
            with mock.patch.object(tests, 'window', lambda name, picture, stack=stack, program=program, given=given: (
                    given.append((name, picture, stack.for_programs)), program)[1]):
                with self.assertRaisesRegex(Failure, error) if error else contextlib.nullcontext():
                    tests.triangle_10_1()
            self.assertEqual(given, [('triangle11', 'triangle_10_1', {'AEROGPU_D3D11_INTERFACE': 'a0002'})])
            self.assertEqual(stack.for_programs, {})

    def test_options_of_the_scenes(self):
        options = bench_scenes.parse(['windows', '--rounds', '7', '--seconds', '0.5', '--no-build'])
        self.assertEqual((options['scenes'], options['rounds'], options['seconds'], options['build']),
                         (['windows'], 7, 0.5, False))
        self.assertEqual(bench_scenes.parse(['--setting', 'DisableAperture'])['settings'], {'DisableAperture': 1})
        for words, reason in ((['window'], "what is 'window'"), (['--rounds'], '--rounds needs a value'),
                              (['--rounds', 'x'], "--rounds: 'x' is no number"), (['--rounds', '0'], 'at least one round'),
                              (['--dxvk', '/none/d3d9.dll'], '/none/d3d9.dll: No such file')):
            with self.assertRaisesRegex(Failure, reason):
                bench_scenes.parse(words)

    def test_spread(self):
        self.assertEqual(bench_scenes._spread([1, 5, 2, 4, 3], '%.1f'), '3.0 (2.0 to 4.0)')
        self.assertEqual(bench_scenes._spread([7], '%d'), '7 (7 to 7)')

    def test_beside_the_slower(self):
        def of(*rates_and_milliseconds):
            return [mock.Mock(rate=rate, processor=busy / 1000) for rate, busy in rates_and_milliseconds]
        runs = {'aerogpu': of((10, 30), (20, 30), (40, 30)), 'wined3d': of((20, 60), (10, 10), (10, 20)),
                'direct Vulkan': of((40, 20), (40, 15), (20, 10)), 'DXVK': of((1, 900), (1, 900), (1, 900))}
        time, busy = bench_scenes._beside_the_slower(runs)
        self.assertAlmostEqual(time, 0.5)  # median of 20 / 10, 10 / 20, 10 / 40
        self.assertAlmostEqual(busy, 1.5)  # median of 30 / 60, 30 / 15, 30 / 20

    def test_total_of_strace(self):
        for line in ('100.00    0.000000           0       144        19 total', '100.00    0.1   7       144           total'):
            with tempfile.NamedTemporaryFile('w') as file:
                file.write('% time seconds usecs/call calls errors syscall\n 1.00 0.0 0 9 read\n' + line + '\n')
                file.flush()
                self.assertEqual(costs_d3d9._strace_total(file.name), 144)


class Options(unittest.TestCase):
    def test_errors(self):
        for words, text in ((['--what'], "unknown option '--what'"), (['--umd'], '--umd needs a value'),
                            (['--arch'], "--arch: '' is not one of"), (['--arch', 'x32'], "'x32' is not one of x64, x86, both"),
                            (['--umd-x86', 'x.dll'], '--umd-x86 needs --arch x86 or both')):
            with self.assertRaisesRegex(Failure, text):
                run_d3d9_tests.parse(words)

    def test_scripts_have_their_own(self):
        """Checks that each script has the options of its own parts, and lists its own tests."""
        for command, own, other in ((run_d3d9_tests.COMMAND, 'd3d9', 'umd10'), (run_d3d11_tests.COMMAND, 'umd10', 'umd')):
            self.assertEqual(command.parse(['--' + own, 'x.dll'])['parts'], {own: os.path.abspath('x.dll')})
            with self.assertRaisesRegex(Failure, "unknown option '--%s'; %s --help" % (other, command.name)):
                command.parse(['--' + other, 'x.dll'])
            for option in command.options:
                self.assertIn('--' + option + ' ' if not option.endswith('-x86') else '--' + option, command.text)
            with mock.patch.object(sys, 'argv', ['x', '--list']), contextlib.redirect_stdout(io.StringIO()) as out:
                self.assertEqual(command.main(), 0)
            self.assertEqual('level9' in out.getvalue().split(), command.name == 'run-d3d9-tests')
            self.assertEqual('triangle_10_1_x' in out.getvalue().split(), command.name == 'run-d3d11-tests')

    def test_parts(self):
        options = run_d3d9_tests.parse(['--umd', 'x.dll', '--no-build', 'quad'])
        self.assertEqual(options['parts'], {'umd': os.path.abspath('x.dll')})
        self.assertEqual((options['names'], options['build']), (['quad'], False))


unittest.main()
