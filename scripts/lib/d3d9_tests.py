# SPDX-License-Identifier: MIT
"""Tests our stack with Direct3D 9 programs, over a QEMU without a running CPU (run_d3d9_tests.py) or in a booted VM
(tests-qtest/vm/d3d9_test.py). A test is a method of Tests; it fails by raising Failure. Output is TAP."""
import glob
import os
import re
import tempfile
import time

from aerogpu_build import ROOT, Failure
import bench_d3d9
import bench_scenes
import d3d9_stack
from stack_tests import StackTests
import wine

# Programs of the driver disc that users start (guest-drivers/package/resources/meson.build, disc_programs).
ON_DISC = ('composition', 'd3d9ex_test', 'ddi_sanity', 'event_queries', 'present_statistics', 'quad', 'query_latency', 'shared',
           'sharing', 'submit_stress', 'triangle', 'vblank_pacing')


class Tests(StackTests):
    """The tests of Direct3D 9."""
    api = 'd3d9'

    # The tests; each is a name on the command line.

    def triangle(self):
        self.window('triangle')

    def triangle_ex(self):
        self.window('triangle', '--ex', '--draws', '5')

    def quad(self):
        self.window('quad', '--frames', '150')

    def flip(self):
        self.window('flip', '--frames', '20')

    def gamma(self):
        """Shows a full screen through a gamma ramp. Without it the desktop is as before."""
        before = self.stack.screen()
        self.window('gamma', '--frames', '3')
        until = time.monotonic() + 10
        while wrong := self.stack.screen().difference(before, 0, 0, 0):
            if time.monotonic() > until:
                raise Failure('the desktop after a full screen with a gamma ramp: %s' % wrong)
            time.sleep(0.1)

    def samples(self):
        """Draws into back buffers with four samples a pixel, in a window and on the full screen."""
        self.window('quad', '--frames', '10', '--samples', '4')
        self.window('flip', '--frames', '5', '--samples', '4')

    def d3d9ex(self):
        """Checks the counts and times of presents, frame by frame."""
        self.window('d3d9ex_test', '--frames', '40')

    def player(self):
        """Shows frames of a video by swap chains that are for video, as players do."""
        self.window('player', '--frames', '10')

    def readback(self, label='readback: '):
        """Runs readback, whose pictures become one point each; those that it cannot draw here are reported as
        skipped."""
        program = self.stack.start(d3d9_stack.program('readback', self.arch))
        label = 'x86: ' + label if self.arch == 'x86' else label
        program.wait_line('^readback: (not )?ok')
        code = program.wait()
        said, pictures = '', 0
        for line in program.lines.text().splitlines():
            found = re.match(r'(not )?ok ([\w-]+)(?: # SKIP (.*))?$', line)
            if found:
                self.report.point(label + found.group(2), found.group(1) and said, found.group(3))
                pictures += 1
            said = line
        if code != 0 or not pictures:
            raise Failure('readback ended with %d, %d pictures: %s' % (code, pictures, program.said()))

    def shared(self):
        self.window('shared')

    def two_programs(self, arch=None):
        """Runs two programs at the same time; the handles of their first objects are equal. `arch`: architecture of the
        second."""
        one = self.start('triangle', at=(40, 40))
        other = self.start('quad', '--frames', '40', at=(420, 300), arch=arch)
        one.wait_line('^holding$')
        other.wait_line('^holding$')
        screen = self.stack.screen()
        if self.pictures:
            self.save('d3d9-two-programs.png', screen)
        self.check_window(one, screen)
        self.check_window(other, screen)
        self.finish(one)
        self.finish(other)

    def killed(self):
        """Kills one of two programs, and checks that the other one's window and exit code are right."""
        victim, other = self.start('quad', '--frames', '3', at=(40, 40)), self.start('triangle', at=(420, 300))
        victim.wait_line('^holding$')
        other.wait_line('^holding$')
        victim.kill()
        victim.wait()
        self.check_window(other)
        self.finish(other)

    def wait_draws(self, program, count):
        """Waits until the device has counted `count` more draws; Failure if `program` ends before, or takes too
        long."""
        start, deadline = self.stack.counter('draws'), time.monotonic() + self.stack.program_limit
        while self.stack.counter('draws') < start + count:
            if program.process.poll() is not None or time.monotonic() > deadline:
                raise Failure('%s does not draw: %s' % (program.name, program.said()))
            time.sleep(0.05)

    def sleep(self):
        """Sends the machine to sleep and wakes it while one program holds its picture and another draws. Afterwards the
        screen shows both windows, and both programs end well."""
        holding = self.start('triangle', at=(40, 40))
        holding.wait_line('^holding$')
        drawing = self.start('quad', '--frames', str(SLEEP_FRAMES), at=(420, 300))
        drawing.wait_line('^window ')
        self.wait_draws(drawing, 50)
        self.stack.sleep()
        self.check_window(holding)
        self.check_window(drawing)
        self.finish(holding)
        self.finish(drawing)

    def rates(self):
        """Notes frames a second, and processor time a frame of the program and the stack's processes (which depends
        less on other load of the machine). Judges neither."""
        for title, name, arguments in bench_d3d9.RUNS:
            program = self.stack.start(d3d9_stack.program(name, self.arch), '--immediate', '--seconds', str(RATE_SECONDS),
                                       *arguments)
            program.wait_line('^window ')
            processes = list(self.stack.processes().values()) + self.stack.own_process(program)
            before = sum(map(bench_scenes.busy, processes))
            found = program.wait_line(r'^frames (\d+) in ([\d.]+) s$')
            busy = sum(map(bench_scenes.busy, processes)) - before
            self.finish(program)
            frames = int(found.group(1))
            self.report.note('%s: %.1f frames a second, %.1f ms of processors a frame' % (
                title, frames / float(found.group(2)), 1000 * busy / frames))

    def harmed(self, how):
        """Harms the GPU (Stack.harm_gpu()) while a program draws. That program must end with a D3DERR_DEVICE... error,
        and a program started afterwards must draw."""
        program = self.stack.start(d3d9_stack.program('quad', self.arch), '--immediate', '--seconds', '3600')
        program.wait_line('^window ')
        self.wait_draws(program, 50)
        self.stack.harm_gpu(how)
        said = program.wait_line(r'^quad: (\w+).* failed: 0x[0-9A-F]{8} \((D3DERR_DEVICE\w+)\)')
        code = program.wait()
        if code != 1:
            raise Failure('quad ended with %d after %s said %s' % (code, said.group(1), said.group(2)))
        self.report.note('%s: quad was told %s by %s' % (how, said.group(2), said.group(1)))
        self.window('triangle')

    def gpu_lost(self):
        self.harmed('lose')

    def gpu_stuck(self):
        """Makes a submission that never ends; timeout recovery resets the device."""
        self.harmed('stick')

    def recovery(self):
        """Runs gpu_lost and gpu_stuck on a separate stack, because they leave errors latched in the device."""
        with d3d9_stack.Stack(self.stack.parts, both=self.stack.both, harmed=True) as stack:
            tests = Tests(stack, self.report, arch=self.arch)
            tests.gpu_lost()
            tests.gpu_stuck()
            self.end(stack)

    def end(self, stack):
        """Stops another stack than the tests' own, whose kernel driver must have broken no rule."""
        code = stack.stop()
        if code != 0:
            raise Failure('the driver host ended with %s: %s' % (code, '; '.join(stack.lines.text().splitlines()[-4:])))

    def two_bitnesses(self):
        """Runs a program for x64 and one for x86 at the same time."""
        self.two_programs(arch='x86')

    def x86_opens_x64(self):
        """Has an x86 program open a shared surface of an x64 program and draw to it."""
        self.window('shared', '--other', self.stack.path_of('shared', 'x86'))

    def x64_opens_x86(self):
        """Has an x64 program open a shared surface of an x86 program and draw to it."""
        program = self.start('shared', '--other', self.stack.path_of('shared'), arch='x86')
        self.check_window(program)
        self.finish(program)

    def desktop(self, frames=20, other=None):
        """Has one program compose a desktop of the windows of five other programs. `other`: architecture of two of
        these."""
        program = self.start('compositor', '--frames', str(frames), '--producer', self.stack.path_of('producer', self.arch),
                             *self.producers_of(other))
        self.check_window(program)
        self.finish(program)

    def desktop_of_two_bitnesses(self):
        self.desktop(60, 'x86')

    def producers_of(self, other):
        return ['--other', self.stack.path_of('producer', other)] if other else []

    def said(self, name, *arguments):
        """Runs a program that checks its results itself and ends with the line "NAME: ok ..."."""
        program = self.stack.start(d3d9_stack.program(name, self.arch), *arguments)
        line = program.wait_line('^%s: ok .*$' % name).group(0)
        self.finish(program)
        self.report.note(line)
        with open(os.path.join(ROOT, 'docs/d3d9/testbed.md'), encoding='utf-8') as page:
            sample = re.search('`(%s: ok [^`]*)`' % name, page.read().replace('\n', ' '))
        if sample and form(sample[1]) != form(line):
            raise Failure('docs/d3d9/testbed.md shows another line: %s' % sample[1])

    def present_statistics(self):
        """Checks that requests for counts and times of presents do not fail in any state of a swap chain."""
        self.said('present_statistics')

    def ddi_sanity(self):
        """Checks results and durations of Direct3D 9Ex calls."""
        self.said('ddi_sanity')

    def query_latency(self):
        self.said('query_latency')

    def frame_pacing(self):
        """Checks frame latency and intervals, in a window and full screen."""
        self.said('frame_pacing')

    def dirty_regions(self):
        self.window('dirty_regions')

    def event_queries(self):
        """Checks event queries in four processes."""
        self.said('event_queries')

    def submit_stress(self):
        self.said('submit_stress')

    def vblank_pacing(self):
        self.said('vblank_pacing')

    def composition(self):
        """Runs composition with a dwmapi.dll of ours beside it, since nothing composes the desktop here: the program must
        find out that composition is off, goes off, or changes, and pass only if it stays on. In the prefix itself, without
        that library, composition is off."""
        program = d3d9_stack.program('composition', self.arch)
        with tempfile.TemporaryDirectory(prefix='aerogpu-composed-') as folder:
            beside = os.path.join(folder, 'composition.exe')
            os.symlink(program, beside)
            os.symlink(d3d9_stack.composed_desktop(self.arch), os.path.join(folder, 'dwmapi.dll'))
            for path, composed, expected in (
                    (program, None, r'composition is off: run aerogpu-doctor\.exe, .*'),
                    (beside, '0', r'composition is off: run aerogpu-doctor\.exe, .*'),
                    (beside, '31', r'composition went off after 31 frames, .*: run aerogpu-doctor\.exe, .*'),
                    (beside, '31 changes', r'composition changed at frame 31: run aerogpu-doctor\.exe, .*'),
                    (beside, '1000000', r'ok frames=120 seconds=[\d.]+')):
                env = dict(os.environ, **self.stack.variables(), **({'AEROGPU_COMPOSED': composed} if composed else {}))
                code, text = wine.run([path], env, self.stack.program_limit)
                if code != (0 if expected.startswith('ok') else 1) or not re.search(f'^composition: {expected}$', text, re.M):
                    raise Failure('with a desktop composed for %s calls composition ends with %s: %s' % (
                        composed or 'no', code, '; '.join(text.splitlines()[-3:]) or 'it says nothing'))

    def shared_in_one_process(self):
        self.window('shared', '--one-process')

    def no_device(self):
        """Runs the driver disc's programs without a device, and with 3D turned off: each must print one line that says
        what to do, and end with 1."""
        self.refused({**os.environ, **self.stack.variables(), 'AEROGPU_KMT': '127.0.0.1:1'}, 'no device')
        with d3d9_stack.Stack(self.stack.parts, both=self.stack.both, settings={'Disable3D': 1}) as stack:
            self.refused(dict(os.environ, **stack.variables()), '3D turned off')

    def refused(self, env, where):
        # Lines of the test runtime, of its kernel side's client and of Wine do not belong to the programs.
        for name in ON_DISC:
            code, text = wine.run([d3d9_stack.program(name, self.arch)], env, self.stack.program_limit)
            lines = [line for line in NO_FONTS.sub('', text).splitlines()
                     if not line.startswith(('aerogpu-kmt: ', 'aerogpu-d3d9: '))]
            if code != 1 or len(lines) != 1 or not re.match(name + ': .*(install|3d.cmd)', lines[0]):
                raise Failure('%s with %s ends with %s: %s' % (name, where, code, '; '.join(lines) or 'it says nothing'))

    def disc_script(self):
        """Runs the driver disc's tests.cmd, with its x64 and x86 programs, under Wine's cmd.exe. Exactly two x64 programs
        must fail: aerogpu-doctor, because Wine's gdi32.dll has no D3DKMT functions, and composition, because nothing
        composes the desktop."""
        with tempfile.TemporaryDirectory(prefix='aerogpu-disc-') as disc:
            with open(os.path.join(ROOT, 'guest-drivers', 'package', 'disk', 'tests.cmd.in'), encoding='ascii') as file:
                script = file.read()
            with open(os.path.join(disc, 'tests.cmd'), 'w', encoding='ascii', newline='\r\n') as file:
                file.write(script)
            for arch in ('x64', 'x86'):
                folder = os.path.join(disc, 'tools', arch)
                os.makedirs(folder)
                for path in (d3d9_stack.doctor(arch), *(d3d9_stack.program(name, arch) for name in (*ON_DISC, 'producer'))):
                    os.symlink(path, os.path.join(folder, re.sub('-x(64|86).exe$', '.exe', os.path.basename(path))))
            code, said = wine.run([os.path.join(self.stack.prefix, 'drive_c', 'windows', 'system32', 'cmd.exe'), '/c',
                                   *('Z:' + os.path.join(disc, name).replace('/', '\\') for name in ('tests.cmd', 'out.txt'))],
                                  dict(os.environ, **self.stack.variables()), SCRIPT_LIMIT)
            with open(os.path.join(disc, 'out.txt'), encoding='utf-8', errors='replace') as file:
                kept = file.read()
        ended = re.findall(r'^---- (x\d\d\\\S+).*\n(?:(?!---- ).*\n)*---- ended with (\d+)', kept, re.M)
        failed = [name for name, status in ended if status != '0']
        if code != 2 or failed != [r'x64\aerogpu-doctor', r'x64\composition'] or len(ended) != len(re.findall('call :test', script)):
            raise Failure('tests.cmd ends with %s after %d programs, of which these failed: %s; %s' % (
                code, len(ended), ', '.join(failed) or 'none', '; '.join(said.splitlines()[-3:])))

    def level9(self):
        """Runs level9, which calls the user-mode driver as Microsoft's 10-level-9 layer would; each case is a point."""
        surface = self.stack.ask('window-surface 96x64 %d' % D3DDDIFMT_X8R8G8B8)[0]
        program = self.stack.start(d3d9_stack.program(d3d9_stack.LEVEL9, self.arch), surface,
                                   self.stack.path_of('producer', self.arch))
        self.look_for(program, 'level9')
        code, said = program.wait(), ''
        self.stack.ask('close-window-surface ' + surface)
        for line in program.lines.text().splitlines():
            found = re.match(r'(not )?ok ([\w ]+)$', line)
            if found:
                self.report.point('level9%s: %s' % (' x86' if self.arch == 'x86' else '', found.group(2)),
                                  found.group(1) and (said or 'it says nothing'))
            said = line
        if code != 0:
            raise Failure('level9 ended with %d: %s' % (code, program.said()))

    def composed(self):
        """Runs programs as on a composed desktop: presents to windows are copies to shared surfaces."""
        self.stack.for_programs = {'AEROGPU_D3D9_COMPOSED': '1'}
        try:
            self.window('triangle', '--ex', '--frames', '5')
            self.window('quad', '--frames', '12')
            self.window('quad', '--frames', '5', '--samples', '4')
            self.window('dirty_regions')
            self.window('player', '--frames', '5')
        finally:
            self.stack.for_programs = {}

    def sharing(self, cycles=2000, other=None):
        """Has 20 programs create, share, open, compose and close surfaces. At the end no more may be held (held(), with
        the margins of HELD) than after the first hundred cycles."""
        program = self.stack.start(d3d9_stack.program('sharing', self.arch), '--hold', '--cycles', str(cycles),
                                   *self.producers_of(other))
        program.wait_line(r'^cycles \d+$')
        before = held(self.stack)
        program.next_line()
        program.wait_line(r'^all cycles \d+ ', max(self.stack.program_limit, cycles * CYCLE_LIMIT))
        after = held(self.stack)
        program.next_line()
        self.finish(program)
        self.report.note('%s; %s' % (program.wait_line('^all cycles .*').group(0), ', '.join(
            '%s %d to %d' % (name, before[name], after[name]) for name in after)))
        grown = ['%s: %d, after the first hundred cycles %d' % (name, after[name], before[name])
                 for name in after if after[name] > before[name] + HELD.get(name, 0)]
        if grown:
            raise Failure('%d cycles: %s' % (cycles, '; '.join(grown)))

    def sharing_of_two_bitnesses(self):
        self.sharing(other='x86')

    def sharing_long(self):
        self.sharing(100000, 'x86')

    def calls(self):
        """Checks the user-mode driver's log of calls, which the kernel driver's setting UserModeLog switches on;
        without it there must be no log."""
        pattern = os.path.join('drive_c', '**', 'aerogpu-d3d9-*.log')
        if glob.glob(os.path.join(self.stack.prefix, pattern), recursive=True):
            raise Failure('there is a log, though UserModeLog is not set')
        with d3d9_stack.Stack(self.stack.parts, both=self.stack.both, settings={'UserModeLog': 3}) as stack:
            program = stack.start(d3d9_stack.program('triangle', self.arch), '--frames', '5')
            self.finish(program)
            logs = glob.glob(os.path.join(stack.prefix, pattern), recursive=True)
            if not logs:
                raise Failure('there is no log, though UserModeLog is 3')
            texts = []
            for log in logs:
                with open(log, encoding='ascii') as file:
                    texts.append(sorted(line.rstrip() for line in file if line.strip()))
        # Some adapters are opened for their caps only.
        text = '\n'.join(max(texts, key=len))
        for wanted in (r'^0000000000 .* 0 OpenAdapter\(interface 9, ', r' 0 GetCaps\(13 GETD3D9CAPS, 304 bytes\) = 0x00000000$',
                       r' 1 CreateDevice\(.*\) = 0x00000000$', r' 1 CreateResource\(.*\) = 0x00000000 -> 0x',
                       r' 1 DrawPrimitive\(type 4, 1 from vertex 0, 0x0\) = 0x00000000$',
                       r' 1   RenderCb\(0x[0-9A-F]+\) = 0x00000000$',
                       r' 1 Present\(from 0x.*\) = 0x00000000$', r' 1 DestroyDevice\(\) = 0x00000000$'):
            if not re.search(wanted, text, re.M):
                raise Failure('the log has no line %s; its last ones: %s' % (wanted, '; '.join(text.splitlines()[-3:])))

    def with_setting(self, setting, label):
        """Draws with a setting of the kernel driver that turns something off."""
        with d3d9_stack.Stack(self.stack.parts, both=self.stack.both, settings={setting: 1}) as stack:
            other = Tests(stack, self.report, arch=self.arch)
            other.readback(label)
            other.quad()
            self.end(stack)

    def buffers_of_the_runtime(self):
        """Draws while the runtime keeps vertex and index buffers in its memory."""
        self.with_setting('DisableHardwareBuffers', 'buffers of the runtime: ')

    def without_aperture(self):
        """Draws where locked memory cannot be rendered with: it lies in the device's memory alone."""
        self.with_setting('DisableAperture', 'without aperture: ')

    ALL = [triangle, triangle_ex, quad, flip, gamma, samples, player, d3d9ex, present_statistics, ddi_sanity, query_latency,
           frame_pacing, dirty_regions, event_queries, submit_stress, vblank_pacing, composition, no_device, readback, shared,
           shared_in_one_process, two_programs, killed, sleep, desktop, composed, calls, buffers_of_the_runtime, without_aperture,
           level9, recovery]
    SHORT = [triangle, ddi_sanity, event_queries, readback, level9]
    MIXED = [two_bitnesses, x86_opens_x64, x64_opens_x86, desktop_of_two_bitnesses, sharing_of_two_bitnesses]
    AGAIN = ['two_programs', 'shared', 'flip', 'killed']
    NAMED = [sharing, rates, gpu_lost, gpu_stuck]
    HARMING = [gpu_lost, gpu_stuck]
    MIXED_NAMED = [sharing_long, disc_script]


