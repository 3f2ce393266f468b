# SPDX-License-Identifier: MIT
"""Numbers of the ABI for tests in Python, read from the protocol's headers, which are their one place."""
import os
import re

HEADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'protocol', 'include', 'aerogpu')
# A macro, or a row of an enumeration.
NUMBER = r'^\s*(?:#define\s+)?%s(\w+)\s*=?\s*(0[xX][0-9A-Fa-f]+|\d+)[uUlL]*\s*,?\s*(?:/\*.*|//.*)?$'


def numbers(header, prefix):
    """The numbers of a header whose names begin with `prefix`, by the rest of the name. There is at least one."""
    with open(os.path.join(HEADERS, header), encoding='utf-8') as file:
        found = {name: int(value, 0) for name, value in re.findall(NUMBER % re.escape(prefix), file.read(), re.M)}
    if not found:
        raise ValueError('%s has no number that begins with %s' % (header, prefix))
    return found
