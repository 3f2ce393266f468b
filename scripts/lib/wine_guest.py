# SPDX-License-Identifier: MIT
"""Packs the part of Wine that a program with a window and Direct3D needs into an archive for a guest's initramfs:
loader, server, the libraries that such programs were seen to open, and a prefix; no fonts, X or services.

Files have the same paths in the guest as on the host; the prefix is PREFIX. `both` in the functions below: with the
Wine of build/wine32, which runs programs for x86 too."""
import os
import re
import stat
import subprocess
import tempfile

from aerogpu_build import Failure
from guest_image import Cpio
import wine

PREFIX = '/wine'

_UNIX = '/usr/lib/x86_64-linux-gnu/wine/x86_64-unix'
_SHARE = '/usr/share/wine/nls'
_PROGRAMS = [wine.LOADER, wine.SERVER]
_UNIX_LIBRARIES = ['ntdll.so', 'win32u.so', 'ws2_32.so']
_UNIX32 = os.path.join(wine.LIBRARIES32, 'i386-unix')
_WINDOWS32 = os.path.join(wine.LIBRARIES32, 'i386-windows')
# Opened on demand, at the end of a thread. (Without FreeType win32u prints a message once, and continues without
# fonts; with it, it needs fontconfig and its files.)
_LATE_LIBRARIES = ['libgcc_s.so.1']
# The libraries that a program opens, then those that explorer.exe, which owns the desktop, opens in addition.
_WINDOWS_LIBRARIES = [
    'advapi32.dll', 'apisetschema.dll', 'gdi32.dll', 'imm32.dll', 'kernel32.dll', 'kernelbase.dll', 'msvcrt.dll',
    'ntdll.dll', 'sechost.dll', 'ucrtbase.dll', 'user32.dll', 'uxtheme.dll', 'version.dll', 'win32u.dll', 'ws2_32.dll',
    'zlib1.dll', 'rpcrt4.dll',
    'actxprxy.dll', 'combase.dll', 'explorer.exe', 'ole32.dll', 'oleaut32.dll', 'shcore.dll', 'shell32.dll',
    'shlwapi.dll']
# What d3d10_1.dll, the Direct3D 10 of programs, opens in addition to our d3d10core.dll.
_DIRECT3D10 = ['d3d10.dll', 'd3d10_1.dll', 'd3dcompiler_47.dll', 'opengl32.dll', 'wined3d.dll']
_TABLES = ['c_1252.nls', 'c_10000.nls', 'c_20127.nls', 'c_437.nls', 'l_intl.nls', 'locale.nls', 'normnfc.nls',
           'sortdefault.nls']
_STRIP = {'elf': 'strip', 'pe': 'x86_64-w64-mingw32-strip', 'pe32': 'i686-w64-mingw32-strip'}


def environment(both=False):
    """Returns Wine's environment variables in the guest: those of the host, without services and wineboot.exe."""
    return dict(wine.environment(PREFIX, overrides='services.exe,wineboot.exe=', both=both), HOME='/', LC_ALL='C.UTF-8')


