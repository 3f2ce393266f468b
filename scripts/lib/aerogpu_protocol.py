# SPDX-License-Identifier: MIT
"""Reads the ABI's numbers from the protocol headers, so that Python tests need no copies of them."""
import os
import re

HEADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'protocol', 'include', 'aerogpu')
# A macro, or a row of an enumeration.
NUMBER = r'^\s*(?:#define\s+)?%s(\w+)\s*=?\s*(0[xX][0-9A-Fa-f]+|\d+)[uUlL]*\s*,?\s*(?:/\*.*|//.*)?$'


def numbers(header, prefix):
    """Returns the numbers of a header whose names begin with `prefix`: {rest of the name: number}, never empty."""
    with open(os.path.join(HEADERS, header), encoding='utf-8') as file:
        found = {name: int(value, 0) for name, value in re.findall(NUMBER % re.escape(prefix), file.read(), re.M)}
    if not found:
        raise ValueError('%s has no number that begins with %s' % (header, prefix))
    return found
