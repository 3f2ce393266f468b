# SPDX-License-Identifier: MIT
"""Tests the driver disc: builds one from tiny drivers, reads it back with xorriso, and checks every file. With an ISO
image and its certificate as arguments checks that image instead, such as the one that ships."""
import argparse
import os
import re
import subprocess
import sys
import unittest

import drivers
import check_driver_pe
import make_package

SHIPPED = sys.argv[1:3]
ALWAYS = {'README.txt', 'install.cmd', 'uninstall.cmd', '3d.cmd', 'tests.cmd', 'x64', 'x86'}
FILES = {'aerogpu.inf', 'aerogpu.cat', 'aerogpu.sys'}


def extract(iso, folder):
    subprocess.run(['xorriso', '-osirrox', 'on', '-indev', iso, '-extract', '/', folder], check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run(['chmod', '-R', 'u+w', folder], check=True)
    return folder


def read(*parts):
    with open(os.path.join(*parts), 'rb') as file:
        return file.read()


class DiscCase(drivers.SignedTest):
    def settings(self, **changes):
        x64, x86 = [drivers.path('tiny', 'x64')], [drivers.path('tiny', 'x86')]
        values = dict(dbgctl=None, doctor=None, program=None, symbols=None, version=drivers.VERSION, umd_version=drivers.UMD_VERSION,
                      umd10_version=drivers.UMD10_VERSION, cert=self.cert, key=self.key, test_cert=True, x64=x64, x86=x86,
                      iso=self.file('disc.iso'), when=drivers.WHEN)
        return argparse.Namespace(**dict(values, **changes))

    def disc(self, name='disc', **changes):
        """Makes a disc and extracts it; returns the folder."""
        iso = self.file(name + '.iso')
        make_package.make(self.settings(iso=iso, **changes))
        return extract(iso, self.file(name))

    def assert_good(self, folder, certificate, x64=frozenset(), x86=frozenset()):
        for arch, more in (('x64', x64), ('x86', x86)):
            place = os.path.join(folder, arch)
            self.assertEqual(set(os.listdir(place)), FILES | more)
            self.assertEqual(make_package.check_architecture(
                place, arch, drivers.VERSION, (drivers.UMD_VERSION, drivers.UMD10_VERSION), certificate), [])
        for arch in ('x64', 'x86') if os.path.isdir(os.path.join(folder, 'tools')) else ():
            place = os.path.join(folder, 'tools', arch)
            self.assertEqual(set(os.listdir(place)), {'dbgctl.exe', 'aerogpu-doctor.exe', *(name + '.exe' for name in os.environ['AEROGPU_DISC_PROGRAMS'].split(','))})
            for name in os.listdir(place):
                self.assertEqual(check_driver_pe.check(os.path.join(place, name), arch, drivers.VERSION, certificate), [])
        for name in ALWAYS - {'x64', 'x86'}:
            text = read(folder, name)
            self.assertEqual(text.count(b'\n'), text.count(b'\r\n'), name)
            self.assertNotRegex(text, rb'[^\x09\x0a\x0d\x20-\x7e]|\{test\}')
            if name.endswith('.cmd'):
                self.assert_good_script(text.decode('ascii'))

    def assert_good_script(self, text):
        """Checks a script for what cmd.exe fails on: missing labels, parentheses that open blocks by accident."""
        lines = [line for line in text.splitlines() if not line.lower().startswith('rem ')]
        labels = [line[1:] for line in lines if line.startswith(':')]
        self.assertEqual(len(labels), len(set(labels)))
        jumps = re.findall(r'\bgoto (\w+)|\bcall :(\w+)', '\n'.join(lines))
        self.assertEqual({first or second for first, second in jumps} ^ set(labels), set())
        for line in lines:
            if not line.startswith('for '):
                self.assertNotRegex(line, r'[()]')


@unittest.skipIf(SHIPPED, 'an image is given')
class DiscTest(DiscCase):
    def test_disc(self):
        folder = self.disc()
        self.assertEqual(set(os.listdir(folder)), ALWAYS | {'aerogpu-test.cer'})
        self.assert_good(folder, self.cert)
        self.assertIn(make_package.authenticode.thumbprint(self.cert).encode(), read(folder, 'uninstall.cmd'))
        self.assertIn(b'testsigning on', read(folder, 'install.cmd'))

    def test_own_certificate_needs_no_test_signing(self):
        folder = self.disc(test_cert=False)
        self.assertEqual(set(os.listdir(folder)), ALWAYS)
        # Allows time for a software GPU: both scripts use the same values.
        for name, value in (('TdrDelay', 10), ('TdrDdiDelay', 20)):
            self.assertIn(b'call :delay %s %d\r\n' % (name.encode(), value), read(folder, 'install.cmd'))
            self.assertIn(b'call :delay %s 0x%x\r\n' % (name.encode(), value), read(folder, 'uninstall.cmd'))
        for name in ('install.cmd', 'uninstall.cmd'):
            self.assertNotIn(b'testsigning', read(folder, name))
            self.assertNotIn(b'certutil', read(folder, name))

    def test_same_inputs_same_disc(self):
        images = []
        for name in ('one', 'two'):
            self.disc(name)
            images.append(read(self.file(name + '.iso')))
        self.assertEqual(*images)

    def test_user_mode_drivers(self):
        umd = self.user_mode_drivers('tiny-umd')
        folder = self.disc(x64=[drivers.path('tiny', 'x64'), umd['x64']], x86=[drivers.path('tiny', 'x86'), umd['x86']])
        self.assert_good(folder, self.cert, {'aerogpu_d3d9.dll', 'aerogpu_d3d9_x64.dll'}, {'aerogpu_d3d9.dll'})

    def test_direct3d10(self):
        """Checks that a disc with drivers of Direct3D 10 installs them, does not name them, and can turn them on."""
        umd, ten = self.user_mode_drivers('tiny-umd'), self.user_mode_drivers('ten-umd')
        files = {arch: [drivers.path('tiny', arch), umd[arch], ten[arch]] for arch in drivers.ARCHITECTURES}
        folder = self.disc(**files)
        self.assert_good(folder, self.cert, {*make_package.UMD.values(), *make_package.UMD10.values()},
                         {make_package.UMD['x86'], make_package.UMD10['x86']})
        for script in ('3d.cmd', 'install.cmd', 'README.txt'):
            self.assertIn(b'direct3d10', read(folder, script), script)
        one_alone = self.disc('one', x64=files['x64'], x86=files['x86'][:2])
        for script in ('3d.cmd', 'install.cmd', 'README.txt'):
            self.assertNotIn(b'direct3d10', read(one_alone, script), script)
        with self.assertRaisesRegex(make_package.PackageError, 'x86: a Direct3D 10 driver without one of Direct3D 9'):
            make_package.make(self.settings(x86=[drivers.path('tiny', 'x86'), ten['x86']]))
        nine = self.file(make_package.UMD10['x64'], drivers.raw('wrong-umd', 'x64'))
        with self.assertRaisesRegex(make_package.PackageError, 'aerogpu_d3d10_x64.dll: does not export OpenAdapter10_2'):
            make_package.make(self.settings(x64=[drivers.path('tiny', 'x64'), umd['x64'], nine]))

    def test_user_mode_driver_for_64_bits_alone(self):
        folder = self.disc(x64=[drivers.path('tiny', 'x64'), self.user_mode_drivers('tiny-umd')['x64']])
        self.assert_good(folder, self.cert, {'aerogpu_d3d9_x64.dll'})
        for arch, there in (('x64', True), ('x86', False)):
            settings = read(folder, arch, 'aerogpu.inf')
            self.assertEqual(b'UserModeDriverName,%REG_MULTI_SZ%,aerogpu_d3d9_x64.dll' in settings, there)
            self.assertNotIn(b'UserModeDriverNameWow,%', settings)

    def test_bad_user_mode_driver_makes_no_disc(self):
        umd = self.user_mode_drivers('wrong-umd')
        settings = self.settings(x64=[drivers.path('tiny', 'x64'), umd['x64']])
        with self.assertRaisesRegex(make_package.PackageError,
                                    'x64: aerogpu_d3d9_x64.dll: imports GetSystemTimePreciseAsFileTime'):
            make_package.make(settings)
        self.assertFalse(os.path.exists(settings.iso))
        settings = self.settings(x64=[drivers.path('tiny', 'x64'), self.user_mode_drivers('tiny-umd')['x64']],
                                 umd_version='8.14.1.1')
        with self.assertRaisesRegex(make_package.PackageError, 'aerogpu_d3d9_x64.dll: file version is'):
            make_package.make(settings)
        kernel = self.file('aerogpu_d3d9_x64.dll', drivers.raw('wrong-import', 'x64'))
        with self.assertRaisesRegex(make_package.PackageError, 'aerogpu_d3d9_x64.dll: subsystem is 1'):
            make_package.make(self.settings(x64=[drivers.path('tiny', 'x64'), kernel]))

    def user_mode_drivers(self, kind):
        """Copies the tests' user-mode drivers of a kind to the names that they have on the disc; returns {architecture:
        path}."""
        names = make_package.UMD10 if kind == 'ten-umd' else make_package.UMD
        return {arch: self.file(name, drivers.raw(kind, arch)) for arch, name in names.items()}

    def test_programs(self):
        """Checks that no disc is made if a file is no console program, or one for another architecture."""
        dll = self.user_mode_drivers('tiny-umd')
        for paths, text in (((dll['x64'], dll['x86']), r'tools\\x64\\dbgctl.exe: subsystem is 2, not console'),
                            ((dll['x86'], dll['x64']), r'tools\\x64\\dbgctl.exe: machine is x86, not x64'),
                            ((dll['x86'], dll['x64']), r'tools\\x64\\aerogpu-doctor.exe: machine is x86, not x64'),
                            ((dll['x64'], dll['x86']), r'tools\\x64\\d3d9ex_test.exe: subsystem is 2, not console')):
            settings = self.settings(doctor=paths if 'doctor' in text else None, dbgctl=paths if 'dbgctl' in text else None,
                                     program=[('d3d9ex_test.exe', *paths)] if 'd3d9ex' in text else None)
            with self.assertRaisesRegex(make_package.PackageError, text):
                make_package.make(settings)
            self.assertFalse(os.path.exists(settings.iso))

    def test_bad_driver_makes_no_disc(self):
        settings = self.settings(x64=[drivers.path('wrong-import', 'x64')])
        with self.assertRaisesRegex(make_package.PackageError, 'x64: aerogpu.sys: imports IoReportRootDevice'):
            make_package.make(settings)
        self.assertFalse(os.path.exists(settings.iso))
        with self.assertRaisesRegex(make_package.PackageError, 'x64: aerogpu.sys: machine is x86'):
            make_package.make(self.settings(x64=[drivers.path('tiny', 'x86')]))
        with self.assertRaisesRegex(make_package.PackageError, 'no MZ'):
            make_package.make(self.settings(x86=[self.file('text.sys', b'text')]))
        with self.assertRaisesRegex(make_package.PackageError, 'has no place'):
            make_package.make(self.settings(x86=[drivers.path('tiny', 'x86'), self.file('other.dll', b'')]))

    def test_change_against_the_catalogue(self):
        folder = os.path.join(self.disc(), 'x64')
        inf = os.path.join(folder, 'aerogpu.inf')
        with open(inf, 'ab') as file:
            file.write(b'; one line more\r\n')
        self.assertEqual([text[:60] for text in make_package.check_catalog(folder, self.cert)],
                         ['aerogpu.inf is not the file that aerogpu.cat lists',
                          'aerogpu.cat lists aerogpu.inf, which is not there so'])
        found = check_driver_pe.check(os.path.join(self.folder, 'disc', 'x86', 'aerogpu.sys'), 'x86',
                                      catalog_path=os.path.join(folder, 'aerogpu.cat'))
        self.assertTrue(any('does not list the file' in defect for defect in found), found)


@unittest.skipUnless(SHIPPED, 'no image is given')
class ShippedDiscTest(DiscCase):
    def test_shipped_disc(self):
        folder = extract(SHIPPED[0], self.file('shipped'))
        built = [arch for arch in os.environ['AEROGPU_UMD'].split(',') if arch]
        names = make_package.UMD, make_package.UMD10
        x86 = {name['x86'] for name in names} if 'x86' in built else set()
        x64 = {name['x64'] for name in names} | x86 if 'x64' in built else set()
        self.assertEqual(set(os.listdir(os.path.join(folder, 'tools'))), {'x64', 'x86', 'aerogpu.man'})
        self.assertEqual(set(os.listdir(os.path.join(folder, 'symbols'))), {'aerogpu-x64.pdb', 'aerogpu-x86.pdb'})
        self.assert_good(folder, SHIPPED[1], x64, x86)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
