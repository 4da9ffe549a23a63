#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables for comments on pull requests: another program reads them, names
# from hostile programs stay names, and the size has a limit.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

check=$(cd "$srcdir" && pwd)/tests/bin/compare/markdown_check.py
cd "$work" || exit 99

"$python" "$check" make base.folded new.folded || exit 99
"$CTPROF" check --markdown check.md --json --min-time 0 --all base.folded \
	new.folded >check.json
[ $? = 1 ] || complain "check: nothing is slower"
"$CTPROF" diff --markdown diff.md --json --link 'https://x.example/a(b)?c=[d]' \
	base.folded new.folded >diff.json || complain "diff: status $?"
if command -v cmark-gfm >/dev/null; then
	for report in check diff; do
		cmark-gfm -e table --unsafe $report.md >$report.html &&
			"$python" "$check" read $report.html $report.json ||
			complain "$report: $(cat $report.md)"
	done
else
	echo "skipped rendered: no cmark-gfm"
fi
grep -Fqx '[Details](<https://x.example/a(b)?c=[d]>)' diff.md ||
	complain "no link: $(tail -n 1 diff.md)"
grep -q '^### ctprof check: [0-9]* of [0-9]* functions are slower' check.md ||
	complain "no heading: $(head -n 1 check.md)"
"$CTPROF" check --markdown same.md base.folded base.folded >/dev/null
grep -qx '### ctprof check: nothing is slower than allowed' same.md ||
	complain "the same: $(head -n 1 same.md)"

# Rows have places, and several runs their spread.
"$CTPROF" diff --markdown runs.md --runs base.folded new.folded base.folded -- \
	base.folded new.folded >/dev/null
grep -q 'times are medians' runs.md || complain "no medians: $(cat runs.md)"

# Many functions with long names.
"$python" "$check" many many.folded more.folded || exit 99
"$CTPROF" diff --markdown many.md many.folded more.folded >/dev/null
[ "$(wc -c <many.md)" -le 60000 ] || complain "$(wc -c <many.md) bytes"
grep -q '^[0-9]* more are not shown.$' many.md || complain "all are shown"
[ "$(grep -c '</*details>' many.md)" = 2 ] || complain "an open fold"

# refuse PATTERN ARGUMENT...
refuse() {
	pattern=$1
	shift
	"$CTPROF" diff "$@" base.folded new.folded >out 2>&1 &&
		complain "$*: accepted"
	grep -q -e "$pattern" out || complain "$*: $(cat out)"
}
refuse 'not a link of the web' --markdown x.md --link 'javascript:alert(1)'
refuse 'links cannot have' --markdown x.md --link 'a>b'
refuse 'links cannot have' --markdown x.md --link 'a b'
refuse 'is for --markdown' --link a/b.svg
refuse 'exists' --markdown many.md
exit $failed
