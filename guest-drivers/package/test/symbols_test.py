# SPDX-License-Identifier: MIT
"""Tests the files for debuggers, trace tools and offline installation: each PDB belongs to its image and has the
addresses of the linker's map; the manifest describes the events of trace_events.h; the .reg file holds the certificate.

  symbols_test.py IMAGE.sys FILE.pdb MAP ..."""
import hashlib
import importlib.machinery
import importlib.util
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as tree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import authenticode  # noqa: E402
import pe  # noqa: E402

FILES = [sys.argv[i:i + 3] for i in range(1, len(sys.argv), 3)]
ROOT = os.path.join(HERE, '..', '..', '..')
EVENTS = '{http://schemas.microsoft.com/win/2004/08/events}'
DIR_DEBUG, CODEVIEW = 6, 2


def read(*parts):
    with open(os.path.join(*parts), 'rb') as file:
        return file.read()


def guid(data):
    a, b, c = struct.unpack_from('<IHH', data)
    return '{%08X-%04X-%04X-%s-%s}' % (a, b, c, data[8:10].hex().upper(), data[10:16].hex().upper())


def dump(pdb, *what):
    return subprocess.run(['llvm-pdbutil', 'dump', *what, pdb], check=True, stdout=subprocess.PIPE, text=True).stdout


class SymbolsTest(unittest.TestCase):
    def test_the_image_names_its_pdb(self):
        for image_path, pdb, _ in FILES:
            data = read(image_path)
            image = pe.PeImage(data)
            rva, size = image.directories[DIR_DEBUG]
            self.assertGreaterEqual(size, 28, image_path)
            kind, length, _, offset = struct.unpack_from('<IIII', image.read(rva, 28, 'debug directory'), 12)
            self.assertEqual(kind, CODEVIEW)
            record = data[offset:offset + length]
            self.assertEqual(record[:4], b'RSDS')
            self.assertEqual(record[24:].rstrip(b'\0').decode(), os.path.basename(pdb))
            said = re.search(r'GUID: (\{.*\})', dump(pdb, '--summary'))[1]
            self.assertEqual(guid(record[4:20]), said, image_path)

    def test_the_pdb_says_nothing_of_where_and_when_it_was_made(self):
        for image_path, pdb, _ in FILES:
            data = read(pdb)
            self.assertNotIn(os.path.dirname(os.path.abspath(pdb)).encode(), data)
            self.assertNotIn(os.path.abspath(ROOT).encode(), data)
            image = read(image_path)
            record = image[image.index(b'RSDS'):]
            # The PDB info stream: version 20000404, a number that most linkers set to the time, age, GUID.
            info = data.index(struct.pack('<I', 20000404))
            self.assertEqual(data[info + 12:info + 28], record[4:20])
            self.assertEqual(data[info + 4:info + 8], record[4:8])

    def test_functions_are_where_the_map_says(self):
        for image_path, pdb, linker_map in FILES:
            image = pe.PeImage(read(image_path))
            found = dict(re.findall(r'S_PUB32 \[.*?\] `(.*?)`\n +flags = .*?, addr = (\d{4}:\d+)', dump(pdb, '--publics')))
            text = read(linker_map).decode(errors='replace')
            base = int(re.search(r'(0x[0-9a-f]+) +(?:__image_base__|___ImageBase|__ImageBase)', text)[1], 16)
            # The map has the names as they are in the source; x86's have an underscore more than c++filt expects.
            names = [name for name in found if re.match('_+ZN4aero', name)]
            sources = subprocess.run(['c++filt'], input='\n'.join(re.sub('^_+Z', '_Z', name) for name in names), check=True,
                                     stdout=subprocess.PIPE, text=True).stdout.splitlines()
            addresses = {}
            for source, name in zip(sources, names):
                section, offset = (int(part) for part in found[name].split(':'))
                addresses.setdefault(source, set()).add(base + image.sections[section - 1].address + offset)
            compared = 0
            for address, source in re.findall(r'^ +(0x[0-9a-f]+) +(aero::.*)$', text, re.M):
                if source in addresses:
                    self.assertIn(int(address, 16), addresses[source], source)
                    compared += 1
            self.assertGreater(compared, 150, image_path)
            for entry in ('AeroDdiStartDevice', 'AeroDdiEscape', 'AeroDdiInterruptRoutine'):
                self.assertTrue(any(entry in name for name in found), entry)


