# SPDX-License-Identifier: MIT
"""Runs Wine for tests: makes a template prefix, copies of it, and an X server in memory.

build/wine/template is the prefix that `wineboot` makes (10 s, once for each version of Wine), with links in place of
the 700 libraries that it copies. Each test uses a copy of the template (13 MB, made at once), so tests can run at the
same time and leave nothing in the template.

The installed Wine runs programs for x64. `both` in the functions below chooses the Wine of build/wine32, which also
runs programs for x86 (scripts/prepare-wine32); its template is build/wine/template-both."""
import contextlib
import fcntl
import os
import shutil
import struct
import subprocess
import tempfile

from aerogpu_build import BUILD, ROOT, Failure, run_logged
from aerogpu_vm import die_with_parent

FOLDER = os.path.join(BUILD, 'wine')
LOADER = '/usr/lib/wine/wine64'
SERVER = '/usr/lib/wine/wineserver64'
BUILTINS = '/usr/lib/x86_64-linux-gnu/wine/x86_64-windows'  # where Debian has the libraries that wineboot copies
TREE32 = os.path.join(BUILD, 'wine32')
LOADER32 = os.path.join(TREE32, 'usr', 'lib', 'wine', 'wine')
LOADER_BOTH = os.path.join(TREE32, 'usr', 'lib', 'wine', 'wine64')  # like LOADER, but next to LOADER32
_SYSTEM32 = os.path.join(TREE32, 'usr', 'lib', 'i386-linux-gnu')  # X11 libraries, which only 32-bit processes use
# Mesa's OpenGL, if it was fetched. A process tries the drivers of both kinds, and loads those that match.
_OPENGL32 = [os.path.join(BUILD, 'wine32-opengl', *path, 'i386-linux-gnu') for path in (('usr', 'lib'), ('lib',))]
_DRIVERS = [os.path.join(_OPENGL32[0], 'dri'), '/usr/lib/x86_64-linux-gnu/dri']
LIBRARIES32 = os.path.join(_SYSTEM32, 'wine')
_FORMAT = 2  # version of the template; increase it when _make_template() changes
_MACHINES = {0x14C: 'x86', 0x8664: 'x64'}  # IMAGE_FILE_HEADER.Machine
# Neither .NET nor a browser engine: Wine would ask whether to download them. No entries in the desktop's menu.
_QUIET = 'mscoree,mshtml,winemenubuilder.exe='
_BASE = {'WINEDEBUG': '-all', 'WINEARCH': 'win64', 'WINELOADER': LOADER,
         'WINESERVER': SERVER}


def check_wine():
    """Raises Failure if Wine is not installed."""
    for path in (LOADER, SERVER, BUILTINS):
        if not os.path.exists(path):
            raise Failure('there is no Wine: %s is missing; scripts/setup installs it' % path)


def prepare32(opengl=False):
    """Fetches the 32-bit Wine and, with `opengl`, Mesa's OpenGL for it, where they are missing."""
    command = [os.path.join(ROOT, 'scripts', 'prepare-wine32'), *(['--opengl'] if opengl else [])]
    if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode:
        raise Failure('scripts/prepare-wine32 failed')


def check_wine32():
    """Raises Failure if the 32-bit Wine is missing."""
    for path in (LOADER32, LOADER_BOTH, LIBRARIES32):
        if not os.path.exists(path):
            raise Failure('there is no 32-bit Wine: %s is missing; scripts/prepare-wine32 fetches it' % path)


def environment(prefix, overrides='services.exe=', display='', both=False):
    """Returns the environment variables with which Wine uses a prefix. `overrides` is added to WINEDLLOVERRIDES; its
    default keeps Wine from starting services, which programs that only draw do not need."""
    more = {'WINELOADER': LOADER_BOTH, 'WINEDLLPATH': LIBRARIES32, 'LD_LIBRARY_PATH': ':'.join([_SYSTEM32, *_OPENGL32]),
            'LIBGL_DRIVERS_PATH': ':'.join(_DRIVERS)} if both else {}
    return dict(_BASE, WINEPREFIX=os.path.abspath(prefix), DISPLAY=display,
                WINEDLLOVERRIDES=';'.join(part for part in (_QUIET, overrides) if part), **more)


def machine_of(path):
    """Returns 'x86' or 'x64', the architecture of a PE file; Failure if it is neither."""
    try:
        with open(path, 'rb') as file:
            head = file.read(4096)
        at = struct.unpack_from('<I', head, 0x3C)[0]
        if head[:2] == b'MZ' and head[at:at + 4] == b'PE\0\0':
            return _MACHINES[struct.unpack_from('<H', head, at + 4)[0]]
    except OSError as error:
        raise Failure('%s: %s' % (path, error.strerror)) from None
    except (struct.error, KeyError):
        pass
    raise Failure('%s is no Windows program for x86 or x64' % path)


def loader_for(path, env):
    """Returns the loader that runs a program with the variables `env` of environment(). Failure if the program is for
    x86 and `env` for x64 alone: Wine would end with 0 and print nothing."""
    if machine_of(path) == 'x64':
        return env['WINELOADER']
    if env['WINELOADER'] != LOADER_BOTH:
        raise Failure('%s is for x86; this Wine runs programs for x64' % path)
    return LOADER32


def _stamp(both):
    stats = [os.stat(path) for path in ([LOADER, LOADER32] if both else [LOADER])]
    return '%d%s\n' % (_FORMAT, ''.join(' %d %d' % (stat.st_mtime_ns, stat.st_size) for stat in stats))


