#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the DDI headers with the recorded Windows 7 layouts (win7-x64.json, win7-x86.json and, for Direct3D 10 and
11, d3d10-win7-x64.json, d3d10-win7-x86.json beside this file: names and numbers only): size and members of every
structure, position and width of every bit-field, every enumerator and its type's width, arguments and (x86) calling
convention of every function type, every macro.

No compiled code runs, so cross compilers work too. All but bit-fields are static assertions of a generated C++ unit;
for a bit-field the unit holds an object with only that field set, whose bytes are read from the object file.

Every recorded name must be declared in one of the headers, except for those in LEFT_OUT. The headers must compile as
C as well. A unit is one way to include them: `kernel`, `user` and `user10` (Direct3D 10 and 11) on Windows, `linux`
with linux_base.h. check_types.py beside this file compares what sizes cannot tell.

Usage: check_layouts.py {x64|x86} DDI_DIR {kernel|user|user10|linux} COMPILER [ARG...]
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNEL_HEADERS = ('d3dukmdt.h', 'd3dkmdt.h', 'd3dkmddi.h', 'dispmprt.h')
USER_HEADERS = ('d3dukmdt.h', 'd3dumddi.h', 'd3dkmthk.h')
USER10_HEADERS = ('dxgiddi.h', 'd3d10umddi.h')
# `api` are recorded names that the API's headers declare, which the prelude includes: they are compared as well.
Unit = collections.namedtuple('Unit', 'headers prelude data api', defaults=('win7', ''))
UNITS = {
    # wdm.h of mingw-w64 10 defines these two again after intrin.h did, which C++ refuses.
    'kernel': Unit(KERNEL_HEADERS, '''#include <intrin.h>
#define InterlockedBitTestAndSet WdmInterlockedBitTestAndSet
#define InterlockedBitTestAndReset WdmInterlockedBitTestAndReset
#include <ntddk.h>
'''),
    'user': Unit(USER_HEADERS, '''#include <windows.h>
#include <d3d9types.h>
#include <d3d9caps.h>
'''),
    # A runtime includes the API as well: both must agree on what both define.
    'user10': Unit(USER10_HEADERS, '''#include <windows.h>
#include <dxgi.h>
#include <d3d10_1.h>
#include <d3d11.h>
''', 'd3d10-win7', r'DXGI_(?!DDI_).*|DXGI_DDI_ERR_.*|_FACDXGI'),
    # The driver host plays dxgkrnl: it needs the kernel's side and the thunks, but not the interface of user-mode
    # drivers.
    'linux': Unit(KERNEL_HEADERS + ('d3dkmthk.h',), ''),
}
# Recorded names that no header declares, and why; whole names, as regular expressions.
LEFT_OUT = {
    r'DXGK_(QUERYSEGMENTOUT2|SEGMENTDESCRIPTOR2|SEGMENTFLAGS2)': 'drafts of WDDM 2 that no WDDM 1.1 driver uses',
    # The other drafts are not in the data files: DXGKARG_ CREATEALLOCATION2, DESCRIBEPAGETABLE, MOVEPAGEDIRECTORY,
    # SUBMITRENDER, UPDATEPAGEDIRECTORY, UPDATEPAGETABLE, UPDATEPAGETABLEFLAGS; DXGK_ ALLOCATIONGROUPDESCRIPTOR,
    # ALLOCATIONGROUPOUT, ALLOCATIONINFO2, ALLOCATIONINFOFLAGS2, CREATEALLOCATIONFLAGS2, DMABUFFERCAPS, PDE,
    # SEGMENTPREFERENCE, TRANSFERFLAGS2, VIRTUALADDRESSCAPS.
    r'ACPI_.*': 'ACPI of a notebook: methods, arguments and notifications; the adapter has none',
    r'_?DISPLAYID_.*': 'reading of DisplayID; the monitor has an EDID',
    r'PBANKED_SECTION_ROUTINE|DEBUG_LEVEL': 'of video miniports before WDDM',
}
TEMPLATES = '''
#include <stddef.h>
template <typename F> struct Fn;
#if defined(_WIN32) && !defined(_WIN64)
#define CONVENTION __stdcall
#elif defined(__i386__)
#define CONVENTION __attribute__((stdcall))
#elif !defined(_WIN32)
#define CONVENTION __attribute__((ms_abi))
#else
#define CONVENTION
#endif
template <typename T> constexpr size_t retSize = sizeof(T);
template <> constexpr size_t retSize<void> = 0;
template <typename R, typename... A> struct Fn<R CONVENTION(A...)> {
    template <typename... N> static constexpr bool is(size_t ret, N... n) {
        if (retSize<R> != ret || sizeof...(A) != sizeof...(N)) return false;
        const size_t have[] = {sizeof(A)..., 0}, want[] = {static_cast<size_t>(n)..., 0};
        for (size_t i = 0; i < sizeof...(A); i++)
            if (have[i] != want[i]) return false;
        return true;
    }
};
template <typename F> struct Fn<F *> : Fn<F> {};
'''


