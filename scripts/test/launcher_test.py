#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests which arguments scripts/qemu-aerogpu gives to QEMU, with a script that prints them in place of QEMU."""
import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
LAUNCHER = os.path.join(HERE, '..', 'qemu-aerogpu')
CARD = ['-vga', 'none', '-device', 'aerogpu']


class Launcher(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.makedirs(self.folder + '/bin')
        self.qemu = self.folder + '/bin/qemu'
        self.script(self.qemu, 'echo "$LD_PRELOAD"; for word; do echo "$word"; done')
        # The launcher as installed: the module's folder is filled in.
        with open(LAUNCHER) as file:
            text = file.read()
        self.installed = self.folder + '/bin/installed'
        self.script(self.installed, text.replace('@MODULE_FROM_BIN@', '../lib/aerogpu').split('\n', 1)[1])

    def script(self, path, text):
        with open(path, 'w') as file:
            file.write('#!/bin/sh\n' + text + '\n')
        os.chmod(path, 0o755)

    def module(self):
        os.makedirs(self.folder + '/lib/aerogpu', exist_ok=True)
        path = self.folder + '/lib/aerogpu/aerogpu-qemu.so'
        open(path, 'w').close()
        return path

    def run_it(self, *arguments, program=None, **variables):
        # The loader complains about the empty file that stands in for the module, and continues.
        return subprocess.run([program or self.installed, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env=dict(os.environ, AEROGPU_QEMU=self.qemu, **variables), check=False)

    def arguments(self, *arguments, **variables):
        path = self.module()
        done = self.run_it(*arguments, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        preload, *words = done.stdout.splitlines()
        self.assertEqual(preload, path)
        return words

    def test_default(self):
        self.assertEqual(self.arguments(), CARD)
        self.assertEqual(self.arguments('-m', '2G', 'a b'), CARD + ['-m', '2G', 'a b'])
        self.assertEqual(self.arguments('-M', 'q35'), CARD + ['-M', 'q35'])

    def test_shared_ram(self):
        def shared(*words):
            return self.arguments(*words, AEROGPU_SHARED_RAM='1')
        for memory, size in (([], '128M'), (['-m', '3072'], '3072M'), (['-m', '2.5G'], '2.5G'), (['-m', '3g,maxmem=8G'], '3g'),
                             (['-m', 'size=1G,slots=2,maxmem=8G'], '1G'), (['-m', 'slots=2,maxmem=8G,size=512'], '512M'),
                             (['-m', 'slots=2,maxmem=8G'], '128M')):
            ram = ['-object', f'memory-backend-memfd,id=pc.ram,size={size},share=on', '-machine', 'memory-backend=pc.ram']
            self.assertEqual(shared(*memory), CARD + ram + memory)
            self.assertEqual(shared('-vga', 'none', *memory), ram + ['-vga', 'none'] + memory)
        for own in (['-machine', 'q35,memory-backend=ram'], ['-numa', 'node,memdev=a'], ['-mem-path', '/dev/hugepages'],
                    ['-readconfig', 'file']):
            self.assertEqual(shared(*own), CARD + own)
            self.assertIn(own[1], self.run_it(*own, AEROGPU_SHARED_RAM='1').stderr)
        self.assertEqual(shared('-M', 'none'), ['-M', 'none'])
        self.assertEqual(self.arguments(AEROGPU_SHARED_RAM='0'), CARD)
        done = self.run_it(AEROGPU_SHARED_RAM='yes')
        self.assertEqual(done.returncode, 1)
        self.assertIn("AEROGPU_SHARED_RAM is 'yes', not 0 or 1", done.stderr)

    def test_no_card(self):
        for words in (['-nodefaults'], ['-vga', 'none'], ['-vga', 'qxl'], ['-machine', 'none'], ['-M', 'microvm,acpi=on'],
                      ['-machine', 'type=isapc'], ['-machine', 'help'], ['-nodefaults', '-device', 'VGALIKE'],
                      ['-nodefaults', '-append', 'VGA'], ['-nodefaults', '-device', 'virtio-vga,id=VGA']):
            self.assertEqual(self.arguments(*words), words)

    def test_standard_card(self):
        self.assertEqual(self.arguments('-vga', 'std', '-m', '1'), CARD + ['-m', '1'])
        self.assertEqual(self.arguments('-nodefaults', '-device', 'VGA'), ['-nodefaults', '-device', 'aerogpu'])
        self.assertEqual(self.arguments('-nodefaults', '-device', 'VGA,id=a,vgamem_mb=32'),
                         ['-nodefaults', '-device', 'aerogpu,id=a,vgamem_mb=32'])
        self.assertEqual(self.arguments('-nodefaults', '-device', 'VGA,vgamem_mb=16,id=a'),
                         ['-nodefaults', '-device', 'aerogpu,id=a'])
        self.assertEqual(self.arguments('-nodefaults', '-device', 'VGA,vgamem_mb=16'), ['-nodefaults', '-device', 'aerogpu'])

    def test_libvirt(self):
        for size, kept in ((16, ''), (64, '"vgamem_mb":64,'), (160, '"vgamem_mb":160,')):
            self.assertEqual(
                self.arguments('-nodefaults', '-device',
                               '{"driver":"VGA","id":"video0","vgamem_mb":%d,"bus":"pcie.0","addr":"0x1"}' % size),
                ['-nodefaults', '-device', '{"driver":"aerogpu","id":"video0",%s"bus":"pcie.0","addr":"0x1"}' % kept])

    def test_own_card(self):
        for device in ('aerogpu', 'aerogpu,xres=1600', 'id=a,driver=aerogpu', 'driver=aerogpu,id=a',
                       '{"driver": "aerogpu", "id": "a"}'):
            self.assertEqual(self.arguments('-device', device), ['-vga', 'none', '-device', device])
            for card in (['-vga', 'std'], ['-nodefaults']):
                self.assertEqual(self.arguments(*card, '-device', device, '-device', 'VGA'),
                                 [*card, '-device', device, '-device', 'VGA'])

    def test_configuration_file(self):
        path = self.folder + '/config'
        for text, first in (('[device "card"]\n  driver = "aerogpu"\n', CARD[:2]), ('[device "card"]\ndriver="VGA"\n', CARD)):
            with open(path, 'w') as file:
                file.write(text)
            self.assertEqual(self.arguments('-readconfig', path), first + ['-readconfig', path])
        self.assertEqual(self.arguments('-readconfig', '/none'), CARD + ['-readconfig', '/none'])

    def test_through_a_link(self):
        self.module()
        os.makedirs(self.folder + '/other')
        link = self.folder + '/other/link'
        os.symlink(self.installed, link)
        self.assertEqual(self.run_it(program=link).stdout.splitlines()[1:], CARD)

    def refused(self, text, program=None, **variables):
        done = self.run_it(program=program, **variables)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count('\n')), (1, '', 1), done.stderr)
        self.assertIn(text, done.stderr)

    def test_refused(self):
        self.refused('installed: error: the installation is not complete: ')
        self.refused('qemu-aerogpu: error: the device is not built (scripts/run-vm builds it): ', program=LAUNCHER,
                     AEROGPU_BUILD_DIR='/none')
        self.qemu = '/none'
        self.module()
        self.refused('there is no /none')
        blank = self.folder + '/a b'
        os.makedirs(blank + '/hw-aerogpu')
        open(blank + '/hw-aerogpu/aerogpu-qemu.so', 'w').close()
        self.refused('takes no path with a blank or a colon', program=LAUNCHER, AEROGPU_BUILD_DIR=blank)


if __name__ == '__main__':
    unittest.main()
