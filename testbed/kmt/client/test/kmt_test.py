#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests D3DKMT from end to end: a Windows program under Wine calls it, the driver host answers with the shipped
aerogpu.sys and the device in a stock QEMU, and the picture on the screen is compared.

  kmt_test.py DRIVER-HOST DRIVER.sys PROGRAM.exe [PROGRAM-ARGUMENT...]

The program prints its results as TAP. The script also tests that killed programs leave nothing behind, and that the
host closes connections with a wrong key or protocol without harm to others."""
import os
import queue
import random
import re
import secrets
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = os.path.join(HERE, '..', '..', '..', '..', 'scripts')
sys.path.insert(0, os.path.join(SCRIPTS, 'lib'))
import wine  # noqa: E402
from aerogpu_build import Failure  # noqa: E402
from aerogpu_vm import die_with_parent  # noqa: E402

# Not loaded: only their names are requested. 32-bit programs have none of Direct3D 10.
UMD, UMD_WOW, UMD10 = '/some/where/driver.dll', '/some/where/driver_wow.dll', '/some/where/driver10.dll'
DEADLINE = 120
HELLO, MAGIC, VERSION = 1, 0x544D4B41, 1  # wire.h


class Lines:
    """The lines that a process prints, read by a thread."""

    def __init__(self, stream):
        self.queue, self.all = queue.Queue(), []
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream):
        for line in stream:
            line = line.rstrip('\r\n')
            self.all.append(line)
            self.queue.put(line)
        self.queue.put(None)

    def next(self, what, deadline):
        """Waits for the next line and returns it, None at the end of the output. Failure at the deadline."""
        try:
            return self.queue.get(timeout=max(deadline - time.monotonic(), 0.001))
        except queue.Empty:
            raise Failure('%s says nothing more; its last lines: %s' % (what, self.all[-5:])) from None


class Host:
    """The driver host, serving (--serve)."""

    def __init__(self, program, driver, folder):
        self.folder, self.key = folder, secrets.token_hex(16)
        environment = dict(os.environ, AEROGPU_KMT_KEY=self.key)
        environment.setdefault('AEROGPU_LAUNCHER', os.path.abspath(os.path.join(SCRIPTS, 'qemu-aerogpu')))
        self.process = subprocess.Popen(
            [program, '--serve', '--machine', 'qtest', '--driver', driver, '--umd', UMD, '--umd-wow', UMD_WOW, '--umd10', UMD10,
             '--mode', '1024x768'],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors='replace', preexec_fn=die_with_parent)
        self.lines = Lines(self.process.stdout)
        self.address = self.wait_for(r'aerogpu-kmt: (127\.0\.0\.1:\d+)$').group(1)

    def wait_for(self, pattern):
        deadline = time.monotonic() + DEADLINE
        while True:
            line = self.lines.next('the driver host', deadline)
            if line is None:
                raise Failure('the driver host has ended:\n' + '\n'.join(self.lines.all[-20:]))
            found = re.match(pattern, line)
            if found:
                return found

    def screen(self):
        """Returns width, height and RGB bytes of the screen."""
        path = os.path.join(self.folder, 'screen.ppm')
        self.process.stdin.write('screendump %s\n' % path)
        self.process.stdin.flush()
        if self.wait_for(r'aerogpu-kmt: (screendump|error: .*)').group(1) != 'screendump':
            raise Failure('no screendump: %s' % self.lines.all[-1])
        with open(path, 'rb') as file:
            data = file.read()
        width, height = (int(word) for word in data.split(b'\n', 3)[1].split())
        return width, height, data[-width * height * 3:]

    def looks(self, words):
        """Returns whether the screen shows all of `words` (size=WxH, X,Y=RRGGBB) within ten seconds; a present is on
        the screen only with the next frame."""
        deadline = time.monotonic() + 10
        while True:
            width, height, pixels = self.screen()
            wrong = []
            for word in words:
                where, colour = word.split('=')
                if where == 'size':
                    found = '%dx%d' % (width, height)
                else:
                    x, y = (int(part) for part in where.split(','))
                    at = (y * width + x) * 3
                    found = pixels[at:at + 3].hex() if x < width and y < height else 'nothing'
                if found != colour:
                    wrong.append('%s is %s, not %s' % (where, found, colour))
            if not wrong:
                return True
            if time.monotonic() > deadline:
                print('# the screen: ' + '; '.join(wrong))
                return False

    def stop(self):
        """Ends the driver host by closing its standard input; returns its exit status."""
        self.process.stdin.close()
        return self.process.wait(timeout=DEADLINE)

    def said(self, text, times):
        """Returns whether exactly `times` lines contain the text; waits for them for ten seconds."""
        deadline = time.monotonic() + 10
        while sum(text in line for line in self.lines.all) < times and time.monotonic() < deadline:
            time.sleep(0.01)
        return sum(text in line for line in self.lines.all) == times


class Program:
    def __init__(self, command, environment):
        self.process = subprocess.Popen([wine.LOADER, *command], env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
                                        preexec_fn=die_with_parent)
        self.lines, self.deadline = Lines(self.process.stdout), time.monotonic() + DEADLINE

    def next(self):
        return self.lines.next('the program', self.deadline)

    def answer(self, good):
        self.process.stdin.write('yes\n' if good else 'no\n')
        self.process.stdin.flush()


class Test:
    def __init__(self, host, program, environment):
        self.host, self.program, self.environment, self.failed = host, program, environment, 0

    def check(self, condition, what):
        print('%s - %s' % ('ok' if condition else 'not ok', what), flush=True)
        self.failed += not condition
        return condition

    def run(self, arguments, indent=''):
        """Runs the program to its end and answers its questions. Returns whether it printed an "ok" and ended with
        0."""
        program = Program([self.program, *arguments], self.environment)
        good = False
        while True:
            line = program.next()
            if line is None:
                break
            print(indent + line, flush=True)
            good |= line.startswith('ok')
            self.failed += line.startswith('not ok')
            word, _, rest = line.partition(': ')
            if word == 'look':
                program.answer(self.host.looks(rest.split()))
            elif word == 'share':
                program.answer(self.run(['open', rest], '  '))
        code = program.process.wait()
        return self.check(good and code == 0, 'kmt_program %s ends with %d' % (' '.join(arguments), code))

    def killed(self):
        """Kills a program that owns the screen; the next program must find everything free."""
        for _ in range(2):
            program = Program([self.program, 'stay'], self.environment)
            line = ''
            while line not in ('stays', None):
                line = program.next()
            self.check(line == 'stays' and self.host.looks(['size=1024x768', '5,5=abcdef']), 'a program has the screen')
            program.process.kill()
            program.process.wait()
            self.check(self.host.looks(['5,5=000000']), 'it is killed: the desktop is back')

    def together(self, programs=4, renders=300):
        """Runs several programs at the same time."""
        running = [Program([self.program, 'render', str(renders)], self.environment) for _ in range(programs)]
        for program in running:
            while program.next() is not None:
                pass
        codes = [program.process.wait() for program in running]
        self.check(not any(codes), '%d programs render %d times each, all at once' % (programs, renders))

    def connect(self):
        host, port = self.host.address.split(':')
        return socket.create_connection((host, int(port)), timeout=DEADLINE)

    def hello(self, key, process=0, cookie=0, magic=MAGIC, version=VERSION, bits=64):
        return struct.pack('<IIII', 16 + 88, HELLO, 0, 1) + \
            struct.pack('<IIIIQ64s', magic, version, process, bits, cookie, key.encode())

    def ends(self, connection, data):
        """Sends data; returns whether the host closes the connection without an answer."""
        try:
            connection.sendall(data)
            return connection.recv(1) == b''
        except OSError:
            return True

    def greeted(self, bits=64):
        connection = self.connect()
        connection.sendall(self.hello(self.host.key, bits=bits))
        header = connection.recv(16, socket.MSG_WAITALL)
        length, call, sequence, status = struct.unpack('<IIIi', header)
        body = connection.recv(length - 16, socket.MSG_WAITALL)
        self.check((call, sequence, status) == (HELLO, 1, 0), 'a connection with the key is greeted')
        return connection, struct.unpack_from('<IIQ', body)

    def strangers(self):
        self.check(self.ends(self.connect(), self.hello('x' + self.host.key[1:])), 'another key')
        self.check(self.ends(self.connect(), self.hello('')), 'no key')
        self.check(self.ends(self.connect(), self.hello(self.host.key, magic=1)), 'another protocol')
        self.check(self.ends(self.connect(), self.hello(self.host.key, version=2)), 'another version')
        self.check(self.ends(self.connect(), self.hello(self.host.key, bits=48)), 'pointers of 48 bits')
        self.check(self.ends(self.connect(), struct.pack('<IIII', 20, 31, 0, 1) + bytes(4)), 'a call before the greeting')
        first, (process, files, cookie) = self.greeted()
        self.check(files == 2 and cookie, 'two files are shared')
        self.check(self.ends(self.connect(), self.hello(self.host.key, process, cookie ^ 1)), 'another cookie')
        self.check(self.ends(self.connect(), self.hello(self.host.key, process + 4, cookie)), 'another process')
        self.check(self.ends(first, struct.pack('<IIII', 20, 31, process + 4, 2) + bytes(4)), 'a request for another process')
        lengths = [0, 15, 16, 19, 21, 1 << 31, (1 << 32) - 1]
        for length in lengths:
            connection, (process, _, _) = self.greeted()
            self.check(self.ends(connection, struct.pack('<IIII', length, 31, process, 2) + bytes(4)),
                       'a length of %d' % length)
        for call in (0, 33, 1 << 31):
            connection, (process, _, _) = self.greeted()
            self.check(self.ends(connection, struct.pack('<IIII', 20, call, process, 2) + bytes(4)), 'call %d' % call)
        ended = 5 + 3 + len(lengths) + 3
        self.check(self.host.said('kmt: a connection', ended), 'a line for each of the %d' % ended)

    def names(self):
        """Asks for the user-mode drivers' names as a 32-bit program."""
        connection, (process, _, _) = self.greeted(32)

        def call(number, *words):
            connection.sendall(struct.pack('<IIII%dI' % len(words), 16 + 4 * len(words), number, process, 2, *words))
            length, _, _, status = struct.unpack('<IIIi', connection.recv(16, socket.MSG_WAITALL))
            return status, connection.recv(length - 16, socket.MSG_WAITALL)
        _, reply = call(2, 0, 0)  # OpenAdapter by a device context
        adapter, room = struct.unpack_from('<I', reply)[0], 131  # words of D3DKMT_UMDFILENAMEINFO
        answers = []
        for version in range(4):  # Direct3D 9, 10, 11, and one that there is not
            status, reply = call(4, adapter, 1, 4 * room, version, *[0] * (room - 1))
            answers.append(reply[8:].decode('utf-16-le').rstrip('\0') if status == 0 else status & 0xFFFFFFFF)
        connection.close()
        self.check(answers == ['Z:' + UMD_WOW.replace('/', '\\')] + [0xC000000D] * 3,
                   "UMDRIVERNAME for a 32-bit program is --umd-wow's, and none of Direct3D 10 (%s)" % answers)

    def noise(self, seconds=5):
        """Sends requests with valid headers and random content; each must be answered."""
        generator = random.Random(1)
        calls = self.calls()
        end, answered = time.monotonic() + seconds, 0
        connection, (process, _, _) = self.greeted()
        handles = [0]
        while time.monotonic() < end:
            number, (request, tail) = generator.choice(list(calls.items()))
            if number in (1, 19):  # greetings end it; vertical blanks take time
                continue
            words = [generator.choice([0, 1, 2, 3, 4, 16, 64, 0xFFFFFFFF, generator.getrandbits(32),
                                       generator.choice(handles), generator.choice(handles)])
                     for _ in range(request // 4)]
            body = struct.pack('<%dI' % len(words), *words)
            body += generator.randbytes(min(tail, generator.choice([0, 0, 4, 8, 16, 100, 64, 4096])))
            connection.sendall(struct.pack('<IIII', 16 + len(body), number, process, answered + 2) + body)
            header = connection.recv(16, socket.MSG_WAITALL)
            if len(header) < 16:
                return self.check(False, 'call %d with %s is answered' % (number, words))
            length, call, sequence, status = struct.unpack('<IIIi', header)
            answer = connection.recv(length - 16, socket.MSG_WAITALL)
            if (call, sequence) != (number, answered + 2):
                return self.check(False, 'the answer belongs to the request')
            if status >= 0 and call in (2, 5, 7, 9):  # calls that make handles
                handles = (handles + list(struct.unpack_from('<2I', answer + bytes(4))))[-40:]
            answered += 1
        connection.close()
        return self.check(answered > 1000, '%d requests of random content are answered' % answered)

    def calls(self):
        """Reads wire.h; returns {number of a call: (bytes of the request's body, largest size of its tail)}."""
        with open(os.path.join(HERE, '..', '..', 'wire.h')) as file:
            text = file.read()
        numbers = re.findall(r'constexpr uint32_t (k\w+) = ([\d\s()*+<-]+);', text)  # not those of other numbers
        constants = {name: eval(value, {}) for name, value in numbers}
        rows = re.findall(r'CALL\((\d+), \w+, \w+, (\d+), \w+, \d+,\s*\\?\s*([^,]*),', text)
        return {int(number): (int(body), eval(tail.replace('\\', ''), {}, constants)) for number, body, tail in rows}


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    driver_host, driver, program = sys.argv[1:4]
    with tempfile.TemporaryDirectory(prefix='aerogpu-kmt-test-') as folder, wine.temporary_prefix('null') as prefix:
        host = Host(driver_host, driver, folder)
        environment = dict(os.environ, **wine.environment(prefix), AEROGPU_KMT=host.address, AEROGPU_KMT_KEY=host.key)
        test = Test(host, program, environment)
        try:
            if len(sys.argv) > 4:
                test.run(sys.argv[4:])
            else:
                test.run([])
                test.together()
                test.killed()
                test.strangers()
                test.names()
                test.noise()
                test.environment['AEROGPU_KMT_WINSOCK'] = '1'  # the way of 32-bit programs and of Windows
                test.run([])  # and everything works as before
            code = host.stop()
            test.check(code == 0, 'the driver host ends well (%d)' % code)
        finally:
            host.process.kill()
            for line in host.lines.all:
                if line.startswith('#') and 'kmt: a connection' not in line and ' ddi ' not in line:
                    print(line)
        broken = [line for line in host.lines.all if 'broken rule' in line]
        test.check(not broken, 'no rule is broken')
    sys.exit(1 if test.failed else 0)


try:
    main()
except Failure as failure:
    sys.exit('kmt test: %s' % failure)
