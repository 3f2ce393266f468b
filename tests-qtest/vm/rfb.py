# SPDX-License-Identifier: MIT
"""A small RFB 3.8 client (RFC 6143) for tests: raw rectangles, and the pseudo-encodings of desktop size and cursor."""
import socket
import struct
import time

RAW = 0
DESKTOP_SIZE = -223  # RFC 6143, 7.8.2
CURSOR = -239        # RFC 6143, 7.8.1
ALPHA_CURSOR = -314  # community RFB specification, "Cursor With Alpha"


class PixelFormat:
    """A pixel format (RFC 6143, 7.4). `channels`: (maximum, shift) of red, green and blue."""

    def __init__(self, bits, red, green, blue, big_endian=False):
        self.bits, self.channels, self.big_endian = bits, (red, green, blue), big_endian

    def message(self):
        (rm, rs), (gm, gs), (bm, bs) = self.channels
        depth = sum(m.bit_length() for m, _ in self.channels)
        return struct.pack('>BxxxBBBBHHHBBBxxx', 0, self.bits, depth, self.big_endian, 1, rm, gm, bm, rs, gs, bs)

    def decode(self, data):
        """Returns the values of the channels of each pixel in the data."""
        code = {8: 'B', 16: 'H', 32: 'I'}[self.bits]
        values = struct.unpack('%s%d%s' % ('>' if self.big_endian else '<', len(data) * 8 // self.bits, code), data)
        return [tuple(v >> shift & maximum for maximum, shift in self.channels) for v in values]


RGB888 = PixelFormat(32, (255, 16), (255, 8), (255, 0))


class Client:
    def __init__(self, path, pixel_format=RGB888, encodings=(RAW, DESKTOP_SIZE), deadline=30):
        self.deadline = time.monotonic() + deadline
        self.format = pixel_format
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        assert self.read(12) == b'RFB 003.008\n'
        self.socket.sendall(b'RFB 003.008\n')
        assert 1 in self.read(self.read(1)[0]), 'security type None'
        self.socket.sendall(b'\x01')
        assert struct.unpack('>I', self.read(4))[0] == 0, 'refused'
        self.socket.sendall(b'\x01')  # shared
        self.width, self.height = struct.unpack('>HH', self.read(4))
        self.read(16)
        self.name = self.read(struct.unpack('>I', self.read(4))[0]).decode()
        self.socket.sendall(pixel_format.message())
        self.socket.sendall(struct.pack('>BxH%di' % len(encodings), 2, len(encodings), *encodings))
        self.clear()
        self.cursor = None  # (hot x, hot y, width, height, pixels, mask) as they came
        self.sizes = []
        self.request(False)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.socket.close()

    def clear(self):
        self.pixels = [None] * (self.width * self.height)

    def read(self, size):
        data = b''
        while len(data) < size:
            self.socket.settimeout(max(0.001, self.deadline - time.monotonic()))
            chunk = self.socket.recv(size - len(data))
            if not chunk:
                raise EOFError('the server closed the connection')
            data += chunk
        return data

    def request(self, incremental):
        self.socket.sendall(struct.pack('>BBHHHH', 3, incremental, 0, 0, self.width, self.height))

    def update(self):
        """Reads one server message; applies it if it is a FramebufferUpdate, and then requests the next."""
        kind = self.read(1)[0]
        if kind == 2:  # Bell
            return
        assert kind == 0, 'server message %d' % kind
        for _ in range(struct.unpack('>xH', self.read(3))[0]):
            x, y, width, height, encoding = struct.unpack('>HHHHi', self.read(12))
            if encoding == RAW:
                values = self.format.decode(self.read(width * height * self.format.bits // 8))
                for row in range(height):
                    at = (y + row) * self.width + x
                    self.pixels[at:at + width] = values[row * width:(row + 1) * width]
            elif encoding == DESKTOP_SIZE:
                self.width, self.height = width, height
                self.sizes.append((width, height))
                self.clear()
            elif encoding == CURSOR:
                pixels = self.format.decode(self.read(width * height * self.format.bits // 8))
                mask = self.read((width + 7) // 8 * height)
                self.cursor = (x, y, width, height, pixels, mask)
            elif encoding == ALPHA_CURSOR:
                assert struct.unpack('>i', self.read(4))[0] == RAW
                self.cursor = (x, y, width, height, [tuple(p) for p in struct.iter_unpack('BBBB', self.read(width * height * 4))], None)
            else:
                raise AssertionError('encoding %d' % encoding)
        self.request(True)

    def until(self, good, what):
        """Applies updates until good(self) is true; raises AssertionError at the client's deadline."""
        while not good(self):
            try:
                self.update()
            except (TimeoutError, socket.timeout):
                raise AssertionError('the client never saw ' + what) from None
