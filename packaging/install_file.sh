#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: install_file.sh FILE FOLDER HINT    installs a file that meson did not make; run by `meson install`
set -eu
[ -f "$1" ] || { echo "meson install: error: $1 is missing ($3)" >&2; exit 1; }
install -D -m 644 "$1" "${DESTDIR:-}$2/${1##*/}"
