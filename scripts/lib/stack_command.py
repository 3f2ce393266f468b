# SPDX-License-Identifier: MIT
"""The command lines of scripts/run-d3d9-tests and scripts/run-d3d11-tests: options, and the stack in the background."""
import json
import os
import signal
import subprocess
import sys
import time

from aerogpu_build import BUILD, ROOT, Failure
import d3d9_stack
from d3d9_stack import Stack
import stack_tests
import wine

ARCHITECTURES = ('x64', 'x86', 'both')


class Command:
    """A script in scripts/. `text`: its help. `api`: 'd3d9' or 'd3d11'. `tests`: its class of tests. `options`: the parts of
    the stack that options replace; those for x86 end with -x86. `tasks`: {option: what it does in place of tests, called
    with the parsed options}. `environment`: variables of the server and of QEMU while tests run."""

    def __init__(self, name, text, api, tests, options, tasks=None, environment=None):
        self.name = name
        self.text = text
        self.d3d11 = api == 'd3d11'
        self.runtime = api  # the part whose path is DLL=
        self.tests = tests
        self.options = options
        self.tasks = {**(tasks or {}), '--serve': self.serve, '--print-environment': self.background,
                      '--stop': lambda unused: self.stop()}
        self.environment = environment
        self.kept = os.path.join(BUILD, 'wine', api)  # the prefix, state and log of --print-environment

    def stack(self, options, **arguments):
        return Stack(options['parts'], both=options['arch'] != 'x64', d3d11=self.d3d11, **arguments)

    def run(self, options):
        return stack_tests.run(self.stack(options, environment=self.environment), self.tests, options['names'],
                               options['pictures'], arch=options['arch'])

    def serve(self, options):
        """Starts a stack, prints its environment, and serves until Ctrl-C or the end of input."""
        with self.stack(options, prefix=os.path.join(self.kept, 'prefix'), strict=False) as stack:
            for name, value in stack.variables().items():
                print('%s=%s' % (name, value))
            print('DLL=%s' % stack.parts[self.runtime], flush=True)
            try:
                while sys.stdin.buffer.readline():
                    pass
            except KeyboardInterrupt:
                pass
        return 0

    def background(self, options):
        """Starts a --serve that stays when this process ends; prints the environment that it prints."""
        self.stop(quiet=True)
        os.makedirs(self.kept, exist_ok=True)
        read, write = os.pipe()  # its standard input, which stays open until --stop's signal
        with open(os.path.join(self.kept, 'server.log'), 'wb') as log:
            arguments = [word for name in self.options if name in options['parts']
                         for word in ('--' + name, options['parts'][name])] + ['--arch', options['arch']]
            if d3d9_stack.device_options:
                arguments += ['--device-options', d3d9_stack.device_options]
            if d3d9_stack.save_every:
                arguments += ['--save-every', str(d3d9_stack.save_every)]
            process = subprocess.Popen([os.path.join(ROOT, 'scripts', self.name), '--no-build', '--serve', *arguments],
                                       stdin=read, stdout=subprocess.PIPE, stderr=log, start_new_session=True,
                                       pass_fds=[write])
        os.close(read)
        os.close(write)
        for line in process.stdout:
            sys.stdout.write(line.decode())
            if line.startswith(b'DLL='):
                break
        else:
            with open(os.path.join(self.kept, 'server.log'), errors='replace') as log:
                raise Failure('the server did not start: %s' % log.read().strip())
        with open(os.path.join(self.kept, 'server.json'), 'w') as file:
            json.dump({'pid': process.pid}, file)
        return 0

    def stop(self, quiet=False):
        path = os.path.join(self.kept, 'server.json')
        try:
            with open(path) as file:
                pid = json.load(file)['pid']
            with open('/proc/%d/cmdline' % pid, 'rb') as file:
                running = self.name.encode() in file.read()
        except (OSError, ValueError, KeyError):
            running = False
        if running:
            os.kill(pid, signal.SIGINT)
            deadline = time.monotonic() + 60
            while os.path.exists('/proc/%d' % pid) and time.monotonic() < deadline:
                time.sleep(0.05)
        elif not quiet:
            raise Failure('no server of --print-environment runs')
        if os.path.exists(path):
            os.unlink(path)
        return 0

    def parse(self, arguments):
        options = {'names': [], 'parts': {}, 'pictures': None, 'task': self.run, 'build': True, 'stops': False, 'arch': 'x64'}
        rest = list(arguments)
        while rest:
            word = rest.pop(0)
            if word in self.tasks:
                options['task'] = self.tasks[word]
                options['stops'] = word == '--stop'
            elif word == '--no-build':
                options['build'] = False
            elif word == '--arch':
                options['arch'] = rest.pop(0) if rest else ''
                if options['arch'] not in ARCHITECTURES:
                    raise Failure("--arch: '%s' is not one of %s" % (options['arch'], ', '.join(ARCHITECTURES)))
            elif word == '--device-options':
                if not rest:
                    raise Failure('%s needs a value' % word)
                d3d9_stack.device_options = rest.pop(0)
            elif word == '--save-every':
                d3d9_stack.save_every = d3d9_stack.seconds_of(word, rest.pop(0) if rest else '')
            elif word == '--pictures' or word[2:] in self.options and word.startswith('--'):
                if not rest:
                    raise Failure('%s needs a value' % word)
                value = os.path.abspath(rest.pop(0))
                if word == '--pictures':
                    options['pictures'] = value
                else:
                    options['parts'][word[2:]] = value
            elif word.startswith('-'):
                raise Failure("unknown option '%s'; %s --help lists them" % (word, self.name))
            else:
                options['names'].append(word)
        for name in options['parts']:
            if name.endswith('-x86') and options['arch'] == 'x64':
                raise Failure('--%s needs --arch x86 or both' % name)
        return options

    def main(self):
        if '-h' in sys.argv or '--help' in sys.argv:
            print(self.text)
            return 0
        if '--list' in sys.argv:
            tests = self.tests
            print('\n'.join(test.__name__ for test in tests.ALL + tests.MIXED + tests.NAMED + tests.MIXED_NAMED))
            return 0
        options = self.parse(sys.argv[1:])
        wine.check_wine()
        if options['build'] and not options['stops']:
            d3d9_stack.build(options['arch'] != 'x64', self.d3d11)
        return options['task'](options)
