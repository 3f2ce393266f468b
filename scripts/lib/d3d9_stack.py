# SPDX-License-Identifier: MIT
"""Our Direct3D 9 on a machine without Windows (docs/d3d9/testbed.md): the kernel side as a server over a stopped QEMU, and
programs under Wine whose d3d9.dll is ours."""
import os
import re
import secrets
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
}
WHAT = {'driver': 'kernel driver', 'umd': 'user-mode driver', 'd3d9': 'Direct3D runtime (d3d9.dll)',
        'umd-x86': 'user-mode driver for 32-bit programs', 'd3d9-x86': 'Direct3D runtime (d3d9.dll) for 32-bit programs'}
# Programs of the driver disc, and those that only test.
PROGRAM_FOLDERS = (os.path.join(BUILD, 'guest-drivers', 'programs'), os.path.join(BUILD, 'testbed', 'programs'))
ONLY_TESTS = ('bench', 'compositor', 'desktop', 'flip', 'readback')
NAMES = ['triangle', 'quad', 'flip', 'readback', 'shared', 'd3d9ex_test', 'present_statistics', 'compositor', 'producer',
         'sharing', 'ddi_sanity', 'query_latency', 'event_queries', 'submit_stress', 'vblank_pacing', 'composition']
# Wine reports a composed desktop if it plays Windows 8.1 or later.
COMPOSED = '\n[Software\\\\Wine\\\\AppDefaults\\\\composition%s.exe]\n"Version"="win81"\n'
LEVEL9 = 'level9'  # calls the user-mode driver without d3d9.dll
DESKTOP = 'desktop'  # an idle program that keeps the desktop alive; testbed/programs/desktop.cpp


def program(name, arch='x64'):
    """The path of one of NAMES, or LEVEL9's."""
    folder = os.path.join(os.path.dirname(PARTS['d3d9']), 'level9') if name == LEVEL9 else PROGRAM_FOLDERS[name in ONLY_TESTS]
    return os.path.join(folder, name + ('-x86.exe' if arch == 'x86' else '.exe'))


def doctor(arch):
    """The path of aerogpu-doctor.exe."""
    return os.path.join(BUILD, 'guest-drivers', 'windows', 'programs', 'aerogpu-doctor-%s.exe' % arch)


def build(both=False):
    """Builds what is needed, with `both` also what programs for x86 need, and fetches their Wine, after the same set-up as
    scripts/run-tests."""
    for script in ('setup', 'prepare-qemu', 'build-vgabios'):
        if subprocess.run([os.path.join(ROOT, 'scripts', script)], stdin=subprocess.DEVNULL, check=False).returncode:
            raise Failure('scripts/%s failed' % script)
    if not ninja_optional('hw-aerogpu/aerogpu-qemu.so'):
        raise Failure('the device cannot be built: scripts/setup and scripts/prepare-qemu have not found QEMU')
    files = [HOST, *PARTS.values(), *(program(name) for name in [*NAMES, LEVEL9, DESKTOP])]
    if both:
        files += [*PARTS32.values(), *(program(name, 'x86') for name in [*NAMES, LEVEL9]), *(doctor(arch) for arch in ('x64', 'x86'))]
        wine.prepare32()
    ninja(*[os.path.relpath(path, BUILD) for path in files], 'hw-aerogpu/aerogpu-qemu.so', 'renderer/aerogpu-translator')


class Ppm:
    """A binary PPM of 8 bits (Netpbm's "P6")."""

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

    def write_png(self, path, x=0, y=0, width=None, height=None):
        """Writes a part as PNG (PNG specification, 11: IHDR, IDAT, IEND)."""
        width, height = width or self.width, height or self.height
        raw = b''.join(b'\0' + row for row in self.rows(x, y, width, height))

        def chunk(kind, body):
            return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))
        with open(path, 'wb') as file:
            file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)) +
                       chunk(b'IDAT', zlib.compress(raw, 9)) + chunk(b'IEND', b''))

    def difference(self, expected, x, y, tolerance):
        """None if the picture holds `expected` at (x, y), else a line of text. Channels may be off by `tolerance`."""
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


