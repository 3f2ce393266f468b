#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the DDI headers with the recorded Windows 7 layouts (win7-x64.json, win7-x86.json beside this file: names
and numbers only): size and members of every structure, position and width of every bit-field, every enumerator and
its type's width, arguments and (x86) calling convention of every function type, every macro.

Nothing is run: all but bit-fields are static assertions of a generated C++ unit; for a bit-field the unit holds an
object with just that field set, whose bytes are read back from the object file. Cross compilers count as much as
the native one.

Usage: check_layouts.py {x64|x86} DDI_DIR {kernel|linux} COMPILER [ARG...]
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = ('d3dukmdt.h', 'd3dkmdt.h', 'd3dkmddi.h', 'dispmprt.h')
PRELUDE = {
    # wdm.h of mingw-w64 10 defines these two again after intrin.h did, which C++ refuses.
    'kernel': '''#include <intrin.h>
#define InterlockedBitTestAndSet WdmInterlockedBitTestAndSet
#define InterlockedBitTestAndReset WdmInterlockedBitTestAndReset
#include <ntddk.h>
''',
    'linux': '',
}
TEMPLATES = '''
#include <stddef.h>
template <typename F> struct Fn;
#if defined(_WIN32) && !defined(_WIN64)
#define CONVENTION __stdcall
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


def declared(ddi):
    """The text of our headers without comments: what is named there is compared."""
    text = '\n'.join((ddi / h).read_text() for h in HEADERS)
    return set(re.findall(r'\b[A-Za-z_]\w*', re.sub(r'/\*.*?\*/', '', text, flags=re.S)))


def generate(layouts, names, prelude):
    out = [prelude, '#include "dispmprt.h"', TEMPLATES]
    bits, counts = [], dict(structs=0, fields=0, enumerators=0, functions=0, macros=0)
    for name, s in layouts['structs'].items():
        if name not in names:
            if s['header'] in HEADERS and not name.endswith('2'):
                sys.exit(f'{name} of {s["header"]} is not declared')
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
        if fn not in names or not fn.startswith(('DXGK', 'PDXGK')):
            continue
        counts['functions'] += 1
        args = ''.join(f', {n}' for n in f['args'])
        out.append(f'static_assert(Fn<{fn}>::is({f["ret"]}{args}), "arguments or convention of {fn}");')
    for macro, number in layouts['defines'].items():
        if macro in names:
            counts['macros'] += 1
            out.append(f'static_assert((unsigned long long)(unsigned)({macro}) == {number & 0xffffffff}ULL, "{macro}");')
    out.append('template <typename T> union Bytes { unsigned char raw[sizeof(T)]; T value; };')
    for i, (name, member, _, _) in enumerate(bits):
        out.append(f'extern "C" Bytes<{name}> bit_{i}; extern "C" void set_{i}() {{ bit_{i}.value.{member} = '
                   f'(decltype(bit_{i}.value.{member}))-1; }}')
        # constant-initialised: a constexpr function returns the object with the one field set
        out[-1] = (f'constexpr {name} make_{i}() {{ {name} v{{}}; v.{member} = (decltype(v.{member}))-1; return v; }}\n'
                   f'extern "C" const {name} bit_{i} __attribute__((used, section(".bits$"))) = make_{i}();')
    return '\n'.join(out) + '\n', bits, counts


def main():
    arch, ddi, mode, *compiler = sys.argv[1:]
    ddi = pathlib.Path(ddi)
    layouts = json.loads((HERE / f'win7-{arch}.json').read_text())
    text, bits, counts = generate(layouts, declared(ddi), PRELUDE[mode])
    with tempfile.TemporaryDirectory() as tmp:
        source = pathlib.Path(tmp) / 'layouts.cpp'
        binary = pathlib.Path(tmp) / 'layouts.o'
        source.write_text(text)
        done = subprocess.run([*compiler, '-std=gnu++20', '-Wno-invalid-offsetof', '-I', str(ddi), '-c', '-o',
                               str(binary), str(source)], capture_output=True, text=True)
        if done.returncode:
            wrong = [l for l in done.stderr.splitlines() if 'error' in l]
            print('\n'.join(wrong[:40]) or done.stderr)
            return 1
        wrong = check_bits(binary, bits, tmp)
    for line in wrong:
        print(line)
    print(f'{compiler[0]} {arch}: ' + ', '.join(f'{n} {what}' for what, n in counts.items())
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
