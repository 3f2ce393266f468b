#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the driver disc for Windows 7: for each architecture the finished, signed driver, its INF and the signed
catalogue; the certificate, the scripts, the programs and a read-me; all in one ISO image. Everything is checked before
the image is written. The same inputs and time give the same image, byte for byte.

usage: make_package.py --version A.B.C.D --umd-version A.B.C.D --umd10-version A.B.C.D --epoch FILE --cert FILE --key FILE [--test-cert]
                       --x64 FILE... --x86 FILE... [--dbgctl X64.exe X86.exe] [--doctor X64.exe X86.exe]
                       [--program NAME X64.exe X86.exe]...
                       [--symbols FILE.pdb...] --iso FILE

--version, --umd-version, --umd10-version: the versions that the resources of aerogpu.sys and of the user-mode drivers
  of Direct3D 9 and 10 must state
--x64, --x86: the architecture's aerogpu.sys (any name that ends in .sys) and user-mode drivers (which keep their names)
--dbgctl, --doctor, --program: programs for each architecture, for the folder tools
--symbols: symbol files for debuggers, for the folder symbols
--epoch: file with the package's time in seconds since 1970 (a commit's date); SOURCE_DATE_EPOCH overrides it
--test-cert: the certificate is a test certificate: it goes on the disc, and install.cmd turns test signing on"""
import argparse
import datetime
import os
import shutil
import subprocess
import sys
import tempfile

import authenticode
import catalog
import check_driver_pe
import finish_driver
import inf
import pe

HERE = os.path.dirname(os.path.abspath(__file__))
HARDWARE_IDS = ('PCI\\VEN_A3A0&DEV_0001&SUBSYS_0001A3A0', 'PCI\\VEN_A3A0&DEV_0001')
# User-mode drivers: name, and the folders it goes to. The 32-bit one also serves 32-bit programs of 64-bit Windows.
UMD = {'x86': 'aerogpu_d3d9.dll', 'x64': 'aerogpu_d3d9_x64.dll'}
# Those of Direct3D 10 lie beside them, and the INF does not name them in the registry.
UMD10 = {'x86': 'aerogpu_d3d10.dll', 'x64': 'aerogpu_d3d10_x64.dll'}
ARCH_TITLE = {'x86': '32 bit', 'x64': '64 bit'}
OS_NAME = {'x86': '7X86', 'x64': '7X64'}
OS_ATTRIBUTE = '2:6.1'
DISC_FILES = ('install.cmd', 'uninstall.cmd', '3d.cmd', 'tests.cmd', 'README.txt')


class PackageError(Exception):
    """Something is wrong with an input; the text is the whole message."""


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data if isinstance(data, bytes) else data.encode('ascii'))


def package_time(path):
    """Returns the package's time in seconds since 1970: of SOURCE_DATE_EPOCH, else of the file, else (a tree without
    history) the time at which this script was changed."""
    when = int(os.environ.get('SOURCE_DATE_EPOCH') or read(path).strip() or 0)
    return when or int(os.path.getmtime(__file__))


def template(name):
    return read(os.path.join(HERE, name)).decode('ascii')


def make_architecture(folder, arch, files, settings):
    """Fills a folder with one architecture's package. files: {name on the disc: path} of the drivers."""
    os.makedirs(folder)
    for name, path in files.items():
        try:
            data = finish_driver.finish(read(path))
        except pe.PeError as error:
            raise PackageError('%s: %s' % (path, error)) from error
        unsigned = os.path.join(folder, name + '.unsigned')
        write(unsigned, data)
        authenticode.sign_image(unsigned, os.path.join(folder, name), settings.cert, settings.key, settings.when)
        os.remove(unsigned)
    umd = UMD[arch] if UMD[arch] in files else None
    wow = UMD['x86'] if arch == 'x64' and UMD['x86'] in files else None
    umd10 = UMD10[arch] if UMD10[arch] in files else None
    wow10 = UMD10['x86'] if arch == 'x64' and UMD10['x86'] in files else None
    image = pe.PeImage(read(os.path.join(folder, 'aerogpu.sys')))
    events = any(path[0] == pe.RT_MESSAGETABLE for path in image.resources())
    date = datetime.datetime.fromtimestamp(settings.when, datetime.timezone.utc).strftime('%m/%d/%Y')
    write(os.path.join(folder, 'aerogpu.inf'), inf.render(
        template('aerogpu.inf.in'), {'umd': umd, 'wow': wow, 'umd10': umd10, 'wow10': wow10, 'events': events},
        {'ARCH_TITLE': ARCH_TITLE[arch], 'DRIVER_DATE': date, 'DRIVER_VERSION': inf.driver_version(settings.version, settings.when),
         'PLATFORM': inf.PLATFORMS[arch], 'UMD': umd, 'WOW': wow, 'UMD10': umd10, 'WOW10': wow10,
         'INSTALLED': ','.join(name[:-4] for name in (umd, wow) if name)}))
    make_catalog(folder, arch, settings)


