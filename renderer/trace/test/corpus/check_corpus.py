#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Plays traces of single features with aerogpu-replay, and compares their last frames with pictures of the features'
models.

usage: check_corpus.py TRACE-CORPUS AEROGPU-REPLAY PACKETS.TOML [NAME...]
  NAME   only these features

trace-corpus writes NAME.aerogputrace and NAME.ppm, whose comment says by how much a channel may be off. Without NAME,
each extension packet must be in a trace, except those of handle spaces, which streams of Direct3D do not contain.
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

SPACES = {'EXT_GRANT', 'EXT_DESTROY_SPACE', 'EXT_NAME_SPACE', 'EXT_CHARGE_SPACE', 'EXT_SPACE_PROCESS'}

def read_ppm(path):
    head, rest = path.read_bytes().split(b'255\n', 1)
    magic, comment, size = head.decode().splitlines()
    width, height = map(int, size.split())
    return width, height, int(comment.rsplit(' ', 1)[1]), rest


def read_png(path):
    """Returns width, height and RGB bytes of a PNG of 8 bits a channel (Portable Network Graphics, 9: Filtering)."""
    data, at, body = path.read_bytes(), 8, b''
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        if kind == b'IHDR':
            width, height, depth, color = struct.unpack('>IIBB', chunk[:10])
            if depth != 8 or color not in (2, 6):
                raise SystemExit(f'check_corpus.py: {path} is no PNG of 8 bits a channel in colour')
            step = 3 if color == 2 else 4
        if kind == b'IDAT':
            body += chunk
        at += length + 12
    raw, rows, before = zlib.decompress(body), [], bytes(width * step)
    for y in range(height):
        line = raw[y * (width * step + 1):(y + 1) * (width * step + 1)]
        row = bytearray(line[1:])
        for i in range(len(row)):
            left = row[i - step] if i >= step else 0
            corner = before[i - step] if i >= step else 0
            if line[0] == 4:
                guess = left + before[i] - corner
                near = sorted([(abs(guess - left), 0, left), (abs(guess - before[i]), 1, before[i]),
                               (abs(guess - corner), 2, corner)])[0][2]
            else:
                near = (0, left, before[i], (left + before[i]) // 2)[line[0]]
            row[i] = (row[i] + near) & 255
        rows.append(bytes(row))
        before = rows[-1]
    return width, height, b''.join(row[i:i + 3] for row in rows for i in range(0, len(row), step))


def difference(wanted, got):
    width, height, tolerance, want = wanted
    if (width, height) != got[:2]:
        return f'a frame of {got[0]}x{got[1]}, not {width}x{height}'
    wrong = [i for i in range(len(want)) if abs(want[i] - got[2][i]) > tolerance]
    if not wrong:
        return ''
    at = wrong[0] // 3
    pixel = slice(at * 3, at * 3 + 3)
    return (f'{len({i // 3 for i in wrong})} pixels are wrong, the first at {at % width},{at // width}: '
            f'{tuple(got[2][pixel])}, not {tuple(want[pixel])}, tolerance {tolerance}')


def missing(packets, replay, traces):
    """Returns the extension packets that no trace has."""
    dump = subprocess.run([replay, '--dump', '--backend', 'null', *traces], capture_output=True, text=True, check=True).stdout
    wanted = set(re.findall(r'^\[\[\w+\.packet\]\]\nname = "(EXT_\w+)"$', packets, re.M)) - SPACES
    return sorted(wanted - set(re.findall(r'\bEXT_\w+', dump)))


def main():
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    problems, good = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.argv[1], name], check=True)
        traces = sorted(folder.glob('*.aerogputrace'))
        if sys.argv[4:]:
            traces = [t for t in traces if t.stem in sys.argv[4:]]
        else:
            packets = pathlib.Path(sys.argv[3]).read_text()
            problems += [f'no trace has the packet {name}' for name in missing(packets, sys.argv[2], traces)]
        if not traces:
            raise SystemExit('check_corpus.py: no traces')
        for trace in traces:
            png = trace.with_suffix('.png')
            run = subprocess.run([sys.argv[2], '--validation', '--png', png, trace], capture_output=True, text=True)
            if run.returncode != 0 or run.stderr:
                problems.append(f'{trace.stem}: aerogpu-replay ended with {run.returncode}: {run.stderr.strip()}')
                continue
            wrong = difference(read_ppm(trace.with_suffix('.ppm')), read_png(png))
            if wrong:
                problems.append(f'{trace.stem}: {wrong}')
            else:
                good += 1
    for problem in problems:
        print(problem)
    print(f'{good} of {len(traces)} traces give the picture of their model')
    sys.exit(1 if problems else 0)


if __name__ == '__main__':
    main()
