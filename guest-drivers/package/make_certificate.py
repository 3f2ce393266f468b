#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""usage: make_certificate.py CERTIFICATE KEY    makes a self-signed test certificate (see authenticode.py)"""
import sys

import authenticode

if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    authenticode.make_certificate(sys.argv[1], sys.argv[2])
