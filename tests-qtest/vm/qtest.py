# SPDX-License-Identifier: MIT
"""Runs a QEMU without a running CPU for tests in Python, and drives it over the qtest socket: guest memory, ports and
the device's registers. The C++ tests and the driver host have qtest clients in C++ (tests-qtest/qemu_process.h and
testbed/kernel/machine/qtest_socket.h; the comments at the top of these say why there are two)."""
import os
import socket
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'scripts', 'lib'))
from aerogpu_build import BUILD, Failure  # noqa: E402
from aerogpu_protocol import numbers  # noqa: E402
from aerogpu_vm import VM  # noqa: E402

BAR0, BAR1 = 0xFE000000, 0xE0000000
SURFACE, CURSOR = 0x400000, 0x800000  # in 64 MiB of RAM
FORMAT = numbers('aerogpu_format.h', 'AEROGPU_FORMAT_')
SCANOUT = numbers('aerogpu_pci.h', 'AEROGPU_MMIO_REG_SCANOUT0_')
CURSOR_REG = numbers('aerogpu_pci.h', 'AEROGPU_MMIO_REG_CURSOR_')


class QtestMachine:
    """A QEMU with the device (id gpu0) and 64 MiB of RAM. Use as a context manager."""

    def __init__(self, display, arguments=()):
        self.vm = VM(['-accel', 'qtest', '-machine', 'pc', '-m', '64', '-nodefaults', '-device',
                      'aerogpu,id=gpu0,addr=4,renderer=null'] + list(arguments), serial=False, display=display,
                     environment={'AEROGPU_BUILD_DIR': BUILD})
        path = os.path.join(self.vm.folder, 'qtest')
        self.vm.command += ['-qtest', 'unix:%s,server=on,wait=off' % path, '-qtest-log', '/dev/null']
        self.path = path
        self.buffer = b''

    def __enter__(self):
        self.vm.start()
        try:
            self.vm.qmp('query-status')  # QEMU is up, so the socket is there
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(30)
            self.socket.connect(self.path)
            self.configure()
        except BaseException:
            self.vm.stop()
            raise
        return self

    def __exit__(self, *unused):
        self.socket.close()
        self.vm.stop()

    def command(self, line):
        self.socket.sendall(line.encode() + b'\n')
        while True:
            while b'\n' not in self.buffer:
                chunk = self.socket.recv(65536)
                if not chunk:
                    raise Failure('QEMU is gone: ' + self.vm.log())
                self.buffer += chunk
            answer, self.buffer = self.buffer.split(b'\n', 1)
            if answer.startswith(b'IRQ'):
                continue
            if not answer.startswith(b'OK'):
                raise Failure('qtest: %s: %s' % (line, answer.decode()))
            return answer[3:].decode()

    def configure(self):
        """Sets the BARs, and enables memory and bus mastering, by configuration mechanism #1. Call it again after a
        system reset."""
        for offset, value in ((0x10, BAR0), (0x14, BAR1), (0x04, 7)):
            self.command('outl 0xcf8 0x%x' % (0x80000000 | 4 << 11 | offset))
            self.command('outl 0xcfc 0x%x' % value)

    def write(self, address, data):
        for at in range(0, len(data), 32768):
            part = data[at:at + 32768]
            self.command('write 0x%x 0x%x 0x%s' % (address + at, len(part), part.hex()))

    def set(self, register, value):
        self.command('writel 0x%x 0x%x' % (BAR0 + register, value & 0xFFFFFFFF))

    def get(self, register):
        return int(self.command('readl 0x%x' % (BAR0 + register)), 0)

    def scanout(self, width, height, pixels, gpa=SURFACE):
        """Shows a picture on the screen; `pixels` is a list of 0xRRGGBB."""
        self.write(gpa, b''.join(struct.pack('<I', p) for p in pixels))
        for name, value in (('WIDTH', width), ('HEIGHT', height), ('FORMAT', FORMAT['B8G8R8X8_UNORM']),
                            ('PITCH_BYTES', width * 4), ('FB_GPA_LO', gpa), ('FB_GPA_HI', 0), ('ENABLE', 1)):
            self.set(SCANOUT[name], value)

    def cursor(self, size, pixels, x, y, hot_x, hot_y):
        """Shows a square cursor; `pixels` is a list of 0xAARRGGBB."""
        self.write(CURSOR, b''.join(struct.pack('<I', p) for p in pixels))
        for name, value in (('WIDTH', size), ('HEIGHT', size), ('FORMAT', FORMAT['B8G8R8A8_UNORM']),
                            ('PITCH_BYTES', size * 4), ('HOT_X', hot_x), ('HOT_Y', hot_y), ('FB_GPA_LO', CURSOR),
                            ('FB_GPA_HI', 0), ('X', x), ('Y', y), ('ENABLE', 1)):
            self.set(CURSOR_REG[name], value)