def make_catalog(folder, arch, settings):
    contents = {name: read(os.path.join(folder, name)) for name in os.listdir(folder)}
    unsigned = os.path.join(folder, 'unsigned')
    write(unsigned, catalog.build(contents, HARDWARE_IDS, OS_NAME[arch], OS_ATTRIBUTE, settings.when))
    authenticode.sign_catalog(unsigned, os.path.join(folder, 'aerogpu.cat'), settings.cert, settings.key,
                              settings.when)
    os.remove(unsigned)


def check_catalog(folder, certificate):
    """Returns defects of the folder's catalogue, which must list exactly the other files and have a good signature."""
    path = os.path.join(folder, 'aerogpu.cat')
    try:
        members = {member.digest: member.attributes.get('File') for member in catalog.parse(read(path)).members}
    except ValueError as error:
        return ['aerogpu.cat: %s' % error]
    defects = []
    for name in sorted(set(os.listdir(folder)) - {'aerogpu.cat'}):
        try:
            digest = catalog.file_digest(read(os.path.join(folder, name)))[0]
        except pe.PeError as error:
            return ['%s: %s' % (name, error)]
        if members.pop(digest, None) != name:
            defects.append('%s is not the file that aerogpu.cat lists' % name)
        elif name.endswith(('.sys', '.dll')):
            complaint = authenticode.verify(os.path.join(folder, name), certificate, '-catalog', path)
            defects += ['%s: osslsigncode does not find it in aerogpu.cat: %s' % (name, complaint)] if complaint else []
    defects += ['aerogpu.cat lists %s, which is not there so' % name for name in members.values()]
    complaint = authenticode.verify(path, certificate)
    return defects + (['aerogpu.cat: osslsigncode: ' + complaint] if complaint else [])


def check_architecture(folder, arch, version, umd_versions, certificate):
    """Returns all defects of one architecture's finished folder. umd_versions: of UMD and of UMD10."""
    machines = {'aerogpu.sys': (arch, version)}
    for names, umd_version in zip((UMD, UMD10), umd_versions):
        machines.update((name, (machine, umd_version)) for machine, name in names.items()
                        if os.path.exists(os.path.join(folder, name)))
    defects = []
    for name, (machine, expected) in machines.items():
        defects += ['%s: %s' % (name, text) for text in check_driver_pe.check(
            os.path.join(folder, name), machine, expected, certificate, os.path.join(folder, 'aerogpu.cat'))]
    defects += ['aerogpu.inf: ' + text for text in inf.check(os.path.join(folder, 'aerogpu.inf'), arch, version)]
    return ['%s: %s' % (arch, text) for text in defects + check_catalog(folder, certificate)]


def make_tools(folder, settings):
    """Makes the folders tools and symbols: programs, finished and signed, and what goes with them; returns all
    defects."""
    defects = []
    programs = [(name, arch, path) for name, paths in (('dbgctl.exe', settings.dbgctl), ('aerogpu-doctor.exe', settings.doctor))
                for arch, path in zip(('x64', 'x86'), paths or ())]
    programs += [(name, arch, path) for name, *paths in settings.program or () for arch, path in zip(('x64', 'x86'), paths)]
    for name, arch, path in programs:
        place = os.path.join(folder, 'tools', arch)
        os.makedirs(place, exist_ok=True)
        target = os.path.join(place, name)
        try:
            write(target + '.unsigned', finish_driver.finish(read(path)))
        except pe.PeError as error:
            raise PackageError('%s: %s' % (path, error)) from error
        authenticode.sign_image(target + '.unsigned', target, settings.cert, settings.key, settings.when)
        os.remove(target + '.unsigned')
        defects += ['tools\\%s\\%s: %s' % (arch, name, text)
                    for text in check_driver_pe.check(target, arch, settings.version, settings.cert)]
    if settings.dbgctl:
        write(os.path.join(folder, 'tools', 'aerogpu.man'), template('disk/aerogpu.man').replace('\n', '\r\n'))
    for path in settings.symbols or ():
        os.makedirs(os.path.join(folder, 'symbols'), exist_ok=True)
        shutil.copyfile(path, os.path.join(folder, 'symbols', os.path.basename(path)))
    return defects


