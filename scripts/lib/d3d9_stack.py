# SPDX-License-Identifier: MIT
"""Runs our Direct3D 9, and Direct3D 11, without Windows (docs/d3d9/testbed.md): the driver host serves the kernel driver,
whose device is in a QEMU without a running CPU; programs run under Wine with our d3d9.dll, or d3d11.dll."""
import os
import re
import secrets
import statistics
import struct
import subprocess
import tempfile
import threading
import time
import zlib

from aerogpu_build import BUILD, ROOT, Failure, ninja, ninja_optional
from aerogpu_vm import LAUNCHER, die_with_parent
import wine

START_LIMIT = 120   # s, limit until the server answers
PROGRAM_LIMIT = 120
SIZE = (1024, 768)  # size of the desktop

HOST = os.path.join(BUILD, 'tests-qtest', 'driver', 'aerogpu-driver-host')
PARTS = {  # by their names in messages and options
    'driver': os.path.join(BUILD, 'guest-drivers', 'kmd', 'aerogpu-x64.sys'),
    'umd': os.path.join(BUILD, 'guest-drivers', 'umd-d3d9', 'aerogpu_d3d9_x64.dll'),
    'd3d9': os.path.join(BUILD, 'testbed', 'd3d9-runtime', 'd3d9.dll'),
}
PARTS32 = {  # additional parts for x86 programs
    'umd-x86': os.path.join(BUILD, 'guest-drivers', 'umd-d3d9', 'aerogpu_d3d9.dll'),
    'd3d9-x86': os.path.join(BUILD, 'testbed', 'd3d9-runtime', 'd3d9-x86.dll'),
    'd3d8-x86': os.path.join(BUILD, 'testbed', 'd3d8-runtime', 'd3d8.dll'),
}
# Additional parts for programs of Direct3D 11, and for those that are x86 ones.
_UMD10, _RUNTIME11 = os.path.join(BUILD, 'guest-drivers', 'umd-d3d10'), os.path.join(BUILD, 'testbed', 'd3d11-runtime')
PARTS11 = {
    'umd10': os.path.join(_UMD10, 'aerogpu_d3d10_x64.dll'),
    'd3d11': os.path.join(_RUNTIME11, 'd3d11.dll'),
    'd3d10core': os.path.join(_RUNTIME11, 'd3d10core.dll'),
    'dxgi': os.path.join(_RUNTIME11, 'dxgi.dll'),
}
PARTS11_32 = {
    'umd10-x86': os.path.join(_UMD10, 'aerogpu_d3d10.dll'),
    'd3d11-x86': os.path.join(_RUNTIME11, 'd3d11-x86.dll'),
    'd3d10core-x86': os.path.join(_RUNTIME11, 'd3d10core-x86.dll'),
    'dxgi-x86': os.path.join(_RUNTIME11, 'dxgi-x86.dll'),
}
WHAT = {'driver': 'kernel driver', 'umd': 'user-mode driver', 'd3d9': 'Direct3D runtime (d3d9.dll)',
        'umd-x86': 'user-mode driver for 32-bit programs', 'd3d9-x86': 'Direct3D runtime (d3d9.dll) for 32-bit programs',
        'd3d8-x86': 'Direct3D 8 runtime (d3d8.dll) for 32-bit programs',
        'umd10': 'user-mode driver of Direct3D 10', 'd3d11': 'Direct3D 11 runtime (d3d11.dll)', 'dxgi': 'DXGI (dxgi.dll)',
        'd3d10core': 'Direct3D 10 runtime (d3d10core.dll)',
        'd3d10core-x86': 'Direct3D 10 runtime (d3d10core.dll) for 32-bit programs',
        'umd10-x86': 'user-mode driver of Direct3D 10 for 32-bit programs',
        'd3d11-x86': 'Direct3D 11 runtime (d3d11.dll) for 32-bit programs', 'dxgi-x86': 'DXGI (dxgi.dll) for 32-bit programs'}
