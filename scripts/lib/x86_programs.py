#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tells whether this kernel runs programs for x86, which some virtual machines' kernels refuse, and runs them.

usage: x86_programs.py                exits with 0 if it does, else with 1 and a line that says why
       x86_programs.py run COMMAND...   becomes the command, which needs that, or says that it is skipped and exits
                                        with 77"""
import os, struct, sys, tempfile

# The least program for x86: a header, one segment, exit(0).
CODE = bytes((0x31, 0xDB, 0x8D, 0x43, 0x01, 0xCD, 0x80))  # xor ebx, ebx; lea eax, [ebx + 1]; int 0x80
BASE, HEADERS = 0x08048000, 52 + 32


def program():
    """Returns the bytes of an ELF file for x86 (Tool Interface Standard, ELF 1.2) that ends with 0."""
    size = HEADERS + len(CODE)
    header = struct.pack('<4s5B7xHHIIIIIHHHHHH', b'\x7fELF', 1, 1, 1, 0, 0, 2, 3, 1, BASE + HEADERS, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    segment = struct.pack('<8I', 1, 0, BASE, BASE, size, size, 5, 0x1000)
    return header + segment + CODE


def why_not():
    """Returns why this kernel does not run programs for x86; an empty text if it does."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'x86')
        with open(path, 'wb') as file:
            file.write(program())
        os.chmod(path, 0o700)
        try:
            status = os.spawnv(os.P_WAIT, path, [path])
        except OSError as error:
            return 'a program for x86 cannot be tried here: %s' % error.strerror
    # The child of spawnv() ends with 127 if the kernel refuses the file.
    return '' if status == 0 else 'this kernel runs no programs for x86'


def main(arguments):
    if arguments and (arguments[0] != 'run' or len(arguments) == 1):
        print(__doc__, file=sys.stderr)
        return 2
    reason = why_not()
    if not arguments:
        if reason:
            print(reason)
        return 1 if reason else 0
    if reason:
        print('# SKIP %s: %s' % (os.path.basename(arguments[1]), reason))
        return 77
    os.execv(arguments[1], arguments[1:])


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
