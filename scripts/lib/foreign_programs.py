# SPDX-License-Identifier: MIT
"""Runs third-party Direct3D 9, 10 and 11 programs under Wine on our stack: the runtimes for tests, and the user-mode and
kernel drivers that ship. The first run builds the programs from Debian's source packages (2 minutes). Output is TAP.

usage: scripts/run-foreign-programs [options] [NAME...]
  NAME                runs only these programs; --list names them
  --list              prints the names
  --no-build          builds nothing
  --pictures FOLDER   saves what each program shows as PNG
  --device-options S  gives the device properties: NAME=VALUE,...
  --save-every SECONDS  saves, kills and restores the machine again and again, as with scripts/run-d3d9-tests

A program passes when it shows 30 frames, its window has the pixels that its source draws, and the device latches no
error. Programs that test themselves must instead draw and end with 0 and a summary without failures. A last point says
whether the kernel driver broke a rule."""
import dataclasses
import math
import os
import sys
import time
from typing import Callable, Optional

from aerogpu_build import Failure
import d3d9_stack
from d3d9_stack import Ppm, Running, Stack
import foreign_programs_build as foreign
from tap_report import Report
import wine

FRAMES = 30  # frames that a program has to show
LIMIT = 60  # s, limit for them

Pixel = tuple[int, int, int]
Check = Callable[[Ppm], None]


def pixel(screen: Ppm, x: int, y: int) -> Pixel:
    """Returns red, green and blue of a point."""
    at = (y * screen.width + x) * 3
    return screen.data[at], screen.data[at + 1], screen.data[at + 2]


def expect(screen: Ppm, x: int, y: int, wanted: Pixel, tolerance: int = 1) -> None:
    """Raises Failure unless a point has the colour `wanted`."""
    got = pixel(screen, x, y)
    if any(abs(a - b) > tolerance for a, b in zip(got, wanted)):
        raise Failure('(%d,%d) is %s, not %s' % (x, y, got, wanted))


def share(screen: Ppm, left: int, top: int, width: int, height: int, wanted: Pixel) -> float:
    """Returns which share, 0 to 1, of a rectangle's pixels has exactly the colour `wanted`."""
    colour = bytes(wanted)
    found = sum(row[at:at + 3] == colour for row in screen.rows(left, top, width, height) for at in range(0, len(row), 3))
    return found / (width * height)


# SDL centres its windows of 640x480.
SDL_X, SDL_Y, SDL_WIDTH, SDL_HEIGHT = (d3d9_stack.SIZE[0] - 640) // 2, (d3d9_stack.SIZE[1] - 480) // 2, 640, 480
# Irrlicht centres them too, with a border around them that is not drawn.
IRRLICHT_X, IRRLICHT_Y = SDL_X, SDL_Y + 9
SDL_GREY = (0xA0, 0xA0, 0xA0)


def check_geometry(screen: Ppm) -> None:
    """Checks testgeometry.c: a triangle around the middle with red, green and blue at its corners."""
    middle = (SDL_WIDTH / 2, SDL_HEIGHT / 2)
    reach = (SDL_WIDTH + SDL_HEIGHT) / 5
    corners = [(middle[0] + reach * math.cos(math.radians(turn)), middle[1] + reach * math.sin(math.radians(turn)))
               for turn in (0, 120, 240)]
    (ax, ay), (bx, by), (cx, cy) = corners
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    height = reach * 1.5
    for y in range(2, SDL_HEIGHT - 2, 7):
        for x in range(2, SDL_WIDTH - 2, 7):
            px, py = x + 0.5, y + 0.5
            green = ((px - ax) * (cy - ay) - (cx - ax) * (py - ay)) / area
            blue = ((bx - ax) * (py - ay) - (px - ax) * (by - ay)) / area
            weights = (1 - green - blue, green, blue)
            if min(abs(weight) * height for weight in weights) < 1.5:
                continue  # an edge is near
            inside = min(weights) > 0
            wanted = tuple(round(255 * weight) for weight in weights) if inside else SDL_GREY
            expect(screen, SDL_X + x, SDL_Y + y, wanted, 2)


def check_sprites(screen: Ppm) -> None:
    """Checks testsprite2.c: a green frame at the window's edges, a grey background, yellow sprites."""
    for x in (SDL_X, SDL_X + SDL_WIDTH - 1):
        expect(screen, x, SDL_Y + 100, (0, 255, 0))
    if share(screen, SDL_X, SDL_Y, SDL_WIDTH, SDL_HEIGHT, SDL_GREY) < 0.5:
        raise Failure('the background is not there')
    if share(screen, SDL_X, SDL_Y, SDL_WIDTH, SDL_HEIGHT, (255, 255, 0)) < 0.01:
        raise Failure('no sprite is there')