INSTALLED = {  # which parts the prefix has in its folder of Windows
    'd3d9': 'system32/d3d9.dll', 'd3d9-x86': 'syswow64/d3d9.dll', 'd3d8-x86': 'syswow64/d3d8.dll',
    'd3d11': 'system32/d3d11.dll', 'd3d11-x86': 'syswow64/d3d11.dll',
    'd3d10core': 'system32/d3d10core.dll', 'd3d10core-x86': 'syswow64/d3d10core.dll',
    'dxgi': 'system32/dxgi.dll', 'dxgi-x86': 'syswow64/dxgi.dll'}
# Programs of the driver disc, and those that only test.
PROGRAM_FOLDERS = (os.path.join(BUILD, 'guest-drivers', 'programs'), os.path.join(BUILD, 'testbed', 'programs'))
NAMES11 = ['triangle11', 'scene11', 'buffers11', 'deferred11', 'state11', 'shapes11', 'streams11', 'quad10', 'direct2d10',
           'shared11', 'keyed11',
           'flip11']
ONLY_TESTS = ('bench', 'compositor', 'desktop', 'dirty_regions', 'flip', 'frame_pacing', 'gamma', 'player', 'readback', *NAMES11)
NAMES = ['triangle', 'quad', 'flip', 'gamma', 'player', 'readback', 'shared', 'd3d9ex_test', 'present_statistics', 'compositor',
         'producer', 'dirty_regions', 'frame_pacing',
         'sharing', 'ddi_sanity', 'query_latency', 'event_queries', 'submit_stress', 'vblank_pacing', 'composition']
LEVEL9 = 'level9'  # calls the user-mode driver without d3d9.dll
DESKTOP = 'desktop'  # an idle program that keeps the desktop alive; testbed/programs/desktop.cpp


def program(name, arch='x64'):
    """Returns the path of a program: one of NAMES or NAMES11, or LEVEL9."""
    folder = os.path.join(os.path.dirname(PARTS['d3d9']), 'level9') if name == LEVEL9 else PROGRAM_FOLDERS[name in ONLY_TESTS]
    return os.path.join(folder, name + ('-x86.exe' if arch == 'x86' else '.exe'))


def composed_desktop(arch):
    """Returns the path of the dwmapi.dll that answers composition.exe (testbed/programs/dwmapi.cpp)."""
    return os.path.join(BUILD, 'testbed', 'programs', 'dwmapi-x86.dll' if arch == 'x86' else 'dwmapi.dll')


def doctor(arch):
    """Returns the path of aerogpu-doctor.exe."""
    return os.path.join(BUILD, 'guest-drivers', 'windows', 'programs', 'aerogpu-doctor-%s.exe' % arch)


def parts_of(both=False, d3d11=False):
    """Returns {name: path} of the parts of a Stack with these arguments."""
    return {**PARTS, **(PARTS32 if both else {}), **(PARTS11 if d3d11 else {}), **(PARTS11_32 if both and d3d11 else {})}


def build(both=False, d3d11=False):
    """Builds the stack and its programs, after the same set-up as scripts/run-tests. `both`: for x86 programs too,
    whose Wine is fetched. `d3d11`: with what Direct3D 11 needs, and its programs alone."""
    for script in ('setup', 'prepare-qemu', 'build-vgabios'):
        if subprocess.run([os.path.join(ROOT, 'scripts', script)], stdin=subprocess.DEVNULL, check=False).returncode:
            raise Failure('scripts/%s failed' % script)
    if not ninja_optional('hw-aerogpu/aerogpu-qemu.so'):
        raise Failure('the device cannot be built: scripts/setup and scripts/prepare-qemu have not found QEMU')
    names = NAMES11 if d3d11 else [*NAMES, LEVEL9]
    files = [HOST, *parts_of(both, d3d11).values(), *(program(name) for name in [*names, DESKTOP])]
    if not d3d11:
        files += [composed_desktop('x64')]
    if both:
        files += [program(name, 'x86') for name in names]
        wine.prepare32()
    if both and not d3d11:
        files += [*(doctor(arch) for arch in ('x64', 'x86')), composed_desktop('x86')]
    ninja(*[os.path.relpath(path, BUILD) for path in files], 'hw-aerogpu/aerogpu-qemu.so', 'renderer/aerogpu-translator')


