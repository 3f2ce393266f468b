# SPDX-License-Identifier: MIT
"""Our stack (scripts/lib/d3d9_stack.py) in a booted VM, for d3d9_test.py and d3d11_test.py. aerogpu-session is process 1
of a Linux guest, the driver host in the guest serves the VM's device, and Wine runs the programs with our drivers.

The programs also run outside of the VM with Wine's own Direct3D, for the pictures that their windows must show."""
import concurrent.futures
import contextlib
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'scripts', 'lib'))
from aerogpu_build import BUILD, Failure, say  # noqa: E402
from aerogpu_vm import VM, accelerator, guest_arguments  # noqa: E402
from d3d9_stack import DESKTOP, HOST, INSTALLED, NAMES, NAMES11, Lines, Ppm, Running, Stack, program  # noqa: E402
from guest_image import GUEST, take_kernel, write_initramfs  # noqa: E402
import wine  # noqa: E402
import wine_guest  # noqa: E402

SESSION = os.path.join(BUILD, 'testbed', 'session', 'aerogpu-session')
MEMORY_MB = 2048
LONG_LIMIT = 300  # s, limit for work on a processor that is emulated on a busy machine; usually some seconds
# The options of the driver host that name user-mode drivers, by the stack's parts.
DRIVERS = {'umd': '--umd', 'umd-x86': '--umd-wow', 'umd10': '--umd10', 'umd10-x86': '--umd10-wow'}
HUGE_PAGES = 400  # pages of 2 MiB: memoryPages of testbed/kmt/server/serve.h, and some more


class Outside:
    """Runs programs outside of the VM with Wine's own Direct3D, for the pictures that they expect; each command
    once."""

    def __init__(self, folder):
        self.folder = folder
        self.known = {}
        self.pool = concurrent.futures.ThreadPoolExecutor(1)
        self.resources = contextlib.ExitStack()
        self.env = None

    def close(self):
        self.pool.shutdown(cancel_futures=True)
        self.resources.close()

    def expected(self, path, arguments):
        """Returns a future of the Ppm that a program's window must show; starts the program if it has not run yet."""
        # Wine's Direct3D does not share between processes; one process draws the same.
        path = path.replace('-x86.exe', '.exe')  # which draws the same
        name = os.path.basename(path).removesuffix('.exe')
        if name not in NAMES11:  # which take any driver
            arguments = (*arguments, '--any-driver', *(['--alone'] if name == 'shared' else []))
        key = (path, *arguments)
        if key not in self.known:
            self.known[key] = self.pool.submit(self._run, key, os.path.join(self.folder, '%d.ppm' % len(self.known)))
        return self.known[key]

    def _run(self, command, picture):
        if not self.env:
            display = self.resources.enter_context(wine.x_server())
            prefix = self.resources.enter_context(wine.temporary_prefix('x11'))
            self.env = dict(os.environ, **wine.environment(prefix, display=display))
        code, text = wine.run([*command, '--expectation', picture], self.env, LONG_LIMIT)
        if code != 0:
            raise Failure('%s ends with %d outside of the VM: %s' % (os.path.basename(command[0]), code, text.strip()))
        return Ppm(picture)


class GuestProcess:
    """A process of the guest, with those of Popen's members that Running uses. `send`: sends aerogpu-session a
    command."""

    def __init__(self, label, send):
        self.label = label
        self.send = send
        self.returncode = None
        self.ended = threading.Event()
        self.stdin = Input(label, send)

    def set_ended(self, code):
        if not self.ended.is_set():
            self.returncode = code
            self.ended.set()

    def poll(self):
        return self.returncode

    def wait(self, limit):
        if not self.ended.wait(limit):
            raise subprocess.TimeoutExpired(self.label, limit)
        return self.returncode

    def kill(self):
        self.send('kill ' + self.label)


class Input:
    """The standard input of a GuestProcess, with those of a pipe's members that its users call. Lines alone."""

    def __init__(self, label, send):
        self.label = label
        self.send = send

    def write(self, line):
        self.send('write %s %s' % (self.label, line.decode().rstrip('\n')))

    def flush(self):
        pass  # each line has been sent

    def close(self):
        self.send('release ' + self.label)


