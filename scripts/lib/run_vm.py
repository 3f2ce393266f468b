# SPDX-License-Identifier: MIT
"""Boots a virtual machine whose graphics card is aerogpu. Installs and builds what is missing first.

usage: scripts/run-vm [options] [DISK] [[--] QEMU-OPTIONS]

Without DISK a small Linux guest boots and shows an Aero-like desktop drawn by the device. With DISK (a Windows 7
image; raw, qcow2, vhd, vhdx, vdi, vmdk) the machine boots from it.

  --screenshot FILE   boot the demo, let it draw 120 frames, save the console as PNG, print the rate, end
  --display X         gtk, sdl, spice-app, vnc=..., none (default: VNC on 127.0.0.1, address printed)
  --mode WxH          size of the demo's desktop (default 1280x720)
  --demo WORDS        other tasks of the demo program: latency, selftest, frames=N (comma-separated)
  --renderer R        back end: value of the device's property renderer (-device aerogpu,help)
  --accel A           kvm or tcg (default: KVM if it boots a kernel here)
  --capture FILE      write a trace of everything submitted
  --no-driver-iso     with a DISK: do not build and attach the disc with the Windows driver
  --no-gpu            with a DISK: a standard VGA card in place of aerogpu, to see which of the two is at fault
  --install ISO       makes DISK and starts the set-up of Windows 7 from its installation disc
  --size N            with --install: the size of the disk, like 60G (default 40G); it grows as it is filled
  --bits B            with --install: refuse a disc whose Windows is not of 32 or 64 bits
  --no-setup          neither install nor build anything"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import uuid

import aerogpu_build
import windows_install
from aerogpu_build import BUILD, ROOT, Failure, ninja, say
from aerogpu_vm import LAUNCHER, VM, accelerator, die_with_parent, guest_arguments

SCREENSHOT_FRAME = 120
DRIVER_ISO = 'guest-drivers/package/aerogpu-win7.iso'
WITH_VALUE = ('screenshot', 'display', 'mode', 'demo', 'renderer', 'accel', 'capture', 'install', 'size', 'bits')


class Options:
    def __init__(self, arguments):
        self.disk = None
        self.qemu = []
        self.no_setup = False
        self.no_driver_iso = False
        self.no_gpu = False
        for name in WITH_VALUE:
            setattr(self, name, None)
        arguments = list(arguments)
        while arguments:
            argument = arguments.pop(0)
            name, equals, value = argument[2:].partition('=')
            if argument == '--':
                self.qemu, arguments = arguments, []
            elif argument in ('-h', '--help'):
                print(__doc__)
                sys.exit(0)
            elif argument in ('--no-setup', '--no-driver-iso', '--no-gpu'):
                setattr(self, argument[2:].replace('-', '_'), True)
            elif argument.startswith('--') and name in WITH_VALUE:
                if not equals:
                    if not arguments:
                        raise Failure('%s needs a value' % argument)
                    value = arguments.pop(0)
                setattr(self, name, value)
            elif argument.startswith('--'):
                raise Failure("unknown option '%s'; --help lists them, and QEMU's own go behind --" % argument)
            elif argument.startswith('-'):
                # QEMU's own options may follow the disk as they are.
                self.qemu, arguments = [argument] + arguments, []
                if self.qemu and '--' in self.qemu:
                    self.qemu.remove('--')
            elif self.disk is None:
                self.disk = argument
            else:
                raise Failure("one disk, please: '%s' and '%s'" % (self.disk, argument))
        if self.mode and not re.fullmatch(r'\d{3,4}x\d{3,4}', self.mode):
            raise Failure("'%s' is no mode; write it like 1280x720" % self.mode)
        if self.accel and self.accel not in ('kvm', 'tcg'):
            raise Failure("--accel is kvm or tcg, not '%s'" % self.accel)
        if self.screenshot and self.disk:
            raise Failure('--screenshot is for the demo guest; with a disk use the screendump command of QMP')
        if self.screenshot and self.demo:
            raise Failure('--screenshot draws the desktop; leave --demo away')
        if self.no_gpu and not self.disk:
            raise Failure('--no-gpu is for a disk: the demo guest draws with the device')
        if self.no_gpu and (self.renderer or self.capture or self.mode):
            raise Failure('--no-gpu has no device that --renderer, --capture and --mode could be for')
        if self.demo and re.search(r'\s', self.demo):
            raise Failure("--demo: '%s' has blanks in it; tasks are separated by commas" % self.demo)
        self.new_disk = None
        if self.install is not None:
            self.new_disk = windows_install.check(self.install, self.disk, self.size, self.bits)
        elif self.size or self.bits:
            raise Failure('--size and --bits are for --install')
        elif self.disk and not os.path.exists(self.disk):
            raise Failure("there is no disk '%s'" % self.disk)
        for name in ('screenshot', 'capture'):
            if getattr(self, name):
                check_writable('--' + name, getattr(self, name))


def check_writable(option, path):
    """Raises Failure if a file cannot be written, before minutes are spent on making it."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise Failure("%s: '%s' is a folder" % (option, path))
    if not os.path.isdir(folder):
        raise Failure("%s: there is no folder '%s'" % (option, folder))
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise Failure("%s: cannot write '%s'" % (option, path))


