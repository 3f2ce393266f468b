# SPDX-License-Identifier: MIT
"""Parts of run-vm --install: checks before anything is written, makes the disk, tells the user the steps."""
import os
import re
import shutil
import subprocess

import windows_disc
from aerogpu_build import Failure, say

GIB = 1 << 30
# Microsoft's requirement of free disk space ("Windows 7 system requirements").
NEEDED = {32: 16 * GIB, 64: 20 * GIB}
DEFAULT_SIZE = 40 * GIB
MOST_SIZE = 2048 * GIB  # beyond it a BIOS cannot boot Windows 7
FORMATS = {'.qcow2': 'qcow2', '.raw': 'raw', '.img': 'raw', '.vhd': 'vpc', '.vhdx': 'vhdx', '.vdi': 'vdi', '.vmdk': 'vmdk'}


def size_in_bytes(text):
    """Returns the bytes of a size like "40G" or "1T"."""
    found = re.fullmatch(r'([1-9]\d{0,3})([GT])', text, re.I)
    if not found:
        raise Failure("--size: '%s' is no size; write it like 40G" % text)
    return int(found.group(1)) * GIB * (1024 if found.group(2) in 'tT' else 1)


def check(iso, disk, size=None, bits=None):
    """Checks that an installation can work; Failure if not. Returns the Windows on the disc, and the size in bytes and
    the format of the disk to make. Writes nothing."""
    if not os.path.exists(iso):
        raise Failure("--install: there is no file '%s'" % iso)
    if os.path.isdir(iso):
        raise Failure("--install: '%s' is a folder, not the image of a disc" % iso)
    if bits not in (None, '32', '64'):
        raise Failure("--bits is 32 or 64, not '%s'" % bits)
    if disk is None:
        raise Failure('--install needs the name of a disk to make: run-vm --install %s windows7.qcow2' % iso)
    windows = windows_disc.look(iso)
    if bits and int(bits) not in windows.bits:
        raise Failure("'%s' has %s, and --bits asks for %s" % (iso, windows, bits))
    if os.path.lexists(disk):
        raise Failure("the disk '%s' exists; to go on with a set-up on it: scripts/run-vm %s -- -cdrom %s" % (disk, disk, iso))
    ending = os.path.splitext(disk)[1].lower()
    if ending not in FORMATS:
        raise Failure("'%s': the name of a disk ends in %s" % (disk, ', '.join(FORMATS)))
    folder = os.path.dirname(os.path.abspath(disk))
    if not os.path.isdir(folder):
        raise Failure("there is no folder '%s' for the disk" % folder)
    if not os.access(folder, os.W_OK):
        raise Failure("cannot write to the folder '%s'" % folder)
    wanted = size_in_bytes(size) if size else DEFAULT_SIZE
    needed = NEEDED[int(bits)] if bits else max(NEEDED[one] for one in windows.bits)
    if wanted < needed:
        raise Failure('--size %s is too little: %s needs %d GiB' % (size, windows, needed // GIB))
    if wanted > MOST_SIZE:
        raise Failure('--size %s is too much: Windows 7 boots from %d GiB at most' % (size, MOST_SIZE // GIB))
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise Failure("'%s' has %.1f GiB left, and %s needs %d" % (folder, free / GIB, windows, needed // GIB))
    return windows, wanted, FORMATS[ending]


def make_disk(disk, size, kind):
    """Makes the disk; Failure if a file of that name exists."""
    if not shutil.which('qemu-img'):
        raise Failure('qemu-img is not installed: apt-get install qemu-utils')
    try:
        with open(disk, 'xb'):
            pass
    except OSError as error:
        raise Failure("cannot make the disk '%s': %s" % (disk, error.strerror)) from None
    done = subprocess.run(['qemu-img', 'create', '-q', '-f', kind, os.path.abspath(disk), str(size)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        os.unlink(disk)
        raise Failure('qemu-img: ' + done.stdout.strip())
    say('made the disk %s (%s, up to %d GiB)' % (disk, kind, size // GIB))


def arguments(iso):
    """Returns QEMU arguments for the disc. It boots after the disk, so only as long as the disk is empty."""
    return ['-drive', 'file=%s,format=raw,if=none,id=setup,media=cdrom,readonly=on' % os.path.abspath(iso).replace(',', ',,'),
            '-device', 'ide-cd,drive=setup,bus=ide.2,bootindex=2']


def say_steps(windows, disk, accel):
    """Prints the steps of the installation for the user."""
    slow = '' if accel == 'kvm' else ', hours without KVM'
    say('the set-up of %s starts; its first screen comes after some minutes%s' % (windows, slow))
    say('1. choose language, edition and the empty disk; copying takes 15 minutes or more%s, with two restarts' % slow)
    say('2. name user and computer, and wait for the desktop (VGA until the driver is there)')
    say('3. with the disc of the drivers in the CD drive AEROGPU: run its install.cmd as administrator, then restart Windows')
    if not windows.service_pack:
        say('   before that: Service Pack 1, which this disc lacks and the drivers need')
    say('4. from then on: scripts/run-vm %s' % disk)
