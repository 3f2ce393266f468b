#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Restarts the renderer's process of a running VM again and again, while the demo draws. The guest does not notice.

  restart_test.py [--rounds N] [--prepare] [--private] [--newer FILE] [--judge]

--prepare: the process is ready before each restart (renderer-prepare). --private: the guest's RAM is not shared, so that
the process asks for it. --newer: another lavapipe's libvulkan_lvp.so, which takes the place of the installed one after the
first half of the rounds, as an update of a package would. --judge: fails if one restart takes longer than 500 ms, or if
QEMU's descriptors, threads or memory have grown."""
import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, '..', '..', 'scripts', 'lib'))
from aerogpu_build import BUILD, Failure  # noqa: E402
from aerogpu_vm import VM, accelerator, guest_arguments, until  # noqa: E402

BOOT_DEADLINE = 150
MOST_MS, MOST_MORE_BYTES = 500, 8 << 20
INSTALLED = '/usr/share/vulkan/icd.d/lvp_icd.x86_64.json'
WARM = 20  # rounds after which descriptors and memory are compared


class Machine:
    def __init__(self, folder, private, newer):
        self.picture_path = os.path.join(folder, 'screen.ppm')
        self.manifest = os.path.join(folder, 'driver.json')
        self.newer = newer
        environment = {'AEROGPU_BUILD_DIR': BUILD, 'AEROGPU_SHARED_RAM': '0' if private else '1',
                       'XDG_CACHE_HOME': os.path.join(folder, 'cache')}
        if newer:
            shutil.copy(INSTALLED, self.manifest)
            environment['VK_ICD_FILENAMES'] = self.manifest
        # A machine with a UUID, as libvirt's are, has a cache of what the driver compiles.
        machine = ['-uuid', '6fd10fc6-7ba3-43e5-9d25-9c0a2d3f5a6b', '-device', 'aerogpu,id=gpu0,process=on']
        self.vm = VM(guest_arguments(accelerator(), 'desktop,frames=1000000') + machine, environment=environment)
        self.vm.start()
        self.vm.wait_serial(r'^aerogpu-demo: frame 120\b.*\n', BOOT_DEADLINE)

    def get(self, name):
        return self.vm.qmp('qom-get', path='/machine/peripheral/gpu0', property=name)

    def picture(self):
        self.vm.screendump(self.picture_path)
        with open(self.picture_path, 'rb') as file:
            return file.read()

    def update(self):
        with open(INSTALLED, encoding='utf-8') as file:
            manifest = json.load(file)
        manifest['ICD']['library_path'] = os.path.abspath(self.newer)
        with open(self.manifest + '.new', 'w', encoding='utf-8') as file:
            json.dump(manifest, file)
        os.replace(self.manifest + '.new', self.manifest)

    def prepare(self):
        self.vm.qmp('qom-set', path='/machine/peripheral/gpu0', property='renderer-prepare', value=True)
        until(lambda: self.get('status')['renderer-process']['next'] != 'starts', 'a process', 60)
        about = self.get('status')['renderer-process']
        if about['next'] != 'ready':
            raise Failure('the process is not ready: %s' % about)

    def restart(self, number):
        """Restarts the process, while the machine runs or, in every second round, while it stands still, where the picture
        has to be the same. Returns the milliseconds that it took."""
        before, stands = self.get('status')['renderer-process']['id'], number % 2
        if stands:
            self.vm.qmp('stop')
            picture = self.picture()
        self.vm.qmp('qom-set', path='/machine/peripheral/gpu0', property='renderer-restart', value=True)
        if stands:
            if self.picture() != picture:
                raise Failure('restart %d: the picture is another one' % number)
            self.vm.qmp('cont')
        status = self.get('status')
        if status['renderer-process']['id'] == before or status['renderer-process']['deaths']:
            raise Failure('restart %d: the process is %s, before it was %d' % (number, status['renderer-process'], before))
        presents = self.get('presents')
        until(lambda: self.get('presents') > presents + 2, 'frames after restart %d' % number, 30)
        if self.get('errors'):
            raise Failure('restart %d: errors: %s' % (number, self.vm.log()))
        return self.get('gpu-move-ns') / 1e6

    def footprint(self):
        """Returns QEMU's descriptors, threads, and bytes of resident memory."""
        process = '/proc/%d' % self.vm.process.pid
        with open(process + '/statm', encoding='ascii') as file:
            resident = int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')
        return len(os.listdir(process + '/fd')), len(os.listdir(process + '/task')), resident


def run(options):
    with tempfile.TemporaryDirectory(prefix='aerogpu-restart-') as folder:
        machine = Machine(folder, options.private, options.newer)
        try:
            times, first = [], None
            drivers = [machine.get('status')['gpu-driver']]
            for number in range(options.rounds):
                if options.newer and number == options.rounds // 2:
                    machine.update()
                if options.prepare:
                    machine.prepare()
                times.append(machine.restart(number))
                if number == min(WARM, options.rounds - 1):
                    first = machine.footprint()
            last = machine.footprint()
            drivers.append(machine.get('status')['gpu-driver'])
        finally:
            machine.vm.stop()
    print('%d restarts, median %d ms, longest %d ms; descriptors %d to %d, threads %d to %d, resident memory %+d KiB%s' % (
        options.rounds, statistics.median(times), max(times), first[0], last[0], first[1], last[1],
        (last[2] - first[2]) >> 10, '; from %s to %s' % tuple(drivers) if options.newer else ''))
    if options.newer and drivers[0] == drivers[1]:
        raise Failure('the driver is still %s' % drivers[0])
    if options.judge and (max(times) > MOST_MS or last[:2] != first[:2] or last[2] - first[2] > MOST_MORE_BYTES):
        raise Failure('more than %d ms, or more descriptors, threads or memory' % MOST_MS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--rounds', type=int, default=4)
    parser.add_argument('--prepare', action='store_true')
    parser.add_argument('--private', action='store_true')
    parser.add_argument('--newer')
    parser.add_argument('--judge', action='store_true')
    try:
        run(parser.parse_args())
    except Failure as failure:
        sys.exit('restart: %s' % failure)


main()
