#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests what VNC clients see of the device: the picture in several pixel formats, changes, mode switches, the host
cursor; also clients that connect late. The client is rfb.py; it must see the pixels that the guest wrote."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from qtest import SCANOUT, CURSOR_REG, SURFACE, QtestMachine  # noqa: E402
from rfb import ALPHA_CURSOR, CURSOR, DESKTOP_SIZE, RAW, Client, PixelFormat  # noqa: E402


def expect(condition, what):
    if not condition:
        sys.exit('vnc_test: expected: ' + what)


def picture(width, height, seed):
    pixels = []
    for _ in range(width * height):
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        pixels.append(seed >> 8)
    return pixels


def channels(pixel):
    return (pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255)


def shows(client, pixels):
    """Returns whether the client shows these pixels, each channel to within one step of the client's pixel format."""
    if len(client.pixels) != len(pixels) or None in client.pixels:
        return False
    return all(abs(got - want * maximum / 255) <= 1
               for seen, pixel in zip(client.pixels, pixels)
               for got, want, (maximum, _) in zip(seen, channels(pixel), client.format.channels))


FORMATS = {
    '8:8:8 little-endian': PixelFormat(32, (255, 16), (255, 8), (255, 0)),
    '8:8:8 red first, big-endian': PixelFormat(32, (255, 0), (255, 8), (255, 16), True),
    '5:6:5': PixelFormat(16, (31, 11), (63, 5), (31, 0)),
    '5:5:5 big-endian': PixelFormat(16, (31, 10), (31, 5), (31, 0), True),
    '3:3:2': PixelFormat(8, (7, 0), (7, 3), (3, 6)),
}


def formats(machine, path):
    pixels = picture(64, 48, 1)
    machine.scanout(64, 48, pixels)
    for name, pixel_format in FORMATS.items():
        with Client(path, pixel_format) as client:
            client.until(lambda c: shows(c, pixels), 'the picture as ' + name)


def changes(machine, path):
    pixels = picture(64, 48, 2)
    machine.scanout(64, 48, pixels)
    with Client(path) as early, Client(path) as other:
        early.until(lambda c: shows(c, pixels), 'the first picture')
        pixels[777] ^= 0xFFFFFF
        machine.write(SURFACE + 4 * 777, pixels[777].to_bytes(4, 'little'))
        early.until(lambda c: shows(c, pixels), 'one changed pixel')
        other.until(lambda c: shows(c, pixels), 'the same, with another client beside')
        # A mode switch, smaller and larger (QEMU rounds widths up to 16); then a client that connects afterwards.
        for width, height in ((48, 30), (208, 120)):
            pixels = picture(width, height, width)
            machine.scanout(width, height, pixels, SURFACE + 0x100000)
            early.until(lambda c: shows(c, pixels), '%dx%d' % (width, height))
            expect(early.sizes[-1] == (width, height), 'a new desktop size')
        with Client(path) as late:
            expect((late.width, late.height) == (208, 120), 'the size at once')
            late.until(lambda c: shows(c, pixels), 'the picture, come late')
        machine.set(SCANOUT['ENABLE'], 0)
        early.until(lambda c: all(p == (0, 0, 0) for p in c.pixels), 'a blank screen')
        machine.set(SCANOUT['ENABLE'], 1)
        early.until(lambda c: shows(c, pixels), 'the picture again')
        machine.vm.qmp('system_reset')
        machine.configure()
        early.until(lambda c: not shows(c, pixels), 'VGA after a reset')


def cursors(machine, path):
    background = [0x204060] * (64 * 48)
    machine.scanout(64, 48, background)
    size = 16
    # Alpha 0, half, full in stripes; straight colours.
    shape = [(0x00, 0x80, 0xFF)[x % 3] << 24 | (x * 15) << 16 | (y * 15) << 8 | 0x33 for y in range(size) for x in range(size)]
    machine.cursor(size, shape, 30, 20, 5, 7)
    with Client(path, encodings=(RAW, DESKTOP_SIZE, ALPHA_CURSOR)) as client:
        client.until(lambda c: c.cursor and c.cursor[2:4] == (size, size) and shows(c, background), 'the cursor, and a screen without it')
        hot_x, hot_y, _, _, pixels, _ = client.cursor
        expect((hot_x, hot_y) == (5, 7), 'the hot spot')
        expect([p[3] for p in pixels] == [p >> 24 for p in shape], 'its alpha')
        opaque = [(p, s) for p, s in zip(pixels, shape) if s >> 24 == 255]
        expect(all((p[2], p[1], p[0]) == channels(s) for p, s in opaque), 'its colours (the server sends B, G, R, A)')
        moved = client.cursor
        machine.set(CURSOR_REG['X'], 3)
        machine.set(CURSOR_REG['HOT_X'], 1)
        client.until(lambda c: c.cursor is not moved, 'a new hot spot')
        expect(client.cursor[:2] == (1, 7), 'the hot spot')
        machine.set(CURSOR_REG['ENABLE'], 0)
        client.until(lambda c: all(p[3] == 0 for p in c.cursor[4]), 'no cursor')
    machine.set(CURSOR_REG['ENABLE'], 1)
    with Client(path, encodings=(RAW, DESKTOP_SIZE, CURSOR)) as client:
        client.until(lambda c: c.cursor and c.cursor[2:4] == (size, size), 'the cursor with a mask')
        mask = client.cursor[5]
        visible = [mask[y * 2 + x // 8] >> (7 - x % 8) & 1 for y in range(size) for x in range(size)]
        expect(all(v == 0 for v, s in zip(visible, shape) if s >> 24 == 0), 'transparent pixels are masked out')
        expect(all(v == 1 for v, s in zip(visible, shape) if s >> 24 == 255), 'opaque pixels are shown')
    machine.vm.qmp('system_reset')
    machine.configure()


def main():
    for test in (formats, changes, cursors):
        machine = QtestMachine('none')
        path = os.path.join(machine.vm.folder, 'vnc')
        machine.vm.command += ['-vnc', 'unix:' + path]
        with machine:
            test(machine, path)
        print('%s: passed' % test.__name__)


main()
