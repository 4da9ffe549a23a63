#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles that Python saved are read as they are.
set -u
srcdir=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086
"$PYTHON3" "$srcdir/tests/formats/pstats/pstats_read.py" "$work" ${CTP_PYTHONS:-"$PYTHON3"}