def run_script(name, *arguments):
    """Runs another script, which prints errors itself. It keeps our standard input, since its sudo may ask for a
    password."""
    if subprocess.run([os.path.join(ROOT, 'scripts', name), *arguments]).returncode != 0:
        raise Failure('scripts/%s failed' % name)


def check_display(wanted):
    """Raises Failure if QEMU lacks a display, and names the package to install: QEMU would say so late, without a
    remedy."""
    kind = wanted.partition(',')[0].partition('=')[0]
    known = subprocess.run(['qemu-system-x86_64', '-display', 'help'], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True).stdout.split('\n')
    if kind in known or kind == 'vnc':
        return
    if kind in ('gtk', 'sdl'):
        raise Failure("--display %s needs a package that is not installed: apt-get install qemu-system-gui" % kind)
    raise Failure("QEMU has no display '%s' here; it has vnc, %s" % (kind, ', '.join(filter(None, known[1:]))))


def prepare(options):
    """Installs and builds what the options need before QEMU can start."""
    if not options.no_setup:
        run_script('setup', '--run-only')
    if options.display:
        check_display(options.display)
    if options.no_gpu:
        if not options.no_setup and not options.no_driver_iso:
            aerogpu_build.ninja_optional(DRIVER_ISO)
        return
    if not options.no_setup:
        run_script('prepare-qemu')
        run_script('build-vgabios')
        aerogpu_build.configure()
        ninja('hw-aerogpu/aerogpu-qemu.so')
        if options.disk and not options.no_driver_iso:
            aerogpu_build.ninja_optional(DRIVER_ISO)
        if not options.disk:
            run_script('build-guest')
    module = os.path.join(BUILD, 'hw-aerogpu', 'aerogpu-qemu.so')
    if not os.path.exists(module):
        raise Failure('%s is missing (run without --no-setup)' % module)


def device_argument(options):
    words = ['aerogpu']
    if options.renderer:
        words.append('renderer=' + options.renderer)
    if options.capture:
        words.append('capture=' + os.path.abspath(options.capture).replace(',', ',,'))
    if options.mode:
        width, height = options.mode.split('x')
        words += ['xres=' + width, 'yres=' + height]
    return ','.join(words)


def free_vnc_display():
    """Returns the first free VNC display of 127.0.0.1; QEMU would end if the display's port were taken."""
    for display in range(100):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(('127.0.0.1', 5900 + display))
                return display
            except OSError:
                continue
    raise Failure('the ports 5900 to 5999 are all taken')


def display_argument(options):
    if options.display:
        return options.display, None
    display = free_vnc_display()
    return 'vnc=127.0.0.1:%d' % display, 'VNC: 127.0.0.1:%d (display :%d)' % (5900 + display, display)