def has_direct3d10(settings):
    """Says whether the package of each architecture has its user-mode drivers of Direct3D 10."""
    return all(set(names.values() if arch == 'x64' else [names['x86']]) <= set(
        driver_files(arch, paths, settings.x86)) for arch, paths in (('x64', settings.x64), ('x86', settings.x86))
        for names in (UMD, UMD10))


def make_disc_files(folder, settings):
    values = {'VERSION': settings.version, 'THUMBPRINT': authenticode.thumbprint(settings.cert)}
    for name in DISC_FILES:
        write(os.path.join(folder, name), inf.render(template('disk/%s.in' % name),
                                                     {'test': settings.test_cert, 'd3d10': has_direct3d10(settings)}, values))
    if settings.test_cert:
        write(os.path.join(folder, 'aerogpu-test.cer'), authenticode.certificate_der(settings.cert))


def make_iso(folder, path, when):
    """Makes the image, with Joliet for Windows and Rock Ridge for others; all dates are the package's time, which
    xorriso takes from SOURCE_DATE_EPOCH."""
    for root, folders, files in os.walk(folder):
        for name in folders + files + ['.']:
            os.utime(os.path.join(root, name), (when, when))
            os.chmod(os.path.join(root, name), 0o755 if name in folders + ['.'] else 0o644)
    environment = dict(os.environ, SOURCE_DATE_EPOCH=str(when), TZ='UTC')
    result = subprocess.run(
        ['xorriso', '-as', 'mkisofs', '-quiet', '-o', path, '-V', 'AEROGPU', '-J', '-joliet-long', '-r', folder],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        raise PackageError('xorriso failed:\n' + result.stdout)


def driver_files(arch, paths, other_paths):
    """Returns {name on the disc: path} of an architecture's drivers; x64 includes the 32-bit user-mode driver."""
    drivers = [path for path in paths if path.endswith('.sys')]
    if len(drivers) != 1:
        raise PackageError('%d .sys files for %s, not one' % (len(drivers), arch))
    files = {'aerogpu.sys': drivers[0]}
    for path in paths + (other_paths if arch == 'x64' else []):
        name = os.path.basename(path)
        if name in (*UMD.values(), *UMD10.values()):
            files[name] = path
        elif not name.endswith('.sys'):
            raise PackageError('%s has no place on the disc' % path)
    for names in (UMD, UMD10):
        if arch == 'x64' and names['x64'] not in files:
            files.pop(names['x86'], None)  # on 64-bit Windows the 32-bit driver is useless without the 64-bit one
    if set(UMD10.values()) & set(files) and UMD[arch] not in files:
        raise PackageError('%s: a Direct3D 10 driver without one of Direct3D 9' % arch)
    return files


def make(settings):
    """Builds the disc; raises PackageError with every defect if one of the checks fails."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        defects = []
        for arch, paths in (('x64', settings.x64), ('x86', settings.x86)):
            place = os.path.join(folder, arch)
            make_architecture(place, arch, driver_files(arch, paths, settings.x86), settings)
            defects += check_architecture(place, arch, settings.version, (settings.umd_version, settings.umd10_version),
                                          settings.cert)
        defects += make_tools(folder, settings)
        if defects:
            raise PackageError('\n'.join(defects))
        make_disc_files(folder, settings)
        partial = settings.iso + '.partial'
        make_iso(folder, partial, settings.when)
        shutil.move(partial, settings.iso)


def main():
    parser = argparse.ArgumentParser(add_help=False, usage=__doc__)
    for name in ('version', 'umd-version', 'umd10-version', 'epoch', 'cert', 'key', 'iso'):
        parser.add_argument('--' + name, required=True)
    for arch in UMD:
        parser.add_argument('--' + arch, nargs='+', required=True)
    parser.add_argument('--dbgctl', nargs=2)
    parser.add_argument('--doctor', nargs=2)
    parser.add_argument('--program', nargs=3, action='append')
    parser.add_argument('--symbols', nargs='+')
    parser.add_argument('--test-cert', action='store_true')
    settings = parser.parse_args()
    settings.when = package_time(settings.epoch)
    try:
        make(settings)
    except (PackageError, authenticode.SigningError, inf.InfError, ValueError) as error:
        print('make_package: %s' % error, file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