def form(line):
    """Returns a program's last line with its numbers replaced: a page that shows one shows which numbers are 0."""
    return re.sub(r'=([\d.]+)', lambda number: '=N' if float(number[1]) else '=0', line)


D3DDDIFMT_X8R8G8B8 = 22
# The 32-bit Wine prints this, because it has no FreeType here (scripts/prepare-wine32).
NO_FONTS = re.compile(r'^Wine cannot find the FreeType font library\..*?^http://www\.freetype\.org\n', re.M | re.S)
SCRIPT_LIMIT = 1800  # s, limit for sixteen programs; an idle machine takes one minute
RATE_SECONDS = 5  # time during which the frames of a program are counted
SLEEP_FRAMES = 400  # a program draws this many, some seconds, through a sleep of the machine
CYCLE_LIMIT = 0.1  # s, limit of a cycle of sharing on a busy machine; an idle one takes some milliseconds
# How much the resources that sharing holds may grow from its first hundred cycles to its end; those not named may not
# grow. A vertex buffer that is discarded while the GPU reads it gets new memory, a few times in all; pool and memory
# of processes have free blocks that come and go, and QEMU's peaks after some thousand cycles: from then on no call
# site holds more than before, except that of descriptor sets, which are 512 at most.
HELD = {'handles': 8, 'allocations': 8, 'resources': 8, 'host-memory': 4 << 20, 'pool': 65536, 'memory of the driver host': 3 << 20,
        'memory of QEMU': 16 << 20, 'held-objects': 4}


# glibc(7), "Memory Allocation Tunables": with these a process has only the memory that it holds. Without them each
# thread has a heap, as many as were busy at once, and blocks of a texture's size come from these once one of that
# size was freed, so that memory grows to the peak of what was held at the same time.
STEADY_MEMORY = {'GLIBC_TUNABLES': 'glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=65536:glibc.malloc.trim_threshold=65536'}


def memory_of(pid):
    """Returns the bytes of a process' anonymous memory (proc(5), smaps). Pages of files and the guest's memory are left
    out: how many of these a process has varies without it holding more."""
    with open('/proc/%d/smaps_rollup' % pid) as file:
        return sum(int(line.split()[1]) for line in file if line.startswith('Anonymous:')) * 1024


def held(stack):
    """Returns {name: count or bytes} of what the device, the kernel side and their processes hold."""
    now = {word.partition('=')[0]: int(word.partition('=')[2]) for word in stack.ask('holdings')}
    for name in ('resources', 'held-objects', 'host-memory', 'errors'):
        now[name] = stack.counter(name)
    for name, pid in stack.processes().items():
        now['memory of ' + name] = memory_of(pid)
    return now
