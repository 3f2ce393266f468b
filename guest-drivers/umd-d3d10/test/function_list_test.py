#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the table of docs/d3d11/driver.md with function_list.h; --write writes the header's table to the page."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'umd-common/test'))
sys.dont_write_bytecode = True
import function_list

WORDS = {'Done': 'works', 'Size': 'size', 'Nothing': 'nothing to do', 'Refused': 'refused', 'Null': 'null'}
VERSIONS = {'D3D10': '10.0', 'D3D10_1': '10.1', 'D3D11': '11'}
ERRORS = {'Free': 'none', 'Check': 'none', 'Removed': '', 'Memory': 'E_OUTOFMEMORY',
          'Primary': 'E_OUTOFMEMORY, DXGI_DDI_ERR_UNSUPPORTED', 'Map': 'DXGI_DDI_ERR_WASSTILLDRAWING',
          'Data': 'DXGI_DDI_ERR_WASSTILLDRAWING', 'CheckCounter': 'DXGI_DDI_ERR_UNSUPPORTED, E_INVALIDARG'}


def table(rows):
    lines = ['| # | function | since | answer | errors | why |\n', '| --- | --- | --- | --- | --- | --- |\n']
    for number, (name, (since, answer, errors), why) in enumerate(rows):
        lines.append('| %d | %s | %s | %s | %s | %s |\n' %
                     (number, name, VERSIONS[since], WORDS[answer], ERRORS[errors], why))
    counts = ', '.join('%d %s' % (sum(row[1][1] == key for row in rows), word) for key, word in WORDS.items())
    return ''.join(lines) + '\nIn all: %s.\n' % counts


function_list.check(os.path.join(HERE, '..', 'ddi', 'function_list.h'),
                    os.path.join(HERE, '..', '..', '..', 'docs/d3d11/driver.md'),
                    'guest-drivers/umd-d3d10/test/function_list_test.py', 150, table)
