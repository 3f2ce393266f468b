#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Boots a VM with the device in the distribution's QEMU, and checks what it shows. Runs one test:

  vm_test.py bios|vesafb|desktop|selftest|capture

The expected pixels follow from the demo's scene (places of windows, colours), not from stored pictures."""
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, '..', '..', 'scripts', 'lib'))
from aerogpu_build import BUILD, Failure, say  # noqa: E402
from aerogpu_vm import VM, accelerator, guest_arguments  # noqa: E402
from png import Picture  # noqa: E402

ENVIRONMENT = {'AEROGPU_BUILD_DIR': BUILD}
BOOT_DEADLINE = 150


def expect(condition, what):
    if not condition:
        raise Failure('expected: ' + what)


def picture_when(vm, folder, good, what, deadline=60):
    """Takes screenshots until `good` is true of one; returns it. Failure after `deadline` seconds."""
    end = time.monotonic() + deadline
    path = os.path.join(folder, 'screen.png')
    while True:
        vm.screendump(path)
        picture = Picture(path)
        if good(picture):
            return picture
        if time.monotonic() > end:
            raise Failure('the screen never showed %s (last: %dx%d)' % (what, picture.width, picture.height))


def lit(picture, top, height, threshold=100):
    """Returns how many pixels of `height` rows from `top` on are bright, as text is."""
    return sum(1 for p in picture.region(0, top, picture.width, height) if max(p) > threshold)


def bios(folder):
    with VM(['-accel', accelerator(), '-m', '64', '-nodefaults', '-boot', 'menu=on,splash-time=30000',
             '-device', 'aerogpu,renderer=null'], environment=ENVIRONMENT, serial=False) as vm:
        picture_when(vm, folder, lambda p: p.width == 720 and p.height == 400 and lit(p, 0, 200) > 300,
                     "SeaBIOS's text")


def vesafb(folder):
    # VBE mode 0x117 (1024x768, 16 bits) is 0x317 for Linux; `probe` ends at once and -no-shutdown keeps the screen.
    arguments = guest_arguments(accelerator(), 'probe', kernel_extra='vga=0x317')
    append = arguments.index('-append') + 1
    # Programs write to the last console: the serial one.
    arguments[append] = 'console=tty0 ' + arguments[append].replace(' quiet', '')
    with VM(arguments + ['-no-shutdown', '-device', 'aerogpu,renderer=null'], environment=ENVIRONMENT) as vm:
        vm.wait_serial('aerogpu-demo: probe ok', BOOT_DEADLINE)
        picture_when(vm, folder, lambda p: (p.width, p.height) == (1024, 768) and lit(p, 0, 700) > 2000,
                     'a Linux console in 1024x768')


def model_pixels(picture):
    """Returns the places of orange pixels, the torus knot's colour, in its window (of every fourth row and column)."""
    return {(x, y) for y in range(90, 460, 4) for x in range(95, 600, 4)
            for r, g, b in [picture.at(x, y)] if r > 150 and r > b + 60 and g > 60}


def desktop(folder):
    with VM(guest_arguments(accelerator(), 'desktop,frames=2000') + ['-device', 'aerogpu,id=gpu0'],
            environment=ENVIRONMENT) as vm:
        expect(vm.wait_serial(r'^aerogpu-demo: mode (\d+x\d+)\n', BOOT_DEADLINE).group(1) == '1280x720', 'mode 1280x720')
        pictures = []
        for frame in (120, 240):
            line = vm.wait_serial(r'^aerogpu-demo: frame %d\b.*\n' % frame, BOOT_DEADLINE)
            path = os.path.join(folder, 'frame-%d.png' % frame)
            vm.screendump(path)
            pictures.append(Picture(path))
        say(line.group(0).strip())
        for name, wanted in (('errors', 0),):
            found = vm.qmp('qom-get', path='/machine/peripheral/gpu0', property=name)
            expect(found == wanted, '%s = %d, not %d' % (name, wanted, found))
        expect(vm.qmp('qom-get', path='/machine/peripheral/gpu0', property='presents') >= 120, '120 presents')
    for picture in pictures:
        expect((picture.width, picture.height) == (1280, 720), 'a picture of 1280x720')
        corner = picture.region(4, 600, 60, 60, 4)
        expect(all(b > r and b > 20 for r, _, b in corner), 'the blue wallpaper at the left')
        r, g, b = picture.at(584, 52 + 4)
        expect(r > g + 50 and r > b + 50, 'the red close button of the first window')
        task_bar = picture.region(600, 690, 500, 24, 8)
        expect(max(max(p) for p in task_bar) < 130, 'the dark task bar')
        caption = [sum(p) for p in picture.region(108, 56, 150, 16)]
        expect(max(caption) - min(caption) > 250, 'caption text that stands out from its glass')
        expect(len(model_pixels(picture)) > 400, 'the model in its window')
    moved = model_pixels(pictures[0]) ^ model_pixels(pictures[1])
    expect(len(moved) > 100, 'the model turns between two pictures')


def selftest(folder):
    with VM(guest_arguments(accelerator(), 'selftest') + ['-device', 'aerogpu'], environment=ENVIRONMENT) as vm:
        expect(vm.wait_serial(r'^aerogpu-demo: (done|failed)', BOOT_DEADLINE).group(1) == 'done',
               'the guest program finds nothing wrong:\n' + vm.serial_text)


def capture(folder):
    trace = os.path.join(folder, 'demo.aerogputrace')
    with VM(guest_arguments(accelerator(), 'desktop,frames=12') + ['-device', 'aerogpu,capture=' + trace],
            environment=ENVIRONMENT) as vm:
        vm.wait_serial(r'^aerogpu-demo: (done|frame 12\b)', BOOT_DEADLINE)
        vm.wait(60)
    result = subprocess.run([os.path.join(BUILD, 'renderer', 'aerogpu-replay'), '--json', '--png',
                             os.path.join(folder, 'replayed.png'), trace], stdout=subprocess.PIPE, text=True)
    expect(result.returncode == 0, 'the trace replays without an error')
    statistics = json.loads(result.stdout)
    expect(statistics['frames'] >= 12, '12 frames in the trace')
    picture = Picture(os.path.join(folder, 'replayed.png'))
    expect((picture.width, picture.height) == (1280, 720), 'a replayed picture of 1280x720')
    expect(len(model_pixels(picture)) > 400, 'the model in the replayed picture')


def main():
    tests = {f.__name__: f for f in (bios, vesafb, desktop, selftest, capture)}
    if len(sys.argv) != 2 or sys.argv[1] not in tests:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix='aerogpu-vm-test-') as folder:
        try:
            tests[sys.argv[1]](folder)
        except Failure as failure:
            sys.exit('%s: %s' % (sys.argv[1], failure))
    print('%s: passed' % sys.argv[1])


main()
