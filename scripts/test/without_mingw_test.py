#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that `meson setup` succeeds on a machine without mingw-w64, clang and LLVM, so that the device and the
renderer can be built: it names the parts that it leaves out and how to install what they need, and no target calls a
compiler for Windows. With -Dcomplete=true it must fail."""
import json
import os
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
HIDDEN = re.compile(r'.*mingw32|clang|llvm|lld')
# Targets that need no compiler for Windows: the device's, the renderer's and those of the Linux guest.
WANTED = {'aerogpu-qemu', 'aerogpu-device', 'aerogpu-translator', 'aerogpu-replay', 'aerogpu-renderer',
          'aerogpu-renderer-static', 'aerogpu-d3d9asm', 'aerogpu-demo'}
WINDOWS_FILE = re.compile(r'\.(sys|dll|exe|iso|inf|cat|pdb)$')


class WithoutMingwTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        tools, qemu = cls.path('tools'), cls.path('qemu')
        os.mkdir(tools)
        for folder in ('/usr/bin', '/usr/sbin'):
            for name in os.listdir(folder):
                if not HIDDEN.match(name) and not os.path.lexists(os.path.join(tools, name)):
                    os.symlink(os.path.join(folder, name), os.path.join(tools, name))
        # What the configure step reads of a prepared QEMU.
        os.mkdir(qemu)
        for name, text in {'cflags': '-DNOTHING', 'version': '7.2.0'}.items():
            with open(os.path.join(qemu, name), 'w') as file:
                file.write(text + '\n')
        cls.setup = cls.meson('-Ddevice=enabled', '-Dqemu_build_dir=' + qemu)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    @classmethod
    def meson(cls, *options):
        environment = {**os.environ, 'PATH': cls.path('tools'), 'CC': 'gcc', 'CXX': 'g++'}
        return subprocess.run(['/usr/bin/meson', 'setup', cls.path('build'), ROOT, *options], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)

    def introspect(self, what):
        with open(self.path('build/meson-info/intro-%s.json' % what)) as file:
            return json.load(file)

    def test_a_says_what_is_left_out(self):
        self.assertEqual(self.setup.returncode, 0, self.setup.stdout[-3000:])
        said = self.setup.stdout
        self.assertRegex(said, r'left out: guest-drivers, testbed: no mingw-w64 \(x86_64-w64-mingw32-g\+\+, .*'
                               r'Windows drivers, Windows programs and the driver disc are not built')
        self.assertRegex(said, r'left out: protocol: no clang or mingw-w64')
        self.assertRegex(said, r'Message: \d+ parts are left out \(see above\); scripts/setup installs what they need')

    def test_b_has_the_device_and_nothing_for_windows(self):
        targets = self.introspect('targets')
        self.assertEqual(WANTED - {target['name'] for target in targets}, set())
        files = [name for target in targets for name in target['filename']]
        self.assertEqual([name for name in files if WINDOWS_FILE.search(name)], [])
        with open(self.path('build/build.ninja')) as file:
            self.assertEqual(re.findall(r'.*mingw(?:32|-w64).*', file.read()), [])
        words = [word for test in self.introspect('tests') for word in test['cmd']]
        self.assertGreater(len(words), 100)
        self.assertEqual([word for word in words if re.search('mingw(32|-w64)|clang', word)], [])

    def test_c_complete_wants_all(self):
        setup = self.meson('--reconfigure', '-Dcomplete=true')
        self.assertNotEqual(setup.returncode, 0)
        self.assertRegex(setup.stdout, r'ERROR: Problem encountered: \d+ parts are left out \(see above\); '
                                       r'scripts/setup installs what they need, and complete=true wants all')


if __name__ == '__main__':
    unittest.main()
