#!/bin/sh
# SPDX-License-Identifier: MIT
# The page of `ctprof report` agrees with other reports.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

record_program 3 "$work/program.ctp"
CTPROF_OUT="$work/all.ctp" ./tests/lib/recorder/record_everything || exit 1
echo '[]' >"$work/empty.json"
echo 'a;b 3' >"$work/x.folded"
"$python" "$srcdir/tests/bin/report/report_check.py" "$CTPROF" "$work" \
	"$work/program.ctp" "$work/all.ctp" "$work/empty.json" \
	"$srcdir"/tests/traces/*.json.gz || failed=1

# Profiles have no times, and may have call paths.
"$CTPROF" report -o "$work/x.html" "$work/x.folded" ||
	complain "a profile: failed"
grep -q '"events":false' "$work/x.html" || complain "a profile has events"

# Unreadable inputs are not on the page; without readable ones there is no page.
"$CTPROF" report -q -o - "$work/none" >"$work/nothing" 2>/dev/null
[ $? = 3 ] && [ ! -s "$work/nothing" ] || complain "none: a page on stdout"
"$CTPROF" report -q -o "$work/some.html" "$work/none" "$work/empty.json" \
	2>/dev/null
[ $? = 3 ] && [ -s "$work/some.html" ] || complain "one of two: no page"
"$CTPROF" report -q -o "$work/none.html" "$work/none" 2>/dev/null
[ $? = 3 ] && [ ! -e "$work/none.html" ] || complain "no input: a page"
"$CTPROF" report -q -o "$work/x.html" "$work/empty.json" 2>/dev/null
[ $? = 5 ] || complain "an output that exists: written over"
# shellcheck disable=SC2046
"$CTPROF" report $(yes "$work/empty.json" | head -n 65) >/dev/null 2>&1
[ $? = 2 ] || complain "65 inputs: not refused"
exit $failed
