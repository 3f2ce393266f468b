# SPDX-License-Identifier: MIT
# A QEMU process as an object: start, QMP, serial console, pictures, stop; and which accelerator works here. For
# scripts/run-vm and the VM tests. Nothing waits without a deadline.
import ctypes
import json
import mmap
import os
import platform
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from aerogpu_build import BUILD, ROOT, Failure, say

GUEST = os.path.join(BUILD, 'guest')
_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1  # prctl(2)
LAUNCHER = os.path.join(ROOT, 'scripts', 'qemu-aerogpu')


def die_with_parent():
    """Has the kernel send this process SIGTERM when its parent ends, however the parent ends. For Popen's
    preexec_fn."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def until(condition, what, deadline):
    """Waits until a condition holds, which is asked again and again. Failure after `deadline` seconds."""
    end = time.monotonic() + deadline
    while not condition():
        if time.monotonic() > end:
            raise Failure('%s: not in %d s' % (what, deadline))
        time.sleep(0.005)


class VM:
    """A QEMU process. Use as a context manager, or call stop(). `launcher`: the program (or the words) that QEMU's
    arguments go to; -display (`display`, or none), QMP and, with `serial`, a serial console are added to them.
    `listener`: called by the thread that reads the serial console, with each line and, at the end, with None."""

    def __init__(self, arguments, launcher=LAUNCHER, serial=True, display=None, environment=None, listener=None):
        self.folder = tempfile.mkdtemp(prefix='aerogpu-vm-')
        self.qmp_path = os.path.join(self.folder, 'qmp')
        self.log_path = os.path.join(self.folder, 'qemu.log')
        command = [launcher] if isinstance(launcher, str) else list(launcher)
        command += ['-display', display or 'none']
        command += ['-qmp', 'unix:%s,server=on,wait=off' % self.qmp_path]
        if serial:
            command += ['-chardev', 'stdio,id=serial0,signal=off', '-serial', 'chardev:serial0']
        command += list(arguments)
        self.command = command
        self.environment = dict(os.environ, **(environment or {}))
        self.serial_enabled = serial
        self.process = None
        self.qmp_socket = None
        self.qmp_buffer = b''
        self.serial_text = ''
        self._lines = threading.Condition()
        self._eof = False
        self._listener = listener

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *unused):
        self.stop()

    def start(self):
        with open(self.log_path, 'wb') as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, env=self.environment, start_new_session=True, stderr=log,
                preexec_fn=die_with_parent, stdout=subprocess.PIPE if self.serial_enabled else log)
        if self.serial_enabled:
            threading.Thread(target=self._read_serial, daemon=True).start()
        else:
            self._eof = True

    def _read_serial(self):
        heard = 0  # length of the text read so far
        while True:
            chunk = os.read(self.process.stdout.fileno(), 65536)
            with self._lines:
                if not chunk:
                    self._eof = True
                self.serial_text += chunk.decode(errors='replace').replace('\r', '')
                self._lines.notify_all()
            if self._listener:
                *lines, rest = self.serial_text[heard:].split('\n')
                heard = len(self.serial_text) - len(rest)
                for line in lines + ([] if chunk else [None]):
                    self._listener(line)
            if not chunk:
                return

    def log(self):
        """Returns what QEMU wrote to stderr (without `serial` also to stdout)."""
        try:
            with open(self.log_path, errors='replace') as file:
                return file.read()
        except OSError:
            return ''

    def wait_serial(self, pattern, timeout, after=0):
        """Waits until a regular expression matches the serial text from offset `after` on; returns the match. Failure
        after `timeout` seconds, if QEMU ends, or if the guest prints 'aerogpu-demo: error: ...' or a kernel panic."""
        expression = re.compile(pattern, re.M)
        deadline = time.monotonic() + timeout
        with self._lines:
            while True:
                found = expression.search(self.serial_text, after)
                if found:
                    return found
                error = re.search(r'^aerogpu-demo: error: .*$|Kernel panic.*$', self.serial_text[after:], re.M)
                if error and error.end() < len(self.serial_text[after:]):
                    raise Failure('the guest says: ' + error.group(0))
                left = deadline - time.monotonic()
                if self._eof:
                    raise Failure('QEMU ended before the guest said /%s/\n%s' % (pattern, self.diagnosis()))
                if left <= 0:
                    raise Failure('the guest did not say /%s/ in %d s\n%s' % (pattern, timeout, self.diagnosis()))
                self._lines.wait(left)

    def diagnosis(self):
        tail = '\n'.join(self.serial_text.splitlines()[-15:])
        return 'serial console:\n%s\nQEMU:\n%s' % (tail or '(nothing)', self.log().strip()[-2000:] or '(nothing)')

    def _connect(self, timeout=20):
        deadline = time.monotonic() + timeout
        while True:
            try:
                self.qmp_socket = socket.socket(socket.AF_UNIX)
                self.qmp_socket.connect(self.qmp_path)
                break
            except OSError:
                self.qmp_socket.close()
                self.qmp_socket = None
                if self.process.poll() is not None:
                    raise Failure('QEMU ended with %d: %s' % (self.process.returncode, self.log().strip()))
                if time.monotonic() > deadline:
                    raise Failure('no QMP connection in %d s' % timeout)
                time.sleep(0.02)
        self._receive(timeout)  # the greeting
        self._command('qmp_capabilities', {}, timeout)

    def _receive(self, timeout):
        deadline = time.monotonic() + timeout
        while b'\n' not in self.qmp_buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.qmp_socket], [], [], left)[0]:
                raise Failure('no QMP answer in %d s' % timeout)
            chunk = self.qmp_socket.recv(65536)
            if not chunk:
                raise Failure('QEMU closed the QMP connection: ' + self.log().strip())
            self.qmp_buffer += chunk
        line, self.qmp_buffer = self.qmp_buffer.split(b'\n', 1)
        return json.loads(line)

    def _command(self, name, arguments, timeout):
        message = {'execute': name}
        if arguments:
            message['arguments'] = arguments
        self.qmp_socket.sendall(json.dumps(message).encode() + b'\n')
        while True:
            answer = self._receive(timeout)
            if 'error' in answer:
                raise Failure('QMP %s: %s' % (name, answer['error'].get('desc', answer['error'])))
            if 'return' in answer:
                return answer['return']

    def qmp(self, name, timeout=20, **arguments):
        """Runs a QMP command; returns its result. Underscores in argument names stand for dashes."""
        if not self.qmp_socket:
            self._connect()
        return self._command(name, {key.replace('_', '-'): value for key, value in arguments.items()}, timeout)

    def screendump(self, path, timeout=20):
        """Writes the screen to a PNG file, which is complete when this returns."""
        self.qmp('screendump', timeout=timeout, filename=os.path.abspath(path), format='png')

    def wait(self, timeout):
        """Waits for QEMU to end; returns its exit status. Failure after `timeout` seconds."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Failure('QEMU did not end in %d s' % timeout) from None

    def stop(self, timeout=10):
        """Ends QEMU: by QMP, then by signals. Returns its exit status."""
        if self.process and self.process.poll() is None:
            try:
                self.qmp('quit', timeout=3)
            except (Failure, OSError):
                pass
            for sign in (None, signal.SIGTERM, signal.SIGKILL):
                if sign:
                    self.process.send_signal(sign)
                try:
                    self.process.wait(timeout)
                    break
                except subprocess.TimeoutExpired:
                    continue
        if self.qmp_socket:
            self.qmp_socket.close()
            self.qmp_socket = None
        shutil.rmtree(self.folder, ignore_errors=True)
        return self.process.returncode if self.process else None


