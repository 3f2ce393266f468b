# SPDX-License-Identifier: MIT
"""Tests check_driver_pe: it accepts a good driver, and finds each defect that is patched into it."""
import os
import random
import re
import shutil
import struct
import subprocess
import unittest

import drivers
import check_driver_pe
import finish_driver
import pe


def patched(data, offset, form, value):
    out = bytearray(data)
    struct.pack_into(form, out, offset, value)
    return out


def section_header(image, name):
    """Returns the file offset of a section's header."""
    index = [section.name for section in image.sections].index(name)
    return image.section_table_end - 40 * (len(image.sections) - index)


class CheckTest(drivers.FolderTest):
    def defects(self, data, arch, checksum=True, **kwargs):
        if checksum:
            data = pe.PeImage(data).with_checksum()
        return check_driver_pe.check(self.file('driver.sys', data), arch, **kwargs)

    def assert_found(self, data, arch, text, **kwargs):
        found = self.defects(data, arch, **kwargs)
        self.assertTrue(any(text in defect for defect in found), found)

    def each(self):
        for arch in drivers.ARCHITECTURES:
            data = drivers.finished('tiny', arch)
            yield arch, data, pe.PeImage(data)

    def test_good_driver(self):
        for arch, data, _ in self.each():
            self.assertEqual(self.defects(data, arch, checksum=False, version=drivers.VERSION), [])

    def test_linker_output_needs_finishing(self):
        for arch in drivers.ARCHITECTURES:
            found = self.defects(drivers.raw('tiny', arch), arch, checksum=False)
            self.assertIn('section INIT is not discardable', found)
            self.assertIn('the file is marked as a DLL', found)

    def test_finishing_twice_changes_nothing(self):
        for arch, data, _ in self.each():
            self.assertEqual(finish_driver.finish(data), data)

    def test_import_that_windows_7_lacks(self):
        for arch in drivers.ARCHITECTURES:
            found = self.defects(drivers.finished('wrong-import', arch), arch)
            self.assertEqual(found, ['imports IoReportRootDevice from ntoskrnl.exe, which Windows 7 (%s) does not '
                                     'export' % arch])

    def test_import_from_another_module(self):
        for arch, data, image in self.each():
            for module, replacement in ((b'ntoskrnl.exe', b'msvcrt.dll\0\0'), (b'hal.dll', b'ndi.sys')):
                place = data.lower().find(module + b'\0')
                self.assertGreater(place, 0)
                broken = data[:place] + replacement + data[place + len(module):]
                self.assert_found(broken, arch, 'imports from ' + replacement.rstrip(b'\0').decode())

    def test_import_from_the_wrong_one_of_the_two(self):
        for arch, data, image in self.each():
            place = data.find(b'DbgPrint\0')
            broken = data[:place] + b'KeBugChk' + data[place + 8:]
            self.assert_found(broken, arch, 'imports KeBugChk from ntoskrnl.exe, which Windows 7')
        exports = check_driver_pe.load_exports()
        self.assertEqual(exports['x86']['KeGetCurrentIrql'], 'hal.dll')
        self.assertNotIn('KeGetCurrentIrql', exports['x64'])
        swapped = {arch: dict(table, DbgPrint='hal.dll') for arch, table in exports.items()}
        for arch, data, _ in self.each():
            found = check_driver_pe.check(self.file('driver.sys', data), arch, exports=swapped)
            self.assertEqual(found, ['imports DbgPrint from ntoskrnl.exe, which in Windows 7 is in hal.dll'])

    def test_import_by_ordinal(self):
        for arch, data, image in self.each():
            width = 8 if arch == 'x64' else 4
            rva = struct.unpack('<I', image.read(image.directories[pe.DIR_IMPORT][0], 4, ''))[0]
            section = image.section_at(rva)
            broken = patched(data, section.offset + rva - section.address, '<Q' if width == 8 else '<I',
                             (1 << (8 * width - 1)) + 7)
            self.assert_found(broken, arch, 'by ordinal 7')

    def test_writable_and_executable_section(self):
        for arch, data, image in self.each():
            text = section_header(image, '.text')
            broken = patched(data, text + 36, '<I', image.section('.text').flags | pe.SCN_WRITE)
            self.assertEqual(self.defects(broken, arch), ['section .text is writable and executable'])

    def test_sections(self):
        for arch, data, image in self.each():
            page = section_header(image, 'PAGE')
            flags = image.section('PAGE').flags
            self.assert_found(patched(data, page + 36, '<I', flags | pe.SCN_DISCARDABLE), arch,
                              'section PAGE is discarded after DriverEntry')
            self.assert_found(patched(data, page, '8s', b'.CRT'), arch, 'constructors')
            self.assert_found(patched(data, page, '8s', b'/4'), arch, 'debug information')
            self.assert_found(patched(data, page + 12, '<I', image.sections[0].address), arch, 'inside its neighbour')
            self.assert_found(patched(data, image.section_table_end - 40 + 8, '<I', image.size_of_image), arch,
                              'behind the image')

    def test_header(self):
        for arch, data, image in self.each():
            optional = image.pe_offset + 24
            self.assert_found(patched(data, optional + 68, '<H', 2), arch, 'subsystem is 2')
            self.assert_found(patched(data, optional + 70, '<H', image.dll_characteristics | 0x400), arch,
                              'no exception handlers')
            self.assert_found(patched(data, optional + 48, '<H', 10), arch, 'subsystem version 10')
            self.assert_found(patched(data, optional + 40, '<H', 10), arch, 'operating system version 10')
            self.assert_found(patched(data, optional + 16, '<I', image.size_of_image + 8), arch, 'entry point')
            self.assert_found(patched(data, optional + 16, '<I', image.section('.idata').address), arch,
                              'not executable')
            self.assert_found(data, 'x86' if arch == 'x64' else 'x64', 'machine is ' + arch)
            for number, text in ((pe.DIR_TLS, 'thread-local'), (pe.DIR_DELAY_IMPORT, 'delayed imports')):
                self.assert_found(patched(data, image.directories_offset + 8 * number + 4, '<I', 8), arch, text)

    def test_relocations(self):
        for arch, data, image in self.each():
            stripped = patched(data, image.pe_offset + 22, '<H', image.characteristics | pe.FILE_RELOCS_STRIPPED)
            self.assert_found(stripped, arch, 'no relocations')
            place = image.section('.reloc').offset
            self.assert_found(patched(data, place + 8, '<H', 0x5010), arch, 'relocation of type 5')
            self.assert_found(patched(data, place, '<I', 0x7FFFF000), arch, 'is in no section')
            self.assert_found(patched(data, place + 4, '<I', 6), arch, 'relocation block of 6')

    def test_exception_table(self):
        data = drivers.finished('tiny', 'x64')
        image = pe.PeImage(data)
        place = image.section('.pdata').offset
        first, second = image.runtime_functions()[:2]
        self.assert_found(patched(patched(data, place, '<I', second.begin), place + 12, '<I', first.begin), 'x64',
                          'exception table entry')
        self.assert_found(patched(data, image.directories_offset + 8 * pe.DIR_EXCEPTION + 4, '<I', 0), 'x64',
                          'no exception table')

    def test_checksum(self):
        for arch, data, image in self.each():
            broken = patched(data, image.section('.text').offset, '<B', data[image.section('.text').offset] ^ 0x55)
            self.assert_found(broken, arch, 'checksum is', checksum=False)

    def test_checksum_by_its_definition(self):
        """Compares the checksum with its definition, word by word: one's complement sum of 16-bit words with the field
        as zero, plus the size."""
        for arch, data, image in self.each():
            field = image.checksum_offset
            plain = data[:field] + bytes(4) + data[field + 4:]
            total = 0
            for index in range(0, len(plain), 2):
                total += int.from_bytes(plain[index:index + 2], 'little')
                total = (total & 0xFFFF) + (total >> 16)
            self.assertEqual(image.checksum, total + len(plain))

    def test_version_resource(self):
        for arch, data, image in self.each():
            info = image.version_info()
            self.assertEqual('.'.join(map(str, info.file_version)), drivers.VERSION)
            self.assertEqual(info.strings['OriginalFilename'], 'aerogpu.sys')
            self.assert_found(data, arch, 'file version is', version='9.9.9.9')
            self.assert_found(patched(data, image.directories_offset + 8 * pe.DIR_RESOURCE, '<Q', 0), arch,
                              'no version resource')
            self.assertTrue(any(key[0] == pe.RT_MESSAGETABLE for key in image.resources()))

    def test_broken_files_never_crash(self):
        """Checks truncated and randomly changed images: check() returns, and raises no exception."""
        chance = random.Random(1)
        for arch, data, image in self.each():
            for size in list(range(0, 1024, 7)) + list(range(1024, len(data), 61)):
                check_driver_pe.check(self.file('driver.sys', data[:size]), arch)
            for _ in range(300):
                broken = bytearray(data)
                for _ in range(4):
                    limit = 1024 if chance.random() < 0.5 else len(broken)
                    broken[chance.randrange(limit)] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
                check_driver_pe.check(self.file('driver.sys', broken), arch)