device_options = ''  # NAME=VALUE,...: properties that each Stack gives its device, after its own (--device-options)
save_every = 0  # s between two saves of each Stack's machine (--save-every); 0: none
saves = []  # of the stacks that have ended, what the driver host said of each save
moves = {'moves': 0, 'moves-refused': 0}  # of the stacks that have ended, what their devices counted (x-move)
longest_move_ns = 0  # of these devices, with x-move=device:N


def report_changes(report):
    """Reports as points whether machines were saved (--save-every) and objects made anew (x-move), if they had to be."""
    if 'x-move=' in device_options:
        report.point('objects were made anew', 'it was refused %d times' % moves['moves-refused'] if moves['moves-refused'] else
                     '' if moves['moves'] else 'they never were, in all this time')
        report.note('%d moves%s' % (
            moves['moves'], ', the longest of %d ms' % (longest_move_ns / 1e6) if 'x-move=device:' in device_options else ''))
    if save_every:
        report.point('machines were saved, killed and restored', '' if saves else 'none was, in all this time')
    if saves:
        columns = zip(*([int(number) for number in re.findall(r'\d+', line)[1:]] for line in saves))
        report.note('%d saves; median %d KiB, saved in %d ms, restored in %d ms' % (
            len(saves), *(statistics.median_low(column) for column in columns)))


def seconds_of(option, text):
    """Returns the number of seconds that an option has."""
    if not re.fullmatch(r'[1-9]\d*', text):
        raise Failure("%s: '%s' is no number of seconds" % (option, text))
    return int(text)


