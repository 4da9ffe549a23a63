#!/bin/sh
# SPDX-License-Identifier: MIT
# Names that terminals, spreadsheets, browsers and graphviz would interpret go
# through every writer, and are read back with each format's own parser.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
"$python" "$srcdir/tests/formats/hostile_names_check.py" "$CTPROF" "$work"
