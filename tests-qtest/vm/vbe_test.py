#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests the video BIOS of the device in a booted VM, call by call, as the Windows 7 boot loader and setup use it: VGA
modes, every VBE mode with the pixels that it shows, palettes, fonts, scrolling, DDC, save and restore. int10.S makes
the calls in the guest. Numbers and layouts are those of VESA BIOS Extension Core Functions 3.0."""
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, '..', '..', 'scripts', 'lib'))
from aerogpu_build import BUILD, Failure  # noqa: E402
from aerogpu_vm import VM, accelerator  # noqa: E402
from png import Picture  # noqa: E402

BUFFER = (0, 0x3000)  # segment:offset 3000:0000, as offset, segment
NAMES = ('ax', 'bx', 'cx', 'dx', 'di', 'es', 'si', 'bp')


def expect(condition, what):
    if not condition:
        raise Failure('expected: ' + what)


class Bios:
    """Access to int 10h, memory and ports of the guest, over a serial line to int10.S."""

    def __init__(self, vm, path, folder):
        """Starts the guest. `vm`: a stopped VM whose COM1 is the socket `path`. `folder`: for screenshots."""
        self.vm, self.folder = vm, folder
        vm.qmp('query-status')
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        vm.qmp('cont')
        while self.take(1) != b'!':
            pass

    def take(self, size):
        data = b''
        while len(data) < size:
            chunk = self.socket.recv(size - len(data))
            if not chunk:
                raise Failure('QEMU is gone: ' + self.vm.log())
            data += chunk
        return data

    def call(self, ax, **registers):
        """Calls int 10h with these registers (others are 0); returns the registers afterwards."""
        words = [dict(registers, ax=ax).get(name, 0) for name in NAMES]
        self.socket.sendall(b'i' + struct.pack('<8H', *words))
        return dict(zip(NAMES, struct.unpack('<8H', self.take(16))))

    def vbe(self, function, what, **registers):
        result = self.call(0x4F00 | function, **registers)
        expect(result['ax'] == 0x4F, '%s (4F%02X) works, not ax = %04X' % (what, function, result['ax']))
        return result

    def read(self, offset, segment, size):
        self.socket.sendall(b'r' + struct.pack('<3H', offset, segment, size))
        return self.take(size)

    def write(self, offset, segment, data):
        self.socket.sendall(b'w' + struct.pack('<3H', offset, segment, len(data)) + data)
        expect(self.take(1) == b'.', 'a write')

    def out(self, port, value):
        self.socket.sendall(b'o' + struct.pack('<2H', port, value))
        expect(self.take(1) == b'.', 'a port write')

    def picture(self):
        path = os.path.join(self.folder, 'screen.png')
        self.vm.screendump(path)
        return Picture(path)

    def until(self, good, what):
        end = time.monotonic() + 20
        while True:
            picture = self.picture()
            if good(picture):
                return picture
            if time.monotonic() > end:
                raise Failure('the screen never showed %s (last: %dx%d)' % (what, picture.width, picture.height))


def lit(picture, x, y, width, height):
    return sum(1 for p in picture.region(x, y, width, height) if max(p) > 100)


# ---- VGA ----

def text_modes(bios):
    # QEMU shows 40 columns with letters of 16 pixels, not 18. Mode 7 is left out: SeaVGABIOS resets the attribute
    # controller's flip-flop at 3DA, where a monochrome VGA does not listen, so colours are wrong after it on any
    # card.
    for mode, columns, size in ((0, 40, (640, 400)), (1, 40, (640, 400)), (2, 80, (720, 400)), (3, 80, (720, 400))):
        bios.call(mode)
        current = bios.call(0x0F00)
        expect(current['ax'] == columns << 8 | mode, 'mode %d with %d columns' % (mode, columns))
        for letter in b'AERO':
            bios.call(0x0E00 | letter)
        picture = bios.until(lambda p: lit(p, 0, 0, 40, 16) > 60, 'text in mode %d' % mode)
        expect((picture.width, picture.height) == size, 'mode %d in %dx%d' % (mode, *size))
    bios.call(3)
    bios.call(0x0200, dx=0x0A00)  # cursor to row 10
    for letter in b'SCROLL':
        bios.call(0x0E00 | letter)
    bios.until(lambda p: lit(p, 0, 160, 45, 16) > 60, 'text in row 10')
    bios.call(0x0605, bx=0x0700, cx=0, dx=0x184F)  # five lines up
    bios.until(lambda p: lit(p, 0, 80, 45, 16) > 60 and lit(p, 0, 160, 45, 16) == 0, 'the text five rows higher')
    bios.call(0x0702, bx=0x0700, cx=0, dx=0x184F)  # two lines down
    bios.until(lambda p: lit(p, 0, 112, 45, 16) > 60 and lit(p, 0, 80, 45, 16) == 0, 'the text two rows lower')
    # Fonts: 8x8 gives 50 rows; the ROM's 8x16 is where 1130h says, and 'A' has pixels in it.
    bios.call(0x1112)
    font = bios.call(0x1130, bx=0x0600)
    glyph = bios.read((font['bp'] + 16 * ord('A')) & 0xFFFF, font['es'], 16)
    expect(sum(bin(b).count('1') for b in glyph) > 20, "an 'A' in the font")
    expect(bios.call(0x1130, bx=0)['dx'] & 0xFF == 49, '50 rows with the 8x8 font')
    # A font of the user: 'A' becomes a full block.
    bios.call(3)
    bios.write(*BUFFER, b'\xFF' * 16)
    bios.call(0x1100, bx=0x1000, cx=1, dx=ord('A'), es=BUFFER[1], bp=BUFFER[0])
    bios.call(0x0200)
    bios.call(0x0E00 | ord('A'))
    bios.until(lambda p: lit(p, 0, 0, 8, 16) == 128, 'a letter of the user')


def graphics_modes(bios):
    for mode, width, height, colour in ((4, 320, 200, 2), (5, 320, 200, 2), (6, 640, 200, 1), (0x0D, 320, 200, 12),
                                        (0x0E, 640, 200, 12), (0x10, 640, 350, 12), (0x11, 640, 480, 1),
                                        (0x12, 640, 480, 12), (0x13, 320, 200, 12)):
        bios.call(mode)
        bios.call(0x0C00 | colour, cx=width - 3, dx=height - 5)
        expect(bios.call(0x0D00, cx=width - 3, dx=height - 5)['ax'] & 0xFF == colour, 'the pixel read back in mode %02X' % mode)
        picture = bios.until(lambda p: sum(1 for q in p.region(0, 0, p.width, p.height) if max(q) > 100) > 0,
                             'a pixel in mode %02X' % mode)
        sx, sy = picture.width // width, picture.height // height
        expect(sx >= 1 and sy >= 1, 'a picture of at least %dx%d in mode %02X' % (width, height, mode))
        expect(max(picture.at((width - 3) * sx, (height - 5) * sy)) > 100, 'the pixel where it was put in mode %02X' % mode)
        count = sum(1 for q in picture.region(0, 0, picture.width, picture.height) if max(q) > 100)
        expect(count == sx * sy, 'one pixel in mode %02X, not %d' % (mode, count))
    # The palette of mode 13h, by the BIOS and by the ports; 6 bits a channel.
    bios.call(0x13)
    bios.write(0, 0xA000, bytes([77]) * 320)
    bios.call(0x1010, bx=77, dx=63 << 8, cx=0x0015)  # red 63, green 0, blue 21
    picture = bios.until(lambda p: p.at(0, 0)[0] == 255, 'red')
    expect(picture.at(0, 0)[1] == 0 and 80 <= picture.at(0, 0)[2] <= 90, 'a third of blue')
    for value in (77, 0, 63, 0):
        bios.out(0x3C8 if value == 77 else 0x3C9, value)
    bios.until(lambda p: p.at(0, 0) == (0, 255, 0), 'green by the ports')
    # Planes of mode 12h: a byte into plane 1 (green) and plane 2 (red) is yellow-brown, 8 pixels wide.
    bios.call(0x12)
    for index, value in ((2, 6),):
        bios.out(0x3C4, index)
        bios.out(0x3C5, value)
    bios.write(80 * 10, 0xA000, b'\xFF')
    picture = bios.until(lambda p: p.at(7, 10)[0] > 100, 'a byte of two planes')
    expect(picture.at(0, 10)[1] > 50 and picture.at(0, 10)[2] == 0 and picture.at(8, 10) == (0, 0, 0), 'eight pixels of brown')


# ---- VBE ----

def information(bios):
    bios.write(*BUFFER, b'VBE2' + b'\0' * 508)
    bios.vbe(0x00, 'controller information', di=BUFFER[0], es=BUFFER[1])
    block = bios.read(*BUFFER, 512)
    expect(block[:4] == b'VESA', "the signature 'VESA'")
    expect(struct.unpack_from('<H', block, 4)[0] >= 0x0200, 'VBE 2.0 or later')
    expect(struct.unpack_from('<H', block, 18)[0] * 65536 == 64 << 20, '64 MiB of memory')
    offset, segment = struct.unpack_from('<HH', block, 14)
    modes = []
    while len(modes) < 256:
        mode = struct.unpack('<H', bios.read(offset, segment, 2))[0]
        if mode == 0xFFFF:
            break
        modes.append(mode)
        offset += 2
    return modes


def frame_buffer(vm):
    for bus in vm.qmp('query-pci'):
        for device in bus['devices']:
            if device['id'].get('vendor') == 0xA3A0:
                return next(r['address'] for r in device['regions'] if r['bar'] == 1)
    raise Failure('no device')


class Mode:
    def __init__(self, bios, number):
        bios.vbe(0x01, 'mode information of %03X' % number, cx=number, di=BUFFER[0], es=BUFFER[1])
        block = bios.read(*BUFFER, 256)
        self.number = number
        self.attributes, = struct.unpack_from('<H', block, 0)
        self.granularity, self.window_size, self.window = struct.unpack_from('<HHH', block, 4)
        self.pitch, self.width, self.height = struct.unpack_from('<HHH', block, 16)
        self.planes, self.bits, self.banks, self.model = struct.unpack_from('<BBBB', block, 24)
        masks = struct.unpack_from('<6B', block, 31)
        self.channels = [((1 << masks[i]) - 1, masks[i + 1]) for i in (0, 2, 4)]
        self.base, = struct.unpack_from('<I', block, 40)

    def pixel(self, rgb):
        """Returns the bytes of a pixel of this colour, by the channel masks in the mode's information."""
        value = sum(round(c * maximum / 255) << shift for c, (maximum, shift) in zip(rgb, self.channels))
        return value.to_bytes((self.bits + 7) // 8, 'little')


def is_colour(got, want):
    """Compares colours to within 7 of 255: QEMU's VGA core widens channels of 5 and 6 bits with zero bits."""
    return all(abs(g - w) < 8 for g, w in zip(got, want))


COLOURS = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255))


