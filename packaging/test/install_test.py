#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""usage: install_test.py BUILD-FOLDER PREFIX BINDIR MODULE-DIR DATA-DIR SYSCONFDIR VERSION

Installs into a temporary folder, moves the result elsewhere, and checks that the parts find each other there without
the build folder and without AEROGPU_... variables."""
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'scripts', 'lib'))
from aerogpu_vm import VM  # noqa: E402

BUILD, PREFIX, BINDIR, MODULE_DIR, DATA_DIR, SYSCONFDIR, VERSION = sys.argv[1:8]
# "windows" is missing: the disc is not built if its tools are missing.
TAGS = 'runtime,tools,man,doc'
VIDEO = '{"driver":"VGA","id":"video0","vgamem_mb":32,"bus":"pcie.0","addr":"0x1"}'  # as libvirt writes it
SANDBOX = 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'  # so, too


def rule_expression(pattern):
    """Returns a regular expression for the paths of an AppArmor pattern that has no wildcards but * and **
    (apparmor.d(5), "Globbing")."""
    words = {'**': '.*', '*': '[^/]*'}
    return ''.join(words.get(word) or re.escape(word) for word in re.split(r'(\*\*?)', pattern))


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for name in [name for name in os.environ if name.startswith('AEROGPU_') or name == 'QEMU_MODULE_DIR']:
            if name != 'AEROGPU_BEGAN':
                del os.environ[name]
        cls.temporary = os.path.realpath(tempfile.mkdtemp(prefix='aerogpu-install-'))
        cls.addClassCleanup(shutil.rmtree, cls.temporary)
        staging = os.path.join(cls.temporary, 'staging')
        done = subprocess.run(['/usr/bin/meson', 'install', '-C', BUILD, '--no-rebuild', '--quiet', '--destdir', staging,
                               '--tags', TAGS], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                              check=False)
        if done.returncode != 0:
            raise AssertionError(done.stdout)
        with open(os.path.join(staging + SYSCONFDIR, 'apparmor.d', 'abstractions', 'aerogpu')) as file:
            cls.rules = file.read()
        with open(os.path.join(BUILD, 'meson-logs', 'install-log.txt')) as file:
            logged = {line.rstrip('\n') for line in file}
        cls.unknown = [path for folder, _, names in os.walk(staging) for path in (os.path.join(folder, name) for name in names)
                       if path not in logged]
        cls.root = os.path.join(cls.temporary, 'elsewhere')
        os.rename(staging + PREFIX, cls.root)
        shutil.rmtree(staging)
        # The translator reports when it starts. (Its parent may not inspect it: it is not dumpable.)
        cls.starts = os.path.join(cls.temporary, 'starts')
        translator = os.path.join(cls.root, os.path.relpath(MODULE_DIR, PREFIX), 'aerogpu-translator')
        os.rename(translator, translator + '.real')
        with open(translator, 'w') as file:
            file.write('#!/bin/sh\necho started >>%s\nexec %s.real\n' % (cls.starts, translator))
        os.chmod(translator, 0o755)

    def setUp(self):
        if os.path.exists(self.starts):
            os.unlink(self.starts)

    def path(self, folder, *names):
        """Returns the moved path of what was installed into a folder under the prefix."""
        return os.path.join(self.root, os.path.relpath(folder, PREFIX), *names)

    def start(self, *arguments):
        vm = VM(['-accel', 'tcg', '-machine', 'q35', '-S', *arguments],
                launcher=self.path(BINDIR, 'qemu-system-x86_64-aerogpu'), serial=False)
        self.addCleanup(vm.stop)
        vm.start()
        return vm

    def test_everything_is_there(self):
        for path in (self.path(BINDIR, 'aerogpu-replay'), self.path(BINDIR, 'qemu-system-x86_64-aerogpu'),
                     self.path(MODULE_DIR, 'aerogpu-renderer'), self.path(MODULE_DIR, 'aerogpu-translator')):
            self.assertTrue(os.stat(path).st_mode & stat.S_IXOTH, path)
        share = self.path(os.path.dirname(DATA_DIR))
        texts = ['man/man1/aerogpu-replay.1', 'man/man1/qemu-system-x86_64-aerogpu.1']
        texts += [os.path.join('doc/aerogpu', name) for name in
                  ('README.md', 'docs/use/install.md', 'docs/abi/README.md', 'LICENSES/MIT.txt', 'examples/domain.xml')]
        for name in texts:
            self.assertTrue(os.path.getsize(os.path.join(share, name)), name)

    def test_uninstall_knows_all(self):
        self.assertEqual(self.unknown, [])  # `ninja uninstall` removes what meson's log names

    def test_texts_name_no_folder_of_the_build(self):
        for folder, _, names in os.walk(self.root):
            for name in names:
                with open(os.path.join(folder, name), 'rb') as file:
                    data = file.read()
                if b'\0' not in data:
                    self.assertNotIn(BUILD.encode(), data, name)
                    self.assertNotRegex(data, rb'@(BIN|DATA|DOC|MODULE)_[A-Z]+@', name)

    def test_apparmor_takes_the_rules(self):
        parser = shutil.which('apparmor_parser', path='/usr/sbin:/sbin')
        if not parser:
            self.skipTest('the package apparmor is not installed (docs/develop/dependencies.md, optional)')
        profile = ('include <tunables/global>\nprofile aerogpu-test flags=(attach_disconnected) {\n  include <abstractions/base>\n'
                   + self.rules + '}\n')
        # Only compiled, not loaded: the kernel need not have AppArmor.
        done = subprocess.run([parser, '--skip-kernel-load', '--skip-cache', '--base', '/etc/apparmor.d'], input=profile,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_apparmor_rules_name_what_is_installed(self):
        rules = re.findall(r'(?m)^  (/\S+) (\w+),$', self.rules)
        found = {}
        for folder, wanted in ((BINDIR, 'ix'), (MODULE_DIR, ''), (DATA_DIR, 'r')):
            for name in os.listdir(self.path(folder)):
                if name == 'aerogpu-replay' or name.endswith('.real'):
                    continue
                modes = [mode for pattern, mode in rules if re.fullmatch(rule_expression(pattern), os.path.join(folder, name))]
                need = wanted or ('mr' if name.endswith('.so') else 'ix')
                self.assertTrue(any(need in mode for mode in modes), '%s/%s: %s, wanted %s' % (folder, name, modes, need))
                found[name] = modes
        self.assertLessEqual({'qemu-system-x86_64-aerogpu', 'aerogpu-qemu.so', 'aerogpu-device.so', 'aerogpu-renderer', 'aerogpu-translator',
                              'vgabios-aerogpu.bin'}, set(found))

    def test_qemu_finds_all_parts(self):
        vm = self.start('-nodefaults', '-sandbox', SANDBOX, '-device', VIDEO)
        get = lambda name: vm.qmp('qom-get', path='/machine/peripheral/video0', property=name)
        self.assertEqual(get('type'), 'aerogpu')
        self.assertEqual(get('vgamem_mb'), 32)
        self.assertEqual(get('version'), VERSION)
        # Before it lets the guest run, libvirt looks for this link, and reads the memory size through it.
        links = [one['name'] for one in vm.qmp('qom-list', path='//machine/peripheral/video0') if one['type'] == 'link<VGA>']
        self.assertEqual(vm.qmp('qom-get', path='//machine/peripheral/video0/' + links[0], property='vgamem_mb'), 32)
        self.assertEqual(os.path.realpath(get('romfile')), self.path(DATA_DIR, 'vgabios-aerogpu.bin'))
        with open('/proc/%d/maps' % vm.process.pid) as file:
            maps = file.read()
        self.assertIn(self.path(MODULE_DIR, 'aerogpu-device.so'), maps)
        self.assertNotIn(BUILD + '/', maps)
        self.assertTrue(os.path.exists(self.starts), 'the translator was not started')

    def test_the_card_is_an_aerogpu_without_asking(self):
        vm = self.start()
        cards = [device['qdev_id'] + ' %04x' % device['id']['vendor'] for bus in vm.qmp('query-pci')
                 for device in bus['devices'] if device['class_info']['class'] == 0x300]
        self.assertEqual(cards, [' a3a0'])

    def test_versions(self):
        done = subprocess.run([self.path(BINDIR, 'aerogpu-replay'), '--version'], stdout=subprocess.PIPE, text=True,
                              timeout=60, check=True)
        self.assertEqual(done.stdout, 'aerogpu-replay %s\n' % VERSION)
        with open(os.path.join(HERE, '..', '..', 'CHANGELOG.md')) as file:
            headings = [line for line in file if line.startswith('## ')]
        self.assertEqual(headings[0], '## %s\n' % VERSION)

    def test_replay_lists_vulkan_devices(self):
        done = subprocess.run([self.path(BINDIR, 'aerogpu-replay'), '--vulkan-device', 'help'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        if 'no Vulkan' in done.stderr:  # a host without any
            self.assertEqual(done.returncode, 1)
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r'(?m)^0 = .+ \(.+\)')
        self.assertEqual(done.stdout.count(': the default\n'), 1)

    def test_replay_finds_the_translator(self):
        done = subprocess.run([self.path(BINDIR, 'aerogpu-replay'), self.starts], stderr=subprocess.PIPE, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(self.starts, done.stderr)  # the translator's note is no trace
        self.assertTrue(os.path.exists(self.starts), 'the translator was not started')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
