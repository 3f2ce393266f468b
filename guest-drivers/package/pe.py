# SPDX-License-Identifier: MIT
"""Reads PE/COFF images (Microsoft's "PE Format" page) and computes their checksum and Authenticode digest ("Windows
Authenticode Portable Executable Signature Format"). Every offset is checked against the file; a broken file raises
PeError. Used by the package's tools and tests."""
import hashlib
import struct
from collections import namedtuple

MACHINE_X86 = 0x014C
MACHINE_X64 = 0x8664
MAGIC_PE32 = 0x10B
MAGIC_PE32_PLUS = 0x20B

FILE_RELOCS_STRIPPED = 0x0001
FILE_EXECUTABLE_IMAGE = 0x0002
FILE_DLL = 0x2000

SUBSYSTEM_NATIVE = 1
SUBSYSTEM_WINDOWS_GUI = 2
SUBSYSTEM_WINDOWS_CUI = 3

DLL_CHARACTERISTICS_DYNAMIC_BASE = 0x0040
DLL_CHARACTERISTICS_NX_COMPAT = 0x0100
DLL_CHARACTERISTICS_NO_SEH = 0x0400

SCN_CODE = 0x00000020
SCN_DISCARDABLE = 0x02000000
SCN_EXECUTE = 0x20000000
SCN_WRITE = 0x80000000

DIR_EXPORT, DIR_IMPORT, DIR_RESOURCE, DIR_EXCEPTION, DIR_SECURITY, DIR_RELOC = range(6)
DIR_TLS, DIR_LOAD_CONFIG, DIR_BOUND_IMPORT, DIR_IAT, DIR_DELAY_IMPORT, DIR_CLR = 9, 10, 11, 12, 13, 14

RT_MESSAGETABLE = 11
RT_VERSION = 16

REL_ABSOLUTE, REL_HIGHLOW, REL_DIR64 = 0, 3, 10

WIN_CERT_REVISION_2_0 = 0x0200
WIN_CERT_TYPE_PKCS_SIGNED_DATA = 0x0002

MAX_ENTRIES = 65536  # no list in a driver is near this; a broken file must not make us loop

Section = namedtuple('Section', 'name address virtual_size offset raw_size flags')
RuntimeFunction = namedtuple('RuntimeFunction', 'begin end unwind')
VersionInfo = namedtuple('VersionInfo', 'file_version product_version file_type file_subtype strings')


class PeError(ValueError):
    """The file is not a well-formed image; the text says where."""


def machine_name(machine):
    return {MACHINE_X86: 'x86', MACHINE_X64: 'x64'}.get(machine, '0x%04x' % machine)