def vbe_modes(bios, numbers):
    base = frame_buffer(bios.vm)
    seen = {}
    for number in numbers:
        if number < 0x100:
            continue  # a VGA mode, see above
        mode = Mode(bios, number)
        if mode.model == 0 or not mode.attributes & 0x10:  # text
            bios.vbe(0x02, 'setting text mode %03X' % number, bx=number)
            continue
        expect(mode.attributes & 1, 'mode %03X is supported by the hardware' % number)
        if mode.attributes & 0x80:
            # PCI-6
            expect(mode.base == base, 'the frame buffer of %03X at BAR1' % number)
            bios.vbe(0x02, 'setting %03X, linear' % number, bx=number | 0x4000)
            expect(bios.vbe(0x03, 'the current mode')['bx'] & 0x3FFF == number & 0x3FFF, 'mode %03X is set' % number)
        bios.vbe(0x02, 'setting %03X' % number, bx=number)
        if mode.model in (4, 6) and mode.bits in (8, 15, 16, 24, 32):
            if mode.bits == 8:
                for index, (r, g, b) in enumerate(COLOURS):
                    for port, value in ((0x3C8, index + 1), (0x3C9, r >> 2), (0x3C9, g >> 2), (0x3C9, b >> 2)):
                        bios.out(port, value)
                row = bytes(range(1, len(COLOURS) + 1))
            else:
                row = b''.join(mode.pixel(c) for c in COLOURS)
            bios.write(0, mode.window, row)
            # And the last four pixels of the last row, through the banked window.
            size = len(row) // len(COLOURS)
            at = mode.pitch * (mode.height - 1) + (mode.width - len(COLOURS)) * size
            bank = at // (mode.granularity * 1024)
            bios.vbe(0x05, 'bank %d of %03X' % (bank, number), bx=0, dx=bank)
            expect(bios.vbe(0x05, 'the bank', bx=0x100)['dx'] == bank, 'the bank that was set')
            inside = at % (mode.granularity * 1024)
            bios.write(inside & 0xFFFF, mode.window, row[:0x10000 - inside])
            picture = bios.until(lambda p: (p.width, p.height) == (mode.width, mode.height) and is_colour(p.at(0, 0), COLOURS[0]),
                                 'mode %03X, %dx%d with %d bits' % (number, mode.width, mode.height, mode.bits))
            for index, colour in enumerate(COLOURS):
                expect(is_colour(picture.at(index, 0), colour), 'pixel %d of %03X' % (index, number))
                if inside + len(row) <= 0x10000:
                    expect(is_colour(picture.at(mode.width - 4 + index, mode.height - 1), colour), 'the last row of %03X' % number)
        elif mode.planes == 4:
            # On any card QEMU's VGA core ignores its plane registers in such a mode (hw/display/vga.c, sr_vbe).
            bios.until(lambda p: (p.width, p.height) == (mode.width, mode.height), 'mode %03X' % number)
        seen[(mode.width, mode.height, mode.bits)] = number
    for wanted in ((640, 480, 8), (800, 600, 16), (1024, 768, 32), (1280, 1024, 24), (640, 480, 32), (800, 600, 4)):
        expect(wanted in seen, 'a mode of %dx%d with %d bits' % wanted)
    return seen


