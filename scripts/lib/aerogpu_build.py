# SPDX-License-Identifier: MIT
# Where the project lies, progress lines, and building targets on demand. For the Python scripts and the VM tests.
import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get('AEROGPU_BUILD_DIR') or os.path.join(ROOT, 'build'))
# Progress lines count from the start of the first script, not of the one that it calls (lib/common.sh).
_BEGIN = int(os.environ.setdefault('AEROGPU_BEGAN', str(int(time.time()))))


class Failure(Exception):
    """Something the user has to know; the text is the whole message."""


def say(text):
    """One progress line, with the seconds since the script began."""
    print('[%4ds] %s' % (time.time() - _BEGIN, text), file=sys.stderr, flush=True)


def run_logged(title, log, command, **kwargs):
    """Runs a long command with its output in a file; a line every 15 s, the file's end on failure."""
    os.makedirs(os.path.dirname(log), exist_ok=True)
    say(title)
    with open(log, 'wb') as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, **kwargs)
        begin = time.monotonic()
        while True:
            try:
                code = process.wait(15)
                break
            except subprocess.TimeoutExpired:
                say('  ... %s: %d s, %s' % (title, time.monotonic() - begin, _last_line(log)))
    if code != 0:
        with open(log, errors='replace') as text:
            sys.stderr.write(''.join(text.readlines()[-40:]))
        if shutil.disk_usage(os.path.dirname(log)).free < 1 << 20:
            raise Failure("%s failed: the disk of '%s' is full" % (title, BUILD))
        raise Failure('%s failed (exit %d); the whole output is in %s' % (title, code, log))


def _last_line(path):
    with open(path, 'rb') as file:
        file.seek(max(0, os.path.getsize(path) - 300))
        lines = file.read().replace(b'\r', b'\n').splitlines()
    return lines[-1].decode(errors='replace')[:100] if lines else ''


def configure():
    """Sets the build folder up once."""
    if os.path.exists(os.path.join(BUILD, 'build.ninja')):
        return
    run_logged('configuring the build in %s' % os.path.relpath(BUILD),
               os.path.join(BUILD, 'logs', 'configure.log'), ['/usr/bin/meson', 'setup', BUILD, ROOT])


def ninja(*targets):
    """Builds targets (paths in the build folder). One line only when there is something to do."""
    configure()
    dry = subprocess.run(['ninja', '-C', BUILD, '-n', *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if dry.returncode != 0:
        raise Failure('ninja: %s' % dry.stdout.decode(errors='replace').strip())
    if b'no work to do' in dry.stdout:
        return
    run_logged('building ' + ', '.join(os.path.basename(t) for t in targets) if targets else 'building',
               os.path.join(BUILD, 'logs', 'ninja.log'), ['ninja', '-C', BUILD, *targets])


def ninja_optional(target):
    """Builds a target that meson leaves out while packages are missing. A build folder from before they were
    installed is brought up to date first. False if the target is still unknown."""
    configure()

    def known():
        return subprocess.run(['ninja', '-C', BUILD, '-t', 'query', target], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0
    if not known():
        run_logged('configuring the build again', os.path.join(BUILD, 'logs', 'configure.log'),
                   ['/usr/bin/meson', 'setup', '--reconfigure', BUILD, ROOT])
    if known():
        ninja(target)
        return True
    return False
