# SPDX-License-Identifier: MIT
"""Shared by the package's tests: the tiny drivers that the build made, scratch folders, and a certificate."""
import os
import sys
import tempfile
import unittest

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, PACKAGE)
import authenticode  # noqa: E402
import finish_driver  # noqa: E402

FOLDER = os.environ['AEROGPU_TEST_DRIVERS']
VERSION = os.environ['AEROGPU_DRIVER_VERSION']
UMD_VERSION = os.environ['AEROGPU_UMD_VERSION']
UMD10_VERSION = os.environ['AEROGPU_UMD10_VERSION']
ARCHITECTURES = ('x64', 'x86')
WHEN = 1700000000


def path(name, arch):
    return os.path.join(FOLDER, '%s-%s.%s' % (name, arch, 'dll' if name.endswith('umd') else 'sys'))


def raw(name, arch):
    """Returns a tiny driver as the linker wrote it."""
    with open(path(name, arch), 'rb') as file:
        return file.read()


def finished(name, arch):
    return finish_driver.finish(raw(name, arch))


class FolderTest(unittest.TestCase):
    """A test with a scratch folder, self.folder."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def file(self, name, data=None):
        """Returns the path of a file in the scratch folder; writes the file if data are given."""
        where = os.path.join(self.folder, name)
        if data is not None:
            with open(where, 'wb') as file:
                file.write(data)
        return where


class SignedTest(FolderTest):
    """A test with a certificate, one for all tests of the class, because making a key takes a while."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.cert = os.path.join(scratch.name, 'cert.pem')
        cls.key = os.path.join(scratch.name, 'key.pem')
        authenticode.make_certificate(cls.cert, cls.key)