def disk_arguments(path):
    """Returns QEMU arguments for an AHCI disk with the format that qemu-img finds. The format is named because QEMU,
    where it guesses raw itself, refuses writes to the first sector."""
    info = subprocess.run(['qemu-img', 'info', '-U', '--output=json', path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if info.returncode != 0:
        raise Failure(info.stderr.strip())
    kind = json.loads(info.stdout)['format']
    if not os.access(path, os.W_OK):
        raise Failure("the disk '%s' is not writable" % path)
    say('disk: %s (%s)' % (path, kind))
    return ['-drive', 'file=%s,format=%s,if=none,id=disk0' % (os.path.abspath(path).replace(',', ',,'), kind),
            '-device', 'ide-hd,drive=disk0,bus=ide.0,bootindex=1']


def windows_arguments(options, accel):
    cpus = str(max(1, min(4, (os.cpu_count() or 2) - 1)))
    arguments = ['-accel', accel, '-machine', 'q35', '-cpu', 'host' if accel == 'kvm' else 'max', '-smp',
                 cpus + ',sockets=1', '-m', '3072', '-rtc', 'base=localtime', '-nodefaults']
    arguments += disk_arguments(options.disk)
    # A stable machine identity: compiled pipelines are stored by it.
    arguments += ['-uuid', str(uuid.uuid5(uuid.NAMESPACE_URL, 'file://' + os.path.realpath(options.disk)))]
    arguments += ['-netdev', 'user,id=net0', '-device', 'e1000,netdev=net0', '-device', 'usb-ehci', '-device',
                  'usb-tablet', '-device', 'intel-hda']
    # Over VNC there is no sound; without an explicit back end QEMU tries every one on the host, with messages.
    if options.display in (None, 'none') or options.display.startswith('vnc'):
        arguments += ['-audiodev', 'none,id=audio0', '-device', 'hda-duplex,audiodev=audio0']
    else:
        arguments += ['-device', 'hda-duplex']
    iso = os.path.join(BUILD, DRIVER_ISO)
    if os.path.exists(iso) and not options.no_driver_iso:
        arguments += ['-drive', 'file=%s,format=raw,if=none,id=drivers,media=cdrom,readonly=on' % iso.replace(',', ',,'),
                      '-device', 'ide-cd,drive=drivers,bus=ide.1']
        if options.no_gpu:
            say('the disc of the drivers is in the CD drive AEROGPU')
        elif not options.install:
            say('in the guest: run install.cmd on the CD drive AEROGPU as administrator, then restart Windows')
    else:
        missing = '--no-driver-iso' if options.no_driver_iso else 'it is not built: ninja -C build win7-package'
        say('no disc with our drivers is attached (%s): Windows uses its VGA driver' % missing)
    if options.install:
        arguments += windows_install.arguments(options.install)
        windows_install.say_steps(options.new_disk[0], options.disk, accel)
    return arguments


def interactive(options, arguments, serial):
    """Runs QEMU in the foreground; Ctrl-C ends it."""
    display, address = display_argument(options)
    if options.no_gpu:
        command = ['qemu-system-x86_64', '-display', display, '-device', 'VGA'] + arguments
    else:
        command = [LAUNCHER, '-display', display, '-device', device_argument(options)] + arguments
    command += ['-serial', 'stdio' if serial else 'null', '-monitor', 'none'] + options.qemu
    if address:
        print(address, flush=True)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL if serial else None, preexec_fn=die_with_parent,
                               env=dict(os.environ, AEROGPU_BUILD_DIR=BUILD))
    try:
        return process.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def screenshot(options, accel):
    words = 'desktop,frames=%d' % (SCREENSHOT_FRAME + 600)
    if options.mode:
        words += ',mode=' + options.mode
    arguments = guest_arguments(accel, words) + ['-device', device_argument(options)] + options.qemu
    with VM(arguments, environment={'AEROGPU_BUILD_DIR': BUILD}) as vm:
        say('booting the demo guest (%s)' % accel)
        mode = vm.wait_serial(r'^aerogpu-demo: mode (\d+)x(\d+)\n', 120)
        say('the guest runs at %sx%s' % mode.groups())
        line = vm.wait_serial(r'^aerogpu-demo: frame %d\b.*\n' % SCREENSHOT_FRAME, 180).group(0).strip()
        # A program that waits for the file finds a whole picture or none.
        unfinished = options.screenshot + '.part'
        try:
            vm.screendump(unfinished)
            os.replace(unfinished, options.screenshot)
        finally:
            if os.path.exists(unfinished):
                os.unlink(unfinished)
        print(line[len('aerogpu-demo: '):])
        rate = re.search(r'fps ([\d.]+)', line)
        print('frame rate: %s frames a second' % (rate.group(1) if rate else 'unknown'))
        print('picture: %s' % options.screenshot)
    return 0


def tasks(options, accel):
    """Runs the tasks of --demo: prints the demo program's lines; returns 0 if it succeeded, else 1."""
    words = options.demo + (',mode=' + options.mode if options.mode else '')
    arguments = guest_arguments(accel, words) + ['-device', device_argument(options)] + options.qemu
    with VM(arguments, environment={'AEROGPU_BUILD_DIR': BUILD}) as vm:
        verdict, failure = None, None
        try:
            verdict = vm.wait_serial(r'^aerogpu-demo: (done|failed)', 600)
        except Failure as error:
            failure = error
        for line in vm.serial_text.splitlines():
            if line.startswith('aerogpu-demo: '):
                print(line)
        if failure:
            raise failure
        vm.wait(30)
    return 0 if verdict.group(1) == 'done' else 1


def terminated(*unused):
    sys.exit(128 + signal.SIGTERM)  # so that the VM is stopped on the way out


def main():
    signal.signal(signal.SIGTERM, terminated)
    options = Options(sys.argv[1:])
    prepare(options)
    if options.accel:
        accel = options.accel
    else:
        if options.disk and not options.no_setup and os.access('/dev/kvm', os.R_OK | os.W_OK):
            run_script('build-guest')  # what is booted to try KVM
        accel = accelerator()
    if options.install:
        windows, size, kind = options.new_disk
        say('disc: %s' % windows)
        windows_install.make_disk(options.disk, size, kind)
    if options.disk:
        return interactive(options, windows_arguments(options, accel), serial=False)
    if options.screenshot:
        return screenshot(options, accel)
    if options.demo:
        return tasks(options, accel)
    words = 'desktop' + (',mode=' + options.mode if options.mode else '')
    say('booting the demo guest (%s); Ctrl-C ends it' % accel)
    return interactive(options, guest_arguments(accel, words), serial=True)


if __name__ == '__main__':
    try:
        sys.exit(main())
    except Failure as failure:
        print('run-vm: error: %s' % failure, file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
