#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Finishes a Windows driver after linking: makes the changes that GNU ld has no options for.

usage: finish_driver.py IN OUT

Marks the INIT sections discardable (the kernel frees them after DriverEntry) and the resources read-only, clears in
kernel drivers the DLL flag that -shared sets, clears time stamps so that the same source gives the same file, and
writes the right checksum. Running it on its own output changes nothing."""
import struct
import sys

import pe


def finish(data):
    """Returns the finished image. Raises PeError for a broken file, and for a signed one, whose signature would be
    lost."""
    image = pe.PeImage(data)
    if image.certificate_range()[1]:
        raise pe.PeError('the file is signed already')
    out = bytearray(data)
    struct.pack_into('<I', out, image.pe_offset + 8, 0)
    if image.subsystem == pe.SUBSYSTEM_NATIVE:
        struct.pack_into('<H', out, image.pe_offset + 22, image.characteristics & ~pe.FILE_DLL)
    export_rva, export_size = image.directories[pe.DIR_EXPORT]
    if export_size >= 8:
        section = image.section_at(export_rva)
        if section is None or section.raw_size < 8:
            raise pe.PeError('the export table is in no section')
        struct.pack_into('<I', out, section.offset + export_rva - section.address + 4, 0)
    for index, section in enumerate(image.sections):
        flags = section.flags
        if section.name.startswith('INIT'):
            flags |= pe.SCN_DISCARDABLE
        if section.name == '.rsrc':
            flags &= ~pe.SCN_WRITE
        struct.pack_into('<I', out, image.section_table_end - 40 * (len(image.sections) - index) + 36, flags)
    return pe.PeImage(out).with_checksum()


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    with open(sys.argv[1], 'rb') as file:
        data = file.read()
    try:
        data = finish(data)
    except pe.PeError as error:
        print('%s: %s' % (sys.argv[1], error), file=sys.stderr)
        return 1
    with open(sys.argv[2], 'wb') as file:
        file.write(data)
    return 0


if __name__ == '__main__':
    sys.exit(main())