class ManifestTest(unittest.TestCase):
    def test_events_are_those_of_the_header(self):
        header = read(ROOT, 'guest-drivers/common/trace_events.h').decode()
        levels = {'kError': 'win:Error', 'kWarning': 'win:Warning', 'kInformation': 'win:Informational', 'kVerbose': 'win:Verbose'}
        types = {'uint64_t': 'win:UInt64', 'uint32_t': 'win:UInt32'}
        expected = {}
        for name, body in re.findall(r'^struct (\w+) \{\n(.*?)^\};', header, re.S | re.M):
            number = re.search(r'kId = (\d+)', body)[1]
            level, keyword = re.search(r'kLevel = (\w+)', body)[1], re.search(r'kKeyword = k(\w+)', body)[1]
            fields = [(field, types[kind]) for kind, field in re.findall(r'^  (uint\w+) (\w+);', body, re.M)]
            expected[name] = (number, levels[level], keyword, fields)
        provider = tree.parse(os.path.join(ROOT, 'guest-drivers/package/disk/aerogpu.man')).getroot().find(
            './/%sprovider' % EVENTS)
        templates = {t.get('tid'): [(d.get('name'), d.get('inType')) for d in t] for t in provider.find(EVENTS + 'templates')}
        tasks = {t.get('name'): t.get('value') for t in provider.find(EVENTS + 'tasks')}
        found = {e.get('task'): (e.get('value'), e.get('level'), e.get('keywords'), templates[e.get('template')])
                 for e in provider.find(EVENTS + 'events')}
        self.assertEqual(found, expected)
        self.assertEqual(tasks, {name: row[0] for name, row in expected.items()})
        numbers = re.search(r'kProvider = \{(.*?)\};', header, re.S)[1]
        a, b, c, *d = (int(word, 16) for word in re.findall(r'0x[0-9A-F]+', numbers))
        self.assertEqual(provider.get('guid'), guid(struct.pack('<IHH8B', a, b, c, *d)))


class OfflineCertificateTest(unittest.TestCase):
    PROGRAM = os.path.join(ROOT, 'scripts/offline-certificate')

    def run_program(self, *arguments):
        return subprocess.run([self.PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_the_blob_holds_the_certificate(self):
        with tempfile.TemporaryDirectory() as folder:
            cert, key = os.path.join(folder, 'cert.pem'), os.path.join(folder, 'key.pem')
            authenticode.make_certificate(cert, key)
            der = authenticode.certificate_der(cert)
            binary = os.path.join(folder, 'cert.cer')
            with open(binary, 'wb') as file:
                file.write(der)
            texts = [self.run_program(path).stdout for path in (cert, binary)]
            self.assertEqual(*texts)
            text = texts[0].decode('utf-16')
            name = hashlib.sha1(der).hexdigest().upper()
            self.assertEqual(re.findall(r'SystemCertificates\\(\w+)\\Certificates\\%s\]' % name, text), ['ROOT', 'TrustedPublisher'])
            for value in re.findall('"Blob"=hex:([0-9a-f,]*)', text):
                data = bytes.fromhex(value.replace(',', ''))
                self.assertEqual(struct.unpack_from('<III', data), (32, 1, len(der)))
                self.assertEqual(data[12:], der)

    def test_what_is_no_certificate(self):
        for arguments, status in (([__file__], 1), (['/nowhere'], 1), ([], 2)):
            result = self.run_program(*arguments)
            self.assertEqual((result.returncode, result.stdout), (status, b''))
            self.assertTrue(result.stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