def _stripped(path, kind):
    """Returns the file's bytes without symbols and debug information, which are most of the file."""
    with tempfile.NamedTemporaryFile() as out:
        done = subprocess.run([_STRIP[kind], '-o', out.name, path], stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise Failure('%s %s: %s' % (_STRIP[kind], path, done.stderr.strip()))
        with open(out.name, 'rb') as file:
            return file.read()


def _shared_libraries(paths):
    """Returns {path: bytes} of the shared libraries that the dynamic loader opens for these files, without Wine's
    own."""
    found = {}
    for path in paths:
        text = subprocess.run(['ldd', path], stdout=subprocess.PIPE, text=True, check=True).stdout
        for library in re.findall(r'(?:=> )?(/\S+) \(0x', text):
            if not library.startswith((_UNIX, _UNIX32)):
                found[library] = _stripped(os.path.realpath(library), 'elf')
    return found


def _registry(path):
    """Returns the text of a registry file without the COM classes, which take longest to read."""
    keep, out = True, []
    with open(path, encoding='latin-1') as file:
        for line in file:
            if line.startswith('['):
                keep = not re.match(r'\[Software\\\\(Wow6432Node\\\\)?Classes\\\\', line)
            if keep:
                out.append(line)
    return ''.join(out)


def archive(both=False, d3d10=False):
    """Returns the path of a "newc" archive to append to an initramfs. Makes it if it is missing or older than Wine.
    `d3d10`: with Wine's part of Direct3D 10."""
    template = wine.template(both)
    target = os.path.join(wine.FOLDER, 'guest%s%s.cpio' % ('-d3d10' if d3d10 else '', '-both' if both else ''))
    newest = max(os.path.getmtime(path) for path in (wine.LOADER, template + '.stamp', __file__, wine.__file__))
    if not os.path.exists(target) or os.path.getmtime(target) < newest:
        libraries = _WINDOWS_LIBRARIES + (_DIRECT3D10 if d3d10 else [])
        files = _files64(libraries)
        if both:
            files.update(_files32(template, libraries))
        files.update(_prefix(template))
        _write(target, files, {PREFIX + '/drive_c/windows/temp', PREFIX + '/drive_c/users/root/Temp', '/tmp'})
    return target


def _unix_files(programs, libraries):
    """Returns {path: (mode, bytes)} of programs, libraries, and the shared libraries that these need."""
    files = {path: (stat.S_IFREG | 0o755, _stripped(os.path.realpath(path), 'elf')) for path in programs + libraries}
    for path, data in _shared_libraries(programs + libraries).items():
        files[path] = (stat.S_IFREG | 0o755, data)
    return files


def _windows_files(names, builtins, folder, kind):
    """Returns {path: (mode, bytes)} of Windows libraries, and of links to them in a folder of C:\\windows."""
    files = {}
    for name in names:
        path = os.path.join(builtins, name)
        files[path] = (stat.S_IFREG | 0o644, _stripped(path, kind))
        files['%s/drive_c/windows/%s/%s' % (PREFIX, folder, name)] = (stat.S_IFLNK | 0o777, path.encode())
    return files


def _files64(libraries):
    unix = [os.path.join(_UNIX, name) for name in _UNIX_LIBRARIES]
    unix += [path for path in [os.path.join(_UNIX, 'libwine.so.1')] if os.path.exists(path)]
    unix += [os.path.join('/lib/x86_64-linux-gnu', name) for name in _LATE_LIBRARIES]
    files = _unix_files(_PROGRAMS, unix)
    files.update(_windows_files(libraries, wine.BUILTINS, 'system32', 'pe'))
    explorer = os.path.join(wine.BUILTINS, 'explorer.exe')
    files[PREFIX + '/drive_c/windows/explorer.exe'] = (stat.S_IFLNK | 0o777, explorer.encode())
    for name in _TABLES:
        with open(os.path.join(_SHARE, name), 'rb') as file:
            files[os.path.join(_SHARE, name)] = (stat.S_IFREG | 0o644, file.read())
    return files


def _files32(template, libraries):
    """Returns {path: (mode, bytes)} of build/wine32: the 32-bit half, and the links to the installed Wine."""
    unix = [os.path.join(_UNIX32, name) for name in _UNIX_LIBRARIES]
    unix += [os.path.join('/usr/lib32', name) for name in _LATE_LIBRARIES]
    files = _unix_files([wine.LOADER32, wine.LOADER_BOTH], unix)
    names = [name for name in libraries if name != 'explorer.exe']  # the desktop is one for both
    linked = [name for name in names if os.path.exists(os.path.join(_WINDOWS32, name))]
    files.update(_windows_files(linked, _WINDOWS32, 'syswow64', 'pe32'))
    for name in sorted(set(names) - set(linked)):  # from another package: the prefix has it as a file
        place = 'drive_c/windows/syswow64/' + name
        files['%s/%s' % (PREFIX, place)] = (stat.S_IFREG | 0o644, _stripped(os.path.join(template, place), 'pe32'))
    for link in ('usr/lib/x86_64-linux-gnu/wine', 'usr/share/wine'):
        path = os.path.join(wine.TREE32, link)
        files[path] = (stat.S_IFLNK | 0o777, os.readlink(path).encode())
    return files


def _prefix(template):
    files = {}
    for name in ('system.reg', 'user.reg', 'userdef.reg'):
        text = _registry(os.path.join(template, name))
        if name == 'user.reg':
            text += wine.driver_keys('null')
        files['%s/%s' % (PREFIX, name)] = (stat.S_IFREG | 0o644, text.encode('latin-1'))
    with open(os.path.join(template, '.update-timestamp'), 'rb') as file:
        files[PREFIX + '/.update-timestamp'] = (stat.S_IFREG | 0o644, file.read())
    files[PREFIX + '/dosdevices/c:'] = (stat.S_IFLNK | 0o777, b'../drive_c')
    files[PREFIX + '/dosdevices/z:'] = (stat.S_IFLNK | 0o777, b'/')
    return files


def _write(target, files, folders):
    for path in files:
        while os.path.dirname(path) != '/':
            path = os.path.dirname(path)
            folders.add(path)
    cpio = Cpio()
    known = set()
    for path in sorted(folders):
        parts = path.strip('/').split('/')
        for i in range(1, len(parts) + 1):
            folder = '/'.join(parts[:i])
            if folder not in known:
                known.add(folder)
                cpio.add(folder, stat.S_IFDIR | 0o755)
    for path, (mode, data) in sorted(files.items()):
        cpio.add(path.strip('/'), mode, data)
    with open(target + '.new', 'wb') as file:
        file.write(cpio.bytes())
    os.rename(target + '.new', target)
