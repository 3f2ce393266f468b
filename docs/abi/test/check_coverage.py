#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks docs/d3d9/coverage.md: compares its tables with enumerations of mingw-w64's d3d9types.h, methods of its d3d9.h,
and what the interface of display drivers alone has (guest-drivers/ddi).

usage: check_coverage.py ROOT [HEADER]
  HEADER   d3d9types.h, with d3d9.h beside it

Tables of interfaces list the methods that match METHODS, those that draw, copy, fill, present or make mips; a method's
number is its place in the interface. The table of formats that only have a FourCC lists those of packets.toml from
0x1200 on. The table of the extension packets' forms lists the enumerations of aerogpu_cmd_extension.h in FORM_ENUMS.
Tables of DDI_ENUMERATIONS list what d3d9types.h does not have under the same name; that of DDI_FLAGS lists each flag of
the structures D3DDDI_...FLAGS, by its value.

Fails if a table is missing; if a table lacks a row for a number, or has one with another name or number; if a row has
not five cells, or its kind is none of yes, driver, no effect, not reported; if a row that says yes names no test; and
if a row names a test, packet, format or rule that does not exist.
"""
import pathlib
import re
import sys

ENUMERATIONS = ['D3DRENDERSTATETYPE', 'D3DSAMPLERSTATETYPE', 'D3DTEXTURESTAGESTATETYPE', 'D3DQUERYTYPE', 'D3DPRIMITIVETYPE',
                'D3DDECLTYPE', 'D3DFORMAT', 'D3DRESOURCETYPE', 'D3DMULTISAMPLE_TYPE', 'D3DTEXTUREFILTERTYPE']
METHODS = {
    'IDirect3DDevice9Ex': r'Draw|DeletePatch|ProcessVertices|Clear$|Update|Get(RenderTarget|FrontBuffer)Data|StretchRect|ColorFill|'
                          r'ComposeRects|SetConvolutionMonoKernel|Present|WaitForVBlank|SetGammaRamp|SetCursorProperties',
    'IDirect3DBaseTexture9': r'\w*(AutoGen|MipSubLevels)',
}
# Enumerations of the interface, and those of d3d9types.h that have the rest of their names.
DDI_ENUMERATIONS = {
    'D3DDDIRENDERSTATETYPE': ['D3DRENDERSTATETYPE'],
    'D3DDDITEXTURESTAGESTATETYPE': ['D3DTEXTURESTAGESTATETYPE', 'D3DSAMPLERSTATETYPE'],
    'D3DDDIFORMAT': ['D3DFORMAT'],
}
DDI_FLAGS = 'D3DDDI_FLAGS'
OWN_FLAGS = ['CREATECONTEXTFLAGS', 'ESCAPEFLAGS', 'SYNCHRONIZATIONOBJECT_FLAGS']  # that a driver passes
DDI_HEADERS = ['guest-drivers/ddi/d3dumddi.h', 'guest-drivers/ddi/d3dukmdt.h']
FOURCC = 'AEROGPU_FORMAT'
FORMS = 'AEROGPU_EXT'
FORM_ENUMS = ['texture_kind', 'update_flags', 'blit_flags', 'fill_flags', 'mips_flags', 'query_type', 'state']
KINDS = ['yes', 'driver', 'no effect', 'not reported']
HEADER = '/usr/share/mingw-w64/include/d3d9types.h'
TEST = re.compile(r'^\s*TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)', re.M)


def enumerators(header, name):
    body = re.search(r'typedef enum _%s\s*\{(.*?)\}' % name, header, re.S)
    if not body:
        raise SystemExit(f'check_coverage.py: the header has no {name}')
    text = re.sub(r'/\*.*?\*/|//[^\n]*', '', body.group(1), flags=re.S)
    found = re.findall(r'(\w+)\s*=\s*(0x[0-9a-fA-F]+|\d+|MAKEFOURCC\([^)]*\))', text)
    number = {n: ''.join(re.findall(r"'(.)'", v)) if v.startswith('MAKE') else int(v, 0) for n, v in found}
    return [(n, v) for n, v in number.items() if not n.endswith('_FORCE_DWORD')]


def only_in_ddi(ddi, header, name):
    """Returns [(name, number)] of an enumeration of the interface without what d3d9types.h has."""
    known = {n.split('_', 1)[1] for other in DDI_ENUMERATIONS[name] for n, _ in enumerators(header, other)}
    return [(n, v) for n, v in enumerators(ddi, name) if n.split('_', 1)[1] not in known | {'FORCE_UINT'}]


def ddi_flags(header):
    """Returns [(structure.flag, value)] of the flags that the runtime passes to a driver."""
    out = []
    for name, body in re.findall(r'typedef struct _D3DDDI_(\w*FLAGS) \{(.*?)\n\}', header, re.S):
        if name in OWN_FLAGS:
            continue
        bit = 0
        for flag, bits in re.findall(r'UINT (\w+) : (\d+);', body):
            if not flag.startswith('Reserved'):
                out.append((f'{name}.{flag}', hex(1 << bit)))
            bit += int(bits)
    return out


def methods(header, name, pattern):
    body = re.search(r'DECLARE_INTERFACE_\(%s,.*?\n\};' % name, header, re.S)
    if not body:
        raise SystemExit(f'check_coverage.py: the header has no {name}')
    found = re.findall(r'STDMETHOD(?:_\([\w ]+,\s*|\()(\w+)\)', body.group(0))
    return [(n, i) for i, n in enumerate(found) if re.match(pattern, n)]


def formats(packets):
    """Returns [(name, hexadecimal digits of the number)] of the formats that only have a FourCC."""
    return [(n, v) for n, v in re.findall(r'\["FORMAT_D3D9_(\w+)", 0x(12\w\w)\]', packets) if n not in ('UYVY', 'YUY2')]


def forms(header):
    """Returns [(name, value)] of the extension packets' flags and kinds, without the enumerators that mean "none"."""
    out = []
    for name in FORM_ENUMS:
        body = re.search(r'enum aerogpu_ext_%s \{(.*?)\};' % name, header, re.S)
        if not body:
            raise SystemExit(f'check_coverage.py: aerogpu_cmd_extension.h has no aerogpu_ext_{name}')
        out += [(n, int(v)) for n, v in re.findall(r'AEROGPU_EXT_(\w+) = (\d+)', body.group(1)) if not n.endswith('_NONE')]
    return out