def declared(ddi, headers):
    """Returns the names that occur in our headers outside comments; their recorded layouts are compared. The parts of
    a header are in a folder of its name."""
    files = [file for h in headers for file in (ddi / h, *sorted((ddi / h).with_suffix('').glob('*.h')))]
    text = '\n'.join(file.read_text() for file in files)
    return set(re.findall(r'\b[A-Za-z_]\w*', re.sub(r'/\*.*?\*/', '', text, flags=re.S)))


def of_the_api(layouts, unit):
    """Returns the recorded names that the API's headers declare."""
    return {name for kind in ('structs', 'enums', 'defines') for name in layouts[kind]
            if re.fullmatch(UNITS[unit].api, name)}


def absent(layouts, ddi, unit):
    """Returns the recorded names that no header declares, without those in LEFT_OUT."""
    headers = {h for other in UNITS.values() if other.data == UNITS[unit].data for h in other.headers}
    names = declared(ddi, headers) | of_the_api(layouts, unit)
    return [f'{kind[:-1]} {name} is not declared' for kind in ('structs', 'enums', 'functions', 'defines')
            for name in layouts[kind]
            if name not in names and not any(re.fullmatch(left_out, name) for left_out in LEFT_OUT)]


def includes(unit):
    return UNITS[unit].prelude + ''.join(f'#include "{h}"\n' for h in UNITS[unit].headers)


def generate(layouts, names, unit):
    out = [includes(unit), TEMPLATES]
    bits, counts = [], dict(structs=0, fields=0, enumerators=0, functions=0, macros=0)
    for name, s in layouts['structs'].items():
        if name not in names:
            continue
        counts['structs'] += 1
        out.append(f'static_assert(sizeof({name}) == {s["size"]}, "size of {name}");')
        for member, where in s['members'].items():
            leaf = member.split('.')[-1]
            reserved = re.match(r'_*(Reserved|Padding|Pad|Unused)', leaf, re.I)
            counts['fields'] += 1
            if len(where) == 2:
                if reserved:
                    continue
                out.append(f'static_assert(offsetof({name}, {member}) == {where[0]} && '
                           f'sizeof((({name} *)0)->{member}) == {where[1]}, "{name}.{member}");')
            elif not reserved:
                bits.append((name, member, s['size'], where))
    for enum, values in layouts['enums'].items():
        if enum not in names:
            continue
        out.append(f'static_assert(sizeof({enum}) == 4, "width of {enum}");')
        for value, number in values.items():
            counts['enumerators'] += 1
            out.append(f'static_assert((int)({value}) == (int){number}LL, "{value}");')
    for fn, f in layouts['functions'].items():
        if fn not in names:
            continue
        counts['functions'] += 1
        args = ''.join(f', {n}' for n in f['args'] if n >= 0)  # -1 is (void)
        out.append(f'static_assert(Fn<{fn}>::is({f["ret"]}{args}), "arguments or convention of {fn}");')
    for macro, number in layouts['defines'].items():
        if macro in names:
            counts['macros'] += 1
            wide = not -2**31 <= number < 2**32
            bits32 = f'({macro})' if wide else f'(unsigned)({macro})'
            want = number & (0xffffffffffffffff if wide else 0xffffffff)
            out.append(f'static_assert((unsigned long long){bits32} == {want}ULL, "{macro}");')
    out.append('template <typename T> union Bytes { unsigned char raw[sizeof(T)]; T value; };')
    for i, (name, member, _, _) in enumerate(bits):
        out.append(f'extern "C" Bytes<{name}> bit_{i}; extern "C" void set_{i}() {{ bit_{i}.value.{member} = '
                   f'(decltype(bit_{i}.value.{member}))-1; }}')
        # constant-initialised: a constexpr function returns the object with the one field set
        out[-1] = (f'constexpr {name} make_{i}() {{ {name} v{{}}; v.{member} = (decltype(v.{member}))-1; return v; }}\n'
                   f'extern "C" const {name} bit_{i} __attribute__((used, section(".bits$"))) = make_{i}();')
    return '\n'.join(out) + '\n', bits, counts


