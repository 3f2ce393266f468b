# SPDX-License-Identifier: MIT
"""Tests updates: a driver disc whose package is newer replaces an older one's, and keeps what the user has set. Windows
is played here by its rules: which package it takes says Microsoft's page "Overview of the Driver Selection Process"
("How Windows Selects Drivers": the most recent date, then the highest version, for packages of equal rank), what it does
with the package the pages "INF CopyFiles Directive", "INF AddReg Directive", "INF DelReg Directive". It copies the
files of a signed package whatever their own versions say."""
import os
import unittest

import drivers
import disc_test
import inf
import make_package

ARCH = 'x64'
NO_CLOBBER = 0x2  # FLG_ADDREG_NOCLOBBER
NO_MORE_ITEMS = 259  # pnputil's exit code if the device keeps a driver that it has
DAY = 86400
WHEN = drivers.WHEN // DAY * DAY + 12 * 3600  # noon


class Windows:
    """A driver store, and the one device that takes its drivers from there."""

    def __init__(self):
        self.packages = []
        self.chosen = None
        self.files = {}     # path -> bytes
        self.software = {}  # value of the software key -> data

    def add(self, folder):
        """Adds a package to the store, as `pnputil -i -a` does; returns the exit code."""
        with open(os.path.join(folder, 'aerogpu.inf'), encoding='ascii') as file:
            package = inf.Inf(file.read())
        self.packages.append((self.newness(package), package, folder))
        best = max(self.packages, key=lambda entry: entry[0])
        if best is self.chosen:
            return NO_MORE_ITEMS
        self.chosen = best
        self.install(best[1], folder)
        return 0

    def newness(self, package):
        """Returns what Windows compares. The rank is equal for all: they have one signer, feature score and id."""
        date, version = package.values('Version', 'DriverVer')
        month, day, year = (int(part) for part in date.split('/'))
        return (year, month, day), tuple(int(part) for part in version.split('.'))

    def install(self, package, folder):
        found = inf.walk(package, ARCH)
        for name, where in found.files.items():
            self.files[where + '\\' + name] = disc_test.read(folder, name)
        for _, value in found.deleted['software']:
            self.software.pop(value, None)
        for (_, value), (flags, data) in found.registry['software'].items():
            if value not in self.software or not flags & NO_CLOBBER:
                self.software[value] = data


class UpdateTest(disc_test.DiscCase):
    def package(self, name, when=WHEN, version=None, umd=True):
        """Makes a disc; returns the folder of its x64 package. Its files differ from other discs' in their signatures,
        which have the time."""
        files = {arch: [drivers.path('tiny', arch)] for arch in drivers.ARCHITECTURES}
        if umd:
            for arch, file in make_package.UMD.items():
                files[arch].append(self.file(file, drivers.raw('tiny-umd', arch)))
        folder = os.path.join(self.disc(name, when=when, **files), ARCH)
        if version:  # the files keep theirs, which Windows does not compare
            path = os.path.join(folder, 'aerogpu.inf')
            text = disc_test.read(path).decode('ascii')
            old = inf.driver_version(drivers.VERSION, when)
            self.assertEqual(text.count(old), 1)
            with open(path, 'w', encoding='ascii', newline='') as file:
                file.write(text.replace(old, inf.driver_version(version, when)))
        return folder

    def assert_installed(self, windows, folder):
        for name in ('aerogpu.sys', 'aerogpu_d3d9_x64.dll', 'aerogpu_d3d9.dll'):
            installed = [data for path, data in windows.files.items() if path.endswith('\\' + name)]
            self.assertEqual(installed, [disc_test.read(folder, name)], name)

    def test_the_newer_package_is_taken(self):
        newer = drivers.VERSION.split('.')
        newer[2] = str(int(newer[2]) + 1)
        first = self.package('first')
        for name, later in (('minute', {'when': WHEN + 60}), ('day', {'when': WHEN + DAY}),
                            ('midnight', {'when': WHEN + DAY // 2}),  # the next day's first minute
                            ('version', {'version': '.'.join(newer)})):
            second = self.package(name, **later)
            with self.subTest(name, order='older first'):
                windows = Windows()
                self.assertEqual([windows.add(first), windows.add(second)], [0, 0])
                self.assert_installed(windows, second)
            with self.subTest(name, order='newer first'):
                windows = Windows()
                self.assertEqual([windows.add(second), windows.add(first)], [0, NO_MORE_ITEMS])
                self.assert_installed(windows, second)

    def test_version_before_time_within_a_day(self):
        """A higher version wins on the same date, even if it was made earlier that day: a maintenance release does not
        displace it."""
        newer = drivers.VERSION.split('.')
        newer[1] = str(int(newer[1]) + 1)
        windows = Windows()
        new = self.package('new', version='.'.join(newer))
        self.assertEqual([windows.add(new), windows.add(self.package('maintenance', when=WHEN + 3600))], [0, NO_MORE_ITEMS])
        self.assert_installed(windows, new)

    def test_the_same_again_changes_nothing(self):
        windows = Windows()
        package = self.package('same')
        self.assertEqual([windows.add(package), windows.add(package)], [0, NO_MORE_ITEMS])

    def test_settings_stay(self):
        windows = Windows()
        windows.add(self.package('old'))
        windows.software.update(Disable3D=['1'], UserModeLog=['3'], OpenGLDriverName=['other'],
                                UserModeDriverName=['renamed.dll'])
        self.assertEqual(windows.add(self.package('new', when=WHEN + 60)), 0)
        self.assertEqual(windows.software['Disable3D'], ['1'])
        self.assertEqual(windows.software['UserModeLog'], ['3'])
        self.assertEqual(windows.software['DisableAperture'], ['0'])
        self.assertEqual(windows.software['UserModeDriverName'], ['aerogpu_d3d9_x64.dll'])
        self.assertNotIn('OpenGLDriverName', windows.software)

    def test_no_user_mode_driver_is_left_behind(self):
        """A package without user-mode drivers takes away the values that name those of the package before."""
        windows = Windows()
        windows.add(self.package('with'))
        self.assertIn('UserModeDriverNameWow', windows.software)
        self.assertEqual(windows.add(self.package('without', when=WHEN + 60, umd=False)), 0)
        for value in ('UserModeDriverName', 'UserModeDriverNameWow', 'InstalledDisplayDrivers'):
            self.assertNotIn(value, windows.software)


if __name__ == '__main__':
    unittest.main()
