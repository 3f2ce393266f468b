#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests the dbgctl.exe that ships, for x64 or x86, under Wine: runs its commands on the driver host with the device in
a stock QEMU and compares what they print with the device; checks error lines and exit statuses with a fake D3DKMT
library.

  dbgctl_test.py DRIVER-HOST DRIVER.sys DBGCTL.exe KMT.dll FAKE_KMT.dll [-v]

-v prints the output of each command."""
import os
import re
import secrets
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = os.path.join(HERE, '..', '..', '..', 'scripts')
sys.path.insert(0, os.path.join(SCRIPTS, 'lib'))
import wine  # noqa: E402
from aerogpu_build import Failure  # noqa: E402
from aerogpu_vm import die_with_parent  # noqa: E402
from d3d9_stack import Lines  # noqa: E402

LIMIT = 120
REPORTS = ('status', 'device', 'fences', 'ring', 'errors', 'counters', 'vblank', 'scanout', 'cursor', 'allocations',
           'settings', 'operations')
PRIVILEGED = (['ring'], ['allocations'], ['selftest'], ['pointer', 'show'], ['pointer', 'move', '1', '2'],
              ['pointer', 'shape'])
ADMINISTRATOR = 'Run as administrator'
# The 32-bit Wine prints this whatever WINEDEBUG is: it finds no FreeType for 32-bit processes.
WINES_WORDS = re.compile(r'^Wine cannot find the FreeType font library\..*\n(?:.*\n){2}http://www\.freetype\.org\n', re.M)


class Host:
    """The driver host, serving (--serve)."""

    def __init__(self, program, driver, options=()):
        self.key = secrets.token_hex(16)
        environment = dict(os.environ, AEROGPU_KMT_KEY=self.key)
        environment.setdefault('AEROGPU_LAUNCHER', os.path.abspath(os.path.join(SCRIPTS, 'qemu-aerogpu')))
        self.process = subprocess.Popen(
            [program, '--serve', '--machine', 'qtest', '--driver', driver, '--mode', '1024x768', *options],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            preexec_fn=die_with_parent)
        self.lines = Lines(self.process.stdout)
        found = self.lines.wait(r'^aerogpu-kmt: (127\.0\.0\.1:\d+)$', LIMIT)
        if not found:
            raise Failure('the driver host does not serve: %s' % self.lines.text())
        self.variables = {'AEROGPU_KMT': found.group(1), 'AEROGPU_KMT_KEY': self.key}

    def tell(self, command):
        after = len(self.lines.lines)
        self.process.stdin.write(command.encode() + b'\n')
        self.process.stdin.flush()
        if not self.lines.wait('^aerogpu-kmt: ' + command, LIMIT, after):
            raise Failure("the driver host's answer to '%s': %s" % (command, self.lines.text()))

    def stop(self):
        self.process.stdin.close()
        return self.process.wait(timeout=LIMIT)


class Test:
    def __init__(self, program, prefix, both):
        self.program, self.folder, self.failed, self.verbose = program, os.path.dirname(prefix), 0, '-v' in sys.argv
        self.variables = wine.environment(prefix, both=both)
        self.loader = wine.loader_for(program, self.variables)

    def check(self, condition, what, said=''):
        print('%s - %s' % ('ok' if condition else 'not ok', what), flush=True)
        if not condition:
            self.failed += 1
            print(''.join('# %s\n' % line for line in said.splitlines()), end='', flush=True)

    def run(self, library, words, more):
        """Runs dbgctl; returns its exit status, standard output and standard error."""
        command = [self.loader, self.program] + (['--d3dkmt', library] if library else []) + list(words)
        # Output goes to files: Wine's desktop process inherits the handles, and would keep pipes open.
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
            result = subprocess.run(command, env=dict(os.environ, **self.variables, **more), stdin=subprocess.DEVNULL,
                                    stdout=said, stderr=complained, timeout=LIMIT)
            texts = []
            for file in (said, complained):
                file.seek(0)
                texts.append(file.read().decode(errors='replace').replace('\r', ''))
        out, error = texts[0], WINES_WORDS.sub('', texts[1])
        if self.verbose:
            print('$ dbgctl %s\n%s%s[%d]' % (' '.join(words), out, error, result.returncode))
        return result.returncode, out, error

    def says(self, library, words, more, *expected):
        """Checks that dbgctl succeeds, prints no errors, and that its output matches each regular expression in
        `expected`."""
        code, out, error = self.run(library, words, more)
        missing = [e for e in expected if not re.search(e, out, re.M)]
        self.check(code == 0 and not error and not missing, 'dbgctl %s' % ' '.join(words),
                   '%s%sexit status %d; not there: %s' % (out, error, code, missing))
        return out

    def refuses(self, library, words, more, status, *expected):
        """Checks the exit status, that dbgctl prints one line of error with each text in `expected`, and, but for
        status and selftest, nothing else."""
        code, out, error = self.run(library, words, more)
        lines = error.splitlines()
        good = code == status and len(lines) == 1 and lines[0].startswith('dbgctl: ') and \
            all(e in error for e in expected)
        self.check(good, 'dbgctl %s: %s' % (' '.join(words) or '(nothing)', expected[0]),
                   '%s%sexit status %d' % (out, error, code))
        self.check(not out or words[0] in ('status', 'selftest'), '... and says nothing else', out)


def misuse(test, library):
    """Checks that wrong command lines are refused before dbgctl looks for an adapter."""
    for words, text in ((['nonsense'], "no 'nonsense'"), ([], 'dbgctl help'), (['ring', 'x'], "too many: 'x'"),
                        (['selftest', '0'], '1 to 500'), (['selftest', '501'], '1 to 500'), (['selftest', '1x'], '1 to 500'),
                        (['selftest', '1', '2'], "too many: '2'"), (['capture'], "after 'capture'"),
                        (['capture', 'a', '-1'], '0 to 3600'), (['capture', 'a', '1', '2'], 'too many'),
                        (['pointer'], 'show, hide'), (['pointer', 'move', '1'], 'move X Y'),
                        (['pointer', 'move', '99999', '1'], '-32768'), (['handles'], '1 to 262144'),
                        (['handles', '0'], '1 to 262144'), (['handles', '99999999999999999999'], '1 to 262144'),
                        (['memory', '0'], '1048576'), (['memory', '-1', '5'], '1048576'),
                        (['memory', '0', '1048577'], '1048576')):
        test.refuses(library, words, {}, 2, text)
    test.check(test.run(None, ['--d3dkmt'], {})[0] == 2, 'dbgctl --d3dkmt')
    test.says('Z:\\nowhere.dll', ['help'], {}, '^usage: dbgctl', *('^  %s ' % word for word in REPORTS))


def machines(test, fake):
    """Tests machines on which dbgctl or some of its commands cannot work."""
    test.refuses('Z:\\nowhere.dll', ['status'], {}, 1, 'cannot load', 'nowhere.dll')
    test.refuses('kernel32.dll', ['status'], {}, 1, 'D3DKMT functions', 'Windows 7')
    test.refuses(fake, ['status'], {'FAKE_DISPLAYS': 'none'}, 1, 'no display of this session', 'found: none', '-device aerogpu')
    test.refuses(fake, ['status'], {'FAKE_DISPLAYS': 'vga', 'FAKE_DRIVER': 'none'}, 1, 'no display of this session',
                 'Standard VGA Graphics Adapter)', 'Remote Desktop')
    test.refuses(fake, ['status'], {'FAKE_DISPLAYS': 'vga', 'FAKE_DRIVER': 'other'}, 1, 'no display of this session')
    for driver in ('none', 'other'):
        test.refuses(fake, ['status'], {'FAKE_DRIVER': driver}, 1, 'another driver', 'Standard VGA', 'install.cmd')
    test.refuses(fake, ['status'], {'FAKE_3D': 'off', 'FAKE_STATUS': 'C00000BB'}, 1, 'another driver')
    test.says(fake, ['fences'], {'FAKE_3D': 'off'}, '^submitted')
    for status, text in (('C0000022', ADMINISTRATOR), ('C0000364', 'escapes=off'), ('C00000BB', 'older than dbgctl'),
                         ('C0000023', 'another structure'), ('C00000A3', 'Device Manager'), ('C00002B6', 'gone'),
                         ('80000011', 'another self test'), ('C000000D', 'refuses these values'),
                         ('C0000017', 'try again'), ('C000009A', 'try again'), ('C0123456', '0xc0123456')):
        test.refuses(fake, ['fences'], {'FAKE_STATUS': status}, 1, text, 'fences: ')
    # An older driver: dbgctl prints what that answers, and says that the driver is too old for the rest.
    old = {'FAKE_STATUS': 'C00000BB', 'FAKE_FROM': '18'}
    test.says(fake, ['status'], old, '^submitted', '^resets')
    for words in (['settings'], ['operations'], ['handles', '1']):
        test.refuses(fake, words, old, 1, 'older than dbgctl', words[0] + ': ')
    # Each error of the self test has a name and advice of its own.
    seen = set()
    for error in range(1, 15):
        code, out, advice = test.run(fake, ['selftest'], {'FAKE_SELFTEST': str(error)})
        name = re.search(r'FAILED: ([A-Z_]+) \(%d\)' % error, out)
        test.check(code == 1 and name and len(advice.splitlines()) == 1, 'selftest finds error %d' % error, out + advice)
        seen.add((name.group(1) if name else '', advice))
    test.check(len({name for name, _ in seen}) == 14 and len({advice for _, advice in seen}) == 14, '14 names, 14 lines')
    test.refuses(fake, ['selftest'], {'FAKE_SELFTEST': '99'}, 1, 'older than the driver')


def driver(test, kmt, host):
    """Tests all commands on the driver that ships."""
    more = host.variables
    test.says(kmt, ['status'], more, r'^display +\\\\.\\DISPLAY1', r'^ABI version +1\.4$', '^features .*FENCE_PAGE.*POLICY',
              '^screen +on, 1024x768 B8G8R8X8$', '^under way +0$', '^errors +0 since', '^self test +not run yet',
              '^Direct3D +on$', '^user-mode log +nothing$')
    test.says(kmt, ['device'], more, '^ABI version')
    fences = test.says(kmt, ['fences'], more, r'^submitted +\d+$', '^error interrupts +none$')
    submitted = re.search(r'^submitted +(\d+)$', fences, re.M)
    ring = test.says(kmt, ['ring'], more, r'^ring +\d+ bytes; head \d+, tail \d+: 0 waiting$')
    test.check('waits' not in ring and (not submitted or submitted.group(1) in ring), 'its last fence is in the ring', ring)
    test.says(kmt, ['errors'], more, '^errors +0 since')
    test.says(kmt, ['counters'], more, r'^submissions +\d+$', '^self tests +0$')
    test.says(kmt, ['vblank'], more, r'^period +1666\d{4} ns \(60\.\d\d Hz\)$', '^interrupts enabled +FENCE.*ERROR')
    scanout = test.says(kmt, ['scanout'], more, '^the driver.s +on, 1024x768 B8G8R8X8, 4096 bytes', '^the device.s +on, 1024x768')
    test.check('differ' not in scanout, 'they agree', scanout)
    test.says(kmt, ['cursor'], more, '^cursor +off')
    test.says(kmt, ['allocations'], more, r'^allocations made +\d+')
    test.says(kmt, ['settings'], more, '^GDI acceleration +on$', '^aperture +on$', '^hardware buffers +on$')
    test.says(kmt, ['operations'], more, '^ 1 QUERY_DEVICE +24 bytes, for everybody$',
              '^ 4 SELFTEST +32 bytes, for administrators, as you are$', '^ 8 MAP_SHARED_HANDLE +not in this driver$',
              '^20 QUERY_SETTINGS +32 bytes, for everybody$')
    passed = ''
    for words in (['selftest'], ['selftest', '500']):
        for _ in range(20):  # half a second may be too little on a busy computer
            code, passed, error = test.run(kmt, words, more)
            if not re.search('TIMEOUT|GPU_BUSY|TIME_BUDGET', passed):
                break
        test.check(code == 0 and re.match('self test +passed$', passed), 'dbgctl %s' % ' '.join(words), passed + error)
    test.says(kmt, ['status'], more, r'^self test +OK, the last of \d+$')
    for words in (['pointer', 'shape'], ['pointer', 'move', '100', '0x40'], ['pointer', 'show']):
        test.says(kmt, words, more)
    test.says(kmt, ['cursor'], more, '^cursor +on, at 100, 64$', '^shape +32x32 B8G8R8A8, hot spot 16, 16')
    test.says(kmt, ['pointer', 'hide'], more)
    test.says(kmt, ['cursor'], more, '^cursor +off, at 100, 64$')
    test.says(kmt, ['handles', '65537'], more, '^handles +0xe0000000 to 0xe001ffff, 131072 of them')
    test.says(kmt, ['handles', '262144'], more, '262144 of them')
    test.refuses(kmt, ['memory', '0xe1000000', '16'], more, 1, 'no checked build')
    path = os.path.join(test.folder, 'capture.txt')
    test.says(kmt, ['capture', 'Z:' + path, '1'], more, '11 reports, 1 seconds$')
    with open(path) as file:
        text = file.read()
    test.check(all('\n[%s]\n' % word in '\n' + text for word in REPORTS[1:]) and 'not told' not in text, 'all of it is there', text)
    times = re.findall(r'^ +[01] +([\d.]+) +\d+ +(\d+) +(\d+) ', text, re.M)
    test.check(len(times) == 2 and float(times[1][0]) - float(times[0][0]) >= 0.9, 'two lines, a second apart', text)
    test.refuses(kmt, ['capture', 'Z:\\no\\such\\folder\\x'], more, 1, 'cannot write')


def without_rights(test, kmt, host):
    host.tell('privileged no')
    for words in PRIVILEGED:
        test.refuses(kmt, words, host.variables, 1, ADMINISTRATOR)
    # ESC-11
    scanout = test.says(kmt, ['scanout'], host.variables, '^the driver.s +on, 1024x768 B8G8R8X8, 4096 bytes a row$',
                        '^the device.s +not shown: it takes the right to debug programs')
    test.check('differ' not in scanout and ' at 0x' not in scanout, 'nothing else', scanout)
    cursor = test.says(kmt, ['cursor'], host.variables, '^cursor +off', '^its registers +not shown: .*%s' % ADMINISTRATOR)
    test.check(' at 0x' not in cursor, 'no address', cursor)
    test.says(kmt, ['status'], host.variables, '^under way +0$')
    test.says(kmt, ['operations'], host.variables, '^ 4 SELFTEST +32 bytes, for administrators$')
    path = os.path.join(test.folder, 'capture.txt')
    code, out, error = test.run(kmt, ['capture', 'Z:' + path, '0'], host.variables)
    test.check(code == 0 and '9 reports, 2 more were refused' in out and len(error.splitlines()) == 2,
               'a capture has what may be told', out + error)
    host.tell('privileged yes')


def escapes_off(test, kmt, host):
    """Tests which commands work with the device's property escapes=off (ESC-8)."""
    for words in (['device'], ['fences'], ['settings'], ['handles', '1']):
        test.says(kmt, words, host.variables)
    test.says(kmt, ['status'], host.variables, '^escapes +switched off by the host', '^under way +0$')
    test.says(kmt, ['operations'], host.variables, '^ 3 DUMP_RING +808 bytes, switched off by the host')
    for words in (['ring'], ['errors'], ['counters'], ['vblank'], ['scanout'], ['cursor'], ['allocations'], ['selftest'],
                  ['pointer', 'show']):
        test.refuses(kmt, words, host.variables, 1, 'escapes=off')


def main():
    paths = [os.path.abspath(a) for a in sys.argv[1:] if a != '-v']
    if len(paths) != 5:
        sys.exit(__doc__)
    driver_host, sys_file, program, kmt, fake = paths
    kmt, fake = 'Z:' + kmt.replace('/', '\\'), 'Z:' + fake.replace('/', '\\')
    both = wine.machine_of(program) == 'x86'
    with wine.temporary_prefix('null', both=both) as prefix:
        test = Test(program, prefix, both)
        misuse(test, 'Z:\\nowhere.dll')
        machines(test, fake)
        for options, work in (((), (driver, without_rights)), (('--device-options', 'escapes=off'), (escapes_off,))):
            host = Host(driver_host, sys_file, options)
            try:
                for part in work:
                    part(test, kmt, host)
                code = host.stop()
                test.check(code == 0, 'the driver host ends well', host.lines.text())
            finally:
                host.process.kill()
    sys.exit(1 if test.failed else 0)


try:
    main()
except Failure as failure:
    sys.exit('dbgctl test: %s' % failure)
