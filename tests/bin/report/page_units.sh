#!/bin/sh
# SPDX-License-Identifier: MIT
# The colours of the page; the functions of its scripts, one by one, in a
# browser.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

"$python" "$srcdir/tests/bin/report/page_palette.py" \
	"$srcdir/bin/report/page.css" "$srcdir/formats/flamegraph/flame.css" ||
	exit 1
# All scripts share one scope.
twice=$(grep -hoE '^(async )?(function|const|let) [A-Za-z_]+' \
	"$srcdir"/bin/report/*.js "$srcdir"/formats/flamegraph/flame_fit.js |
	awk '{print $NF}' | sort | uniq -d)
[ -z "$twice" ] || fail "two scripts define $twice"
printf 'main 10\nmain;leaf 20\n' >"$work/x.folded"
"$CTPROF" report -q -o "$work/x.html" "$work/x.folded" || exit 1
"$python" "$srcdir/tests/bin/report/page_units.py" "$work" "$work/x.html" \
	"$srcdir"/tests/bin/report/units/*.js