class Ppm:
    """A picture read from a binary PPM file of 8 bits a channel (Netpbm's "P6")."""

    def __init__(self, path):
        with open(path, 'rb') as file:
            data = file.read()
        head = re.match(rb'P6\s+(\d+)\s+(\d+)\s+255\s', data)
        if not head:
            raise Failure('%s is no PPM picture' % path)
        self.width, self.height = int(head.group(1)), int(head.group(2))
        self.data = data[head.end():]
        if len(self.data) != self.width * self.height * 3:
            raise Failure('%s is cut off' % path)

    def rows(self, x, y, width, height):
        for row in range(y, y + height):
            at = (row * self.width + x) * 3
            yield self.data[at:at + width * 3]

    def shows(self, word):
        """Returns whether "size=WxH" or "X,Y=RRGGBB" is so."""
        where, _, value = word.partition('=')
        if where == 'size':
            return value == '%dx%d' % (self.width, self.height)
        x, y = (int(number) for number in where.split(','))
        at = (y * self.width + x) * 3
        return x < self.width and y < self.height and self.data[at:at + 3].hex() == value

    def write_png(self, path, x=0, y=0, width=None, height=None):
        """Writes a part of the picture as PNG (PNG specification, 11: IHDR, IDAT, IEND)."""
        width, height = width or self.width, height or self.height
        raw = b''.join(b'\0' + row for row in self.rows(x, y, width, height))

        def chunk(kind, body):
            return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))
        with open(path, 'wb') as file:
            file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)) +
                       chunk(b'IDAT', zlib.compress(raw, 9)) + chunk(b'IEND', b''))

    def difference(self, expected, x, y, tolerance):
        """Compares the part at (x, y) with `expected`: None if it matches, else a line of text. Channels may be off by
        `tolerance`."""
        if x < 0 or y < 0 or x + expected.width > self.width or y + expected.height > self.height:
            return 'the screen, %dx%d, does not have all of it' % (self.width, self.height)
        bad, first = 0, ''
        pairs = zip(self.rows(x, y, expected.width, expected.height),
                    expected.rows(0, 0, expected.width, expected.height))
        for row, (got, wanted) in enumerate(pairs):
            if got == wanted:
                continue
            for column in range(expected.width):
                one, other = got[column * 3:column * 3 + 3], wanted[column * 3:column * 3 + 3]
                if any(abs(a - b) > tolerance for a, b in zip(one, other)):
                    bad += 1
                    if not first:
                        first = '(%d,%d) is %s, not %s' % (x + column, y + row, one.hex(), other.hex())
        return '%d of %d pixels differ: %s' % (bad, expected.width * expected.height, first) if bad else None

    def difference_but_for_edges(self, other, tolerance, contrast, share):
        """Compares with a picture of the same scene by another rasterizer, which may put edges elsewhere, by up to a pixel,
        and smooth them: None if it matches, else a line of text. A pixel's channels may be off by `tolerance`. It may differ
        more at an edge, where some channel of the 3x3 pixels about it varies by more than `contrast` in either picture, if
        each of its channels is between the least and the greatest of the other picture's 3x3 pixels, or off those by
        `tolerance`. At most the share `share` of the pixels may need that."""
        if (self.width, self.height) != (other.width, other.height):
            return 'the picture has %dx%d pixels, not %dx%d' % (self.width, self.height, other.width, other.height)
        bad, edges, first = 0, 0, ''
        for at in range(self.width * self.height):
            got, wanted = self.data[at * 3:at * 3 + 3], other.data[at * 3:at * 3 + 3]
            if got == wanted or all(abs(a - b) <= tolerance for a, b in zip(got, wanted)):
                continue
            around, mine = (picture._ranges(at % self.width, at // self.width) for picture in (other, self))
            edge = any(high - low > contrast for low, high in around + mine)
            if edge and all(low - tolerance <= channel <= high + tolerance for channel, (low, high) in zip(got, around)):
                edges += 1
                continue
            bad += 1
            first = first or '(%d,%d) is %s, not %s%s' % (at % self.width, at // self.width, got.hex(), wanted.hex(),
                                                          ', at an edge' if edge else '')
        if bad:
            return '%d of %d pixels differ: %s' % (bad, self.width * self.height, first)
        if edges > share * self.width * self.height:
            return '%d of %d pixels differ at edges' % (edges, self.width * self.height)
        return None

    def _ranges(self, x, y):
        """Returns [(least, greatest)] of the three channels of the 3x3 pixels about a pixel."""
        pixels = b''.join(self.rows(max(x - 1, 0), max(y - 1, 0), min(x + 2, self.width) - max(x - 1, 0),
                                    min(y + 2, self.height) - max(y - 1, 0)))
        return [(min(pixels[channel::3]), max(pixels[channel::3])) for channel in range(3)]


class Lines:
    """The lines that a program writes. They come from `stream`, which a thread reads, or from add()."""

    def __init__(self, stream=None):
        self.lines = []
        self.ended = False
        self.changed = threading.Condition()
        if stream:
            threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream):
        with stream:
            for line in stream:
                self.add(line.decode(errors='replace').rstrip('\r\n'))
        self.end()

    def add(self, line):
        with self.changed:
            self.lines.append(line)
            self.changed.notify_all()

    def end(self):
        """Ends all waits: no more lines come."""
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def wait(self, expression, limit, after=0):
        """Waits for a line that the expression matches, from line `after` on; returns the match. None if the stream
        ends before, or after `limit` seconds."""
        deadline = time.monotonic() + limit
        with self.changed:
            while True:
                for line in self.lines[after:]:
                    found = re.search(expression, line)
                    if found:
                        return found
                left = deadline - time.monotonic()
                if self.ended or left <= 0:
                    return None
                self.changed.wait(left)

    def text(self):
        with self.changed:
            return '\n'.join(self.lines)


class Stack:
    """The driver host ("server") and a Wine prefix. Use as a context manager. `parts`: replaces paths of parts_of().
    `prefix`: folder for the prefix, which stays; without it a temporary one. `strict`: the
    runtime ends programs whose driver breaks a rule. `display`: X display for the windows, '' for none. `registry`:
    lines to add to user.reg. `both`: run programs for x86 too. `d3d11`: has Direct3D 11 besides 9. `settings`: numbers for the kernel driver's software
    key. `device`: properties of the device (NAME=VALUE,...). `environment`: variables of the server and of QEMU.
    `harmed`: its GPU will be lost or hang, so that --save-every leaves its machine alone, and x-move may be refused."""
    program_limit = PROGRAM_LIMIT  # s, limit for a program to print an awaited line, or to end

    def __init__(self, parts=None, prefix=None, size=SIZE, strict=True, display='', registry='', both=False, settings=None,
                 device='', environment=None, harmed=False, d3d11=False):
        self.parts = {**parts_of(both, d3d11), **(parts or {})}
        self.both = both
        self.d3d11 = d3d11
        self.size = size
        self.strict = strict
        self.display = display
        self.registry = registry
        self.settings = settings or {}
        self.device = device
        self.environment = environment or {}
        self.harmed = harmed
        self.for_programs = {}  # variables that the next programs get too
        self.key = secrets.token_hex(16)
        self.address = None
        self.server = None
        self.lines = None
        self.keep_prefix = prefix
        self.folder = None
        self.prefix = None
        self.desktop = None
        self.shown = 0  # programs of start_shown()

    def check(self):
        """Raises Failure, with one line, if a part is missing or for the wrong architecture."""
        wine.check_wine()
        if self.both:
            wine.check_wine32()
        for name, path in self.parts.items():
            if not os.path.isfile(path):
                raise Failure('there is no %s: %s is missing' % (WHAT[name], path))
            wanted = 'x86' if name.endswith('-x86') else 'x64'
            if name != 'driver' and wine.machine_of(path) != wanted:
                raise Failure('the %s has to be for %s; this one is for %s: %s' % (
                    WHAT[name], wanted, wine.machine_of(path), path))
        if not os.path.isfile(HOST):
            raise Failure('there is no driver host: %s is missing' % HOST)

    def __enter__(self):
        self.check()
        self.folder = tempfile.TemporaryDirectory(prefix='aerogpu-d3d9-')
        try:
            self.prefix = self.keep_prefix or os.path.join(self.folder.name, 'prefix')
            self._start_server()
            self._start_wine()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *unused):
        self.stop()

    def _start_wine(self):
        wine.make_prefix(self.prefix, 'x11' if self.display else 'null', self.registry, self.both)
        for part, path in INSTALLED.items():
            library = os.path.join(self.prefix, 'drive_c', 'windows', path)
            if part in self.parts:
                os.unlink(library)
                os.symlink(self.parts[part], library)
        wine.start_server(self.prefix)
        self.desktop = self.start(program(DESKTOP))
        self.desktop.wait_line('^window ')

    def restart_wine(self):
        """Ends all programs of the prefix and makes a new one, so that no display mode stays in its registry."""
        wine.stop_server(self.prefix)
        self._start_wine()

    def _start_server(self):
        command = [HOST, '--serve', '--machine', 'qtest', '--qemu', LAUNCHER, '--driver', self.parts['driver'], '--umd',
                   self.parts['umd'], '--mode', '%dx%d' % self.size]
        if self.both:
            command += ['--umd-wow', self.parts['umd-x86']]
        for part, option in (('umd10', '--umd10'), ('umd10-x86', '--umd10-wow')):
            if part in self.parts:
                command += [option, self.parts[part]]
        for name, value in self.settings.items():
            command += ['--setting', '%s=%d' % (name, value)]
        device = ','.join(filter(None, (self.device, device_options)))
        if device:
            command += ['--device-options', device]
        if save_every and not self.harmed:
            command += ['--save-every', str(save_every)]
        env = dict(os.environ, AEROGPU_KMT_KEY=self.key, AEROGPU_BUILD_DIR=BUILD, **self.environment)
        self.server = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, preexec_fn=die_with_parent)
        self.lines = Lines(self.server.stdout)
        found = self.lines.wait(r'^aerogpu-kmt: ([\d.]+:\d+)$', START_LIMIT)
        if not found:
            raise Failure('the driver host does not serve: %s' % (self.lines.text().strip() or 'it says nothing'))
        self.address = found.group(1)

    def check_alive(self, during):
        """Raises Failure if the server has ended."""
        code = self.server.poll()
        if code is not None:
            raise Failure('the driver host ended with %d during %s: %s' % (
                code, during, '; '.join(self.lines.text().splitlines()[-3:])))

    def is_older(self):
        """Returns a match if the server has reported an escape that the kernel driver does not know, else None."""
        return self.lines.wait(r'the kernel driver does not know escape (\d+)', 0)

    def reason(self, text):
        """Returns the message for a program's failure: `text`, or that the kernel driver is too old (is_older())."""
        old = self.is_older()
        return 'the kernel driver is older than the user-mode driver, whose escape %s it does not know: %s' % (
            old.group(1), self.parts['driver']) if old else text

    def ask(self, command):
        """Sends a command to the server; returns the words of its answer after the command."""
        self.check_alive("'%s'" % command)
        after = len(self.lines.lines)
        self.server.stdin.write(command.encode() + b'\n')
        self.server.stdin.flush()
        found = self.lines.wait(r'^aerogpu-kmt: (error: .*|%s.*)$' % re.escape(command), 30, after)
        if not found or found.group(1).startswith('error:'):
            raise Failure("the driver host's answer to '%s': %s" % (command, found.group(1) if found else 'none'))
        return found.group(1)[len(command):].split()

    def harm_gpu(self, how):
        """Makes the next submission lose the GPU ('lose') or never end ('stick'); docs/develop/debugging.md."""
        self.ask(how + '-gpu')

    def sleep(self):
        """Sends the machine to sleep and wakes it (docs/windows/driver-host.md, "Serving programs")."""
        self.ask('sleep')

    def path_of(self, name, arch='x64'):
        """Returns the path of a program as programs under Wine see it."""
        return 'Z:' + program(name, arch).replace('/', '\\')

    def processes(self):
        """Returns {name: process id} of the process that serves and of QEMU, the children of the started process. Of two
        QEMUs the younger one waits for a saved state."""
        found = {}
        with open('/proc/%d/task/%d/children' % (self.server.pid, self.server.pid)) as file:
            for child in file.read().split():
                host = os.path.samefile('/proc/%s/exe' % child, HOST)
                found.setdefault('the driver host' if host else 'QEMU', int(child))
        return found

    def own_process(self, program):
        """Returns a list with the program's process id, or an empty one where processes() includes the program."""
        return [program.process.pid]

    def counter(self, name):
        """Reads a counter of the device (docs/develop/debugging.md)."""
        return int(self.ask('counter %s' % name)[0])

    def screen(self):
        path = os.path.join(self.folder.name, 'screen.ppm')
        self.ask('screendump %s' % path)
        return Ppm(path)

    def variables(self):
        """Returns the environment variables that a program needs."""
        overrides = 'services.exe=;d3d9=n' + (';d3d8=n' if self.both else '') + (';d3d10core,d3d11,dxgi=n' if self.d3d11 else '')
        strict = {'AEROGPU_D3D9_STRICT': '1', **({'AEROGPU_D3D11_STRICT': '1'} if self.d3d11 else {})} if self.strict else {}
        return {**wine.environment(self.prefix, overrides=overrides, display=self.display, both=self.both),
                'AEROGPU_KMT': self.address,
                'AEROGPU_KMT_KEY': self.key, **strict, **self.for_programs}

    def start(self, path, *arguments):
        """Starts a program; returns a Running without waiting."""
        variables = self.variables()
        loader = wine.loader_for(path, variables)
        self.check_alive('the start of %s' % os.path.basename(path))
        process = subprocess.Popen([loader, path, *arguments], env=dict(os.environ, **variables), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=die_with_parent)
        return Running(self, path, process, Lines(process.stdout))

    def start_shown(self, path, *arguments):
        """Starts a program that shows its last picture until release(). Its expected() returns the Ppm that its window
        must show."""
        self.shown += 1
        expectation = os.path.join(self.folder.name, 'expected-%d.ppm' % self.shown)
        program = self.start(path, '--hold', '--expectation', expectation, *arguments)
        program.expected = lambda: Ppm(expectation)
        return program

    def _note_moves(self):
        global longest_move_ns
        if self.server and self.server.poll() is None and 'x-move=' in device_options and not self.harmed:
            try:
                for name in moves:
                    moves[name] += self.counter(name)
                longest_move_ns = max(longest_move_ns, self.counter('gpu-move-longest-ns'))
            except Failure:
                pass  # its end is reported

    def stop(self):
        """Ends everything; returns the server's exit status, which is 1 when the kernel driver broke a rule."""
        code = None
        self._note_moves()
        if self.prefix:
            try:
                wine.stop_server(self.prefix)
            except Failure:
                pass
        if self.server:
            try:
                self.server.stdin.close()
            except OSError:
                pass
            for end in (None, self.server.terminate, self.server.kill):
                if end:
                    end()
                try:
                    code = self.server.wait(20)
                    break
                except subprocess.TimeoutExpired:
                    continue
        if self.server and self.lines:
            self.lines.wait('(?!)', 5)  # its last lines come a little later
            saves.extend(line for line in self.lines.text().splitlines() if line.startswith('# saved and restored '))
        if self.folder:
            self.folder.cleanup()
        self.prefix = self.server = self.folder = None
        return code


