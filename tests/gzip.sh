#!/bin/sh
# SPDX-License-Identifier: MIT
# Inputs that are gzip'd: read as what they hold, of every format and from
# pipes, and used as far as they are whole.
set -u
ctprof=${CTPROF:?}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

report() {
	if [ "$1" = 0 ]; then
		echo "ok $2"
	else
		echo "FAILED: $2"
		failed=1
	fi
}

# Many lines, so that a beginning is something.
i=0
while [ $i -lt 2000 ]; do
	echo "main;f$((i % 7));g$i $i"
	i=$((i + 1))
done >"$work/a.folded"
CTPROF_OUT="$work/a.ctp" "${CLI_PROGRAM:?}" >"$work/out" || exit 99
"$ctprof" convert -q -t pstats -o "$work/a.pstats" "$work/a.ctp" || exit 99

for name in a.folded a.pstats a.ctp; do
	"$ctprof" stats -n0 "$work/$name" >"$work/plain" || exit 99
	gzip -c "$work/$name" >"$work/$name.gz"
	"$ctprof" stats -n0 "$work/$name.gz" >"$work/packed" 2>"$work/err" &&
		[ ! -s "$work/err" ] && cmp -s "$work/plain" "$work/packed"
	report $? "$name.gz is read as $name"
	"$ctprof" stats -n0 - <"$work/$name.gz" >"$work/packed" &&
		cmp -s "$work/plain" "$work/packed"
	report $? "$name.gz is read from standard input"
	(cat "$work/$name.gz"; gzip -c /dev/null) | "$ctprof" \
		stats -n0 >"$work/packed" && cmp -s "$work/plain" "$work/packed"
	report $? "$name.gz is read from a pipe, with an empty member behind"
done

"$ctprof" convert -q -t dot -o "$work/all/" "$work/a.folded.gz" \
	"$work/a.pstats.gz" 2>"$work/err"
[ $? = 2 ] && grep -q 'all/a.dot' "$work/err"
report $? "both suffixes go from an output's name"

size=$(wc -c <"$work/a.folded.gz")
head -c $((size / 2)) "$work/a.folded.gz" >"$work/cut.gz"
"$ctprof" convert -t folded "$work/cut.gz" >"$work/out" 2>"$work/err"
report $? "a file that is cut off is used"
grep -qE "cut.gz: byte $((size / 2)) of the gzip'd file: .* end here" \
	"$work/err"
report $? "it says where"
lines=$(wc -l <"$work/out")
[ "$lines" -gt 500 ] && [ "$lines" -lt 2000 ]
report $? "what was before the cut is there"
"$ctprof" convert -q --strict -t folded "$work/cut.gz" >"$work/out"
[ $? = 4 ]
report $? "--strict fails on it"

(cat "$work/a.folded.gz"; echo 12345678) >"$work/more.gz"
"$ctprof" convert -t folded "$work/a.folded" >"$work/plain"
"$ctprof" convert -t folded "$work/more.gz" 2>"$work/err" |
	cmp -s - "$work/plain"
report $? "a file with something else behind is read"
grep -q 'more.gz: 9 bytes skipped' "$work/err"
report $? "that is counted"

gzip -c /dev/null >"$work/nothing.gz"
"$ctprof" stats "$work/nothing.gz" >"$work/out" 2>"$work/err"
[ $? = 3 ] && grep -q 'holds nothing' "$work/err"
report $? "an empty file is refused"
printf '\037\213\010\377\377' >"$work/bad.gz"
"$ctprof" stats "$work/bad.gz" >"$work/out" 2>"$work/err"
[ $? = 3 ] && grep -q 'bad.gz: byte [0-9]*: unknown header flags' "$work/err"
report $? "what only begins like gzip is refused"
exit $failed