def _tsc_khz():
    """Measures the frequency of the host's time-stamp counter, which guests of TCG read too; None if that fails."""
    if platform.machine() != 'x86_64':
        return None
    code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes.fromhex('0f31 48c1e220 4809d0 c3'))  # rdtsc; shl rdx, 32; or rax, rdx; ret
    function = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(ctypes.c_char.from_buffer(code)))

    def now():
        """Returns (monotonic time in ns, time-stamp counter) from the try of 20 that read both closest together."""
        tries = []
        for _ in range(20):
            before = time.monotonic_ns()
            ticks = function()
            after = time.monotonic_ns()
            tries.append((after - before, (before + after) // 2, ticks))
        return min(tries)[1:]
    start, first = now()
    time.sleep(0.2)
    end, last = now()
    return (last - first) * 1000000 // (end - start) or None


def guest_arguments(accelerator, demo='', memory_mb=None, kernel_extra=''):
    """Returns the QEMU arguments, without the device, that boot the demo guest. scripts/build-guest must have run."""
    # no_timer_check: otherwise the guest would wait ten ticks by its time-stamp counter for timer interrupts, of
    # which a busy machine delivers none meanwhile, then look for other ways to get them, and stop if it finds none.
    command_line = 'console=ttyS0 quiet panic=-1 nokaslr mitigations=off tsc=reliable random.trust_cpu=on no_timer_check'
    if demo:
        command_line += ' aerogpu.demo=' + demo
    # The guest measures this against the timer chip when it boots. If it does not run meanwhile, because the machine
    # is busy, the result is wrong, and its clock runs several times too fast.
    khz = _tsc_khz() if accelerator == 'tcg' else None
    if khz:
        command_line += ' tsc_early_khz=%d' % khz
    if kernel_extra:
        command_line += ' ' + kernel_extra
    return ['-accel', accelerator, '-machine', 'q35', '-cpu', 'host' if accelerator == 'kvm' else 'max',
            '-m', str(memory_mb or 384), '-nodefaults', '-no-reboot',
            '-kernel', os.path.join(GUEST, 'vmlinuz'), '-initrd', os.path.join(GUEST, 'initramfs.cpio'),
            '-append', command_line]


def _cache_file():
    base = os.environ.get('XDG_CACHE_HOME') or os.path.join(os.path.expanduser('~'), '.cache')
    return os.path.join(base, 'aerogpu', 'accelerator')


def _boot_id():
    try:
        with open('/proc/sys/kernel/random/boot_id') as file:
            return file.read().strip()
    except OSError:
        return 'unknown'


def accelerator(deadline=20):
    """Returns 'kvm' if an ordinary kernel boots with KVM, else 'tcg'. That /dev/kvm opens is not enough: on some
    machines firmware runs under KVM, but a kernel hangs. The result is stored until the host boots again.
    $AEROGPU_ACCEL overrides it."""
    forced = os.environ.get('AEROGPU_ACCEL')
    if forced in ('kvm', 'tcg'):
        return forced
    if not os.access('/dev/kvm', os.R_OK | os.W_OK):
        if os.path.exists('/dev/kvm'):
            say('this user may not use /dev/kvm (group kvm): the VM runs with TCG, which is slower')
        return 'tcg'
    key = '%s uid %d' % (_boot_id(), os.getuid())
    try:
        with open(_cache_file()) as file:
            known, _, verdict = file.read().strip().rpartition(' ')
        if known == key and verdict in ('kvm', 'tcg'):
            return verdict
    except OSError:
        pass
    say('trying whether KVM boots a kernel here (once after each boot of this machine, at most %d s)' % deadline)
    verdict = 'tcg'
    probe = VM(guest_arguments('kvm', 'probe'), launcher='qemu-system-x86_64')
    try:
        probe.start()
        probe.wait_serial('aerogpu-demo: probe ok', deadline)
        verdict = 'kvm'
    except Failure:
        pass
    finally:
        probe.stop(timeout=3)
    say('accelerator: %s' % ('KVM' if verdict == 'kvm' else 'TCG, because KVM boots no kernel here'))
    try:
        os.makedirs(os.path.dirname(_cache_file()), exist_ok=True)
        with open(_cache_file(), 'w') as file:
            file.write('%s %s\n' % (key, verdict))
    except OSError:
        pass
    return verdict
