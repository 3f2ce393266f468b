# SPDX-License-Identifier: MIT
# Finds the project, prints progress lines, and builds targets on demand. For the Python scripts and the VM tests.
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get('AEROGPU_BUILD_DIR') or os.path.join(ROOT, 'build'))
COMMON = os.path.join(ROOT, 'scripts', 'lib', 'common.sh')
# Progress lines count from the start of the first script, not of a script that it calls (lib/common.sh).
_BEGIN = int(os.environ.setdefault('AEROGPU_BEGAN', str(int(time.time()))))


class Failure(Exception):
    """An error that the user has to know of; its text is the whole message."""


def say(text):
    """Prints one progress line, with the seconds since the script began."""
    print('[%4ds] %s' % (time.time() - _BEGIN, text), file=sys.stderr, flush=True)


def run_logged(title, log, command, **kwargs):
    """Runs a long command with try_logged of lib/common.sh: its output goes to the file `log`. Failure if it fails."""
    script = 'source "$0"; why=; try_logged "$@" || { printf %s "$why"; exit 1; }'
    done = subprocess.run(['bash', '-c', script, COMMON, title, log, *command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, **kwargs)
    if done.returncode != 0:
        raise Failure(done.stdout.decode(errors='replace'))


def configure():
    """Sets up the build folder if there is none; configures it again if scripts/setup has installed packages since."""
    rules, installed = os.path.join(BUILD, 'build.ninja'), os.path.join(BUILD, 'installed')
    if os.path.exists(rules):
        if os.path.exists(installed) and os.path.getmtime(installed) > os.path.getmtime(rules):
            run_logged('configuring the build again', os.path.join(BUILD, 'logs', 'configure.log'),
                       ['/usr/bin/meson', 'setup', '--reconfigure', BUILD, ROOT])
        return
    run_logged('configuring the build in %s' % os.path.relpath(BUILD),
               os.path.join(BUILD, 'logs', 'configure.log'), ['/usr/bin/meson', 'setup', BUILD, ROOT])


def ninja(*targets):
    """Builds targets (paths in the build folder). Prints nothing if they are up to date."""
    configure()
    dry = subprocess.run(['ninja', '-C', BUILD, '-n', *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if dry.returncode != 0:
        raise Failure('ninja: %s' % dry.stdout.decode(errors='replace').strip())
    if b'no work to do' in dry.stdout:
        return
    run_logged('building ' + ', '.join(os.path.basename(t) for t in targets) if targets else 'building',
               os.path.join(BUILD, 'logs', 'ninja.log'), ['ninja', '-C', BUILD, *targets])


def ninja_optional(target):
    """Builds a target that meson leaves out where packages are missing; configures the build folder again if it does
    not know the target. Returns False if the target is unknown even then."""
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