class Running:
    """A program under Wine: its process (a Popen, or an object like one) and the lines that it prints. Its standard
    input stays open until release()."""

    def __init__(self, stack, path, process, lines):
        self.stack = stack
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.process = process
        self.lines = lines
        self.expected = None

    def wait_line(self, expression, limit=None):
        """Waits for a line that the expression matches; Failure if the program ends before printing one, or after
        `limit` seconds."""
        limit = limit or self.stack.program_limit
        deadline = time.monotonic() + limit
        while True:
            found = self.lines.wait(expression, 0.2)
            if found:
                return found
            self.stack.check_alive(self.name)
            if self.process.poll() is not None and not self.lines.wait(expression, 0.2):
                raise Failure(self.stack.reason('%s ended with %d before it said /%s/: %s' % (
                    self.name, self.process.returncode, expression, self.said())))
            if time.monotonic() > deadline:
                self.process.kill()
                raise Failure('%s did not say /%s/ in %d s: %s' % (self.name, expression, limit, self.said()))

    def said(self):
        return '; '.join(self.lines.text().splitlines()[-6:]) or 'it said nothing'

    def next_line(self):
        """Sends the program a line, for which it waits at several places."""
        self.process.stdin.write(b'\n')
        self.process.stdin.flush()

    def release(self):
        """Closes the program's standard input: ends the wait of --hold and all later waits."""
        self.process.stdin.close()

    def kill(self):
        self.process.kill()

    def wait(self):
        """Waits for the program's end; returns its exit code. Its last lines may come a little later (wait_line())."""
        limit = self.stack.program_limit
        try:
            return self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure('%s did not end in %d s: %s' % (self.name, limit, self.said())) from None