def own_user_folders(target):
    """Replaces links in the users' folders of a prefix by empty folders. Wine links Documents, Music and others to the
    home folder: programs would write there, and a search through the prefix would go through all of it."""
    for folder, folders, files in os.walk(os.path.join(target, 'drive_c', 'users')):
        for path in [os.path.join(folder, name) for name in folders + files]:
            if os.path.islink(path) and not os.path.isfile(path):
                os.unlink(path)
                os.mkdir(path)


def _make_template(target, both):
    # Uses the installed loader, which makes SysWOW64 in one process with System32; with the other one an x86 program
    # would do it, and find nothing to start from.
    env = {**os.environ, **environment(target, overrides='', both=both), 'WINELOADER': LOADER}
    run_logged('making the Wine prefix (once)', os.path.join(BUILD, 'logs', 'wine-prefix.log'),
               ['sh', '-c', '"$0" wineboot -i && "$1" -w', LOADER, SERVER], env=env, timeout=300)
    for folder, _, names in os.walk(os.path.join(target, 'drive_c')):
        for name in names:
            builtins = os.path.join(LIBRARIES32, 'i386-windows') if os.path.basename(folder) == 'syswow64' else BUILTINS
            path, source = os.path.join(folder, name), os.path.join(builtins, name)
            if not os.path.islink(path) and os.path.exists(source) and \
                    os.path.getsize(path) == os.path.getsize(source):
                os.unlink(path)
                os.symlink(source, path)
    own_user_folders(target)
    for name in os.listdir(os.path.join(target, 'dosdevices')):
        if name not in ('c:', 'z:'):  # serial ports of this machine
            os.unlink(os.path.join(target, 'dosdevices', name))


def template(both=False):
    """Returns the path of the template; makes it if there is none for this version of Wine."""
    check_wine()
    if both:
        check_wine32()
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, 'template-both' if both else 'template')
    stamp = path + '.stamp'
    with open(os.path.join(FOLDER, 'lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            with open(stamp) as file:
                if file.read() == _stamp(both) and os.path.isdir(path):
                    return path
        except OSError:
            pass
        for old in (path, path + '.new'):
            shutil.rmtree(old, ignore_errors=True)
        _make_template(path + '.new', both)
        os.rename(path + '.new', path)
        with open(stamp, 'w') as file:
            file.write(_stamp(both))
    return path


def make_prefix(path, graphics, registry='', both=False):
    """Makes a prefix, in place of one at that path. `graphics`: Wine's display driver, 'x11', or 'null', which shows no
    windows. `registry`: lines to add to user.reg."""
    source = template(both)
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(source, path, symlinks=True)
    with open(os.path.join(path, 'user.reg'), 'a') as file:
        file.write(driver_keys(graphics) + registry)


def driver_keys(graphics):
    """Returns lines of user.reg that choose Wine's display driver, and say that there is no window manager: otherwise
    each window would wait for its answer when it closes."""
    return ('\n[Software\\\\Wine\\\\Drivers]\n"Graphics"="%s"\n'
            '\n[Software\\\\Wine\\\\X11 Driver]\n"Managed"="N"\n' % graphics)


@contextlib.contextmanager
def temporary_prefix(graphics, registry='', both=False):
    """Makes a prefix for a test and starts its server; yields the path. At the end all programs in the prefix are
    ended."""
    with tempfile.TemporaryDirectory(prefix='aerogpu-wine-') as folder:
        path = os.path.join(folder, 'prefix')
        make_prefix(path, graphics, registry, both)
        # Programs run one after the other: one that met the previous one's server as that ends would end too.
        start_server(path)
        try:
            yield path
        finally:
            stop_server(path)


def run(command, env, timeout):
    """Runs `command`, a program's path and its arguments; returns its exit code and its output, with \\n at the ends of
    lines. The output goes to a file, because Wine's desktop process would keep a pipe open after the program's end."""
    with tempfile.TemporaryFile() as output:
        try:
            code = subprocess.run([loader_for(command[0], env), *command], env=env, stdin=subprocess.DEVNULL, stdout=output,
                                  stderr=subprocess.STDOUT, timeout=timeout, check=False).returncode
        except subprocess.TimeoutExpired:
            code = None
        output.seek(0)
        text = output.read().decode(errors='replace').replace('\r', '')
    if code is None:
        raise Failure('%s did not end in %d s; it said: %s' % (' '.join(command), timeout, text.strip() or 'nothing'))
    return code, text


def start_server(prefix):
    """Starts a prefix' server, which runs until stop_server(). Otherwise the first program would start it; if two
    programs did that at the same time, one might end or wait forever."""
    env = dict(os.environ, **environment(prefix))
    done = subprocess.run([SERVER, '-p'], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise Failure('the Wine server of %s does not start' % prefix)


def stop_server(prefix):
    """Ends the programs of a prefix and its server."""
    env = dict(os.environ, **environment(prefix))
    subprocess.run([SERVER, '-k'], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    try:
        subprocess.run([SERVER, '-w'], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20,
                       check=False)
    except subprocess.TimeoutExpired:
        raise Failure('the Wine server of %s does not end' % prefix) from None


@contextlib.contextmanager
def x_server(width=1024, height=768):
    """Runs an X server in memory (Xvfb); yields its display."""
    program = shutil.which('Xvfb')
    if not program:
        raise Failure('there is no Xvfb; scripts/setup installs it')
    read, write = os.pipe()
    process = subprocess.Popen([program, '-displayfd', str(write), '-screen', '0', '%dx%dx24' % (width, height),
                                '-nolisten', 'tcp', '-noreset'], pass_fds=[write], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
    os.close(write)
    try:
        with os.fdopen(read) as file:
            number = file.readline().strip()
        if not number:
            raise Failure('Xvfb did not start')
        yield ':' + number
    finally:
        process.terminate()
        process.wait()
