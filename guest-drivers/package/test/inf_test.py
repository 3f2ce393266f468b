# SPDX-License-Identifier: MIT
"""Tests the INF for each set of files, and that its check finds what is wrong in changed ones."""
import os
import unittest

import drivers
import inf

VALUES = {'ARCH_TITLE': '64 bit', 'DRIVER_DATE': '11/21/2026', 'DRIVER_VERSION': '1.2.3.4'}


class InfTest(drivers.FolderTest):
    def render(self, arch, umd, wow=False, events=True, ten=False):
        names = ['aerogpu_d3d9_x64.dll' if arch == 'x64' else 'aerogpu_d3d9.dll'] * umd + ['aerogpu_d3d9.dll'] * wow
        names10 = [name.replace('d3d9', 'd3d10') for name in names] * ten
        for name in names + names10 + ['aerogpu.sys', 'aerogpu.cat']:
            self.file(name, b'')
        with open(os.path.join(drivers.PACKAGE, 'aerogpu.inf.in'), encoding='ascii') as file:
            return inf.render(file.read(), {'umd': umd, 'wow': wow, 'umd10': umd and ten, 'wow10': wow and ten,
                                            'events': events},
                              dict(VALUES, PLATFORM=inf.PLATFORMS[arch], UMD=names[0] if umd else '',
                                   WOW='aerogpu_d3d9.dll', UMD10=names10[0] if names10 else '',
                                   WOW10='aerogpu_d3d10.dll', INSTALLED=','.join(name[:-4] for name in names)))

    def defects(self, text, arch='x64', **kwargs):
        return inf.check(self.file('aerogpu.inf', text.encode()), arch, **kwargs)

    def test_every_set_of_files(self):
        for arch, umd, wow in (('x86', False, False), ('x86', True, False), ('x64', False, False), ('x64', True, False),
                               ('x64', True, True)):
            for events in (False, True):
                with self.subTest(arch=arch, umd=umd, wow=wow, events=events):
                    text = self.render(arch, umd, wow, events)
                    self.assertEqual(self.defects(text, arch, version='1.2.3.4'), [])
                    self.assertEqual('UserModeDriverName,' in text, umd)
                    self.assertEqual('UserModeDriverNameWow,' in text, wow)
                    self.assertEqual('SysWow64' in text, wow)
                    self.assertEqual('drivers\\aerogpu.sys"' in text, events)
                    for name in list(os.listdir(self.folder)):
                        os.remove(self.file(name))

    def test_direct3d10_is_installed_and_not_named(self):
        for arch, wow in (('x86', False), ('x64', False), ('x64', True)):
            with self.subTest(arch=arch, wow=wow):
                text = self.render(arch, True, wow, ten=True)
                self.assertEqual(self.defects(text, arch), [])
                software = inf.walk(inf.Inf(text), arch).registry['software']
                self.assertNotIn('d3d10', str(software))
                umd = 'aerogpu_d3d9_x64.dll' if arch == 'x64' else 'aerogpu_d3d9.dll'
                named = 'UserModeDriverName,%REG_MULTI_SZ%,' + umd
                found = self.defects(text.replace(named, named + ',' + umd.replace('d3d9', 'd3d10')), arch)
                self.assertTrue(any('alone' in defect for defect in found), found)
                for name in list(os.listdir(self.folder)):
                    os.remove(self.file(name))

    def test_registry_as_windows_will_see_it(self):
        found = inf.walk(inf.Inf(self.render('x64', True, True, ten=True)), 'x64')
        self.assertEqual(found.files, {'aerogpu.sys': 'system32\\drivers', 'aerogpu_d3d9_x64.dll': 'system32',
                                       'aerogpu_d3d10_x64.dll': 'system32', 'aerogpu_d3d9.dll': 'Windows\\SysWow64',
                                       'aerogpu_d3d10.dll': 'Windows\\SysWow64'})
        software = found.registry['software']
        self.assertEqual(software['', 'UserModeDriverName'], (0x10000, ['aerogpu_d3d9_x64.dll']))
        self.assertEqual(software['', 'UserModeDriverNameWow'], (0x10000, ['aerogpu_d3d9.dll']))
        self.assertEqual(software['', 'InstalledDisplayDrivers'], (0x10000, ['aerogpu_d3d9_x64', 'aerogpu_d3d9']))
        for switch in ('Disable3D', 'DisableGdiAcceleration', 'DisableAperture', 'DisableHardwareBuffers'):
            self.assertEqual(software['', switch], (0x10003, ['0']))
        self.assertEqual(found.registry['eventlog']['', 'EventMessageFile'], (0x20000, [
            '%SystemRoot%\\System32\\IoLogMsg.dll;%SystemRoot%\\System32\\drivers\\aerogpu.sys']))
        self.assertEqual(found.registry['hardware'][
            'Interrupt Management\\MessageSignaledInterruptProperties', 'MSISupported'], (0x10001, ['1']))

    def test_defects(self):
        good = self.render('x64', True, True)
        for old, new, text in (
                ('StartType      = 3', 'StartType      = 1', 'StartType is 1'),
                ('FeatureScore = E6', 'FeatureScore = F6', 'FeatureScore'),
                ('AddReg       = Software_Settings', 'AddReg       = Soft_Settings', 'no section [Soft_Settings]'),
                ('[Old_Settings]', '[Older_Settings]', 'no section [Old_Settings]'),
                ('%Provider% = Models', '%Producer% = Models', '%Producer% is not defined'),
                ('aerogpu.sys = 1\r\n', '', 'not in [SourceDisksFiles]'),
                ('aerogpu.sys = 1', 'aerogpu.sys = 2', "values of '2'"),
                ('[Models.NTamd64.6.2]\r\n', '', 'no section [Models.NTamd64.6.2]'),
                ('aerogpu_d3d9.dll,,,0x00004000', 'other.dll,,,0x00004000', 'other.dll is not in'),
                ('UserModeDriverName,%REG_MULTI_SZ%,aerogpu_d3d9_x64.dll', 'UserModeDriverName,%REG_MULTI_SZ%,a.dll',
                 'UserModeDriverName does not name'),
                ('Miniport_Files = 12', 'Miniport_Files = 11', 'system32\\drivers'),
                ('11/21/2026', '21/11/2026', 'mm/dd/yyyy'),
                ('DEV_0001&SUBSYS_0001A3A0', 'DEV_0002&SUBSYS_0001A3A0', 'hardware ids'),
                ('{4d36e968-e325-11ce-bfc1-08002be10318}\r', '{4d36e969-e325-11ce-bfc1-08002be10318}\r', 'class'),
                ('ErrorControl   = 0', 'ErrorControl   = 0 \xe4', 'ASCII'),
                ('1 = %Disk%', '1 = "disk', 'not closed'),
                ('HKR,,TypesSupported,%REG_DWORD%,7', 'HKR,,TypesSupported,%REG_DWORD%,1', 'TypesSupported'),
                ('REG_DWORD      = 0x', 'REG_WORD      = 0x', 'REG_DWORD% is not defined'),
                ('HKR,,Disable3D,%REG_DWORD_KEEP%', 'HKR,,Disable3D,%REG_DWORD%', 'Disable3D has to be 0'),
                ('[Strings]', '[Dead]\r\nHKR,,a,1,2\r\n[Strings]', 'nothing refers to [dead]')):
            with self.subTest(new=new):
                self.assertIn(old, good)
                found = self.defects(good.replace(old, new, 1))
                self.assertTrue(any(text in defect for defect in found), found)

    def test_missing_and_forgotten_files(self):
        text = self.render('x64', True, True)
        os.remove(self.file('aerogpu_d3d9.dll'))
        self.assertIn('the package has no file aerogpu_d3d9.dll', self.defects(text))
        self.file('extra.dll', b'')
        self.assertIn('extra.dll lies in the package and is not installed', self.defects(text))

    def test_wrong_platform(self):
        self.assertIn('platform NTamd64.6.1 in a package for NTx86', self.defects(self.render('x64', False), 'x86')[0])

    def test_syntax(self):
        self.assertEqual(inf.split_values('a, "b,c" ,"d""e",'), ['a', 'b,c', 'd"e', ''])
        parsed = inf.Inf('[A]\nx = 1, \\\n 2 ; comment\n[a]\n"y;z",2\n')
        self.assertEqual([(line.key, line.values) for line in parsed.section('A')],
                         [('x', ['1', '2']), (None, ['y;z', '2'])])
        for text in ('x = 1\n', '[A\n'):
            with self.assertRaises(inf.InfError):
                inf.Inf(text)


if __name__ == '__main__':
    unittest.main()
