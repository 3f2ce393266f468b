# SPDX-License-Identifier: MIT
"""Reads files of a disc image without mounting it: UDF as on Microsoft's discs (ECMA 167; UDF 1.02), and plain ISO 9660
(ECMA 119), which repacked discs often have. Images come from anywhere, so every number is checked before its use."""
import os
import struct

SECTOR = 2048
_MOST_DIRECTORY = 4 << 20  # limit for the bytes of one folder that are read
_MOST_DESCRIPTORS = 64
# ECMA 167, 3/7.2.1 and 4/7.2.1
_ANCHOR, _PARTITION, _LOGICAL_VOLUME, _TERMINATING, _FILE_SET, _FILE_ID, _FILE_ENTRY, _EXTENDED_FILE_ENTRY = (
    2, 5, 6, 8, 256, 257, 261, 266)


class Damaged(Exception):
    """The file is no disc image, or a damaged one; the text says what is wrong."""


class File:
    """A file or folder of the image: `size` bytes in `extents`, pairs of (offset in the image, bytes)."""

    def __init__(self, image, size, extents, is_folder):
        self.image, self.size, self.extents, self.is_folder = image, size, extents, is_folder

    def read(self, offset, size):
        if offset + size > self.size:
            raise Damaged('a file ends before what it should have')
        parts = []
        for start, length in self.extents:
            if size == 0:
                break
            take = min(size, length - offset) if offset < length else 0
            if take:
                parts.append(self.image.at(start + offset, take))
            offset, size = max(0, offset - length), size - take
        if size:
            raise Damaged('a file has fewer bytes than it says')
        return b''.join(parts)

    def whole(self, most):
        if self.size > most:
            raise Damaged('a folder has %d bytes' % self.size)
        return self.read(0, self.size)


class Image:
    """A disc image, opened for reading. Use as a context manager."""

    def __init__(self, path):
        self._file = open(path, 'rb')
        self._size = os.fstat(self._file.fileno()).st_size
        self._volumes = []
        # 32 sectors: the system area and the descriptors that name the file systems.
        if self._size > 32 * SECTOR and self.at(16 * SECTOR + 1, 5) in (b'CD001', b'BEA01'):
            self._volumes = [volume for volume in (_Udf, _Iso9660) if volume.is_there(self)]
        if not self._volumes:
            self._file.close()
            raise Damaged('it has neither an ISO 9660 nor a UDF file system')

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._file.close()

    def at(self, offset, size):
        if offset + size > self._size:
            raise Damaged('it ends at %d bytes, and something should be at %d' % (self._size, offset))
        self._file.seek(offset)
        data = self._file.read(size)
        if len(data) != size:
            raise Damaged('it cannot be read at %d' % offset)
        return data

    def find(self, path):
        """Returns the File at a path (case does not matter), or None. Tries both file systems, since Microsoft's discs
        have both, and their ISO 9660 one holds only a note."""
        for kind in self._volumes:
            volume = kind(self)
            here = volume.root
            for name in path.split('/'):
                here = volume.child(here, name.lower()) if here and here.is_folder else None
            if here:
                return here
        return None