def vbe_functions(bios, seen):
    number = seen[(800, 600, 32)]
    mode = Mode(bios, number)
    bios.vbe(0x02, 'a mode', bx=number | 0x4000)
    expect(bios.call(0x4F05, bx=0)['ax'] != 0x4F, 'no banks in a linear mode (VBE 3.0, 4.8)')
    bios.vbe(0x02, 'a mode', bx=number)
    # Logical scan lines and display start: a wider line, and the picture begins at pixel 16 of line 8.
    line = bios.vbe(0x06, 'a scan line of 1024 pixels', bx=0, cx=1024)
    expect((line['bx'], line['cx']) == (4096, 1024), '4096 bytes, 1024 pixels')
    bios.vbe(0x05, 'bank 0', bx=0, dx=0)
    bios.write(8 * 4096 + 16 * 4, mode.window, mode.pixel((255, 0, 255)))
    bios.vbe(0x07, 'display start', bx=0, cx=16, dx=8)
    bios.until(lambda p: p.at(0, 0) == (255, 0, 255), 'the pixel of the display start')
    start = bios.vbe(0x07, 'display start', bx=1)
    expect((start['cx'], start['dx']) == (16, 8), 'the display start read back')
    # Palette: 8 bits a channel if there are that many, then an entry.
    bios.vbe(0x02, 'a palette mode', bx=seen[(640, 480, 8)] | 0x4000)
    width = bios.vbe(0x08, 'palette width', bx=0x0800)['bx'] >> 8
    expect(width in (6, 8), 'a palette width')
    # Entries are set by the ports: SeaVGABIOS has no function 4F09.
    for port, value in ((0x3C8, 0), (0x3C9, 63), (0x3C9, 4), (0x3C9, 0)):
        bios.out(port, value << (2 if width == 8 and port == 0x3C9 else 0))
    bios.until(lambda p: p.at(5, 5)[0] >= 252 and 0 < p.at(5, 5)[1] < 30, 'the background in palette entry 0')
    # Save and restore, hardware, BIOS data, DAC, registers. A mode is set in between.
    bios.vbe(0x02, 'a mode', bx=number | 0x4000)
    blocks = bios.vbe(0x04, 'the size of the saved state', cx=0xF, dx=0)['bx']
    expect(0 < blocks < 512, 'a size for the state')
    bios.vbe(0x04, 'saving', cx=0xF, dx=1, bx=BUFFER[0], es=BUFFER[1])
    bios.call(3)
    bios.until(lambda p: (p.width, p.height) == (720, 400), 'text')
    bios.vbe(0x04, 'restoring', cx=0xF, dx=2, bx=BUFFER[0], es=BUFFER[1])
    bios.until(lambda p: (p.width, p.height) == (800, 600), 'the mode that was saved')
    # Optional: the protected-mode interface (VBE 3.0, 4.13), power management. They answer, 0100h for "not there".
    for function in (0x4F0A, 0x4F10):
        expect(bios.call(function)['ax'] in (0x4F, 0x14F, 0x0100), 'an answer from %04X' % function)
    expect(bios.call(0x4FFE)['ax'] != 0x4F, 'an unknown function fails')
    bios.vbe(0x02, 'a mode', bx=number)
    expect(bios.call(0x4F02, bx=0x01FE)['ax'] != 0x4F, 'an unknown mode is refused')
    bios.until(lambda p: (p.width, p.height) == (800, 600), 'the mode as it was')


