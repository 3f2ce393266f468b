#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests run-vm --no-gpu: the machine that it starts, and the options that it refuses."""
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from aerogpu_build import Failure  # noqa: E402
import run_vm  # noqa: E402


class NoGpu(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.disk = os.path.join(folder.name, 'disk.qcow2')
        subprocess.run(['qemu-img', 'create', '-q', '-f', 'qcow2', self.disk, '1M'], check=True)

    def command(self, *words):
        options = run_vm.Options(['--no-setup', '--no-driver-iso', '--display', 'none', *words, self.disk])
        arguments = run_vm.windows_arguments(options, 'tcg')
        with mock.patch.object(run_vm.subprocess, 'Popen') as started:
            started.return_value.poll.return_value = 0
            run_vm.interactive(options, arguments, serial=False)
        return started.call_args_list[-1][0][0]

    def test_machines_differ_in_the_card_only(self):
        with_gpu, without = self.command(), self.command('--no-gpu')
        self.assertEqual(without[0], 'qemu-system-x86_64')
        self.assertEqual(with_gpu[0], run_vm.LAUNCHER)
        at = without.index('VGA')
        self.assertEqual(with_gpu[at], 'aerogpu')
        self.assertEqual(without[1:at] + without[at + 1:], with_gpu[1:at] + with_gpu[at + 1:])

    def test_what_does_not_go_with_it(self):
        for words, text in ((['--no-gpu'], '--no-gpu is for a disk'),
                            (['--no-gpu', '--renderer', 'null', self.disk], '--no-gpu has no device'),
                            (['--no-gpu', '--mode', '800x600', self.disk], '--no-gpu has no device'),
                            (['--no-gpu', '--capture', self.disk + '.trace', self.disk], '--no-gpu has no device')):
            with self.assertRaisesRegex(Failure, text):
                run_vm.Options(words)


if __name__ == '__main__':
    unittest.main()
