#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs tests of the Windows kernel driver in a VM: the driver host (tests-qtest/driver) is process 1 of a Linux guest
and loads the shipped aerogpu.sys against the device.

  driver_host_test.py DRIVER.sys [NAME...] [-- HOST-OPTION...]

NAME: a test of the host (aerogpu-driver-host --list), a pattern such as 'paging*', or '!slow-*' for all but these;
without NAME all run but the benchmarks. Over its second serial line the guest asks what the screen shows and what the
device has counted."""
import os
import re
import socket
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = os.path.join(HERE, '..', '..', 'scripts')
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(SCRIPTS, 'lib'))
from aerogpu_build import BUILD, Failure  # noqa: E402
from aerogpu_vm import VM, accelerator, guest_arguments  # noqa: E402
from guest_image import GUEST, take_kernel, write_initramfs  # noqa: E402
from png import Picture  # noqa: E402

HOST = os.path.join(BUILD, 'tests-qtest', 'driver', 'aerogpu-driver-host')
HUGE_PAGES = 164  # kHugePages of tests-qtest/driver/test.h, and some more
MEMORY_MB = 1024
DEADLINE = int(os.environ.get('AEROGPU_HOST_DEADLINE', '1500'))


def make_initramfs(path, driver):
    os.makedirs(GUEST, exist_ok=True)
    take_kernel()
    write_initramfs(path, HOST, [('aerogpu.sys', driver)])


class Outside(threading.Thread):
    """Answers the guest's questions. Each is a line: a number, which the answer repeats, and `pixels X,Y...` or `size`
    of the screen, or `counter NAME`, a property of the device."""

    def __init__(self, vm, path, folder):
        super().__init__(daemon=True)
        self.vm, self.path, self.picture = vm, path, os.path.join(folder, 'screen.png')

    def run(self):
        for _ in range(200):  # QEMU makes the socket when it starts
            line = socket.socket(socket.AF_UNIX)
            try:
                line.connect(self.path)
                break
            except OSError:
                line.close()
                time.sleep(0.05)
        else:
            return
        pending = b''
        while True:
            try:
                chunk = line.recv(4096)
            except OSError:
                return
            if not chunk:
                return
            pending += chunk
            while b'\n' in pending:
                question, pending = pending.split(b'\n', 1)
                number, _, words = question.decode(errors='replace').strip().partition(' ')
                try:
                    answer = self.answer(words.split())
                except (Failure, OSError, ValueError, IndexError) as error:
                    answer = 'error %s' % ' '.join(str(error).split())
                line.sendall(('%s %s\n' % (number, answer)).encode())

    def answer(self, words):
        if not words:
            return 'error nothing asked'
        if words[0] == 'counter':
            return str(int(self.vm.qmp('qom-get', path='/machine/peripheral/gpu0', property=words[1])))
        if words[0] in ('pixels', 'size'):
            self.vm.screendump(self.picture)
            picture = Picture(self.picture)
            if words[0] == 'size':
                return '%dx%d' % (picture.width, picture.height)
            colours = []
            for word in words[1:]:
                x, y = (int(part) for part in word.split(','))
                inside = x < picture.width and y < picture.height
                colours.append('%02x%02x%02x' % picture.at(x, y) if inside else 'ffffffff')
            return ' '.join(colours)
        return 'error what is %s' % words[0]


def run(driver, names, options, folder):
    initramfs = os.path.join(folder, 'initramfs.cpio')
    make_initramfs(initramfs, driver)
    accel = accelerator()
    arguments = guest_arguments(accel, memory_mb=MEMORY_MB, kernel_extra='hugepages=%d aerogpu.host=%s' % (
        HUGE_PAGES, ','.join(options + (['--run'] + names if names else ['--run']))))
    arguments[arguments.index('-initrd') + 1] = initramfs
    line = os.path.join(folder, 'line')
    arguments += ['-chardev', 'socket,id=outside,path=%s,server=on,wait=off' % line, '-serial', 'chardev:outside',
                  '-smp', '2', '-d', 'guest_errors']
    arguments += ['-device', 'aerogpu,id=gpu0']
    with VM(arguments, environment={'AEROGPU_BUILD_DIR': BUILD}) as vm:
        Outside(vm, line, folder).start()
        try:
            vm.wait_serial(r'^aerogpu-host: (done|failed)\n', DEADLINE)
        except Failure as failure:
            print(vm.serial_text)
            raise Failure(str(failure).splitlines()[0]) from None
        text = vm.serial_text
        log = vm.log().strip()
        if log and 'aerogpu-host: done' not in text:
            text += '\n' + '\n'.join('# qemu: ' + line for line in log.splitlines()[-40:]) + '\n'
    return text


def main():
    arguments = sys.argv[1:]
    options = []
    if '--' in arguments:
        at = arguments.index('--')
        arguments, options = arguments[:at], arguments[at + 1:]
    if not arguments:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix='aerogpu-host-test-') as folder:
        try:
            text = run(arguments[0], arguments[1:], options, folder)
        except Failure as failure:
            sys.exit('driver host: %s' % failure)
    lines = [line for line in text.splitlines() if re.match(r'(ok|not ok|#|1\.\.|aerogpu-)', line)]
    print('\n'.join(lines))
    if 'aerogpu-host: done' not in text:
        sys.exit(1)


main()
