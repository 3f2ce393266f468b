# SPDX-License-Identifier: MIT
"""Builds third-party Direct3D programs with mingw-w64 from Debian's source packages, in build/foreign/PACKAGE. None
of their source is in the tree; the only change to it is that of build_irrlicht()."""
import glob
import os
import re
import shutil
import subprocess

from aerogpu_build import BUILD, ROOT, Failure, run_logged

FOLDER = os.path.join(BUILD, 'foreign')
TRIPLE = 'x86_64-w64-mingw32'
JOBS = str(os.cpu_count() or 1)


def source(package: str) -> str:
    """Returns the folder into which a package's source is unpacked."""
    return os.path.join(FOLDER, package, 'source')


def program(package: str, name: str) -> str:
    """Returns the path of a package's program."""
    return os.path.join(FOLDER, package, 'bin', name + '.exe')


def _log(name: str) -> str:
    return os.path.join(BUILD, 'logs', 'foreign-%s.log' % name)


def _fetch(package: str) -> None:
    if os.path.isdir(source(package)):
        return
    done = subprocess.run([os.path.join(ROOT, 'scripts', 'debian-source'), package, '-', os.path.join(FOLDER, package)],
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise Failure("Debian's source of %s cannot be had" % package)


def build_sdl() -> None:
    """Builds SDL 2: the library and four of its test programs."""
    here, folder = source('libsdl2'), os.path.join(FOLDER, 'libsdl2', 'build')
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(os.path.join(folder, 'Makefile')):
        # Compiler settings for this machine do not apply to it.
        environment = {name: value for name, value in os.environ.items() if name not in ('CC', 'CXX', 'CFLAGS', 'CXXFLAGS')}
        run_logged('configuring SDL', _log('sdl-configure'), [
            os.path.join(here, 'configure'), '--host=' + TRIPLE, '--disable-static', *[
                '--disable-' + part for part in ('joystick', 'haptic', 'hidapi', 'sensor', 'audio', 'video-opengl',
                                                 'video-opengles', 'video-vulkan')]], cwd=folder, env=environment)
    run_logged('building SDL', _log('sdl'), ['make', '-j' + JOBS], cwd=folder)
    libraries = os.path.join(folder, 'build', '.libs')
    bin_folder = os.path.dirname(program('libsdl2', ''))
    shutil.copy(os.path.join(libraries, 'SDL2.dll'), bin_folder)
    for picture in ('icon.bmp', 'sample.bmp'):
        shutil.copy(os.path.join(here, 'test', picture), bin_folder)
    tests = os.path.join(here, 'test')
    for name in ('testautomation', 'testgeometry', 'testrendertarget', 'testsprite2'):
        files = glob.glob(os.path.join(tests, 'testautomation*.c')) if name == 'testautomation' else [
            os.path.join(tests, name + '.c'), os.path.join(tests, 'testutils.c')]
        run_logged("building SDL's %s" % name, _log('sdl-' + name), [
            TRIPLE + '-gcc', '-O1', '-w', '-I', os.path.join(here, 'include'), '-I', os.path.join(folder, 'include'), *files,
            '-o', program('libsdl2', name), os.path.join(libraries, 'libSDL2_test.a'), '-lmingw32',
            os.path.join(libraries, 'libSDL2main.a'), '-L', libraries, '-lSDL2'])


def build_imgui() -> None:
    """Builds Dear ImGui's examples for Direct3D 9, 10 and 11. The latter compile their shaders with d3dcompiler_47.dll."""
    here = source('imgui')
    backends = os.path.join(here, 'backends')
    for version, libraries in (('9', ['-ld3d9']), ('10', ['-ld3d10', '-ld3dcompiler']),
                               ('11', ['-ld3d11', '-ld3dcompiler'])):
        run_logged("building Dear ImGui's example of Direct3D " + version, _log('imgui-' + version), [
            TRIPLE + '-g++', '-O1', '-w', '-I', here, '-I', backends, *glob.glob(os.path.join(here, 'imgui*.cpp')),
            os.path.join(backends, 'imgui_impl_dx%s.cpp' % version), os.path.join(backends, 'imgui_impl_win32.cpp'),
            os.path.join(here, 'examples', 'example_win32_directx' + version, 'main.cpp'), '-o',
            program('imgui', 'example' + version), '-static', *libraries, '-ldwmapi', '-lgdi32', '-limm32'])


# Debian's package lacks the libraries that upstream bundles, and Irrlicht's own fixed-function renderers are not
# wanted: Direct3D has to draw.
_IRRLICHT_WITHOUT = ('LIBPNG', 'LIBJPEG', 'ZLIB', 'BZIP2', 'LZMA', 'ZIP_ENCRYPTION', 'DIRECT3D_8', 'OPENGL',
                     'DIRECTINPUT_JOYSTICK', 'BURNINGSVIDEO', 'SOFTWARE')
_IRRLICHT_EXAMPLES = ('01.HelloWorld', '04.Movement', '10.Shaders', '13.RenderToTexture', '26.OcclusionQuery')


def build_irrlicht() -> None:
    """Builds the Irrlicht engine and five of its examples. HelloWorld's source is changed: it names a driver, here
    Direct3D 9's."""
    here, folder = source('irrlicht'), os.path.join(FOLDER, 'irrlicht', 'build')
    os.makedirs(folder, exist_ok=True)
    flags = ['-O1', '-w', '-D_IRR_STATIC_LIB_', '-DIRR_COMPILE_WITH_DX9_DEV_PACK', '-I', os.path.join(here, 'include'), '-I',
             os.path.join(here, 'source', 'Irrlicht'), *['-DNO_IRR_COMPILE_WITH_%s_' % part for part in _IRRLICHT_WITHOUT]]
    files = sorted(os.path.basename(path)[:-4] for path in glob.glob(os.path.join(here, 'source', 'Irrlicht', '*.cpp')))
    with open(os.path.join(folder, 'Makefile'), 'w', encoding='utf-8') as file:
        file.write('libirrlicht.a: %s\n\t%s-ar rcs $@ $^\n%%.o: %s/%%.cpp\n\t%s-g++ %s -c $< -o $@\n' % (
            ' '.join(name + '.o' for name in files), TRIPLE, os.path.join(here, 'source', 'Irrlicht'), TRIPLE,
            ' '.join(flags)))
    run_logged('building Irrlicht', _log('irrlicht'), ['make', '-j' + JOBS], cwd=folder)
    for example in _IRRLICHT_EXAMPLES:
        with open(os.path.join(here, 'examples', example, 'main.cpp'), encoding='latin-1') as file:
            text = file.read()
        copy = os.path.join(folder, example + '.cpp')
        with open(copy, 'w', encoding='latin-1') as file:
            file.write(re.sub(r'\bEDT_SOFTWARE\b', 'EDT_DIRECT3D9', text))
        run_logged("building Irrlicht's %s" % example, _log('irrlicht-' + example), [
            TRIPLE + '-g++', *flags, '-I', os.path.join(here, 'examples', example), copy, '-o', program('irrlicht', example),
            os.path.join(folder, 'libirrlicht.a'), '-static', '-lgdi32', '-lole32', '-lwinmm', '-luuid'])


PACKAGES = {'libsdl2': build_sdl, 'imgui': build_imgui, 'irrlicht': build_irrlicht}


def build(packages: list[str]) -> None:
    """Builds those programs of the packages that are missing."""
    if not shutil.which(TRIPLE + '-g++'):
        raise Failure('%s-g++ is missing (package g++-mingw-w64-x86-64)' % TRIPLE)
    for package in packages:
        done = os.path.join(FOLDER, package, 'complete')
        if os.path.exists(done) and os.path.getmtime(done) > os.path.getmtime(__file__):
            continue
        _fetch(package)
        os.makedirs(os.path.dirname(program(package, '')), exist_ok=True)
        PACKAGES[package]()
        with open(done, 'w', encoding='utf-8'):
            pass
