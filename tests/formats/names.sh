#!/bin/sh
# SPDX-License-Identifier: MIT
# Names that terminals, spreadsheets, browsers and graphviz would obey go
# through every writer, and are read with each format's own parser.
set -u
srcdir=${srcdir:-.}
PYTHONPATH=$(realpath "$srcdir/tests/support")
export PYTHONPATH
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
case $CTPROF in
/*) ;;
*) CTPROF=$PWD/$CTPROF ;;
esac
"${PYTHON3:-python3}" -B "$srcdir/tests/formats/names_check.py" "$CTPROF" "$work"
