# SPDX-License-Identifier: MIT
"""Compares the table of functions in a driver's page with the list in its header, or writes it (--write)."""
import re
import sys


def rows(header, count):
    """Returns (name, words after it, why) of each function, in the order of the table."""
    with open(header, encoding='utf-8') as file:
        found = re.findall(r'^ +X\((\w+), ([\w, ]+)\) *(?:/\* (.*?) \*/)? *\\?$', file.read(), re.MULTILINE)
    if len(found) != count:
        sys.exit('%s: %d functions, not %d' % (header, len(found), count))
    return [(name, words.split(', '), why) for name, words, why in found]


def check(header, page_path, script, count, table):
    """`table(rows)` returns the text of the table; `script` is its name from the root."""
    begin = '<!-- BEGIN functions (written by %s --write) -->\n' % script
    end = '<!-- END functions -->\n'
    with open(page_path, encoding='utf-8') as file:
        page = file.read()
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    if not rest or not page.endswith(after):
        sys.exit('%s has no place for the table' % page_path)
    wanted = before + begin + table(rows(header, count)) + end + after
    if sys.argv[1:] == ['--write']:
        with open(page_path, 'w', encoding='utf-8') as file:
            file.write(wanted)
    elif page != wanted:
        sys.exit('%s is not what %s says: run %s --write' % (page_path, header, script))
