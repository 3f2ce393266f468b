#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Moves a running VM from one QEMU to another and back, while the demo draws. Its picture is the same on both sides byte
for byte, and it goes on there.

  migrate_test.py [--rounds N] [--renderer NAME] [--compare]

Prints of each round what moved, how long the machine stood still, and how many frames came until then beside those of
the same span before."""
import argparse
import os
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, '..', '..', 'scripts', 'lib'))
from aerogpu_build import BUILD, Failure  # noqa: E402
from aerogpu_vm import VM, accelerator, guest_arguments, until  # noqa: E402
from png import Picture  # noqa: E402

ENVIRONMENT = {'AEROGPU_BUILD_DIR': BUILD}
BOOT_DEADLINE = 150
MIGRATION_DEADLINE = 60
# With --compare: milliseconds beyond those of renderer=null, and of the frames of a second without a migration.
MOST_MORE_MS, LEAST_FRAMES = 100, 0.9


def counter(vm, name):
    return vm.qmp('qom-get', path='/machine/peripheral/gpu0', property=name)


MEMORY_BYTES = 384 << 20  # aerogpu_vm.py's guest has so much


class Presents:
    """Counts the presents of a span."""

    def __init__(self, vm):
        self.vm, self.began, self.first = vm, time.monotonic(), counter(vm, 'presents')

    def rate(self):
        return (counter(self.vm, 'presents') - self.first) / (time.monotonic() - self.began)


class Journey:
    def __init__(self, renderer, folder):
        self.folder, self.renderer, self.number = folder, renderer, 0
        self.arguments = guest_arguments(accelerator(), 'desktop,frames=1000000')
        self.vm = self.machine([])
        self.vm.start()

    def machine(self, more):
        device = ['-device', 'aerogpu,id=gpu0,renderer=' + self.renderer]
        return VM(self.arguments + device + more, environment=ENVIRONMENT)

    def picture(self, vm):
        path = os.path.join(self.folder, 'screen.png')
        vm.screendump(path)
        with open(path, 'rb') as file:
            return file.read()

    def memory(self, vm):
        """Returns the guest's memory, of a machine that stands still."""
        path = os.path.join(self.folder, 'memory')
        vm.qmp('pmemsave', val=0, size=MEMORY_BYTES, filename=path)
        with open(path, 'rb') as file:
            return file.read()

    def compare_memory(self, source, target):
        there, here = self.memory(source), self.memory(target)
        differ = sum(there[i:i + 4096] != here[i:i + 4096] for i in range(0, MEMORY_BYTES, 4096))
        if differ:
            raise Failure('%d pages of the guest differ after the move' % differ)

    def move(self):
        """Moves the machine. Returns milliseconds that it stood still, the ratio of frames, KiB ahead and at the stop."""
        source, self.number = self.vm, self.number + 1
        line = os.path.join(self.folder, 'line-%d' % self.number)
        target = self.machine(['-S', '-incoming', 'unix:' + line])
        target.start()
        try:
            until(lambda: target.qmp('query-status')['status'] == 'inmigrate', 'the waiting machine', 20)
            before = Presents(source)
            time.sleep(1)
            usual = before.rate()
            during = Presents(source)
            source.qmp('migrate', uri='unix:' + line)
            rate = usual

            def ended():
                nonlocal rate
                state = source.qmp('query-migrate')
                if state.get('status') == 'failed':
                    raise Failure('the migration failed: %s\n%s\n%s' % (state, source.log(), target.log()))
                now = during.rate()
                # Standing still is judged by itself, and can last until after this question.
                if source.qmp('query-status')['running']:
                    rate = now
                return state.get('status') == 'completed'
            until(ended, 'the migration', MIGRATION_DEADLINE)
            state = source.qmp('query-migrate')
            until(lambda: target.qmp('query-status')['status'] == 'paused', 'the moved machine', 20)
            if self.picture(source) != self.picture(target):
                raise Failure('the pictures differ')
            if Picture(os.path.join(self.folder, 'screen.png')).width != 1280:
                raise Failure('the picture is not the desktop')
            self.compare_memory(source, target)
            ahead, rest = counter(source, 'save-ahead-bytes') >> 10, counter(source, 'save-bytes') >> 10
            target.qmp('cont')
            shown = counter(target, 'presents')
            until(lambda: counter(target, 'presents') > shown + 5, 'frames of the moved machine', 30)
            if counter(target, 'errors'):
                raise Failure('errors: %s' % target.log())
        except BaseException:
            target.stop()
            raise
        source.stop()
        self.vm = target
        return state['downtime'], rate / usual, ahead, rest


def travel(renderer, rounds):
    """Moves a machine so often. Returns the medians of the milliseconds that it stood still, and of the frames."""
    with tempfile.TemporaryDirectory(prefix='aerogpu-migrate-') as folder:
        journey = Journey(renderer, folder)
        try:
            journey.vm.wait_serial(r'^aerogpu-demo: frame 120\b.*\n', BOOT_DEADLINE)
            moves = []
            for _ in range(rounds):
                moves.append(journey.move())
                print('stood still %d ms, %.2f of the frames, %d KiB ahead, %d KiB at the stop' % moves[-1], flush=True)
        finally:
            journey.vm.stop()
    still, frames = (statistics.median(move[i] for move in moves) for i in (0, 1))
    print('%s: %d moves, median %d ms, %.2f of the frames' % (renderer, rounds, still, frames))
    return still, frames


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--rounds', type=int, default=2)
    parser.add_argument('--renderer', default='vulkan')
    parser.add_argument('--compare', action='store_true', help='with renderer=null, in the same sitting')
    options = parser.parse_args()
    try:
        usual = travel('null', options.rounds)[0] if options.compare else None
        still, frames = travel(options.renderer, options.rounds)
    except Failure as failure:
        sys.exit('migrate: %s' % failure)
    if options.compare and (still > usual + MOST_MORE_MS or frames < LEAST_FRAMES):
        sys.exit('migrate: stands still %d ms more than renderer=null, %d are allowed; %.2f of the frames, of %.2f' % (
            still - usual, MOST_MORE_MS, frames, LEAST_FRAMES))


main()
