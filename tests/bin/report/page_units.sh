#!/bin/sh
# SPDX-License-Identifier: MIT
# The functions of the page's scripts, one by one, in a browser.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

printf 'main 10\nmain;leaf 20\n' >"$work/x.folded"
"$CTPROF" report -q -o "$work/x.html" "$work/x.folded" || exit 1
"$python" "$srcdir/tests/bin/report/page_units.py" "$work" "$work/x.html" \
	"$srcdir"/tests/bin/report/units/*.js
