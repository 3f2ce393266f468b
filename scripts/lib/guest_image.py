# SPDX-License-Identifier: MIT
"""Makes what the small Linux guests (demo, driver host, session) boot: in build/guest the kernel and two modules of
Debian's kernel package; an initramfs whose process 1 is one of our static programs."""
import glob
import io
import os
import re
import shutil
import stat
import subprocess
import tarfile

from aerogpu_build import BUILD, Failure, run_logged, say

GUEST = os.path.join(BUILD, 'guest')
MODULES = ['uio.ko', 'uio_pci_generic.ko']  # in load order


def _kernel_package():
    """Returns the name of the kernel package that linux-image-amd64 depends on."""
    text = subprocess.run(['apt-cache', 'depends', 'linux-image-amd64'], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    found = re.search(r'Depends: (linux-image-\S+-amd64)', text)
    if not found:
        raise Failure('apt knows no linux-image-amd64 package (run apt-get update)')
    return found.group(1)


def _installed_kernel():
    """Returns (vmlinuz, module folder) of the installed Debian kernel that sorts last and can be read, or None."""
    for image in sorted(glob.glob('/boot/vmlinuz-*-amd64'), reverse=True):
        folder = '/lib/modules/%s/kernel/drivers/uio' % os.path.basename(image)[len('vmlinuz-'):]
        if os.access(image, os.R_OK) and all(os.access(os.path.join(folder, m), os.R_OK) for m in MODULES):
            return image, folder
    return None


def take_kernel():
    """Puts vmlinuz and the modules into build/guest if they are missing: from an installed kernel, else downloaded."""
    wanted = [os.path.join(GUEST, 'vmlinuz')] + [os.path.join(GUEST, 'modules', m) for m in MODULES]
    if all(os.path.exists(path) for path in wanted):
        return
    os.makedirs(os.path.join(GUEST, 'modules'), exist_ok=True)
    found = _installed_kernel()
    if found:
        say('guest kernel: %s' % found[0])
        for module in MODULES:
            shutil.copy(os.path.join(found[1], module), os.path.join(GUEST, 'modules', module))
        shutil.copy(found[0], wanted[0] + '.new')
    else:
        package = _kernel_package()
        packages = glob.glob(os.path.join(GUEST, package + '_*.deb'))
        if not packages:
            run_logged('downloading the guest kernel, %s (70 MB)' % package,
                       os.path.join(BUILD, 'logs', 'guest-kernel.log'), ['apt-get', 'download', package], cwd=GUEST)
            packages = glob.glob(os.path.join(GUEST, package + '_*.deb'))
        if not packages:
            raise Failure('apt-get download %s left no package' % package)
        say('unpacking %s' % os.path.basename(packages[0]))
        _extract(packages[0], wanted[0] + '.new')
        for path in packages:
            os.unlink(path)
    os.rename(wanted[0] + '.new', wanted[0])


def _extract(package, image):
    left = {'vmlinuz', *MODULES}
    with subprocess.Popen(['dpkg-deb', '--fsys-tarfile', package], stdout=subprocess.PIPE) as process:
        with tarfile.open(fileobj=process.stdout, mode='r|') as tar:
            for member in tar:
                name = os.path.basename(member.name)
                if not member.isreg():
                    continue
                if member.name.startswith('./boot/vmlinuz-'):
                    path, key = image, 'vmlinuz'
                elif name in MODULES and '/drivers/uio/' in member.name:
                    path, key = os.path.join(GUEST, 'modules', name), name
                else:
                    continue
                with open(path, 'wb') as out:
                    shutil.copyfileobj(tar.extractfile(member), out)
                left.discard(key)
    if left:
        raise Failure('%s has no %s' % (os.path.basename(package), ', '.join(sorted(left))))


class Cpio:
    """Writer of "newc" archives, which the kernel unpacks (Documentation/driver-api/early-userspace/buffer-format.rst).
    It can write device nodes without being root."""

    def __init__(self):
        self.out = io.BytesIO()
        self.inode = 0

    def add(self, name, mode, data=b'', major=0, minor=0):
        self.inode += 1
        encoded = name.encode() + b'\0'
        fields = [self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, major, minor, len(encoded), 0]
        self.out.write(b'070701' + b''.join(b'%08X' % field for field in fields) + encoded)
        self.pad()
        self.out.write(data)
        self.pad()

    def pad(self):
        self.out.write(b'\0' * (-self.out.tell() % 4))

    def bytes(self):
        self.add('TRAILER!!!', 0)
        return self.out.getvalue()


def module_paths():
    return [os.path.join(GUEST, 'modules', module) for module in MODULES]


def _folders_of(files):
    """Returns the folders of write_initramfs()'s `files`, outer ones first."""
    folders = set()
    for name, _ in files:
        while os.path.dirname(name):
            name = os.path.dirname(name)
            folders.add(name)
    return sorted(folders)


def write_initramfs(target, program, files=()):
    """Writes an initramfs: `program`, stripped, as /init; the modules and their load order; `files`, pairs of a name in
    the archive and a path. take_kernel() must have run. `target` appears only when it is complete."""
    cpio = Cpio()
    for folder in ('dev', 'proc', 'sys', 'modules', *_folders_of(files)):
        cpio.add(folder, stat.S_IFDIR | 0o755)
    cpio.add('dev/console', stat.S_IFCHR | 0o600, major=5, minor=1)
    for path in module_paths():
        cpio.add('modules/' + os.path.basename(path), stat.S_IFREG | 0o644, _read(path))
    cpio.add('modules/order', stat.S_IFREG | 0o644, ('\n'.join(MODULES) + '\n').encode())
    stripped = target + '.init'
    result = subprocess.run(['strip', '-o', stripped, program], stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise Failure('strip: ' + result.stderr.strip())
    cpio.add('init', stat.S_IFREG | 0o755, _read(stripped))
    os.unlink(stripped)
    for name, path in files:
        cpio.add(name, stat.S_IFREG | (0o755 if os.access(path, os.X_OK) else 0o644), _read(path))
    with open(target + '.new', 'wb') as file:
        file.write(cpio.bytes())
    os.rename(target + '.new', target)


def _read(path):
    with open(path, 'rb') as file:
        return file.read()