def ddc(bios):
    support = bios.vbe(0x15, 'DDC', bx=0)
    expect(support['bx'] & 3, 'DDC1 or DDC2')
    bios.vbe(0x15, 'EDID', bx=1, dx=0, di=BUFFER[0], es=BUFFER[1])
    edid = bios.read(*BUFFER, 128)
    expect(edid[:8] == b'\0\xFF\xFF\xFF\xFF\xFF\xFF\0' and sum(edid) % 256 == 0, 'an EDID')
    size = (edid[56] | (edid[58] & 0xF0) << 4, edid[59] | (edid[61] & 0xF0) << 4)  # VESA E-EDID 3.10.2
    expect(size == (1440, 900), 'the preferred mode of the properties, not %dx%d' % size)


def main():
    with tempfile.TemporaryDirectory(prefix='aerogpu-vbe-test-') as folder:
        image, objects = os.path.join(folder, 'boot.img'), os.path.join(folder, 'boot.o')
        subprocess.run(['as', '--32', '-o', objects, os.path.join(HERE, 'int10.S')], check=True)
        subprocess.run(['ld', '-m', 'elf_i386', '-Ttext', '0x7c00', '--oformat', 'binary', '-e', '_start', '-o', image, objects], check=True)
        with open(image, 'ab') as file:
            file.truncate(1 << 20)
        serial = os.path.join(folder, 'serial')
        with VM(['-accel', accelerator(), '-m', '64', '-nodefaults', '-drive', 'file=%s,format=raw,if=ide' % image,
                 '-chardev', 'socket,id=com1,path=%s,server=on,wait=off' % serial, '-serial', 'chardev:com1', '-S', '-device',
                 'aerogpu,renderer=null,xres=1440,yres=900'], environment={'AEROGPU_BUILD_DIR': BUILD}, serial=False) as vm:
            try:
                bios = Bios(vm, serial, folder)
                text_modes(bios)
                graphics_modes(bios)
                numbers = information(bios)
                seen = vbe_modes(bios, numbers)
                graphics_modes(bios)
                vbe_functions(bios, seen)
                ddc(bios)
            except Failure as failure:
                sys.exit('vbe: %s' % failure)
        print('vbe: passed, %d VBE modes' % len(numbers))


main()
