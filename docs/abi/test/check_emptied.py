#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that the tests which docs/d3d9/coverage.md names fail if the renderer leaves out what they test.

usage: check_emptied.py ROOT BUILD [--table NAME] [--rows PATTERN] [--seconds N]
  BUILD          a build folder whose tests are built
  --table NAME   only the table of that enumeration
  --rows PATTERN only rows whose name the regular expression matches
  --seconds N    rows in random order, until N seconds have passed

Each test of a row that says yes must pass. Then, for each packet that the row names, the row's tests run with a
renderer that ignores this packet (only those with the row's number in a field, where the packet has such a field;
renderer/test/emptied.h): at least one test must fail. Some rows change packets instead: textures of a format get
another format of the same size, a vertex element of the row's type names no input, a flag of an extension packet is
cleared. A row without a packet to ignore or change fails too.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_coverage  # noqa: E402

MESON = '/usr/bin/meson'
# The packets' field that has the row's number.
FIELDS = {
    ('D3DRENDERSTATETYPE', 'SET_RENDER_STATE'): 'state',
    ('D3DSAMPLERSTATETYPE', 'SET_SAMPLER_STATE'): 'state',
    ('D3DTEXTURESTAGESTATETYPE', 'EXT_SET_TEXTURE_STAGE'): 'state',
    ('D3DPRIMITIVETYPE', 'SET_PRIMITIVE_TOPOLOGY'): 'topology',
    ('D3DDECLTYPE', 'CREATE_INPUT_LAYOUT'): 'type',
}
# Rows whose number is in no field.
ROWS = {
    'D3DFMT_INDEX16': 'SET_INDEX_BUFFER:format=0>format=1',
    'D3DFMT_INDEX32': 'SET_INDEX_BUFFER:format=1>format=0',
    'D3DRTYPE_VOLUMETEXTURE': 'EXT_CREATE_TEXTURE:kind=2>kind=0',
    'SetAutoGenFilterType': 'EXT_GENERATE_MIPS:flags=1>flags=0',
}
# Flags and kinds of the extensions' packets by how their names begin: the field, and whether its bits count each for itself.
FORMS = {'TEXTURE_': ('kind', False), 'BLIT_': ('flags', True), 'FILL_': ('flags', True), 'MIPS_': ('flags', True),
         'QUERY_': ('type', False), 'STATE_': ('state', False)}
FILTERS = (5, 6, 7)  # D3DSAMP_MAGFILTER, _MINFILTER, _MIPFILTER