class UserModeTest(drivers.FolderTest):
    """Tests of what only user-mode drivers must have."""

    def defects(self, data, arch, checksum=True, **kwargs):
        if checksum:
            data = pe.PeImage(data).with_checksum()
        return check_driver_pe.check(self.file('driver.dll', data), arch, **kwargs)

    def assert_found(self, data, arch, text, **kwargs):
        found = self.defects(data, arch, **kwargs)
        self.assertTrue(any(text in defect for defect in found), found)

    def each(self):
        for arch in drivers.ARCHITECTURES:
            data = drivers.finished('tiny-umd', arch)
            yield arch, data, pe.PeImage(data)

    def test_good_driver(self):
        for arch, data, image in self.each():
            self.assertEqual(self.defects(data, arch, checksum=False, version=drivers.UMD_VERSION), [])
            self.assertEqual(list(image.exports()), ['OpenAdapter'])
            self.assertEqual(finish_driver.finish(data), data)

    def test_version(self):
        """Checks the version: "File Version Formatting for Display Driver DLLs", 8.14.CC.DDDD for Direct3D 9 in WDDM
        1.1."""
        numbers = [int(part) for part in drivers.UMD_VERSION.split('.')]
        self.assertEqual(numbers[:2], [8, 14])
        self.assertTrue(1 <= numbers[2] <= 9999 and 0 <= numbers[3] <= 9999, numbers)
        for arch, data, image in self.each():
            self.assertEqual(image.version_info().strings['OriginalFilename'],
                             'aerogpu_d3d9_x64.dll' if arch == 'x64' else 'aerogpu_d3d9.dll')
            self.assert_found(data, arch, 'file version is', version='8.14.1.1')

    def test_header(self):
        for arch, data, image in self.each():
            optional = image.pe_offset + 24
            self.assert_found(patched(data, image.pe_offset + 22, '<H', image.characteristics & ~pe.FILE_DLL), arch,
                              'not marked as a DLL')
            self.assert_found(patched(data, optional + 68, '<H', 1), arch, 'subsystem is 1')
            for bit, text in ((0x40, 'loaded at any address'), (0x100, 'no executable data')):
                self.assert_found(patched(data, optional + 70, '<H', image.dll_characteristics & ~bit), arch, text)
            self.assert_found(patched(data, image.directories_offset + 8 * pe.DIR_TLS + 4, '<I', 8), arch,
                              'thread-local')
            text = section_header(image, '.text')
            self.assert_found(patched(data, text + 36, '<I', image.section('.text').flags | pe.SCN_WRITE), arch,
                              'writable and executable')

    def test_exports(self):
        for arch, data, image in self.each():
            place = data.find(b'OpenAdapter\0')
            renamed = data[:place] + b'OpenAdaptes' + data[place + 11:]
            self.assert_found(renamed, arch, 'does not export OpenAdapter')
            self.assert_found(renamed, arch, 'exports OpenAdaptes')
            table = image.section_at(image.directories[pe.DIR_EXPORT][0])
            start = table.offset + image.directories[pe.DIR_EXPORT][0] - table.address
            addresses = struct.unpack_from('<I', data, start + 28)[0]
            self.assert_found(patched(data, table.offset + addresses - table.address, '<I', table.address), arch,
                              'is not in code')
            self.assert_found(patched(data, start + 24, '<I', 0), arch, 'exports 1')  # by ordinal alone
            self.assert_found(patched(data, start + 20, '<I', 1 << 30), arch, 'functions and')

    def test_imports(self):
        for arch in drivers.ARCHITECTURES:
            self.assertEqual(self.defects(drivers.finished('wrong-umd', arch), arch),
                             ['imports GetSystemTimePreciseAsFileTime from KERNEL32.dll, which Windows 7 (%s) does '
                              'not export' % arch])
        for arch, data, image in self.each():
            place = data.find(b'KERNEL32.dll\0')
            self.assert_found(data[:place] + b'USER32.dll\0\0' + data[place + 12:], arch, 'imports from USER32.dll')

    def test_broken_files_never_crash(self):
        chance = random.Random(2)
        for arch, data, image in self.each():
            for size in list(range(0, 1024, 13)) + list(range(1024, len(data), 61)):
                check_driver_pe.check(self.file('driver.dll', data[:size]), arch)
            for _ in range(300):
                broken = bytearray(data)
                for _ in range(4):
                    broken[chance.randrange(len(broken))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
                check_driver_pe.check(self.file('driver.dll', broken), arch)


class ExportListTest(unittest.TestCase):
    """Tests that a program can be linked against each name of the two lists, which finds spelling mistakes."""

    def test_names_are_in_the_import_libraries(self):
        self.compare(check_driver_pe.load_exports(), ('ntoskrnl', 'hal'), 500)
        self.compare(check_driver_pe.load_user_exports(), ('kernel32', 'msvcrt'), 20)

    def compare(self, exports, libraries, at_least):
        for arch, prefix in (('x64', 'x86_64-w64-mingw32'), ('x86', 'i686-w64-mingw32')):
            known = set()
            for library in libraries:
                path = '/usr/%s/lib/lib%s.a' % (prefix, library)
                nm = shutil.which(prefix + '-nm')
                if not nm or not os.path.exists(path):
                    self.skipTest('no ' + path)
                text = subprocess.run([nm, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
                for name in re.findall(r'__imp_(\S+)', text):
                    known.add(re.sub(r'@\d+$', '', name)[1 if arch == 'x86' else 0:])
            self.assertEqual(sorted(set(exports[arch]) - known), [])
            self.assertGreater(len(exports[arch]), at_least)


if __name__ == '__main__':
    unittest.main()
