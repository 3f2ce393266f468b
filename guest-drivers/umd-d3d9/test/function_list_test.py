#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the table of docs/d3d9/driver.md with function_list.h; --write writes the header's table to the page."""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = os.path.join(HERE, '..', 'ddi', 'function_list.h')
PAGE = os.path.join(HERE, '..', '..', '..', 'docs/d3d9/driver.md')
BEGIN = '<!-- BEGIN functions (written by guest-drivers/umd-d3d9/test/function_list_test.py --write) -->\n'
END = '<!-- END functions -->\n'
WORDS = {'Done': 'works', 'Missing': 'E_NOTIMPL', 'Stub': 'S_OK', 'Overlay': 'D3DDDIERR_UNSUPPORTEDOVERLAY',
         'Crypto': 'D3DDDIERR_UNSUPPORTEDCRYPTO', 'NotAvailable': 'D3DDDIERR_NOTAVAILABLE', 'Null': 'null'}


def rows():
    """Returns (name, answer, why) of each function, in the order of the table."""
    with open(HEADER, encoding='utf-8') as file:
        found = re.findall(r'^ +X\((\w+), (\w+)\) *(?:/\* (.*?) \*/)? *\\?$', file.read(), re.MULTILINE)
    if len(found) != 121:
        sys.exit('%s: %d functions, not 121' % (HEADER, len(found)))
    return found


def table():
    lines = ['| # | function | answer | why |\n', '| --- | --- | --- | --- |\n']
    for number, (name, answer, why) in enumerate(rows()):
        lines.append('| %d | %s | %s | %s |\n' % (number, name, WORDS[answer], why))
    counts = ', '.join('%d %s' % (sum(row[1] == key for row in rows()), word) for key, word in WORDS.items())
    return ''.join(lines) + '\nIn all: %s.\n' % counts


def main():
    with open(PAGE, encoding='utf-8') as file:
        page = file.read()
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not rest or not page.endswith(after):
        sys.exit('%s has no place for the table' % PAGE)
    wanted = before + BEGIN + table() + END + after
    if sys.argv[1:] == ['--write']:
        with open(PAGE, 'w', encoding='utf-8') as file:
            file.write(wanted)
    elif page != wanted:
        sys.exit('%s is not what %s says: run %s --write' % (PAGE, HEADER, __file__))


main()