class Tests:
    """The gtest programs of a build folder, and the results of the tests that have run."""

    def __init__(self, root, build):
        self.build, self.programs, self.results = build, {}, {}
        targets = json.loads(subprocess.check_output([MESON, 'introspect', '--targets', str(build)]))
        for target in targets:
            if target['type'] != 'executable':
                continue
            for group in target['target_sources']:
                for source in group.get('sources', []):
                    path = pathlib.Path(source)
                    if path.name.endswith('_test.cpp') and path.exists():
                        for suite, name in check_coverage.TEST.findall(path.read_text()):
                            self.programs[f'{suite}.{name}'] = target['filename'][0]

    def passes(self, test, rules=''):
        """Returns whether a test passes with these rules of emptied.h; None if it did not run or was skipped."""
        if (test, rules) not in self.results:
            self.results[test, rules] = self.run(test, rules)
        return self.results[test, rules]

    def run(self, test, rules):
        program = self.programs.get(test)
        if not program or not os.path.exists(program):
            return None
        env = dict(os.environ, AEROGPU_TRANSLATOR=str(self.build / 'renderer/aerogpu-translator'), AEROGPU_TEST_EMPTIED=rules)
        if not rules:
            del env['AEROGPU_TEST_EMPTIED']
        try:
            done = subprocess.run([program, f'--gtest_filter={test}:{test}/*:*/{test}/*'], env=env, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        except subprocess.TimeoutExpired:
            return False
        if 'AEROGPU_TEST_EMPTIED:' in done.stdout:
            raise SystemExit(f'check_emptied.py: {done.stdout.strip()}')
        if not rules and (not re.search(r'\[ +OK ', done.stdout) or re.search(r'\[ +SKIPPED', done.stdout)):
            return None if done.returncode == 0 else False
        return done.returncode == 0


def others(formats):
    """Returns {format: another format of the same size}; the names in protocol/packets.toml tell the sizes."""
    sizes = collections.defaultdict(list)
    for name in formats:
        if name.startswith('BC') or name.endswith(('ATI1', 'ATI2')):
            size = 'blocks of 8' if name.startswith('BC1') or name.endswith('ATI1') else 'blocks of 16'
        elif name.endswith(('NV12', 'YV12')):
            size = 'planes'
        elif name.endswith(('UYVY', 'YUY2')):
            size = 'pairs'
        elif name.endswith(('D16', 'DF16')):
            size = 'depth 16'
        elif name == 'D32_FLOAT':
            size = 'depth 32'
        elif name.endswith(('INTZ', 'DF24')) or name == 'D24_UNORM_S8_UINT':
            size = 'depth 24'
        else:
            size = sum(int(n) for n in re.findall(r'[ARGBXLUVWQD](\d+)', name.replace('D3D9_', '')))
        if not name.endswith('_SRGB'):
            sizes[size].append(name)
    return {name: alike[(alike.index(name) + 1) % len(alike)] for alike in sizes.values() for name in alike if len(alike) > 1}


def rules_of(table, row, packets, formats, instead):
    """Returns [(name, rule of emptied.h)] for a row; under each rule one of the row's tests must fail."""
    number, name, _, by, _ = row
    if name in ROWS:
        return [(ROWS[name].split(':')[0], ROWS[name])]
    named = [p for p in dict.fromkeys(re.findall(r'\b[A-Z][A-Z0-9_]+\b', by)) if p in packets]
    if table in ('D3DFORMAT', 'AEROGPU_FORMAT') and ' as ' in f' {by}':
        kind = re.search(r'\bas (\w+)', by).group(1)
        makers = [p for p in named if p.startswith(('CREATE_', 'EXT_CREATE_'))]
        if kind in instead:
            change = f'format={formats[kind]}>format={formats[instead[kind]]}'
            rules = [(f'{kind} as {instead[kind]}', ';'.join(f'{p}:{change}' for p in makers))]
        else:
            rules = [(kind, ';'.join(f'{p}:format={formats[kind]}' for p in makers))]
        return rules + [(p, p) for p in named if p not in makers]
    out = []
    for packet in named:
        field = FIELDS.get((table, packet))
        form, bits = next((f for start, f in FORMS.items() if name.startswith(start)), (None, False))
        if table == check_coverage.FORMS and number != '-' and form:
            out.append((packet, f'{packet}>{form}~{number}' if bits and number != '0' else f'{packet}:{form}={number}'))
        elif field:
            out.append((packet, f'{packet}:{field}={number}'))
        elif table == 'D3DMULTISAMPLE_TYPE' and packet == 'EXT_CREATE_TEXTURE':
            out.append((packet, f'{packet}:sample_count={number}>sample_count=1'))
        elif table == 'D3DTEXTUREFILTERTYPE' and packet == 'SET_SAMPLER_STATE':
            out.append((packet, ';'.join(f'{packet}:state={s},value={number}' for s in FILTERS)))
        else:
            out.append((packet, packet))
    return out


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('root', type=pathlib.Path)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--table')
    parser.add_argument('--rows', default='')
    parser.add_argument('--seconds', type=float)
    options = parser.parse_args()
    description = (options.root / 'protocol/packets.toml').read_text()
    packets = set(re.findall(r'^name = "([A-Z0-9_]+)"$', description, re.M))
    formats = {n: int(v, 0) for n, v in re.findall(r'\["FORMAT_(\w+)", (\w+)', description)}
    instead = others(formats)
    tests = Tests(options.root, options.build)
    page = check_coverage.tables((options.root / 'docs/d3d9/coverage.md').read_text())
    rows = [(table, row) for table, all_rows in page.items() for row in all_rows
            if row[2] == 'yes' and options.table in (None, table) and re.search(options.rows, row[1])]
    if options.seconds:
        random.shuffle(rows)
    began, seen, bad = time.monotonic(), 0, 0
    for table, row in rows:
        if options.seconds and time.monotonic() - began > options.seconds:
            break
        seen += 1
        named = [t for t in re.split(r',\s*', row[4]) if t]
        wrong = [f'{test} {"does not run here" if tests.passes(test) is None else "fails"}' for test in named
                 if not tests.passes(test)]
        rules = rules_of(table, row, packets, formats, instead)
        if not rules:
            wrong.append('no packet of it can be emptied')
        for what, rule in rules:
            if all(tests.passes(test, rule) for test in named):
                wrong.append(f'without {what} ({rule}) all its tests pass')
        for line in wrong:
            print(f'{table}, {row[1]}: {line}', flush=True)
        bad += bool(wrong)
    print(f'looked at {seen} of {len(rows)} rows, {bad} wrong')
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