class Lines:
    """The lines that a program writes, from a stream that a thread reads, or from add(); each wait has an end."""

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
        """No more lines come."""
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def wait(self, expression, limit, after=0):
        """The first match from line `after` on, or None when the stream ends or the time is over."""
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
    """The server and a prefix. Use as a context manager. `parts` overrides PARTS, and with `both`, which runs programs for
    x86 too, PARTS32. With an X `display` windows are on it too, else nobody sees them; `registry` is more of the prefix'
    user.reg; `settings` are numbers of the kernel driver's software key,
    `device` properties of the device (NAME=VALUE,...), `environment` variables of the server and of QEMU."""
    program_limit = PROGRAM_LIMIT  # s, limit for a program to print an awaited line, or to end

    def __init__(self, parts=None, prefix=None, size=SIZE, strict=True, display='', registry='', both=False, settings=None,
                 device='', environment=None):
        self.parts = {**PARTS, **(PARTS32 if both else {}), **(parts or {})}
        self.both = both
        self.size = size
        self.strict = strict
        self.display = display
        self.registry = registry
        self.settings = settings or {}
        self.device = device
        self.environment = environment or {}
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
        """Fails, with one line, if a part is missing or of the wrong kind."""
        wine.check_wine()
        if self.both:
            wine.check_wine32()
        for name, path in self.parts.items():
            if not os.path.isfile(path):
                raise Failure('there is no %s: %s is missing' % (WHAT[name], path))
            wanted = 'x86' if name in PARTS32 else 'x64'
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
        wine.make_prefix(self.prefix, 'x11' if self.display else 'null', self.registry + COMPOSED % '' + COMPOSED % '-x86', self.both)
        for folder, part in (('system32', 'd3d9'), ('syswow64', 'd3d9-x86')):
            library = os.path.join(self.prefix, 'drive_c', 'windows', folder, 'd3d9.dll')
            if part in self.parts:
                os.unlink(library)
                os.symlink(self.parts[part], library)
        wine.start_server(self.prefix)
        self.desktop = self.start(program(DESKTOP))
        self.desktop.wait_line('^window ')

    def restart_wine(self):
        """Ends all programs of the prefix, and makes it anew: no mode of the display is left in its registry."""
        wine.stop_server(self.prefix)
        self._start_wine()

    def _start_server(self):
        command = [HOST, '--serve', '--machine', 'qtest', '--qemu', LAUNCHER, '--driver', self.parts['driver'], '--umd',
                   self.parts['umd'], '--mode', '%dx%d' % self.size]
        if self.both:
            command += ['--umd-wow', self.parts['umd-x86']]
        for name, value in self.settings.items():
            command += ['--setting', '%s=%d' % (name, value)]
        if self.device:
            command += ['--device-options', self.device]
        env = dict(os.environ, AEROGPU_KMT_KEY=self.key, AEROGPU_BUILD_DIR=BUILD, **self.environment)
        self.server = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, preexec_fn=die_with_parent)
        self.lines = Lines(self.server.stdout)
        found = self.lines.wait(r'^aerogpu-kmt: ([\d.]+:\d+)$', START_LIMIT)
        if not found:
            raise Failure('the driver host does not serve: %s' % (self.lines.text().strip() or 'it says nothing'))
        self.address = found.group(1)

    def check_alive(self, during):
        """Fails if the server has ended."""
        code = self.server.poll()
        if code is not None:
            raise Failure('the driver host ended with %d during %s: %s' % (
                code, during, '; '.join(self.lines.text().splitlines()[-3:])))

    def is_older(self):
        """Whether the kernel driver did not know what the user-mode driver wanted."""
        return self.lines.wait(r'the kernel driver does not know escape (\d+)', 0)

    def reason(self, text):
        """A program's failure, or what is behind it."""
        old = self.is_older()
        return 'the kernel driver is older than the user-mode driver, whose escape %s it does not know: %s' % (
            old.group(1), self.parts['driver']) if old else text

    def ask(self, command):
        """A command of the server; its answer's words."""
        self.check_alive("'%s'" % command)
        after = len(self.lines.lines)
        self.server.stdin.write(command.encode() + b'\n')
        self.server.stdin.flush()
        found = self.lines.wait(r'^aerogpu-kmt: (error: .*|%s.*)$' % re.escape(command), 30, after)
        if not found or found.group(1).startswith('error:'):
            raise Failure("the driver host's answer to '%s': %s" % (command, found.group(1) if found else 'none'))
        return found.group(1)[len(command):].split()

    def harm_gpu(self, how):
        """'lose': the GPU is lost under the next submission; 'stick': the next submission never ends (docs/develop/debugging.md)."""
        self.ask(how + '-gpu')

    def sleep(self):
        """The machine sleeps and wakes (docs/windows/driver-host.md, "Serving programs")."""
        self.ask('sleep')

    def path_of(self, name, arch='x64'):
        """What programs call a program's file."""
        return 'Z:' + program(name, arch).replace('/', '\\')

    def processes(self):
        """The server's processes, by name: the one that serves and QEMU are children of the one that was started."""
        found = {}
        with open('/proc/%d/task/%d/children' % (self.server.pid, self.server.pid)) as file:
            for child in file.read().split():
                host = os.path.samefile('/proc/%s/exe' % child, HOST)
                found['the driver host' if host else 'QEMU'] = int(child)
        return found

    def own_process(self, program):
        """A list of the program's process, if it is none of processes()."""
        return [program.process.pid]

    def counter(self, name):
        """A counter of the device (docs/develop/debugging.md)."""
        return int(self.ask('counter %s' % name)[0])

    def screen(self):
        path = os.path.join(self.folder.name, 'screen.ppm')
        self.ask('screendump %s' % path)
        return Ppm(path)

    def variables(self):
        """What a program needs in its environment."""
        return {**wine.environment(self.prefix, overrides='services.exe=;d3d9=n', display=self.display, both=self.both),
                'AEROGPU_KMT': self.address,
                'AEROGPU_KMT_KEY': self.key, **({'AEROGPU_D3D9_STRICT': '1'} if self.strict else {})}

    def start(self, path, *arguments):
        """A program that goes on running: a Running."""
        variables = self.variables()
        loader = wine.loader_for(path, variables)
        self.check_alive('the start of %s' % os.path.basename(path))
        process = subprocess.Popen([loader, path, *arguments], env=dict(os.environ, **variables), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=die_with_parent)
        return Running(self, path, process, Lines(process.stdout))

    def start_shown(self, path, *arguments):
        """A program that keeps its picture until release(); expected() of it gives what its window must show."""
        self.shown += 1
        expectation = os.path.join(self.folder.name, 'expected-%d.ppm' % self.shown)
        program = self.start(path, '--hold', '--expectation', expectation, *arguments)
        program.expected = lambda: Ppm(expectation)
        return program

    def stop(self):
        """Ends everything; returns the server's exit status, which is 1 when the kernel driver broke a rule."""
        code = None
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
        if self.folder:
            self.folder.cleanup()
        self.prefix = self.server = self.folder = None
        return code


class Running:
    """A program under Wine: a process, as of Popen, and the lines that it says. Its standard input stays open until
    release()."""

    def __init__(self, stack, path, process, lines):
        self.stack = stack
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.process = process
        self.lines = lines
        self.expected = None

    def wait_line(self, expression, limit=None):
        """Waits for a line; fails if the program ends without, or does not say it in time."""
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
        """Ends one wait of a program that waits several times."""
        self.process.stdin.write(b'\n')
        self.process.stdin.flush()

    def release(self):
        """Ends the wait of --hold, and every later one."""
        self.process.stdin.close()

    def kill(self):
        self.process.kill()

    def wait(self):
        """The exit code. Its last lines may come a little later: wait_line()."""
        limit = self.stack.program_limit
        try:
            return self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure('%s did not end in %d s: %s' % (self.name, limit, self.said())) from None
