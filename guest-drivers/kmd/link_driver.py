#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Links a driver and makes its PDB independent of the folder that it was built in.

usage: link_driver.py FILE.pdb LINKER ARGUMENTS...

GNU ld writes the whole path of each object file into the DBI stream, its working folder into the linker's module, and
the time. This keeps only the files' names, and removes folder and time. Layout: LLVM's pages "The MSF File Format" and
"The PDB DBI (Debug Info) Stream". No other stream refers to offsets in the DBI stream."""
import struct
import subprocess
import sys

MAGIC = b'Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0'
INFO, DBI = 1, 3  # numbers of streams
DBI_HEADER = 64
MODULE = 64  # bytes of a module record before its names
S_ENVBLOCK = 0x113d
DELETED = 0xffffffff  # size of a stream that does not exist


def read_streams(data):
    """Returns the block size, and the bytes of each stream (None for a deleted one)."""
    if data[:32] != MAGIC:
        raise ValueError('no MSF file')
    size, _, _, directory_bytes, _, map_block = struct.unpack_from('<6I', data, 32)
    blocks = lambda count: -(-count // size)
    gather = lambda numbers, count: b''.join(data[n * size:(n + 1) * size] for n in numbers)[:count]
    numbers = struct.unpack_from('<%dI' % blocks(directory_bytes), data, map_block * size)
    words = struct.unpack('<%dI' % (directory_bytes // 4), gather(numbers, directory_bytes))
    sizes, at, streams = words[1:1 + words[0]], 1 + words[0], []
    for count in sizes:
        used = 0 if count == DELETED else blocks(count)
        streams.append(None if count == DELETED else gather(words[at:at + used], count))
        at += used
    return size, streams


def write_streams(size, streams):
    """Returns the file's bytes: superblock, both free block maps, the streams in order, the directory, its map."""
    content, lists, following = [], [], 3
    blocks = lambda count: -(-count // size)

    def put(stream):
        nonlocal following
        numbers = []
        for _ in range(blocks(len(stream))):
            # Blocks 1 and 2 of each interval of `size` blocks are free block maps.
            while following % size in (1, 2):
                content.append(b'\xff' * size)
                following += 1
            numbers.append(following)
            at = (len(numbers) - 1) * size
            content.append(stream[at:at + size].ljust(size, b'\0'))
            following += 1
        return numbers

    for stream in streams:
        lists.append(put(stream or b''))
    words = [len(streams)] + [DELETED if stream is None else len(stream) for stream in streams]
    directory = struct.pack('<%dI' % len(words), *words)
    directory += b''.join(struct.pack('<%dI' % len(numbers), *numbers) for numbers in lists)
    numbers = put(directory)
    map_block = put(struct.pack('<%dI' % len(numbers), *numbers))[0]
    if len(numbers) * 4 > size:
        raise ValueError('a directory of %d bytes' % len(directory))
    head = MAGIC + struct.pack('<6I', size, 1, following, len(directory), 0, map_block)
    # A bit that is set is a free block; none is.
    free = bytearray(b'\xff' * size)
    for block in range(min(following, size * 8)):
        free[block // 8] &= ~(1 << block % 8)
    return head.ljust(size, b'\0') + bytes(free) + bytes(free) + b''.join(content)


def without_environment(symbols, symbol_bytes):
    """Removes S_ENVBLOCK, which holds the folder, from the stream of the linker's module; returns the new stream, and
    the new number of bytes of symbols."""
    at, out = 4, [symbols[:4]]  # after the signature
    while at + 4 <= symbol_bytes:
        length, kind = struct.unpack_from('<HH', symbols, at)
        if kind != S_ENVBLOCK:
            out.append(symbols[at:at + 2 + length])
        at += 2 + length
    kept = b''.join(out)
    return kept + symbols[symbol_bytes:], len(kept)


def without_folders(streams):
    """Replaces the paths of object files by their names."""
    dbi = streams[DBI]
    module_bytes = struct.unpack_from('<I', dbi, 24)[0]
    modules, at, out = dbi[DBI_HEADER:DBI_HEADER + module_bytes], 0, []
    while at + MODULE < len(modules):
        record = bytearray(modules[at:at + MODULE])
        first = modules.index(b'\0', at + MODULE)
        second = modules.index(b'\0', first + 1)
        names = [modules[at + MODULE:first].rpartition(b'/')[2], modules[first + 1:second].rpartition(b'/')[2]]
        stream, symbol_bytes = struct.unpack_from('<HI', record, 34)
        if names[0] == b'* Linker *':
            streams[stream], symbol_bytes = without_environment(streams[stream], symbol_bytes)
            struct.pack_into('<I', record, 36, symbol_bytes)
        record += b''.join(name + b'\0' for name in names)
        out.append(bytes(record) + bytes(-len(record) % 4))
        at = (second + 1 + 3) & ~3
    changed = b''.join(out)
    header = bytearray(dbi[:DBI_HEADER])
    struct.pack_into('<I', header, 24, len(changed))
    streams[DBI] = bytes(header) + changed + dbi[DBI_HEADER + module_bytes:]


def main():
    pdb, *command = sys.argv[1:]
    code = subprocess.run(command, check=False).returncode
    if code:
        return code
    with open(pdb, 'rb') as file:
        size, streams = read_streams(file.read())
    without_folders(streams)
    # GNU ld puts the time here; debuggers identify the file by the GUID after it, which is the build id.
    streams[INFO] = streams[INFO][:4] + streams[INFO][12:16] + streams[INFO][8:]
    with open(pdb, 'wb') as file:
        file.write(write_streams(size, streams))
    return 0


if __name__ == '__main__':
    sys.exit(main())
