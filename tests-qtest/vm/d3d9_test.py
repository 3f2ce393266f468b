#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A Windows program draws with Direct3D 9 in a booted VM: aerogpu-session is process 1 of a Linux guest, the driver host
serves the device of that machine, Wine runs the program on our d3d9.dll and user-mode driver. The window that QEMU shows
is compared with what the program expects.

usage: d3d9_test.py DRIVER.sys USER-MODE-DRIVER.dll d3d9.dll PROGRAM.exe [ARGUMENT...]

The same program also runs outside, with Wine's own Direct3D, which gives the expected picture as a file."""
import os
import secrets
import socket
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, '..', '..', 'scripts', 'lib'))
from aerogpu_build import BUILD, Failure, say  # noqa: E402
from aerogpu_vm import VM, accelerator, guest_arguments  # noqa: E402
from d3d9_stack import HOST, Ppm  # noqa: E402
from guest_image import GUEST, take_kernel, write_initramfs  # noqa: E402
from png import Picture  # noqa: E402
import wine  # noqa: E402
import wine_guest  # noqa: E402

SESSION = os.path.join(BUILD, 'guest-drivers', 'linux', 'aerogpu-session')
MEMORY_MB = 2048
HUGE_PAGES = 400  # of 2 MiB; guest-drivers/host/kmt/serve.h, memoryPages, and some
TOLERANCE = 2     # of 255, of a channel: no program here allows more
DEADLINE = int(os.environ.get('AEROGPU_D3D9_DEADLINE', '300'))


def expected_picture(program, arguments, folder):
    path = os.path.join(folder, 'expected.ppm')
    with wine.x_server() as display, wine.temporary_prefix('x11') as prefix:
        env = dict(os.environ, **wine.environment(prefix, display=display))
        code, text = wine.run([program, *arguments, '--expectation', path], env, 120)
    if code != 0:
        raise Failure('%s ends with %d outside of the VM: %s' % (os.path.basename(program), code, text.strip()))
    return Ppm(path)


def make_initramfs(path, folder, driver, umd, d3d9, program, arguments):
    os.makedirs(GUEST, exist_ok=True)
    take_kernel()
    library = 'drive_c/windows/system32/d3d9.dll'
    environment = dict(wine_guest.ENVIRONMENT, AEROGPU_KMT_KEY=secrets.token_hex(16), AEROGPU_D3D9_STRICT='1')
    environment['WINEDLLOVERRIDES'] += ';d3d9=n'
    session = {
        'environment': ['%s=%s' % item for item in environment.items()],
        'server': ['/aerogpu-driver-host', '--serve', '--driver', '/aerogpu.sys', '--umd', '/aerogpu_d3d9.dll',
                   '--mode', '1024x768'],
        'programs': [' '.join([wine.LOADER, '/program.exe', *arguments, '--hold'])],
    }
    files = [('aerogpu-driver-host', HOST), ('aerogpu.sys', driver), ('aerogpu_d3d9.dll', umd), ('program.exe', program),
             (wine_guest.PREFIX.strip('/') + '/' + library, d3d9)]
    for name, lines in session.items():
        with open(os.path.join(folder, name), 'w') as file:
            file.write('\n'.join(lines) + '\n')
        files.append(('session/' + name, os.path.join(folder, name)))
    first = os.path.join(folder, 'first.cpio')
    write_initramfs(first, SESSION, files)
    with open(path, 'wb') as out:  # the kernel unpacks one archive after the other
        for part in (first, wine_guest.archive()):
            with open(part, 'rb') as file:
                out.write(file.read())


def difference(screen, expected, x, y):
    """None, or how the screen's window differs."""
    bad, first = 0, ''
    for row in range(expected.height):
        wanted = next(expected.rows(0, row, expected.width, 1))
        for column in range(expected.width):
            got, want = screen.at(x + column, y + row), tuple(wanted[column * 3:column * 3 + 3])
            if any(abs(a - b) > TOLERANCE for a, b in zip(got, want)):
                bad += 1
                first = first or '(%d,%d) is %s, not %s' % (x + column, y + row, got, want)
    return '%d pixels differ: %s' % (bad, first) if bad else None


def run(driver, umd, d3d9, program, arguments, folder):
    expected = expected_picture(program, arguments, folder)
    initramfs, line = os.path.join(folder, 'initramfs.cpio'), os.path.join(folder, 'line')
    make_initramfs(initramfs, folder, driver, umd, d3d9, program, arguments)
    accel = accelerator()
    qemu = guest_arguments(accel, memory_mb=MEMORY_MB, kernel_extra='hugepages=%d' % HUGE_PAGES)
    qemu[qemu.index('-initrd') + 1] = initramfs
    if accel == 'tcg':
        # Wine returns to programs with IRETQ; TCG of QEMU 7.2 reads its stack as the kernel would, which SMAP forbids.
        qemu[qemu.index('-cpu') + 1] = 'max,-smap'
    qemu += ['-chardev', 'socket,id=line,path=%s,server=on,wait=off' % line, '-serial', 'chardev:line', '-smp', '2',
             '-device', 'aerogpu,id=gpu0']
    began = time.monotonic()

    def wait(expression):
        found = vm.wait_serial(expression, max(1, DEADLINE - (time.monotonic() - began)))
        say('after %.1f s: %s' % (time.monotonic() - began, found.group(0)))
        return found

    with VM(qemu, environment={'AEROGPU_BUILD_DIR': BUILD}) as vm:
        try:
            wait(r'^aerogpu-kmt: [\d.]+:\d+$')
            where = wait(r'^window (\d+),(\d+) (\d+)x(\d+)$')
            if wait(r'^(?:holding|aerogpu-session: (?:ended|error).*)$').group(0) != 'holding':
                raise Failure('the program did not come to its picture')
            vm.screendump(os.path.join(folder, 'screen.png'))
            errors = vm.qmp('qom-get', path='/machine/peripheral/gpu0', property='errors')
            with socket.socket(socket.AF_UNIX) as held:
                held.connect(line)
                held.sendall(b'\n')
                ended = wait(r'^aerogpu-session: (?:ended (\d+) .*|error: .*)$')
            done = wait(r'^aerogpu-session: (?:done (-?\d+)|error: .*)$')
        finally:
            print('\n'.join('# ' + line for line in vm.serial_text.splitlines()))
    wrong = difference(Picture(os.path.join(folder, 'screen.png')), expected, int(where.group(1)), int(where.group(2)))
    if wrong:
        raise Failure('the window on the screen: ' + wrong)
    if ended.group(1) != '0':
        raise Failure('the program ended with %s' % ended.group(1))
    if done.group(1) != '0':
        raise Failure('the driver host ended with %s: the kernel driver broke a rule' % done.group(1))
    if errors:
        raise Failure('%d errors are latched' % errors)


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix='aerogpu-d3d9-vm-') as folder:
        try:
            run(*sys.argv[1:5], sys.argv[5:], folder)
        except Failure as failure:
            sys.exit('d3d9 vm: %s' % failure)
    print('ok')


main()