def main():
    arch, ddi, unit, *compiler = sys.argv[1:]
    ddi = pathlib.Path(ddi)
    layouts = json.loads((HERE / f'{UNITS[unit].data}-{arch}.json').read_text())
    wrong = absent(layouts, ddi, unit)
    if wrong:
        print('\n'.join(wrong))
        return 1
    names = declared(ddi, UNITS[unit].headers) | of_the_api(layouts, unit)
    text, bits, counts = generate(layouts, names, unit)
    with tempfile.TemporaryDirectory() as tmp:
        source = pathlib.Path(tmp) / 'layouts.cpp'
        binary = pathlib.Path(tmp) / 'layouts.o'
        source.write_text(text)
        # Ones are put into bit-fields on purpose.
        done = subprocess.run([*compiler, '-std=gnu++20', '-Wno-invalid-offsetof', '-Wno-overflow',
                               '-Wno-bitfield-constant-conversion', '-I', str(ddi), '-c', '-o', str(binary),
                               str(source)], capture_output=True, text=True)
        if not done.returncode:
            (pathlib.Path(tmp) / 'layouts.c').write_text(includes(unit))
            done = subprocess.run([*compiler, '-x', 'c', '-std=gnu11', '-fsyntax-only', '-I', str(ddi),
                                   f'{tmp}/layouts.c'], capture_output=True, text=True)
        if done.returncode:
            wrong = [l for l in done.stderr.splitlines() if 'error' in l]
            print('\n'.join(wrong[:40]) or done.stderr)
            return 1
        wrong = check_bits(binary, bits, tmp)
    for line in wrong:
        print(line)
    print(f'{compiler[0]} {arch} {unit}: ' + ', '.join(f'{n} {what}' for what, n in counts.items())
          + f', {len(bits)} bit-fields compared; {len(wrong)} mismatches')
    return 1 if wrong else 0


def check_bits(binary, bits, tmp):
    raw = pathlib.Path(tmp) / 'bits.bin'
    subprocess.run(['objcopy', '-O', 'binary', '--set-section-flags', '.bits$=alloc,load', '-j', '.bits$',
                    str(binary), str(raw)], check=True)
    symbols = subprocess.run(['nm', str(binary)], capture_output=True, text=True, check=True).stdout
    offsets = {int(m[2]): int(m[1], 16) for m in re.finditer(r'^([0-9a-f]+) \w _?bit_(\d+)$', symbols, re.M)}
    data = raw.read_bytes()
    wrong = []
    for i, (name, member, size, (unit, width, first, count)) in enumerate(bits):
        have = int.from_bytes(data[offsets[i]:offsets[i] + size], 'little')
        want = ((1 << count) - 1) << (unit * 8 + first)
        if have != want:
            wrong.append(f'{name}.{member} sets bits {have:#x}, should set {want:#x}')
    return wrong


if __name__ == '__main__':
    sys.exit(main())
