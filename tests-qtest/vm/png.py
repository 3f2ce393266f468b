# SPDX-License-Identifier: MIT
# Reads the PNG files that QEMU's screendump writes (8-bit RGB or RGBA, not interlaced), with the standard library
# alone. PNG specification, sections 9 (filtering) and 11.2.2 (IHDR).
import struct
import zlib


class Picture:
    def __init__(self, path):
        with open(path, 'rb') as file:
            data = file.read()
        if data[:8] != b'\x89PNG\r\n\x1a\n':
            raise ValueError('%s is no PNG' % path)
        at, packed = 8, b''
        while at < len(data):
            length, kind = struct.unpack('>I4s', data[at:at + 8])
            body = data[at + 8:at + 8 + length]
            if kind == b'IHDR':
                self.width, self.height, depth, colour, _, _, interlace = struct.unpack('>IIBBBBB', body)
                if depth != 8 or colour not in (2, 6) or interlace:
                    raise ValueError('unexpected kind of PNG')
                self.channels = 3 if colour == 2 else 4
            elif kind == b'IDAT':
                packed += body
            at += 12 + length
        self._unfilter(zlib.decompress(packed))

    def _unfilter(self, raw):
        n, stride = self.channels, self.width * self.channels
        rows, previous = [], bytearray(stride)
        for y in range(self.height):
            kind = raw[y * (stride + 1)]
            row = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
            if kind == 1:
                for i in range(n, stride):
                    row[i] = (row[i] + row[i - n]) & 255
            elif kind == 2:
                row = bytearray((a + b) & 255 for a, b in zip(row, previous))
            elif kind == 3:
                for i in range(stride):
                    row[i] = (row[i] + ((row[i - n] if i >= n else 0) + previous[i]) // 2) & 255
            elif kind == 4:
                for i in range(stride):
                    a, b, c = (row[i - n] if i >= n else 0), previous[i], (previous[i - n] if i >= n else 0)
                    p = a + b - c
                    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                    row[i] = (row[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
            rows.append(row)
            previous = row
        self._rows = rows

    def at(self, x, y):
        """Returns (red, green, blue) of a pixel, 0 to 255."""
        i = x * self.channels
        return tuple(self._rows[y][i:i + 3])

    def region(self, left, top, width, height, step=1):
        """Returns the pixels of a rectangle, every `step`-th in both directions."""
        return [self.at(x, y) for y in range(top, top + height, step) for x in range(left, left + width, step)]