class GuestStack(Stack):
    """The stack in a booted VM, with Direct3D 11 in place of 9's programs if `d3d11`."""
    program_limit = LONG_LIMIT

    def __init__(self, parts, both=False, d3d11=False):
        super().__init__(parts, both=both, d3d11=d3d11)
        self.names = NAMES11 if d3d11 else NAMES
        self.vm = None
        self.outside = None
        self.commands = None  # the guest's second serial line
        self.running = {}     # by label
        self.started = 0
        self.ready = Lines()

    def check(self):
        super().check()
        for path in [*self._programs(), SESSION]:
            if not os.path.isfile(path):
                raise Failure('%s is missing' % path)

    def __enter__(self):
        self.check()
        self.folder = tempfile.TemporaryDirectory(prefix='aerogpu-d3d9-vm-')
        try:
            self.outside = Outside(self.folder.name)
            self._boot()
        except BaseException:
            self.stop()
            raise
        return self

    def _programs(self):
        kinds = ('x64', 'x86') if self.both else ('x64',)
        return [program(name, arch) for arch in kinds for name in self.names] + [program(DESKTOP)]

    def _path(self, name):
        return os.path.join(self.folder.name, name)

    def _make_initramfs(self):
        os.makedirs(GUEST, exist_ok=True)
        take_kernel()
        environment = self.environment = dict(wine_guest.environment(self.both), AEROGPU_KMT_KEY=secrets.token_hex(16),
                                              AEROGPU_D3D9_STRICT='1', AEROGPU_D3D11_STRICT='1')
        environment['WINEDLLOVERRIDES'] += ';d3d9=n' + (';d3d10core,d3d11,dxgi=n' if self.d3d11 else '')
        drivers = {name: '/' + os.path.basename(self.parts[name]) for name in DRIVERS if name in self.parts}
        session = {
            'environment': ['%s=%s' % item for item in environment.items()],
            'server': ['/aerogpu-driver-host', '--serve', '--driver', '/aerogpu.sys', '--mode', '%dx%d' % self.size,
                       *(word for name, path in drivers.items() for word in (DRIVERS[name], path))],
        }
        windows = wine_guest.PREFIX.strip('/') + '/drive_c/windows/'
        files = [('aerogpu-driver-host', HOST), ('aerogpu.sys', self.parts['driver']),
                 *((path.strip('/'), self.parts[name]) for name, path in drivers.items()),
                 *((windows + INSTALLED[name], path) for name, path in self.parts.items() if name in INSTALLED),
                 *(('programs/' + os.path.basename(path), path) for path in self._programs())]
        for name, lines in session.items():
            with open(self._path(name), 'w') as file:
                file.write('\n'.join(lines) + '\n')
            files.append(('session/' + name, self._path(name)))
        write_initramfs(self._path('first.cpio'), SESSION, files)
        with open(self._path('initramfs.cpio'), 'wb') as out:  # the kernel unpacks one archive after the other
            for part in (self._path('first.cpio'), wine_guest.archive(self.both, self.d3d11)):
                with open(part, 'rb') as file:
                    out.write(file.read())

    def _boot(self):
        self._make_initramfs()
        accel = accelerator()
        qemu = guest_arguments(accel, memory_mb=MEMORY_MB, kernel_extra='hugepages=%d' % HUGE_PAGES)
        qemu[qemu.index('-initrd') + 1] = self._path('initramfs.cpio')
        if accel == 'tcg':
            # Wine returns to programs with IRETQ; TCG of QEMU 7.2 reads its stack as the kernel would, which SMAP
            # forbids.
            qemu[qemu.index('-cpu') + 1] = 'max,-smap'
        qemu += ['-chardev', 'socket,id=line,path=%s,server=on,wait=off' % self._path('line'), '-serial', 'chardev:line',
                 '-smp', '2', '-device', 'aerogpu,id=gpu0']
        self.lines = Lines()
        self.server = GuestProcess('the server', self.send)
        self.vm = VM(qemu, environment={'AEROGPU_BUILD_DIR': BUILD}, listener=self._hear)
        self.vm.start()
        if not self.ready.wait('^ready$', LONG_LIMIT):
            raise Failure('the guest does not come to its server: %s' % self.vm.diagnosis())
        say('the guest is ready')
        self.commands = socket.socket(socket.AF_UNIX)
        self.commands.connect(self._path('line'))
        if self._start('wineserver', wine.SERVER, '-p')[0].wait(LONG_LIMIT) != 0:
            raise Failure('no Wine server runs in the guest: %s' % self.vm.diagnosis())
        self.desktop = self.start(program(DESKTOP))
        self.desktop.wait_line('^window ')

    def _hear(self, line):
        """Handles a line of the guest's console, or None at its end: gives it to the process that printed it."""
        if line is None:
            self.ready.end()
            for process, lines in [(self.server, self.lines)] + list(self.running.values()):
                process.set_ended(-1)
                lines.end()
            return
        label, _, rest = line.partition(': ')
        words = rest.split()
        if label in self.running:
            self.running[label][1].add(rest)
        elif label != 'aerogpu-session':
            self.lines.add(line)
        elif rest.startswith('the server ended with '):
            self.server.set_ended(int(words[-1]))
        elif words[0] == 'ended':
            process, lines = self.running[words[2]]
            process.set_ended(int(words[1]))
            lines.end()
        else:
            self.ready.add(rest)  # or an error message
            self.lines.add(line)

    def send(self, command):
        if not self.commands:
            return
        try:
            self.commands.sendall(command.encode() + b'\n')
        except OSError as error:
            raise Failure("the guest does not take '%s': %s" % (command, error.strerror)) from None

    def _start(self, name, *command):
        self.started += 1
        label = '%s-%d' % (name, self.started)
        started = self.running[label] = GuestProcess(label, self.send), Lines()
        self.send(' '.join(['start', label, *command]))
        return started

    def start(self, path, *arguments):
        self.check_alive('the start of %s' % os.path.basename(path))
        # Two programs start one after the other. Each first makes an event that wineboot.exe has to set, and drops it
        # if it finds no wineboot.exe; one that meets the other's event meanwhile waits for it, five minutes.
        for process, lines in self.running.values():
            if process.poll() is None:
                lines.wait('^window ', LONG_LIMIT)
        name = os.path.basename(path)
        loader = wine.loader_for(path, self.environment)
        return Running(self, path, *self._start(
            name.partition('.')[0], *('%s=%s' % item for item in self.for_programs.items()), loader, '/programs/' + name,
            *arguments))

    def start_shown(self, path, *arguments):
        expected = self.outside.expected(path, arguments)  # meanwhile
        program = self.start(path, '--hold', *arguments)
        program.expected = expected.result
        return program

    def path_of(self, name, arch='x64'):
        return r'Z:\programs\%s' % os.path.basename(program(name, arch))

    def sleep(self):
        """Has the guest's kernel suspend to memory (ACPI's S3), which resets the machine's devices; wakes it by QMP."""
        after = len(self.lines.lines)
        self.send('tell sleep')
        deadline = time.monotonic() + LONG_LIMIT
        while self.vm.qmp('query-status')['status'] != 'suspended':
            answer = self.lines.wait('^aerogpu-kmt: error: .*', 0.05, after)
            if answer or time.monotonic() > deadline:
                raise Failure('the guest does not sleep: %s' % (answer.group(0) if answer else 'it says nothing'))
        self.vm.qmp('system_wakeup')
        if not self.lines.wait('^aerogpu-kmt: sleep$', LONG_LIMIT, after):
            raise Failure('the guest does not wake: %s' % self.vm.diagnosis())

    def harm_gpu(self, how):
        self.vm.qmp('qom-set', path='/machine/peripheral/gpu0', property='x-gpu-fault', value={'lose': 1, 'stick': 4}[how])

    def processes(self):
        return {'QEMU': self.vm.process.pid}

    def own_process(self, program):
        return []

    def counter(self, name):
        return int(self.vm.qmp('qom-get', path='/machine/peripheral/gpu0', property=name))

    def screen(self):
        path = self._path('screen.ppm')
        self.vm.qmp('screendump', filename=path)
        return Ppm(path)

    def stop(self):
        code = None
        if self.server:
            self.send('stop')
            try:
                code = self.server.wait(60 if self.commands else 0)
            except subprocess.TimeoutExpired:
                pass
        if self.vm:
            self.vm.stop()
            print('\n'.join('# ' + line for line in self.vm.serial_text.splitlines()))
        if self.commands:
            self.commands.close()
        if self.outside:
            self.outside.close()
        if self.folder:
            self.folder.cleanup()
        self.folder = self.server = self.vm = self.commands = self.outside = None
        return code
