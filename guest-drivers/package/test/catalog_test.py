# SPDX-License-Identifier: MIT
"""Tests catalogues and embedded signatures: reads them back, verifies them with osslsigncode, refuses changed ones."""
import hashlib
import os
import stat
import subprocess
import unittest

import drivers
import authenticode
import catalog
import check_driver_pe
import pe

HARDWARE_ID = 'PCI\\VEN_A3A0&DEV_0001'


class CatalogTest(drivers.SignedTest):
    def build(self, files):
        return catalog.build(files, [HARDWARE_ID], '7X64', '2:6.1', drivers.WHEN)

    def test_members(self):
        image = drivers.finished('tiny', 'x64')
        text = b'[Version]\r\n'
        read = catalog.parse(self.build({'a.sys': image, 'a.inf': text}))
        self.assertEqual(read.attributes, {'OS': '7X64', 'HWID1': HARDWARE_ID.lower()})
        self.assertFalse(read.signed)
        by_name = {member.attributes['File']: member for member in read.members}
        self.assertEqual(by_name['a.inf'].digest, hashlib.sha1(text).digest())
        self.assertEqual(by_name['a.inf'].sip, catalog.SIP_FLAT)
        self.assertEqual(by_name['a.sys'].digest, pe.PeImage(image).authenticode_digest('sha1'))
        self.assertEqual(by_name['a.sys'].subject, catalog.OID_SPC_PE_IMAGE_DATA)
        self.assertEqual({member.attributes['OSAttr'] for member in read.members}, {'2:6.1'})
        self.assertEqual([member.tag for member in read.members], sorted(member.tag for member in read.members))

    def test_same_input_same_file(self):
        self.assertEqual(self.build({'a': b'1', 'b': b'2'}), self.build({'b': b'2', 'a': b'1'}))
        self.assertNotEqual(self.build({'a': b'1'}), self.build({'a': b'2'}))

    def test_garbage(self):
        good = self.build({'a.inf': b'1'})
        for data in (b'', b'MZ', good[:-1], good + b'\0', good.replace(b'\x0c\x01\x01', b'\x0c\x01\x07')):
            with self.assertRaises(ValueError):
                catalog.parse(data)

    def test_digest_that_contradicts_its_tag(self):
        digest = hashlib.sha1(b'1').digest()
        with self.assertRaisesRegex(ValueError, 'another hash than its tag'):
            catalog.parse(self.build({'a.inf': b'1'}).replace(digest, bytes(20)))

    def test_signature(self):
        unsigned = self.file('unsigned.cat', self.build({'a.inf': b'1'}))
        signed = self.file('signed.cat')
        authenticode.sign_catalog(unsigned, signed, self.cert, self.key, drivers.WHEN)
        with open(signed, 'rb') as file:
            data = file.read()
        self.assertTrue(catalog.parse(data).signed)
        self.assertIsNone(authenticode.verify(signed, self.cert))
        changed = data.replace('2:6.1'.encode('utf-16-le'), '2:6.2'.encode('utf-16-le'))
        self.assertNotEqual(changed, data)
        self.assertIsNotNone(authenticode.verify(self.file('changed.cat', changed), self.cert))


class EmbeddedSignatureTest(drivers.SignedTest):
    def signed(self, arch):
        source = self.file('unsigned.sys', drivers.finished('tiny', arch))
        target = self.file('signed.sys')
        authenticode.sign_image(source, target, self.cert, self.key, drivers.WHEN)
        return target

    def test_both_signatures(self):
        for arch in drivers.ARCHITECTURES:
            with self.subTest(arch=arch):
                path = self.signed(arch)
                self.assertEqual(check_driver_pe.check(path, arch, drivers.VERSION, self.cert), [])
                with open(path, 'rb') as file:
                    image = pe.PeImage(file.read())
                unsigned = pe.PeImage(drivers.finished('tiny', arch))
                for algorithm in authenticode.ALGORITHMS:
                    self.assertEqual(image.authenticode_digest(algorithm), unsigned.authenticode_digest(algorithm))
                self.assertEqual([name for name, _ in authenticode.embedded_digests(image.signatures()[0])],
                                 ['sha1', 'sha256'])

    def test_changed_image(self):
        path = self.signed('x64')
        with open(path, 'rb') as file:
            data = bytearray(file.read())
        data[pe.PeImage(data).section('.text').offset] ^= 1
        found = check_driver_pe.check(self.file('changed.sys', pe.PeImage(data).with_checksum()), 'x64', None, self.cert)
        self.assertIn('the sha1 signature is of another file', found)
        self.assertIn('the sha256 signature is of another file', found)
        self.assertTrue(any(defect.startswith('osslsigncode: ') for defect in found), found)

    def test_unsigned_image(self):
        path = self.file('unsigned.sys', drivers.finished('tiny', 'x86'))
        self.assertEqual(check_driver_pe.check(path, 'x86', None, self.cert),
                         ['0 certificate table entries, not one'])

    def test_other_certificate(self):
        other, key = self.file('other.pem'), self.file('other.key')
        authenticode.make_certificate(other, key)
        found = check_driver_pe.check(self.signed('x64'), 'x64', None, other)
        self.assertEqual([defect[:14] for defect in found], ['osslsigncode: '])

    def test_signing_is_repeatable(self):
        images = []
        for _ in range(2):
            with open(self.signed('x64'), 'rb') as file:
                images.append(file.read())
        self.assertEqual(*images)


class CertificateTest(drivers.SignedTest):
    def test_what_it_may_do(self):
        text = subprocess.run(['openssl', 'x509', '-in', self.cert, '-noout', '-text'], stdout=subprocess.PIPE,
                              text=True).stdout
        for words in ('Code Signing', 'CA:FALSE', 'Digital Signature', '(2048 bit)', 'sha1WithRSAEncryption',
                      'Not Before: Jan  1 00:00:00 2020'):
            self.assertIn(words, text)
        self.assertNotIn('Certificate Sign', text)
        self.assertEqual(stat.S_IMODE(os.stat(self.key).st_mode), 0o600)


if __name__ == '__main__':
    unittest.main()