def tables(page):
    """Returns {enumeration that a heading names in parentheses: [cells of each row]}."""
    out, rows = {}, None
    for line in page.splitlines():
        heading = re.match(r'## .*\((\w+)\)$', line)
        if line.startswith('## '):
            rows = out.setdefault(heading.group(1), []) if heading else None
        elif rows is not None and line.startswith('| ') and not line.startswith(('| number', '| ---')):
            rows.append([cell.strip() for cell in line.strip('|').split('|')])
    return out


def known_tests(root):
    known = set()
    for folder in ('renderer', 'd3d9', 'tests-qtest', 'protocol', 'guest-drivers/umd-d3d9'):
        for path in (root / folder).rglob('*_test.cpp'):
            known |= {f'{suite}.{name}' for suite, name in TEST.findall(path.read_text())}
    return known


def wrong(root, header, interfaces):
    page = (root / 'docs/d3d9/coverage.md').read_text()
    description = (root / 'protocol/packets.toml').read_text()
    packets = set(re.findall(r'^name = "([A-Z0-9_]+)"$', description, re.M))
    known_formats = set(re.findall(r'\["FORMAT_(\w+)", ', description))
    rules = set()
    for path in (root / 'docs/abi').glob('*.md'):
        rules |= set(re.findall(r'^- \*\*([A-Z]+-\d+)\.\*\*', path.read_text(), re.M))
    tests, found = known_tests(root), tables(page)
    extension = (root / 'protocol/include/aerogpu/aerogpu_cmd_extension.h').read_text()
    ddi = [(root / name).read_text() for name in DDI_HEADERS]
    for name in [*ENUMERATIONS, *METHODS, *DDI_ENUMERATIONS, DDI_FLAGS, FOURCC, FORMS]:
        if name not in found:
            yield f'there is no table of {name}'
    for name, rows in found.items():
        wanted = (methods(interfaces, name, METHODS[name]) if name in METHODS else
                  only_in_ddi('\n'.join(ddi), header, name) if name in DDI_ENUMERATIONS else
                  ddi_flags('\n'.join(ddi)) if name == DDI_FLAGS else
                  formats(description) if name == FOURCC else forms(extension) if name == FORMS else
                  enumerators(header, name))
        have = [(row[1], row[0]) for row in rows if len(row) == 5]
        for enumerator, number in wanted:
            if (enumerator, str(number)) not in have:
                yield f'{name}: no row for {number} {enumerator}'
        for row in rows:
            if len(row) != 5:
                yield f'{name}: a row of {len(row)} cells: {row}'
                continue
            number, enumerator, kind, by, shown = row
            where = f'{name}, {enumerator}'
            # A capability behind a FourCC; a form that follows from what the packet names.
            hidden = name in (FOURCC, FORMS) and number == '-'
            if not hidden and (enumerator, number) not in [(n, str(v)) for n, v in wanted]:
                yield f'{where}: the enumeration has no such number {number}'
            if kind not in KINDS:
                yield f'{where}: "{kind}" is none of {", ".join(KINDS)}'
            if not by:
                yield f'{where}: neither a packet nor a reason'
            if kind == 'yes' and not shown:
                yield f'{where}: no test shows it'
            for test in filter(None, re.split(r',\s*', shown)):
                if test not in tests:
                    yield f'{where}: there is no test {test}'
            for packet in re.findall(r'\b(?:EXT|SET|CREATE|DRAW)_[A-Z0-9_]+', by):
                if packet not in packets:
                    yield f'{where}: there is no packet {packet}'
            for named in re.findall(r'\bas ((?:D3D9_)?[A-Z0-9]+(?:_[A-Z0-9]+)*)', by):
                if named not in known_formats:
                    yield f'{where}: there is no format {named}'
            for rule in re.findall(r'\b[A-Z]{3,}-\d+\b', by):
                if rule not in rules:
                    yield f'{where}: there is no rule {rule}'


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    header = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else HEADER)
    interfaces = header.with_name('d3d9.h')
    for path in (header, interfaces):
        if not path.exists():
            raise SystemExit(f'check_coverage.py: {path} is not there (scripts/setup installs mingw-w64)')
    problems = list(wrong(pathlib.Path(sys.argv[1]), header.read_text(), interfaces.read_text()))
    for problem in problems:
        print(f'docs/d3d9/coverage.md: {problem}')
    sys.exit(1 if problems else 0)


if __name__ == '__main__':
    main()
