#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the field table of the packet dumper from the protocol headers: for each packet structure its fields, their
place and kind, and the names of the enumerations that the field comments mention.

Usage: gen_fields.py OUTPUT HEADER...
"""
import pathlib
import re
import sys

KIND = {'uint8_t': (1, 'Unsigned'), 'uint16_t': (2, 'Unsigned'), 'uint32_t': (4, 'Unsigned'),
        'uint64_t': (8, 'Unsigned'), 'int32_t': (4, 'Signed')}


def main():
    output, headers = sys.argv[1], sys.argv[2:]
    text = '\n'.join(pathlib.Path(h).read_text() for h in headers)
    constants = {n: int(v, 0) for n, v in re.findall(r'#define (AEROGPU_\w+) (\w+?)U?L?L?\s', text)}
    enums = {name: re.findall(r'(AEROGPU_\w+) = (\w+),', body)
             for name, body in re.findall(r'enum (\w+) \{\n(.*?)\n\};', text, re.S)}
    structs = {}
    for name, body in re.findall(r'struct (\w+) \{\n(.*?)\n\};', text, re.S):
        structs[name] = re.findall(r'^\s+(?:struct )?(\w+) (\w+)(?:\[(\w+)\])?;(?:\s*/\*\s*(.*?)\s*\*/)?$', body, re.M)

    def size_of(struct):
        return sum(entry(t, n, a)[0] for t, n, a, _ in structs[struct])

    def entry(ctype, name, array):
        count = 1 if not array else constants[array] if array in constants else int(array)
        size = KIND[ctype][0] if ctype in KIND else size_of(ctype)
        return size * count, size, count

    def flatten(struct, base, prefix):
        offset = base
        for ctype, name, array, comment in structs[struct]:
            total, size, count = entry(ctype, name, array)
            if name == 'hdr' or name.startswith('reserved'):
                pass
            elif ctype in KIND:
                kind = 'Float' if '_f32' in name else KIND[ctype][1]
                enum = re.search(r'enum (aerogpu_\w+)', comment or '')
                flags = enum and enum[1].endswith('_flags')
                names = enum[1] if enum and not flags and enum[1] in enums else ''
                yield prefix + name, offset, size, count, kind, names
            else:
                yield from flatten(ctype, offset, prefix + name + '.')
            offset += total

    used = set()
    lines = ['// Generated from the protocol headers by renderer/cmd/gen_fields.py.', '']
    tables = []
    for struct in structs:
        if not struct.startswith('aerogpu_cmd_') or struct in ('aerogpu_cmd_hdr', 'aerogpu_cmd_stream_header'):
            continue
        rows = list(flatten(struct, 0, ''))
        used |= {r[5] for r in rows if r[5]}
        tables.append(f'constexpr Field k_{struct}[] = {{')
        for name, offset, size, count, kind, names in rows:
            ref = f'k_{names}' if names else 'EnumNames{}'
            tables.append(f'    {{"{name}", {offset}, {size}, {count}, Field::Kind::{kind}, {ref}}},')
        if not rows:
            tables.append('    {"", 0, 0, 0, Field::Kind::Unsigned, EnumNames{}},')
        tables.append('};')
    for enum in sorted(used):
        lines.append(f'constexpr EnumName k_{enum}_names[] = {{')
        lines += [f'    {{{value}, "{name}"}},' for name, value in enums[enum]]
        lines.append('};')
        lines.append(f'constexpr EnumNames k_{enum}{{k_{enum}_names}};')
    pathlib.Path(output).write_text('\n'.join(lines + tables) + '\n')


main()