class PeImage:
    """One image, parsed from bytes. Addresses are relative to the image base unless a name says otherwise."""

    def __init__(self, data):
        self.data = bytes(data)
        if self._bytes(0, 2, 'DOS header') != b'MZ':
            raise PeError('no MZ at the beginning')
        self.pe_offset = self._unpack('<I', 0x3C, 'DOS header')[0]
        if self._bytes(self.pe_offset, 4, 'PE header') != b'PE\0\0':
            raise PeError('no PE signature at 0x%x' % self.pe_offset)
        (self.machine, section_count, self.timestamp, _, _, optional_size,
         self.characteristics) = self._unpack('<HHIIIHH', self.pe_offset + 4, 'COFF header')
        self._read_optional_header(self.pe_offset + 24, optional_size)
        self._read_sections(self.pe_offset + 24 + optional_size, section_count)

    # -- raw access ---------------------------------------------------------------------------------------------------

    def _bytes(self, offset, size, what):
        if offset < 0 or size < 0 or offset > len(self.data) or size > len(self.data) - offset:
            raise PeError('%s runs past the end of the file (offset 0x%x, %d bytes)' % (what, offset, size))
        return self.data[offset:offset + size]

    def _unpack(self, form, offset, what):
        return struct.unpack(form, self._bytes(offset, struct.calcsize(form), what))

    def _read_optional_header(self, offset, size):
        self.magic = self._unpack('<H', offset, 'optional header')[0]
        if self.magic not in (MAGIC_PE32, MAGIC_PE32_PLUS):
            raise PeError('optional header magic 0x%x' % self.magic)
        plus = self.magic == MAGIC_PE32_PLUS
        (self.code_size, _, _, self.entry_point, self.base_of_code) = self._unpack('<IIIII', offset + 4,
                                                                                   'optional header')
        self.image_base = self._unpack('<Q' if plus else '<I', offset + (24 if plus else 28), 'optional header')[0]
        (self.section_alignment, self.file_alignment, os_major, os_minor, _, _, subsystem_major, subsystem_minor, _,
         self.size_of_image, self.size_of_headers, self.checksum, self.subsystem,
         self.dll_characteristics) = self._unpack('<IIHHHHHHIIIIHH', offset + 32, 'optional header')
        self.os_version = (os_major, os_minor)
        self.subsystem_version = (subsystem_major, subsystem_minor)
        self.checksum_offset = offset + 64
        count_offset = offset + (108 if plus else 92)
        count = self._unpack('<I', count_offset, 'optional header')[0]
        self.directories_offset = count_offset + 4
        if count > 16 or self.directories_offset - offset + 8 * count > size:
            raise PeError('%d data directories do not fit the optional header' % count)
        self.directories = [self._unpack('<II', self.directories_offset + 8 * i, 'data directories')
                            for i in range(count)] + [(0, 0)] * (16 - count)
        self.security_entry_offset = self.directories_offset + 8 * DIR_SECURITY if count > DIR_SECURITY else None

    def _read_sections(self, offset, count):
        self.section_table_end = offset + 40 * count
        self.sections = []
        for index in range(count):
            name, virtual_size, address, raw_size, raw_offset, _, _, _, _, flags = self._unpack(
                '<8sIIIIIIHHI', offset + 40 * index, 'section table')
            text = name.rstrip(b'\0').decode('latin-1')
            if raw_size:
                self._bytes(raw_offset, raw_size, 'section ' + text)
            self.sections.append(Section(text, address, virtual_size, raw_offset, raw_size, flags))

    def section_at(self, rva):
        for section in self.sections:
            if section.address <= rva < section.address + max(section.virtual_size, section.raw_size):
                return section
        return None

    def section(self, name):
        return next((s for s in self.sections if s.name == name), None)

    def read(self, rva, size, what):
        """Returns bytes at an address; the part of a section beyond its file data reads as zeros."""
        if size < 0 or size > 1 << 28:
            raise PeError('%s has %d bytes' % (what, size))
        if rva + size <= self.size_of_headers:
            return self._bytes(rva, size, what)
        section = self.section_at(rva)
        if section is None or rva + size > section.address + max(section.virtual_size, section.raw_size):
            raise PeError('%s at 0x%x (%d bytes) is in no section' % (what, rva, size))
        inside = rva - section.address
        have = self._bytes(section.offset + inside, max(0, min(size, section.raw_size - inside)), what) \
            if inside < section.raw_size else b''
        return have + b'\0' * (size - len(have))

    def _string(self, rva, what):
        section = self.section_at(rva)
        if section is None:
            raise PeError('%s at 0x%x is in no section' % (what, rva))
        limit = min(512, section.address + max(section.virtual_size, section.raw_size) - rva)
        text, end, _ = self.read(rva, limit, what).partition(b'\0')
        if not end:
            raise PeError('%s at 0x%x has no end' % (what, rva))
        return text.decode('latin-1')

    # -- tables -------------------------------------------------------------------------------------------------------

    def imports(self):
        """Returns [(module, [name or ordinal number, ...]), ...] in file order."""
        rva, size = self.directories[DIR_IMPORT]
        modules = []
        if not rva:
            return modules
        for index in range(MAX_ENTRIES):
            lookup, _, _, name, first_thunk = struct.unpack('<IIIII', self.read(rva + 20 * index, 20, 'import table'))
            if not (lookup or name or first_thunk):
                return modules
            modules.append((self._string(name, 'import module name'), self._thunks(lookup or first_thunk)))
        raise PeError('the import table has no end')

    def _thunks(self, rva):
        width = 8 if self.magic == MAGIC_PE32_PLUS else 4
        names = []
        for index in range(MAX_ENTRIES):
            value = int.from_bytes(self.read(rva + width * index, width, 'import look-up table'), 'little')
            if value == 0:
                return names
            if value >> (8 * width - 1):
                names.append(value & 0xFFFF)
            else:
                names.append(self._string((value & 0x7FFFFFFF) + 2, 'import name'))
        raise PeError('an import look-up table has no end')

    def exports(self):
        """Returns {name: address} of the exports; an export without a name has its ordinal as key."""
        rva, size = self.directories[DIR_EXPORT]
        if not rva:
            return {}
        base, functions, names, table, name_table, ordinals = struct.unpack(
            '<6I', self.read(rva + 16, 24, 'export table'))
        if functions > MAX_ENTRIES or names > functions:
            raise PeError('the export table has %d functions and %d names' % (functions, names))
        addresses = struct.unpack('<%dI' % functions, self.read(table, 4 * functions, 'export addresses'))
        found = {base + index: address for index, address in enumerate(addresses) if address}
        for index in range(names):
            name, = struct.unpack('<I', self.read(name_table + 4 * index, 4, 'export names'))
            ordinal, = struct.unpack('<H', self.read(ordinals + 2 * index, 2, 'export ordinals'))
            if ordinal >= functions:
                raise PeError('export %d of %d' % (ordinal, functions))
            found[self._string(name, 'export name')] = addresses[ordinal]
            found.pop(base + ordinal, None)
        return found

    def relocations(self):
        """Returns [(address, type), ...] without padding entries (type 0)."""
        rva, size = self.directories[DIR_RELOC]
        data = self.read(rva, size, 'relocation table') if size else b''
        result, position = [], 0
        while position < len(data):
            if len(data) - position < 8:
                raise PeError('the relocation table ends inside a block')
            page, block = struct.unpack_from('<II', data, position)
            if block < 8 or block % 2 or block > len(data) - position:
                raise PeError('a relocation block of %d bytes' % block)
            for value in struct.unpack_from('<%dH' % ((block - 8) // 2), data, position + 8):
                if value >> 12 != REL_ABSOLUTE:
                    result.append((page + (value & 0xFFF), value >> 12))
            position += block
        return result

    def runtime_functions(self):
        """Returns the entries of the x64 exception table (.pdata), in file order."""
        rva, size = self.directories[DIR_EXCEPTION]
        if size % 12:
            raise PeError('the exception table has %d bytes' % size)
        data = self.read(rva, size, 'exception table') if size else b''
        return [RuntimeFunction(*fields) for fields in struct.iter_unpack('<III', data)]

    def security_cookie(self):
        """Returns the address (with image base) of the stack cookie that the load configuration names, or None."""
        rva, size = self.directories[DIR_LOAD_CONFIG]
        if not rva:
            return None
        plus = self.magic == MAGIC_PE32_PLUS
        offset, width = (88, 8) if plus else (60, 4)  # IMAGE_LOAD_CONFIG_DIRECTORY64/32, SecurityCookie
        length = struct.unpack('<I', self.read(rva, 4, 'load configuration'))[0]
        if length < offset + width:
            return None
        return int.from_bytes(self.read(rva + offset, width, 'load configuration'), 'little') or None

    def resources(self):
        """Returns {(type, name, language): bytes}; each key part is a number or a string, as in the image."""
        base, size = self.directories[DIR_RESOURCE]
        found = {}
        if base:
            self._resource_level(base, size, 0, (), found)
        return found

    def _resource_level(self, base, size, offset, path, found):
        named, ids = struct.unpack('<12xHH', self.read(base + offset, 16, 'resource directory'))
        for index in range(named + ids):
            name, target = struct.unpack('<II', self.read(base + offset + 16 + 8 * index, 8, 'resource directory'))
            if name >> 31:
                length = struct.unpack('<H', self.read(base + (name & 0x7FFFFFFF), 2, 'resource name'))[0]
                name = self.read(base + (name & 0x7FFFFFFF) + 2, 2 * length, 'resource name').decode('utf-16-le', 'replace')
            if target >> 31:
                if len(path) >= 2:
                    raise PeError('resources are nested deeper than type, name, language')
                self._resource_level(base, size, target & 0x7FFFFFFF, path + (name,), found)
            else:
                rva, length = struct.unpack('<II', self.read(base + target, 8, 'resource entry'))
                found[path + (name,)] = self.read(rva, length, 'resource')
            if len(found) > MAX_ENTRIES:
                raise PeError('too many resources')

    def version_info(self):
        """Returns the parsed VERSIONINFO resource, or None."""
        for path, data in self.resources().items():
            if path[0] == RT_VERSION:
                return _parse_version(data)
        return None

    # -- signing ------------------------------------------------------------------------------------------------------

    def compute_checksum(self):
        """Computes the checksum of CheckSumMappedFile: 16-bit one's complement sum without the field, plus the
        length."""
        data = bytearray(self.data)
        data[self.checksum_offset:self.checksum_offset + 4] = bytes(4)
        if len(data) % 2:
            data.append(0)
        total = sum(struct.unpack('<%dH' % (len(data) // 2), data))
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        return (total + len(self.data)) & 0xFFFFFFFF

    def with_checksum(self):
        """Returns the file's bytes with the right checksum in the header."""
        data = bytearray(self.data)
        struct.pack_into('<I', data, self.checksum_offset, self.compute_checksum())
        return bytes(data)

    def certificate_range(self):
        """Returns (file offset, size) of the attribute certificate table; (0, 0) if the image is not signed."""
        offset, size = self.directories[DIR_SECURITY]  # the one directory whose address is a file offset
        if not size:
            return 0, 0
        self._bytes(offset, size, 'certificate table')
        if offset % 8 or offset < self.section_table_end:
            raise PeError('certificate table at 0x%x' % offset)
        return offset, size

    def authenticode_digest(self, algorithm='sha1'):
        """Computes the digest over all but checksum, certificate directory entry and certificate table. An unsigned
        file is taken as padded with zeros to a multiple of 8, as signing tools pad it before they append
        certificates."""
        offset, size = self.certificate_range()
        digest = hashlib.new(algorithm)
        entry = self.security_entry_offset
        if entry is None:
            raise PeError('the optional header has no certificate directory')
        digest.update(self.data[:self.checksum_offset])
        digest.update(self.data[self.checksum_offset + 4:entry])
        if size:
            digest.update(self.data[entry + 8:offset])
            digest.update(self.data[offset + size:])
        else:
            digest.update(self.data[entry + 8:])
            digest.update(bytes(-len(self.data) % 8))
        return digest.digest()

    def signatures(self):
        """Returns the PKCS #7 blobs of the certificate table, in DER."""
        offset, size = self.certificate_range()
        blobs, position = [], 0
        while position < size:
            length, revision, kind = self._unpack('<IHH', offset + position, 'certificate')
            if length < 8 or length > size - position:
                raise PeError('a certificate of %d bytes' % length)
            if revision == WIN_CERT_REVISION_2_0 and kind == WIN_CERT_TYPE_PKCS_SIGNED_DATA:
                blobs.append(self._bytes(offset + position + 8, length - 8, 'certificate'))
            position += (length + 7) & ~7
        return blobs


def _parse_version(data):
    """Parses VS_VERSIONINFO: nested blocks of length, value length, type, UTF-16 key, value, children; 4-byte
    aligned."""
    def block(begin, limit):
        if limit - begin < 6:
            raise PeError('a version block is cut off')
        length, value_length, kind = struct.unpack_from('<HHH', data, begin)
        end = begin + length
        if length < 6 or end > limit:
            raise PeError('a version block of %d bytes' % length)
        position = begin + 6
        while position + 2 <= end and data[position:position + 2] != b'\0\0':
            position += 2
        key = data[begin + 6:position].decode('utf-16-le', 'replace')
        value_at = (position + 2 + 3) & ~3
        size = value_length * (2 if kind == 1 else 1)
        if value_length and value_at + size > end:
            raise PeError("version value '%s' is cut off" % key)
        return key, data[value_at:value_at + size], (value_at + size + 3) & ~3, end

    def children(begin, end):
        while begin < end:
            key, value, inner, after = block(begin, end)
            yield key, value, inner, after
            begin = (after + 3) & ~3

    key, fixed, inner, end = block(0, len(data))
    if key != 'VS_VERSION_INFO' or len(fixed) < 52:
        raise PeError('not a version resource')
    fields = struct.unpack_from('<13I', fixed)
    if fields[0] != 0xFEEF04BD:
        raise PeError('version signature 0x%x' % fields[0])
    strings = {}
    for key, _, inside, after in children(inner, end):
        if key == 'StringFileInfo':
            for _, _, table, table_end in children(inside, after):
                for name, value, _, _ in children(table, table_end):
                    strings[name] = value.decode('utf-16-le', 'replace').rstrip('\0')

    def four(high, low):
        return (high >> 16, high & 0xFFFF, low >> 16, low & 0xFFFF)

    return VersionInfo(four(fields[2], fields[3]), four(fields[4], fields[5]), fields[9], fields[10], strings)