class _Udf:
    @staticmethod
    def is_there(image):
        for sector in range(16, 32):
            name = image.at(sector * SECTOR + 1, 5)
            if name in (b'NSR02', b'NSR03'):
                return True
            if name not in (b'CD001', b'BEA01', b'CDW02'):
                return False
        return False

    def __init__(self, image):
        self.image = image
        anchor = self._descriptor(256 * SECTOR, _ANCHOR, 'no anchor of a UDF volume')
        length, sector = struct.unpack_from('<II', anchor, 16)
        start = volume = None
        for i in range(min(length // SECTOR, _MOST_DESCRIPTORS)):
            data = image.at((sector + i) * SECTOR, SECTOR)
            tag = struct.unpack_from('<H', data)[0]
            if tag == _PARTITION:
                start = struct.unpack_from('<I', data, 188)[0]
            elif tag == _LOGICAL_VOLUME:
                volume = data
            elif tag == _TERMINATING:
                break
        if start is None or volume is None:
            raise Damaged('its UDF volume has no partition')
        if struct.unpack_from('<I', volume, 212)[0] != SECTOR:
            raise Damaged('its UDF volume has blocks of another size than %d' % SECTOR)
        self._start = start
        file_set = self._descriptor(self._block(struct.unpack_from('<I', volume, 252)[0]), _FILE_SET, 'no UDF file set')
        self.root = self._entry(struct.unpack_from('<I', file_set, 404)[0])

    def _block(self, number):
        return (self._start + number) * SECTOR

    def _descriptor(self, offset, wanted, otherwise):
        data = self.image.at(offset, SECTOR)
        if struct.unpack_from('<H', data)[0] != wanted:
            raise Damaged(otherwise)
        return data

    def _entry(self, block):
        data = self.image.at(self._block(block), SECTOR)
        tag = struct.unpack_from('<H', data)[0]
        if tag not in (_FILE_ENTRY, _EXTENDED_FILE_ENTRY):
            raise Damaged('a UDF file has no entry')
        kind, flags = data[27], struct.unpack_from('<H', data, 34)[0] & 7
        size = struct.unpack_from('<Q', data, 56)[0]
        attributes, descriptors = struct.unpack_from('<II', data, 168 if tag == _FILE_ENTRY else 208)
        at = (176 if tag == _FILE_ENTRY else 216) + attributes
        if at + descriptors > SECTOR:
            raise Damaged('the entry of a UDF file is too long')
        if flags == 3:  # the bytes themselves
            extents = [(self._block(block) + at, descriptors)]
        elif flags in (0, 1):
            step = 8 if flags == 0 else 16
            pairs = [struct.unpack_from('<II', data, at + i) for i in range(0, descriptors - step + 1, step)]
            if any(length >> 30 for length, _ in pairs if length):
                raise Damaged('a UDF file has parts that are not recorded')
            extents = [(self._block(position), length) for length, position in pairs if length]
        else:
            raise Damaged('a UDF file has descriptors of an unknown kind')
        return File(self.image, size, extents, kind == 4)

    def child(self, folder, wanted):
        data = folder.whole(_MOST_DIRECTORY)
        at = 0
        while at + 38 <= len(data):
            if struct.unpack_from('<H', data, at)[0] != _FILE_ID:
                raise Damaged('a UDF folder is damaged')
            what, length = data[at + 18], data[at + 19]
            extra = struct.unpack_from('<H', data, at + 36)[0]
            name = data[at + 38 + extra:at + 38 + extra + length]
            if not what & 0x0c and name:  # neither deleted nor the parent
                text = name[1:].decode('utf-16-be' if name[0] == 16 else 'latin-1', 'replace')
                if text.lower() == wanted:
                    return self._entry(struct.unpack_from('<I', data, at + 24)[0])
            at += (38 + extra + length + 3) & ~3
        return None


class _Iso9660:
    @staticmethod
    def is_there(image):
        return image.at(16 * SECTOR, 6) == b'\x01CD001'

    def __init__(self, image):
        self.image = image
        self.root = self._file(image.at(16 * SECTOR + 156, 34))

    def _file(self, record):
        sector, size = struct.unpack_from('<I', record, 2)[0], struct.unpack_from('<I', record, 10)[0]
        return File(self.image, size, [(sector * SECTOR, size)], bool(record[25] & 2))

    def child(self, folder, wanted):
        data = folder.whole(_MOST_DIRECTORY)
        at, found = 0, None
        while at < len(data):
            length = data[at]
            if length == 0:  # the rest of a sector
                at = (at // SECTOR + 1) * SECTOR
                continue
            record = data[at:at + length]
            if length < 34 or len(record) < length or 33 + record[32] > length:
                raise Damaged('an ISO 9660 folder is damaged')
            name = record[33:33 + record[32]].decode('latin-1').split(';')[0].rstrip('.').lower()
            if name == wanted:
                part = self._file(record)
                if found:  # a file of more than 4 GiB has several records (level 3)
                    part = File(self.image, found.size + part.size, found.extents + part.extents, part.is_folder)
                found = part
                if not record[25] & 0x80:
                    return found
            at += length
        return found
