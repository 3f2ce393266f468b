#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests run-vm --install: the discs that it takes, what it refuses before writing anything, and the QEMU that it
starts. Makes its own discs: ISO 9660 with xorriso, UDF by ECMA 167."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from aerogpu_build import Failure  # noqa: E402
import disc_image  # noqa: E402
import run_vm  # noqa: E402
import windows_disc  # noqa: E402
import windows_install  # noqa: E402

SECTOR = 2048
START = 257  # first sector of the UDF partition
GIB = 1 << 30


def image_xml(name='Windows 7 ULTIMATE', arch=9, version='6.1', service_pack=1, product='WinNT'):
    major, minor = version.split('.')
    return ('<IMAGE><WINDOWS><ARCH>%d</ARCH><PRODUCTTYPE>%s</PRODUCTTYPE><VERSION><MAJOR>%s</MAJOR><MINOR>%s</MINOR>'
            '<BUILD>7601</BUILD><SPLEVEL>%d</SPLEVEL></VERSION></WINDOWS><NAME>%s</NAME></IMAGE>'
            % (arch, product, major, minor, service_pack, name))


def wim(*images, text=None):
    """Returns a WIM file that has only its description: magic, sizes, the XML's resource header at 72, and the XML."""
    xml = (text or '<WIM>%s</WIM>' % ''.join(images)).encode('utf-16')
    header = bytearray(208)
    struct.pack_into('<8sII', header, 0, b'MSWIM\0\0\0', 208, 0x10d00)
    struct.pack_into('<QQQ', header, 72, len(xml), 208, len(xml))
    return bytes(header) + xml


def udf(contents, folder='sources', name='install.wim', split=None):
    """Returns a UDF 1.02 image with one folder and one file. `split`: where the file's second extent begins, if it has
    one."""
    image = bytearray((START + 64) * SECTOR + len(contents) + SECTOR)

    def put(sector, data):
        image[sector * SECTOR:sector * SECTOR + len(data)] = data

    def tag(number):  # the reader ignores the checksums
        return struct.pack('<HHBBHHHI', number, 2, 0, 0, 0, 0, 0, 0)

    def entry(kind, size, extents):
        data = bytearray(176) + b''.join(struct.pack('<II', length, block) for block, length in extents)
        data[0:16] = tag(261)
        data[27] = kind
        struct.pack_into('<Q', data, 56, size)
        struct.pack_into('<II', data, 168, 0, 8 * len(extents))
        return data

    def identifier(text, block, characteristics):
        name_bytes = b'\x10' + text.encode('utf-16-be') if text else b''
        data = tag(257) + struct.pack('<HBBIIHHIH', 1, characteristics, len(name_bytes), SECTOR, block, 0, 0, 0, 0) + name_bytes
        return data + bytes(-len(data) % 4)

    for sector, standard in ((16, b'BEA01'), (17, b'NSR02'), (18, b'TEA01')):
        put(sector, b'\0' + standard + b'\1')
    put(256, tag(2) + struct.pack('<II', 16 * SECTOR, 32))
    partition = bytearray(512)
    partition[0:16] = tag(5)
    struct.pack_into('<I', partition, 188, START)
    put(32, partition)
    volume = bytearray(512)
    volume[0:16] = tag(6)
    struct.pack_into('<I', volume, 212, SECTOR)
    struct.pack_into('<II', volume, 248, SECTOR, 0)
    put(33, volume)
    put(34, tag(8))
    file_set = bytearray(512)
    file_set[0:16] = tag(256)
    struct.pack_into('<II', file_set, 400, SECTOR, 1)
    put(START, file_set)
    root = identifier('', 1, 0x0a) + identifier(folder, 3, 0x02)
    inside = identifier('', 1, 0x0a) + identifier('deleted', 5, 0x04) + identifier(name, 5, 0)
    put(START + 1, entry(4, len(root), [(2, len(root))]))
    put(START + 2, root)
    put(START + 3, entry(4, len(inside), [(4, len(inside))]))
    put(START + 4, inside)
    if split:  # the second half lies before the first
        first, second = contents[:split], contents[split:]
        put(START + 32, first)
        put(START + 6, second)
        extents = [(32, len(first)), (6, len(second))]
    else:
        put(START + 6, contents)
        extents = [(6, len(contents))]
    put(START + 5, entry(5, len(contents), extents))
    return bytes(image)


