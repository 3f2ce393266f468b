#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the table of docs/d3d9/driver.md with function_list.h; --write writes the header's table to the page."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'umd-common/test'))
sys.dont_write_bytecode = True
import function_list

WORDS = {'Done': 'works', 'Missing': 'E_NOTIMPL', 'Stub': 'S_OK', 'Overlay': 'D3DDDIERR_UNSUPPORTEDOVERLAY',
         'Crypto': 'D3DDDIERR_UNSUPPORTEDCRYPTO', 'NotAvailable': 'D3DDDIERR_NOTAVAILABLE', 'Null': 'null'}


def table(rows):
    lines = ['| # | function | answer | why |\n', '| --- | --- | --- | --- |\n']
    for number, (name, (answer,), why) in enumerate(rows):
        lines.append('| %d | %s | %s | %s |\n' % (number, name, WORDS[answer], why))
    counts = ', '.join('%d %s' % (sum(row[1] == [key] for row in rows), word) for key, word in WORDS.items())
    return ''.join(lines) + '\nIn all: %s.\n' % counts


function_list.check(os.path.join(HERE, '..', 'ddi', 'function_list.h'),
                    os.path.join(HERE, '..', '..', '..', 'docs/d3d9/driver.md'),
                    'guest-drivers/umd-d3d9/test/function_list_test.py', 121, table)