def check_target(screen: Ppm) -> None:
    """Checks testrendertarget.c, which draws a yellow face through a render target: some pixels are that yellow."""
    if share(screen, SDL_X, SDL_Y, SDL_WIDTH, SDL_HEIGHT, (255, 255, 0)) < 0.001:
        raise Failure('no face is there')


def check_imgui(clear_to: Callable[[float], int]) -> Check:
    """Returns a check of Dear ImGui's example: its clear colour, and the colour of the windows' title bars. `clear_to` makes
    a channel of the former: for Direct3D 9 the example cuts it off, later versions round it."""
    clear = tuple(clear_to(channel * 255) for channel in (0.45, 0.55, 0.60))
    title = tuple(round(channel * 255) for channel in (0.16, 0.29, 0.48))

    def check(screen: Ppm) -> None:
        if share(screen, 0, 0, screen.width, screen.height, clear) < 0.25:
            raise Failure('the background is not there')
        if share(screen, 0, 0, screen.width, screen.height, title) < 0.003:
            raise Failure('no title is there')
    return check


def check_irrlicht(background: Pixel) -> Check:
    """Returns a check that the background colour fills between 2 and 98 % of the window."""
    def check(screen: Ppm) -> None:
        part = share(screen, IRRLICHT_X, IRRLICHT_Y, 640, 480, background)
        if not 0.02 < part < 0.98:
            raise Failure('%.0f %% of the picture has the colour that it begins with' % (part * 100))
    return check


@dataclasses.dataclass(frozen=True)
class Program:
    """A program to run. `check`: check of the screen. `says`: regular expression of the last line of a program that
    ends by itself; others run until they are killed. `types`: text for its standard input. `folder`: its working folder
    in the package's source (default: the folder of the built programs). `d3d11`: of Direct3D 10 or 11."""
    name: str
    package: str
    file: str
    arguments: tuple[str, ...] = ()
    check: Optional[Check] = None
    says: str = ''
    types: str = ''
    folder: str = ''
    d3d11: bool = False


SDL_PROGRAMS = (
    Program('sdl-render', 'libsdl2', 'testautomation', ('--filter', 'Render'), says=r"Run Summary: .* Failed=0"),
    Program('sdl-geometry', 'libsdl2', 'testgeometry', check=check_geometry),
    Program('sdl-sprites', 'libsdl2', 'testsprite2', check=check_sprites),
    Program('sdl-target', 'libsdl2', 'testrendertarget', check=check_target),
)
PROGRAMS = (
    *SDL_PROGRAMS,
    *(Program('sdl-%s-d3d11' % program.name[4:], program.package, program.file, program.arguments, program.check,
              program.says, d3d11=True) for program in SDL_PROGRAMS),
    Program('imgui', 'imgui', 'example9', check=check_imgui(int)),
    Program('imgui-d3d10', 'imgui', 'example10', check=check_imgui(round), d3d11=True),
    Program('imgui-d3d11', 'imgui', 'example11', check=check_imgui(round), d3d11=True),
    Program('irrlicht-hello', 'irrlicht', '01.HelloWorld', check=check_irrlicht((100, 101, 140)),
            folder='examples/01.HelloWorld'),
    Program('irrlicht-movement', 'irrlicht', '04.Movement', check=check_irrlicht((113, 113, 133)), types='b\n',
            folder='examples/04.Movement'),
    Program('irrlicht-shaders', 'irrlicht', '10.Shaders', check=check_irrlicht((255, 255, 255)), types='b\nn\n',
            folder='examples/10.Shaders'),
    Program('irrlicht-target', 'irrlicht', '13.RenderToTexture', check=check_irrlicht((0, 0, 0)), types='b\n',
            folder='examples/13.RenderToTexture'),
    Program('irrlicht-occlusion', 'irrlicht', '26.OcclusionQuery', check=check_irrlicht((113, 113, 133)), types='b\n',
            folder='examples/26.OcclusionQuery'),
)


# The runtime for tests plays that of Windows 7. SDL asks later versions for what theirs has, e.g. frames that are not
# scaled.
WINDOWS_7 = '\n[Software\\\\Wine]\n"Version"="win7"\n'


