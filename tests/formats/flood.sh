#!/bin/sh
# SPDX-License-Identifier: MIT
# Inputs made to fill one place of a hash table take no longer than others, and
# what is written does not depend on the seeds of the tables.
set -u
srcdir=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
"${PYTHON3:-python3}" "$srcdir/tests/formats/flood.py" "${CTPROF:?}" "$work"