class Base(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.disk = os.path.join(self.folder, 'win7.qcow2')
        quiet = mock.patch.object(windows_install, 'say')
        self.said = quiet.start()
        self.addCleanup(quiet.stop)
        room = mock.patch.object(windows_install.shutil, 'disk_usage', return_value=mock.Mock(free=100 * GIB))
        self.room = room.start()
        self.addCleanup(room.stop)

    def write(self, data, name='disc.iso'):
        path = os.path.join(self.folder, name)
        with open(path, 'wb') as file:
            file.write(data)
        return path

    def disc(self, *images):
        return self.write(udf(wim(*(images or [image_xml()]))))

    def refused(self, text, *words):
        before = sorted(os.listdir(self.folder))
        with self.assertRaisesRegex(Failure, text) as caught:
            run_vm.Options(list(words))
        self.assertNotIn('\n', str(caught.exception))
        self.assertEqual(sorted(os.listdir(self.folder)), before)  # nothing was written


class Discs(Base):
    def test_editions_of_both_widths(self):
        windows = windows_disc.look(self.disc(image_xml('Windows 7 HOMEBASIC', 0), image_xml('Windows 7 ULTIMATE', 9)))
        self.assertEqual(windows.bits, {32, 64})
        self.assertEqual(windows.names, ['Windows 7 HOMEBASIC', 'Windows 7 ULTIMATE'])
        self.assertEqual(windows.service_pack, 1)
        self.assertEqual(str(windows), 'Windows 7 (2 editions), 32-bit and 64-bit, Service Pack 1')

    def test_without_service_pack(self):
        windows = windows_disc.look(self.disc(image_xml(arch=0, service_pack=0)))
        self.assertEqual(str(windows), 'Windows 7 ULTIMATE, 32-bit, no Service Pack')

    def test_file_in_two_parts(self):
        contents = wim(image_xml())
        self.assertEqual(windows_disc.look(self.write(udf(contents.ljust(SECTOR * 3, b' '), split=SECTOR))).bits, {64})
        # Also parts of the description itself: it begins in the first one and ends in the second.
        self.assertEqual(windows_disc.look(self.write(udf(contents, split=300))).bits, {64})

    def test_iso_9660(self):
        tree = os.path.join(self.folder, 'tree')
        os.makedirs(os.path.join(tree, 'sources'))
        with open(os.path.join(tree, 'sources', 'install.wim'), 'wb') as file:
            file.write(wim(image_xml()))
        path = os.path.join(self.folder, 'again.iso')
        subprocess.run(['xorriso', '-as', 'mkisofs', '-quiet', '-o', path, tree], check=True, stderr=subprocess.DEVNULL)
        self.assertEqual(windows_disc.look(path).bits, {64})

    def test_every_cut_and_every_changed_byte_is_survived(self):
        whole = udf(wim(image_xml()))
        interesting = [sector * SECTOR for sector in (16, 17, 32, 33, 34, 256, START, START + 1, START + 2, START + 3,
                                                      START + 4, START + 5, START + 6)]
        tried = 0
        for base in interesting:
            for damaged in (whole[:base], whole[:base + 100]):
                with self.assertRaises(Failure):
                    windows_disc.look(self.write(damaged))
            for at in range(base, base + 280, 7):
                for value in (0, 0xff):
                    damaged = bytearray(whole)
                    damaged[at:at + 7] = bytes([value]) * 7
                    try:
                        windows_disc.look(self.write(bytes(damaged)))
                    except Failure:
                        tried += 1
        self.assertGreater(tried, 50)


class Refusals(Base):
    def test_no_file(self):
        self.refused("there is no file '/nowhere.iso'", '--install', '/nowhere.iso', self.disk)
        self.refused('is a folder', '--install', self.folder, self.disk)
        self.refused('--install needs the name of a disk', '--install', self.disc())

    def test_no_disc(self):
        self.refused('neither an ISO 9660 nor a UDF', '--install', self.write(b'a text'), self.disk)
        self.refused('neither an ISO 9660 nor a UDF', '--install', self.write(b''), self.disk)
        self.refused('neither an ISO 9660 nor a UDF', '--install', self.write(bytes(1 << 20)), self.disk)
        cut = udf(wim(image_xml()))[:START * SECTOR]
        self.refused('it ends at', '--install', self.write(cut), self.disk)

    def test_no_windows(self):
        self.refused('has no sources/install.wim', '--install', self.write(udf(b'x', folder='boot')), self.disk)
        self.refused('is no WIM file', '--install', self.write(udf(bytes(300))), self.disk)
        self.refused('has no Windows', '--install', self.write(udf(wim(text='<WIM/>'))), self.disk)
        bomb = '<!DOCTYPE x [<!ENTITY a "b">]><WIM>&a;</WIM>'
        self.refused('cannot be read', '--install', self.write(udf(wim(text=bomb))), self.disk)

    def test_another_windows(self):
        for version, name in (('6.0', 'Windows Vista'), ('6.2', 'Windows 8'), ('10.0', 'Windows 10')):
            self.refused('%s .version %s., not Windows 7' % (name, version), '--install',
                         self.disc(image_xml(name, version=version)), self.disk)
        self.refused('SERVER.* not Windows 7', '--install',
                     self.disc(image_xml('Windows Server 2008 R2 SERVERSTANDARD', product='ServerNT')), self.disk)
        self.refused("another processor than a PC's", '--install', self.disc(image_xml(arch=6)), self.disk)

    def test_bits(self):
        self.refused('has Windows 7 ULTIMATE, 64-bit.* --bits asks for 32', '--install', self.disc(), '--bits', '32', self.disk)
        self.refused('has Windows 7 ULTIMATE, 32-bit.* --bits asks for 64', '--install', self.disc(image_xml(arch=0)),
                     '--bits', '64', self.disk)
        self.refused("--bits is 32 or 64, not '16'", '--install', self.disc(), '--bits', '16', self.disk)
        self.assertTrue(run_vm.Options(['--install', self.disc(), '--bits', '64', self.disk]).new_disk)

    def test_disk_exists(self):
        disc = self.disc()
        for make in (lambda: self.write(b'', 'win7.qcow2'), lambda: os.symlink('/nowhere', self.disk)):
            make()
            self.refused('exists; to go on with a set-up', '--install', disc, self.disk)
            os.unlink(self.disk)

    def test_place_of_the_disk(self):
        self.refused('the name of a disk ends in', '--install', self.disc(), os.path.join(self.folder, 'win7.disk'))
        self.refused('there is no folder', '--install', self.disc(), '/nowhere/win7.qcow2')
        with mock.patch.object(windows_install.os, 'access', return_value=False):
            self.refused('cannot write to the folder', '--install', self.disc(), self.disk)

    def test_space(self):
        # 16 GB for 32 bits, 20 GB for 64 (Microsoft's system requirements).
        for arch, needed in ((0, 16), (9, 20)):
            disc = self.disc(image_xml(arch=arch))
            self.room.return_value.free = needed * GIB - 1
            self.refused('GiB left, and .* needs %d' % needed, '--install', disc, self.disk)
            self.room.return_value.free = needed * GIB
            run_vm.Options(['--install', disc, self.disk])
            self.refused('--size %dG is too little' % (needed - 1), '--install', disc, '--size', '%dG' % (needed - 1), self.disk)
            run_vm.Options(['--install', disc, '--size', '%dG' % needed, self.disk])

    def test_size(self):
        for text in ('0G', '40', '40M', '-1G', 'G', '40 G'):
            self.refused('is no size', '--install', self.disc(), '--size', text, self.disk)
        self.refused('is too much', '--install', self.disc(), '--size', '3T', self.disk)

    def test_options_that_need_it(self):
        self.refused('are for --install', '--size', '40G', self.disc())
        self.refused('are for --install', '--bits', '64', self.disc())


class Start(Base):
    def command(self, *words):
        disc = self.disc()
        options = run_vm.Options(['--no-setup', '--display', 'none', *words, '--install', disc, self.disk])
        windows, size, kind = options.new_disk
        windows_install.make_disk(options.disk, size, kind)
        return disc, run_vm.windows_arguments(options, 'tcg')

    def test_disk_and_order(self):
        disc, arguments = self.command('--size', '64G')
        info = json.loads(subprocess.run(['qemu-img', 'info', '--output=json', self.disk], stdout=subprocess.PIPE,
                                         check=True).stdout)
        self.assertEqual((info['format'], info['virtual-size']), ('qcow2', 64 * GIB))
        order = {word.split('drive=')[1].split(',')[0]: word for word in arguments if 'bootindex' in word}
        self.assertIn('bootindex=1', order['disk0'])
        self.assertIn('bootindex=2', order['setup'])
        drive = next(word for word in arguments if 'id=setup' in word)
        self.assertIn('file=' + disc, drive)
        self.assertIn('readonly=on', drive)
        ports = [word.split('bus=')[1].split(',')[0] for word in arguments if 'bus=ide.' in word]
        self.assertEqual(len(ports), len(set(ports)))
        for call in self.said.call_args_list:
            self.assertNotIn('\n', call[0][0])

    def test_a_disk_made_meanwhile_is_not_overwritten(self):
        options = run_vm.Options(['--install', self.disc(), self.disk])
        self.write(b'precious', 'win7.qcow2')
        with self.assertRaisesRegex(Failure, 'cannot make the disk'):
            windows_install.make_disk(options.disk, options.new_disk[1], options.new_disk[2])
        with open(self.disk, 'rb') as file:
            self.assertEqual(file.read(), b'precious')

    def test_qemu_takes_the_machine(self):
        if not shutil.which('qemu-system-x86_64'):
            self.skipTest('QEMU is not installed')
        _, arguments = self.command()
        process = subprocess.run(['qemu-system-x86_64', '-display', 'none', '-S', '-monitor', 'stdio', *arguments],
                                 input='info block\nquit\n', stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 timeout=60, check=False)
        self.assertEqual(process.returncode, 0, process.stdout)
        self.assertRegex(process.stdout, r'setup .*disc\.iso')


if __name__ == '__main__':
    unittest.main()