def start(stack: Stack, program: Program) -> Running:
    """Starts a program in its working folder, where it finds its files."""
    os.chdir(os.path.join(foreign.source(program.package), program.folder) if program.folder else
             os.path.dirname(foreign.program(program.package, '')))
    # SDL's renderer, without a fallback.
    os.environ['SDL_RENDER_DRIVER'] = 'direct3d11' if program.d3d11 else 'direct3d'
    running = stack.start(foreign.program(program.package, program.file), *program.arguments)
    if program.types:
        running.process.stdin.write(program.types.encode())
        running.process.stdin.flush()
    return running


def attempt(stack: Stack, program: Program, pictures: Optional[str]) -> str:
    """Runs one program; returns why it does not pass, or ''."""
    presents, draws, errors = (stack.counter(name) for name in ('presents', 'draws', 'errors'))
    running = start(stack, program)
    deadline = time.monotonic() + LIMIT
    if program.says:
        running.wait_line(program.says, LIMIT)
        if running.wait():
            return 'it ended with %d: %s' % (running.process.returncode, running.said())
        if stack.counter('draws') == draws:
            return 'it drew nothing'
    else:
        while stack.counter('presents') < presents + FRAMES:
            if running.process.poll() is not None:
                return 'it ended with %d: %s' % (running.process.returncode, running.said())
            if time.monotonic() > deadline:
                running.kill()
                return 'it showed %d frames in %d s: %s' % (stack.counter('presents') - presents, LIMIT, running.said())
            time.sleep(0.05)
        screen = stack.screen()
        running.kill()
        running.wait()
        if pictures:
            os.makedirs(pictures, exist_ok=True)
            screen.write_png(os.path.join(pictures, 'foreign-%s.png' % program.name))
        if program.check:
            program.check(screen)
    if stack.counter('errors') != errors:
        return 'the device has latched an error'
    return ''


def run_on(stack: Stack, programs: list[Program], pictures: Optional[str], report: Report) -> None:
    """Runs the programs one after the other on one stack."""
    with stack:
        for program in programs:
            try:
                wrong = attempt(stack, program, pictures)
            except Failure as failure:
                wrong = str(failure)
            report.point(program.name, wrong)
            stack.check_alive(program.name)
            stack.restart_wine()  # so that no window of it stays on the screen
        report.stop(stack)


def run(programs: list[Program], pictures: Optional[str]) -> int:
    """Runs the programs one after the other, those of Direct3D 9 and the others on a stack each; returns 1 if one does not
    pass, else 0."""
    report = Report()
    for d3d11 in (False, True):
        ours = [program for program in programs if program.d3d11 == d3d11]
        if ours:
            run_on(Stack(d3d11=d3d11, registry=WINDOWS_7), ours, pictures, report)
    d3d9_stack.report_changes(report)
    report.end()
    return 1 if report.failed else 0


def main() -> int:
    """Runs what the command line asks for; returns the exit status."""
    names: list[str] = []
    pictures, builds = None, True
    rest = sys.argv[1:]
    while rest:
        word = rest.pop(0)
        if word in ('-h', '--help'):
            print(__doc__)
            return 0
        if word == '--list':
            print('\n'.join(program.name for program in PROGRAMS))
            return 0
        if word == '--no-build':
            builds = False
        elif word == '--pictures':
            if not rest:
                raise Failure('--pictures needs a folder')
            pictures = os.path.abspath(rest.pop(0))
        elif word == '--device-options':
            if not rest:
                raise Failure('--device-options needs a value')
            d3d9_stack.device_options = rest.pop(0)
        elif word == '--save-every':
            d3d9_stack.save_every = d3d9_stack.seconds_of(word, rest.pop(0) if rest else '')
        elif word.startswith('-'):
            raise Failure("unknown option '%s'; run-foreign-programs --help lists them" % word)
        elif word not in [program.name for program in PROGRAMS]:
            raise Failure("there is no program '%s'; --list names them" % word)
        else:
            names.append(word)
    programs = [program for program in PROGRAMS if not names or program.name in names]
    wine.check_wine()
    if builds:
        for d3d11 in sorted({program.d3d11 for program in programs}):
            d3d9_stack.build(d3d11=d3d11)
        foreign.build(sorted({program.package for program in programs}))
    for program in programs:
        path = foreign.program(program.package, program.file)
        if not os.path.isfile(path):
            raise Failure('there is no %s: %s is missing; without --no-build it is made' % (program.name, path))
    return run(programs, pictures)
