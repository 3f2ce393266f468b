#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that Windows 7 can load a file: by its name's end a kernel driver (.sys), a user-mode display driver (.dll; of
Direct3D 10 if the name has d3d10) or a console program (.exe).

usage: check_driver_pe.py [options] DRIVER.sys|DRIVER.dll|PROGRAM.exe
  --arch x86|x64     the architecture that the file must be for
  --version A.B.C.D  the file version that its resource must state
  --signed CERT      it must have a SHA-1 signature with a nested SHA-256 one, which verify against CERT (PEM)
  --catalog FILE     the catalogue must list the file's SHA-1 Authenticode hash
  --quiet            prints only defects

Rules: "PE Format" and the driver pages of Microsoft's documentation, for user mode "Loading a User-Mode Display
Driver"; imports: win7-exports.txt, win7-user-exports.txt and win7-program-exports.txt beside this file.
Exits with 0 if there are no defects, else with 1."""
import argparse
import os
import sys
from collections import namedtuple

import pe

HERE = os.path.dirname(os.path.abspath(__file__))
EXPORTS = os.path.join(HERE, 'win7-exports.txt')
USER_EXPORTS = os.path.join(HERE, 'win7-user-exports.txt')
PROGRAM_EXPORTS = os.path.join(HERE, 'win7-program-exports.txt')
VFT_APP, VFT_DRV, VFT2_UNKNOWN, VFT2_DRV_DISPLAY = 1, 3, 0, 4
# Three kinds of drivers, and programs. `exports`: the functions that it must export, and no others (None: not checked).
# `title`: the subsystem's name. `version`: type and subtype in the version resource. `list`: the allowed imports.
Kind = namedtuple('Kind', 'subsystem title is_dll modules exports version version_title list')
KERNEL = Kind(pe.SUBSYSTEM_NATIVE, 'native (1)', False, ('ntoskrnl.exe', 'hal.dll'), None, (VFT_DRV, VFT2_DRV_DISPLAY),
              'a display driver (3.4)', EXPORTS)
USER = Kind(pe.SUBSYSTEM_WINDOWS_GUI, 'Windows (2)', True, ('kernel32.dll', 'msvcrt.dll'), ('OpenAdapter',),
            (VFT_DRV, VFT2_DRV_DISPLAY), 'a display driver (3.4)', USER_EXPORTS)
USER10 = USER._replace(exports=('OpenAdapter10', 'OpenAdapter10_2'))
PROGRAM = Kind(pe.SUBSYSTEM_WINDOWS_CUI, 'console (3)', False, ('kernel32.dll', 'msvcrt.dll', 'advapi32.dll', 'user32.dll', 'd3d9.dll'),
               None, (VFT_APP, VFT2_UNKNOWN), 'a program (1.0)', PROGRAM_EXPORTS)
WINDOWS_7 = (6, 1)
ARCHITECTURES = {'x86': (pe.MACHINE_X86, pe.MAGIC_PE32, pe.REL_HIGHLOW),
                 'x64': (pe.MACHINE_X64, pe.MAGIC_PE32_PLUS, pe.REL_DIR64)}
# Code that runs before main() in a program, and per-thread data; nothing runs or creates these for a driver.
C_RUNTIME_SECTIONS = ('.CRT', '.ctors', '.dtors', '.init_array', '.fini_array', '.tls', '.tls$')


def load_exports(path=EXPORTS):
    """Reads the list of kernel exports; returns {'x86': {name: module}, 'x64': {...}}, modules in lower case with their
    extension."""
    table = {'x86': {}, 'x64': {}}
    files = {'ntoskrnl': 'ntoskrnl.exe', 'hal': 'hal.dll'}
    with open(path, encoding='ascii') as lines:
        for number, line in enumerate(lines, 1):
            line = line.partition('#')[0].split()
            if not line:
                continue
            if len(line) != 5:
                raise ValueError('%s:%d: five columns expected' % (path, number))
            if line[0] in table['x86'] or line[0] in table['x64']:
                raise ValueError('%s:%d: %s is there twice' % (path, number, line[0]))
            for arch, module in (('x86', line[1]), ('x64', line[2])):
                if module != '-':
                    table[arch][line[0]] = files[module]
    return table


def load_user_exports(path=USER_EXPORTS):
    """Reads the list of user-mode exports; returns the same form as load_exports(), with one table for x86 and x64."""
    table = {}
    with open(path, encoding='ascii') as lines:
        for number, line in enumerate(lines, 1):
            line = line.partition('#')[0].split()
            if not line:
                continue
            if len(line) != 3:
                raise ValueError('%s:%d: three columns expected' % (path, number))
            if line[0] in table:
                raise ValueError('%s:%d: %s is there twice' % (path, number, line[0]))
            table[line[0]] = line[1] + '.dll'
    return {'x86': table, 'x64': table}


def check_headers(image, arch, kind):
    machine, magic, _ = ARCHITECTURES[arch]
    if image.machine != machine:
        yield 'machine is %s, not %s' % (pe.machine_name(image.machine), arch)
    if image.magic != magic:
        yield 'optional header magic is 0x%x, not 0x%x' % (image.magic, magic)
    if image.subsystem != kind.subsystem:
        yield 'subsystem is %d, not %s' % (image.subsystem, kind.title)
    if not image.characteristics & pe.FILE_EXECUTABLE_IMAGE:
        yield 'the file is not marked executable: linking left something undefined'
    if bool(image.characteristics & pe.FILE_DLL) != kind.is_dll:
        yield 'the file is not marked as a DLL' if kind.is_dll else 'the file is marked as a DLL'
    for bit, title in ((pe.DLL_CHARACTERISTICS_DYNAMIC_BASE, 'may be loaded at any address'),
                       (pe.DLL_CHARACTERISTICS_NX_COMPAT, 'needs no executable data')):
        if kind is not KERNEL and not image.dll_characteristics & bit:
            yield 'the header does not say that the file ' + title
    if image.dll_characteristics & pe.DLL_CHARACTERISTICS_NO_SEH:
        yield 'the header says that there are no exception handlers: Windows would call none'
    for title, version in (('operating system', image.os_version), ('subsystem', image.subsystem_version)):
        if version > WINDOWS_7:
            yield 'the header asks for %s version %d.%d, newer than Windows 7 (6.1)' % ((title,) + version)
    if image.section_alignment < 0x1000:
        yield 'section alignment 0x%x: sections share pages, so their protection is lost' % image.section_alignment
    if image.file_alignment < 0x200 or image.file_alignment & (image.file_alignment - 1):
        yield 'file alignment 0x%x' % image.file_alignment
    expected = image.compute_checksum()
    if image.checksum != expected:
        yield 'checksum is 0x%08x, should be 0x%08x' % (image.checksum, expected)
    entry = image.section_at(image.entry_point) if image.entry_point else None
    if entry is None:
        yield 'entry point 0x%x is in no section' % image.entry_point
    elif not entry.flags & pe.SCN_EXECUTE:
        yield 'entry point 0x%x is in %s, which is not executable' % (image.entry_point, entry.name)


def check_sections(image, kind):
    end = image.size_of_headers
    for section in image.sections:
        name = section.name
        if section.flags & pe.SCN_WRITE and section.flags & pe.SCN_EXECUTE:
            yield 'section %s is writable and executable' % name
        if section.address % image.section_alignment or section.address < end:
            yield 'section %s begins at 0x%x, inside its neighbour or off the alignment' % (name, section.address)
        end = section.address + max(section.virtual_size, 1)
        if name.startswith('INIT') and not section.flags & pe.SCN_DISCARDABLE:
            yield 'section %s is not discardable' % name
        if not name.startswith('INIT') and section.flags & pe.SCN_DISCARDABLE and name != '.reloc':
            yield 'section %s is discarded after DriverEntry' % name
        if kind is not PROGRAM and (name in C_RUNTIME_SECTIONS or name.startswith('.CRT$')):
            yield 'section %s: constructors and thread data are run or made by nobody' % name
        if name.startswith(('/', '.debug', '.stab')):
            yield 'section %s: debug information would be loaded into the kernel; strip it' % name
    if end > image.size_of_image:
        yield 'sections end at 0x%x, behind the image (0x%x)' % (end, image.size_of_image)
    for number, title in ((pe.DIR_TLS, 'thread-local data'), (pe.DIR_DELAY_IMPORT, 'delayed imports'),
                          (pe.DIR_BOUND_IMPORT, 'bound imports'), (pe.DIR_CLR, 'managed code')):
        if image.directories[number][1] and not (kind is PROGRAM and number == pe.DIR_TLS):
            yield 'the image has %s' % title


def check_exports(image, kind):
    if kind.exports is None:
        return
    found = image.exports()
    for name in kind.exports:
        if name not in found:
            yield 'does not export %s' % name
            continue
        section = image.section_at(found[name])
        if section is None or not section.flags & pe.SCN_EXECUTE:
            yield 'export %s is not in code' % name
    for name in found:
        if name not in kind.exports:
            yield 'exports %s' % name


def check_imports(image, arch, exports, kind):
    modules = image.imports()
    if not modules:
        yield 'no imports at all'
    for module, names in modules:
        if module.lower() not in kind.modules:
            yield 'imports from %s' % module
            continue
        for name in names:
            if isinstance(name, int):
                yield 'imports %s by ordinal %d' % (module, name)
            elif exports[arch].get(name) != module.lower():
                where = exports[arch].get(name)
                yield 'imports %s from %s, %s' % (name, module, 'which in Windows 7 is in ' + where if where else
                                                  'which Windows 7 (%s) does not export' % arch)


def check_relocations(image, arch):
    # Code for x64 can do without relocations; on x86 every address of a variable needs one.
    if image.characteristics & pe.FILE_RELOCS_STRIPPED or (arch == 'x86' and not image.directories[pe.DIR_RELOC][1]):
        yield 'no relocations: Windows never loads a driver at its preferred address'
        return
    width = 8 if arch == 'x64' else 4
    for address, kind in image.relocations():
        section = image.section_at(address)
        if kind != ARCHITECTURES[arch][2]:
            yield 'relocation of type %d at 0x%x' % (kind, address)
            return
        if section is None or address + width > section.address + max(section.virtual_size, section.raw_size):
            yield 'relocation at 0x%x is in no section' % address
            return


def check_unwind(image, arch):
    """Checks the unwind data of an x64 image, where exception handlers are found by binary search in .pdata."""
    if arch != 'x64':
        return
    functions = image.runtime_functions()
    if not functions:
        yield 'no exception table: neither __try nor the stack walk of a debugger would work'
    end = 0
    for function in functions:
        section = image.section_at(function.begin)
        if function.begin >= function.end or function.begin < end or section is None \
                or not section.flags & pe.SCN_EXECUTE:
            yield 'exception table entry 0x%x-0x%x is out of order or not in code' % (function.begin, function.end)
            return
        end = function.end
        image.read(function.unwind, 4, 'unwind information')


def check_version(image, version, kind):
    info = image.version_info()
    if info is None:
        yield 'no version resource'
        return
    if (info.file_type, info.file_subtype) != kind.version:
        yield 'version resource: type %d.%d, not %s' % (info.file_type, info.file_subtype, kind.version_title)
    for name in ('CompanyName', 'FileDescription', 'FileVersion', 'InternalName', 'OriginalFilename',
                 'ProductName', 'ProductVersion', 'LegalCopyright'):
        if not info.strings.get(name):
            yield "version resource: no '%s'" % name
    if version and '.'.join(map(str, info.file_version)) != version:
        yield 'file version is %s, not %s' % ('.'.join(map(str, info.file_version)), version)


def check_signature(path, image, certificate):
    import authenticode
    yield from authenticode.check_image(path, image, certificate)


def check_catalog(image, path):
    import catalog
    with open(path, 'rb') as file:
        members = catalog.parse(file.read()).members
    digest = image.authenticode_digest('sha1')
    if not any(member.digest == digest for member in members):
        yield 'the catalogue %s does not list the file (%s)' % (os.path.basename(path), digest.hex())


def kind_of(path):
    user = USER10 if 'd3d10' in os.path.basename(path) else USER
    return {'.dll': user, '.exe': PROGRAM}.get(os.path.splitext(path)[1].lower(), KERNEL)


def check(path, arch=None, version=None, certificate=None, catalog_path=None, exports=None):
    """Returns all defects of a driver or program, as sentences."""
    kind = kind_of(path)
    with open(path, 'rb') as file:
        data = file.read()
    try:
        image = pe.PeImage(data)
        if arch is None:
            arch = {machine: name for name, (machine, _, _) in ARCHITECTURES.items()}.get(image.machine)
            if arch is None:
                return ['machine 0x%04x is neither x86 nor x64' % image.machine]
    except pe.PeError as error:
        return [str(error)]
    checks = [check_headers(image, arch, kind), check_sections(image, kind)]
    if image.machine == ARCHITECTURES[arch][0]:
        exports = exports or (load_exports() if kind is KERNEL else load_user_exports(kind.list))
        checks += [check_imports(image, arch, exports, kind), check_exports(image, kind),
                   check_relocations(image, arch), check_unwind(image, arch)]
    checks.append(check_version(image, version, kind))
    if certificate:
        checks.append(check_signature(path, image, certificate))
    if catalog_path:
        checks.append(check_catalog(image, catalog_path))
    defects = []
    for found in checks:
        try:
            defects += found
        except pe.PeError as error:
            defects.append(str(error))
    return defects


def describe(image):
    """Yields the lines of a summary of the image for the build's log."""
    imports = sum(len(names) for _, names in image.imports())
    yield '%s, %d bytes in memory, %d imports, %d relocations' % (
        pe.machine_name(image.machine), image.size_of_image, imports, len(image.relocations()))
    for section in image.sections:
        yield '  %-8s %7d bytes  %s%s%s' % (section.name, section.virtual_size,
                                            'x' if section.flags & pe.SCN_EXECUTE else '-',
                                            'w' if section.flags & pe.SCN_WRITE else '-',
                                            ' discardable' if section.flags & pe.SCN_DISCARDABLE else '')
    cookie = image.security_cookie()
    yield 'stack cookies: %s' % ('yes, at 0x%x' % cookie if cookie else 'no (no load configuration names one)')
    yield 'signatures: %d' % len(image.signatures())


def main():
    parser = argparse.ArgumentParser(add_help=False, usage=__doc__)
    parser.add_argument('--arch', choices=sorted(ARCHITECTURES))
    parser.add_argument('--version')
    parser.add_argument('--signed', metavar='CERT')
    parser.add_argument('--catalog')
    parser.add_argument('--quiet', action='store_true')
    parser.add_argument('driver')
    options = parser.parse_args()
    defects = check(options.driver, options.arch, options.version, options.signed, options.catalog)
    if not options.quiet and not defects:
        with open(options.driver, 'rb') as file:
            print('\n'.join(describe(pe.PeImage(file.read()))))
    for defect in defects:
        print('%s: %s' % (options.driver, defect), file=sys.stderr)
    return 1 if defects else 0


if __name__ == '__main__':
    sys.exit(main())
