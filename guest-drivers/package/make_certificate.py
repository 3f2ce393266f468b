#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""usage: make_certificate.py CERTIFICATE KEY [FOLDER]

Makes a self-signed test certificate (see authenticode.py). With FOLDER (not empty) the certificate is test-cert.pem and
test-key.pem there, made if they are missing; CERTIFICATE and KEY become copies of them."""
import os
import shutil
import sys

import authenticode


def main(certificate, key, folder=''):
    if not folder:
        authenticode.make_certificate(certificate, key)
        return
    kept = [os.path.join(folder, name) for name in ('test-cert.pem', 'test-key.pem')]
    there = [os.path.exists(path) for path in kept]
    if not any(there):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        authenticode.make_certificate(*kept)
    elif not all(there):
        sys.exit('make_certificate.py: error: %s is missing beside the other half' % kept[there.index(False)])
    os.umask(0o077)
    for source, target in zip(kept, (certificate, key)):
        shutil.copy(source, target)  # keeps the file's mode


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
