# SPDX-License-Identifier: MIT
"""Tests our stack with Direct3D 10 and 11 programs, over a QEMU without a running CPU (run_d3d11_tests.py)."""
import os

from aerogpu_build import Failure
import d3d9_stack
from stack_tests import StackTests
import wine

# The interfaces that the driver lists: the setting AEROGPU_D3D11_INTERFACE (D3D10_0_DDI_INTERFACE_VERSION and its kin in
# d3d10umddi/versions.h), and the feature level that a program gets with it.
INTERFACES = {'10_0': ('a0001', 0xA000), '10_0_x': ('a0006', 0xA000), '10_1': ('a0002', 0xA100), '10_1_x': ('a0007', 0xA100)}


class Tests(StackTests):
    """The tests of Direct3D 10 and 11."""
    api = 'd3d11'

    def with_interface(self, program, interface):
        """Draws with one interface of the driver, if any driver has it: else no device can be made."""
        number, level = INTERFACES[interface]
        self.stack.for_programs = {'AEROGPU_D3D11_INTERFACE': number}
        try:
            self.draw(program, level, interface)
        finally:
            self.stack.for_programs = {}

    def draw(self, name, level, interface=''):
        picture = '_'.join(part for part in (name.removesuffix('11'), interface) if part)
        program = self.window(name, picture=picture + ('-x86' if self.arch == 'x86' else ''))
        found = int(program.wait_line('^level 0x([0-9a-f]+)').group(1), 16)
        if found != level:
            raise Failure('the feature level is 0x%x, not 0x%x' % (found, level))
        return program

    def wined3d_picture(self, name):
        """Returns the picture that an x64 program draws with Wine's own Direct3D."""
        with wine.x_server() as display, wine.temporary_prefix('x11') as prefix:
            path = os.path.join(prefix, 'picture.ppm')
            env = dict(os.environ, **wine.environment(prefix, display=display))
            code, text = wine.run([d3d9_stack.program(name), '--expectation', path], env, d3d9_stack.PROGRAM_LIMIT)
            if code != 0:
                raise Failure("%s on Wine's own Direct3D ended with %d: %s" % (name, code, text.strip()))
            return d3d9_stack.Ppm(path)

    def share(self, *arguments, name='shared11', arch=None):
        """Runs a program with shared textures, which shows nothing."""
        program = self.stack.start(d3d9_stack.program(name, arch or self.arch), *arguments)
        code = program.wait()
        if code != 0 or name + ': ok' not in program.said():
            raise Failure('%s ended with %d: %s' % (program.name, code, program.said()))

    # The tests; each is a name on the command line.

    def triangle(self):
        """Draws with the interface that the runtime prefers."""
        self.draw('triangle11', INTERFACES['10_1_x'][1])

    def triangle_10_0(self):
        self.with_interface('triangle11', '10_0')

    def triangle_10_0_x(self):
        self.with_interface('triangle11', '10_0_x')

    def triangle_10_1(self):
        self.with_interface('triangle11', '10_1')

    def triangle_10_1_x(self):
        self.with_interface('triangle11', '10_1_x')

    def scene_10_0(self):
        """Textures, blending, depth, two targets, with the interface of level 10_0."""
        self.with_interface('scene11', '10_0')

    def scene_10_1(self):
        """The same with level 10_1."""
        self.with_interface('scene11', '10_1')

    def buffers(self):
        """Dynamic buffers, copies, resolves, mips, occlusion, with the interface that the runtime prefers."""
        self.draw('buffers11', INTERFACES['10_1_x'][1])

    def deferred(self):
        """Command lists, recorded by two devices at once."""
        self.draw('deferred11', INTERFACES['10_1_x'][1])

    def state(self):
        """Blending of each target, a second colour, comparison, levels and borders as floats."""
        self.draw('state11', INTERFACES['10_1_x'][1])

    def shapes(self):
        """3D and 1D textures, views of buffers, copies of odd bytes, with the interface that the runtime prefers."""
        self.draw('shapes11', INTERFACES['10_1_x'][1])

    def streams_10_0(self):
        """Stream output, DrawAuto and their queries, with the interface of level 10_0."""
        self.with_interface('streams11', '10_0')

    def streams_10_1(self):
        """The same with level 10_1."""
        self.with_interface('streams11', '10_1')

    def quad10_10_0(self):
        """Direct3D 10.1's interfaces on Wine's d3d10_1.dll: textures, blending, depth, with the interface of level 10_0."""
        self.with_interface('quad10', '10_0')

    def quad10_10_1(self):
        """The same with level 10_1."""
        self.with_interface('quad10', '10_1')

    def direct2d(self):
        """Direct2D, of Wine, on the interface that the runtime prefers; its picture is as over Wine's own Direct3D."""
        program = self.draw('direct2d10', INTERFACES['10_1_x'][1])
        wrong = program.expected().difference_but_for_edges(self.wined3d_picture('direct2d10'), 2, contrast=40, share=0.02)
        if wrong:
            raise Failure("Direct2D's picture is not that of wined3d: %s" % wrong)

    def direct2d_10_0_x(self):
        """The same with level 10_0."""
        self.with_interface('direct2d10', '10_0_x')

    def shared(self):
        """Textures that devices of Direct3D 9Ex, 10.1 and 11 share, in two processes."""
        self.share()

    def shared_in_one_process(self):
        self.share('--one-process')

    def shared_with_9(self):
        """Two of these: from Direct3D 11 to 9Ex, and back."""
        for pair in ('11,9,87', '9,11,87'):  # DXGI_FORMAT_B8G8R8A8_UNORM
            self.share('--only', pair)

    def keyed(self):
        """Textures with keyed mutexes: turns of two processes, keys, timeouts, owners that go."""
        self.share(name='keyed11')

    def flip(self, *arguments):
        """The full screen: flips, copies to what is flipped, changes of the mode, and back to the window."""
        program = self.stack.start(d3d9_stack.program('flip11', self.arch), *arguments)
        self.look_for(program, 'flip11')
        code = program.wait()
        if code != 0:
            raise Failure('flip11 ended with %d: %s' % (code, program.said()))

    def flip_copies(self):
        """The same in a format that is not scanned out."""
        self.flip('--rgba')

    def x86_opens_x64(self):
        """An x86 program opens the textures of an x64 one, and draws in them."""
        self.share('--other', self.stack.path_of('shared11', 'x86'))

    def x64_opens_x86(self):
        self.share('--other', self.stack.path_of('shared11'), arch='x86')

    def x86_and_x64_by_keys(self):
        """The same with an x64 program for the second process."""
        self.share('--other', self.stack.path_of('keyed11'), name='keyed11', arch='x86')

    ALL = [triangle, triangle_10_0, triangle_10_0_x, triangle_10_1, triangle_10_1_x, scene_10_0, scene_10_1, buffers,
           deferred, state, shapes, streams_10_0, streams_10_1, quad10_10_0, quad10_10_1, direct2d, direct2d_10_0_x,
           shared, shared_in_one_process, keyed, flip, flip_copies]
    SHORT = ALL
    MIXED = [x86_opens_x64, x64_opens_x86, x86_and_x64_by_keys]
    NAMED = [shared_with_9]  # shared has it too
    AGAIN = ['triangle_10_0', 'triangle_10_1_x']
