#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Installs the Debian packages in a bare Debian and boots the demo guest with what they installed; then removes them.

usage: packages_test.py [--keep] FOLDER-OF-PACKAGES CHROOT

CHROOT is made with debootstrap if it is missing (minbase of the machine's release and sources), and is removed
afterwards unless --keep is given. scripts/run-long-tests packages calls this; it needs root and the network. For
packages of a backported QEMU that QEMU is installed from the backports suite.

Everything runs in separate mount and process name spaces, so its mounts are not seen outside. /dev has only what
debootstrap makes, so KVM is not used."""
import glob
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'scripts', 'lib'))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'tests-qtest', 'vm'))
from aerogpu_build import Failure, say  # noqa: E402
from aerogpu_vm import GUEST, VM, guest_arguments  # noqa: E402
from png import Picture  # noqa: E402

COMMAND = 'qemu-system-x86_64-aerogpu'
PACKAGES = ('aerogpu-qemu', 'aerogpu-tools', 'aerogpu-windows-drivers', 'aerogpu-doc')
DEVICE = '/machine/peripheral/video0'
# As libvirt 9 writes them for <video><model type='vga'/> and by default.
VIDEO = '{"driver":"VGA","id":"video0","vgamem_mb":16,"bus":"pcie.0","addr":"0x1"}'
SANDBOX = 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'
# The files that every installation of any package leaves: caches, lists, logs, the states of dpkg and apt.
NOT_LOOKED_AT = ('proc', 'sys', 'dev', 'tmp', 'run', 'packages', 'var/cache', 'var/log', 'var/lib/apt', 'var/lib/dpkg')


def expect(condition, what):
    if not condition:
        raise Failure('expected: ' + what)


class Chroot:
    def __init__(self, root):
        self.root = os.path.abspath(root)

    def command(self, *words, user=None):
        """Returns the command line that runs `words` in the chroot as `user` (default: root), and kills it if its
        parent ends."""
        inside = ['setpriv', '--reuid=' + user, '--regid=' + user, '--init-groups', '--no-new-privs'] if user else []
        return ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc=' + self.root + '/proc', 'env', '-i',
                'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'LC_ALL=C.UTF-8', 'DEBIAN_FRONTEND=noninteractive', 'TERM=dumb',
                'HOME=' + ('/home/' + user if user else '/root'), 'chroot', self.root, *inside, *words]

    def run(self, *words, user=None, timeout=900):
        """Runs a command in the chroot, which must succeed; returns its output."""
        done = subprocess.run(self.command(*words, user=user), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors='replace', timeout=timeout, check=False)
        expect(done.returncode == 0, '%s to succeed:\n%s' % (' '.join(words), done.stdout[-4000:]))
        return done.stdout

    def make(self):
        if os.path.exists(os.path.join(self.root, 'usr/bin/dpkg')):
            return
        release = dict(line.rstrip().split('=', 1) for line in open('/etc/os-release') if '=' in line)
        suite = release['VERSION_CODENAME']
        uris = subprocess.run(['apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Codename: ' + suite, 'Created-By: Packages'],
                              stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        expect(uris, 'a source of %s among the machine\'s' % suite)
        say('debootstrap: %s from %s' % (suite, uris[0]))
        done = subprocess.run(['debootstrap', '--variant=minbase', suite, self.root, uris[0]], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=900, check=False)
        expect(done.returncode == 0, 'debootstrap to succeed:\n' + done.stdout[-2000:])

    def files(self):
        found = set()
        for folder, names, files in os.walk(self.root):
            inside = os.path.relpath(folder, self.root)
            names[:] = [name for name in names if os.path.normpath(os.path.join(inside, name)) not in NOT_LOOKED_AT]
            found.update(os.path.normpath(os.path.join('/', inside, name)) for name in names + files)
        return found

    def add_suite(self, suite):
        with open(os.path.join(self.root, 'etc/apt/sources.list')) as file:
            words = next(line for line in file if line.startswith('deb ')).split()
        with open(os.path.join(self.root, 'etc/apt/sources.list.d/backports.list'), 'w') as file:
            file.write('deb %s %s main\n' % (words[1], suite))


def install(chroot, debs):
    os.makedirs(os.path.join(chroot.root, 'packages'), exist_ok=True)
    for deb in debs:
        shutil.copy(deb, os.path.join(chroot.root, 'packages'))
        scripts = subprocess.run(['dpkg-deb', '--ctrl-tarfile', deb], stdout=subprocess.PIPE, check=True).stdout
        for script in (b'preinst', b'postinst', b'prerm', b'postrm'):
            expect(b'./' + script + b'\0' not in scripts, '%s to have no %s' % (deb, script.decode()))
    inside = ['/packages/' + os.path.basename(deb) for deb in debs]
    say('installing %s' % ' '.join(os.path.basename(deb) for deb in debs))
    chroot.run('apt-get', 'update')
    # Installs what any machine with QEMU has; later packages are ours alone. The recommended Vulkan drivers come with
    # it.
    wanted = 'qemu-system-x86'
    if '+qemu7' not in debs[0]:
        release = chroot.run('sh', '-c', '. /etc/os-release; echo $VERSION_CODENAME').strip()
        chroot.add_suite(release + '-backports')
        chroot.run('apt-get', 'update')
        chroot.run('apt-get', 'install', '-y', '--no-install-recommends', '-t', release + '-backports', wanted)
    text = chroot.run('apt-get', 'install', '-y', '--no-install-recommends', *inside, 'mesa-vulkan-drivers')
    expect('unpacked as root' not in text, 'nothing to go wrong while installing')
    return inside


def boot(chroot, user, extra, what):
    """Boots the demo guest as `user` and checks its picture. Returns the seconds until frame 120."""
    arguments = guest_arguments('tcg', 'desktop,frames=2000')
    for option in ('-kernel', '-initrd'):
        at = arguments.index(option) + 1
        shutil.copy(arguments[at], os.path.join(chroot.root, 'tmp'))
        arguments[at] = '/tmp/' + os.path.basename(arguments[at])
    vm = VM(arguments + ['-device', VIDEO, *extra], launcher=chroot.command(COMMAND, user=user))
    # The folder of its sockets, by the same name outside and inside.
    inside = chroot.root + vm.folder
    os.rmdir(vm.folder)
    os.makedirs(inside)
    os.chmod(inside, 0o777)
    os.symlink(inside, vm.folder)
    began = time.monotonic()
    try:
        vm.start()
        vm.wait_serial(r'^aerogpu-demo: frame 120\b', 300)
        seconds = time.monotonic() - began
        vm.screendump(vm.folder + '/screen.png')
        picture = Picture(inside + '/screen.png')
        expect((picture.width, picture.height) == (1280, 720), '%s: a picture of 1280x720' % what)
        red, green, blue = picture.at(584, 56)
        expect(red > green + 50 and red > blue + 50, '%s: the red close button of the first window' % what)
        expect(all(b > r and b > 20 for r, _, b in picture.region(4, 600, 60, 60, 4)), '%s: the blue wallpaper' % what)
        expect(vm.qmp('qom-get', path=DEVICE, property='type') == 'aerogpu', '%s: an aerogpu' % what)
        expect(vm.qmp('qom-get', path=DEVICE, property='backend') == 'vulkan', '%s: Vulkan' % what)
        expect(vm.qmp('qom-get', path=DEVICE, property='errors') == 0, '%s: no errors' % what)
    finally:
        vm.stop()
        if os.path.islink(vm.folder):
            os.unlink(vm.folder)
        shutil.rmtree(inside, ignore_errors=True)
    return seconds


def check_apparmor(chroot):
    """Compiles, but does not load, libvirt's AppArmor profile of a virtual machine with our rules
    (docs/use/libvirt.md)."""
    chroot.run('apt-get', 'install', '-y', '--no-install-recommends', 'apparmor')
    chroot.run('sh', '-c', 'mkdir /tmp/libvirt && cd /tmp/libvirt && apt-get download libvirt-daemon-system && '
               'dpkg-deb -x libvirt-daemon-system_*.deb .')
    profiles = '/tmp/libvirt/etc/apparmor.d'
    os.makedirs(chroot.root + profiles + '/local/abstractions', exist_ok=True)
    with open(chroot.root + profiles + '/local/abstractions/libvirt-qemu', 'w') as file:
        file.write('include if exists <abstractions/aerogpu>\n')
    with open(chroot.root + profiles + '/libvirt/TEMPLATE.qemu') as template, open(chroot.root + '/tmp/profile', 'w') as profile:
        profile.write(template.read().replace('LIBVIRT_TEMPLATE', 'libvirt-00000000-0000-0000-0000-000000000000'))
    parser = ['apparmor_parser', '--skip-kernel-load', '--skip-cache', '--base', '/etc/apparmor.d', '--Include', profiles]
    chroot.run(*parser, '/tmp/profile')
    rules = chroot.run(*parser, '--preprocess', '/tmp/profile')
    expect('/usr/bin/%s rix,' % COMMAND in rules, "our rules to be in libvirt's profile")


def check(chroot, folder):
    debs = []
    for package in PACKAGES:
        found = glob.glob(os.path.join(folder, package + '_*.deb'))
        expect(len(found) == 1, 'one package %s in %s' % (package, folder))
        debs += found
    chroot.make()
    inside = install(chroot, debs)
    version = chroot.run('dpkg-query', '-W', '-f=${Version}', 'qemu-system-x86')
    say('the demo guest with QEMU %s' % version)

    chroot.run('useradd', '--create-home', 'somebody')
    seconds = boot(chroot, 'somebody', [], 'an ordinary user')
    say('an ordinary user: the picture is right, frame 120 after %d s' % seconds)
    chroot.run('useradd', '--system', '--create-home', 'libvirt-qemu')
    seconds = boot(chroot, 'libvirt-qemu', ['-sandbox', SANDBOX, '-name', 'guest=win7,debug-threads=on', '-nodefaults',
                                            '-msg', 'timestamp=on'], "libvirt's user and sandbox")
    say("libvirt's user and sandbox: the picture is right, frame 120 after %d s" % seconds)

    translated = chroot.run('aerogpu-replay', '--version').strip()
    say(translated)
    upstream = os.path.basename(debs[0]).split('_')[1].split('+')[0]
    expect(translated == 'aerogpu-replay ' + upstream, 'version %s' % upstream)
    disc = os.path.join(chroot.root, 'usr/share/aerogpu/aerogpu-win7.iso')
    with open(disc, 'rb') as file:
        file.seek(32769)
        expect(file.read(5) == b'CD001', 'the disc to be an ISO image')

    check_apparmor(chroot)
    say("AppArmor's compiler takes libvirt's profile with the rules of the packages")

    # Each package is removed alone, so that a missing file must have been its own; twice, to see what `remove`
    # leaves.
    theirs = {path for package in PACKAGES for path in chroot.run('dpkg', '-L', package).split('\n') if path}
    before = chroot.files()
    chroot.run('apt-get', 'remove', '-y', *PACKAGES)
    chroot.run('apt-get', 'install', '-y', '--no-install-recommends', *inside)
    chroot.run('apt-get', 'remove', '-y', *PACKAGES)
    chroot.run('apt-get', 'purge', '-y', *PACKAGES)
    after = chroot.files()
    expect(not after - before, 'nothing new after the removal: %s' % sorted(after - before))
    expect(before - after <= theirs, 'nothing of others to be removed: %s' % sorted(before - after - theirs))
    left = sorted(path for path in after if 'aerogpu' in path and not path.startswith('/home/'))
    expect(not left, 'nothing left: %s' % ' '.join(left))
    expect(not chroot.run('sh', '-c', 'dpkg -l | grep aerogpu || true'), 'dpkg to know nothing of it')
    own = sorted(path for path in after if 'aerogpu' in path)
    say("removed and purged; left are the users' own: %s" % ' '.join(own))


def main():
    arguments = [word for word in sys.argv[1:] if word != '--keep']
    if len(arguments) != 2 or arguments[0].startswith('-'):
        sys.exit(__doc__)
    chroot = Chroot(arguments[1])
    try:
        if os.geteuid():
            raise Failure('only root can make a bare Debian')
        for tool in ('debootstrap', 'unshare'):
            if not shutil.which(tool):
                raise Failure('%s is missing (docs/develop/dependencies.md, optional)' % tool)
        if not os.path.exists(os.path.join(GUEST, 'vmlinuz')):
            raise Failure('the demo guest is not built (scripts/build-guest)')
        check(chroot, arguments[0])
    except Failure as failure:
        print('packages_test: error: %s' % failure, file=sys.stderr)
        return 1
    finally:
        if '--keep' not in sys.argv:
            shutil.rmtree(chroot.root, ignore_errors=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
