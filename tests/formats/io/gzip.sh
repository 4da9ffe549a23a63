#!/bin/sh
# SPDX-License-Identifier: MIT
# gzip'd inputs of every format and from pipes are read like their contents, and
# used up to any damage. Outputs are gzip'd if their names say so.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

# Many lines, so that a truncated file has contents.
i=0
while [ $i -lt 2000 ]; do
	echo "main;f$((i % 7));g$i $i"
	i=$((i + 1))
done >"$work/a.folded"
CTPROF_OUT="$work/a.ctp" "$CLI_PROGRAM" >"$work/out" || exit 99
"$CTPROF" convert -q -t pstats -o "$work/a.pstats" "$work/a.ctp" || exit 99

for name in a.folded a.pstats a.ctp; do
	"$CTPROF" stats -n0 "$work/$name" >"$work/plain" || exit 99
	gzip -c "$work/$name" >"$work/$name.gz"
	"$CTPROF" stats -n0 "$work/$name.gz" >"$work/packed" 2>"$work/err" &&
		[ ! -s "$work/err" ] && cmp -s "$work/plain" "$work/packed"
	report $? "$name.gz is read as $name"
	"$CTPROF" stats -n0 - <"$work/$name.gz" >"$work/packed" &&
		cmp -s "$work/plain" "$work/packed"
	report $? "$name.gz is read from standard input"
	(cat "$work/$name.gz"; gzip -c /dev/null) | "$CTPROF" \
		stats -n0 >"$work/packed" && cmp -s "$work/plain" "$work/packed"
	report $? "$name.gz is read from a pipe, with an empty member behind"
done

"$CTPROF" convert -q -t dot -o "$work/all/" "$work/a.folded.gz" \
	"$work/a.pstats.gz" 2>"$work/err"
[ $? = 2 ] && grep -q 'all/a.dot' "$work/err"
report $? "both suffixes go from an output's name"

size=$(wc -c <"$work/a.folded.gz")
head -c $((size / 2)) "$work/a.folded.gz" >"$work/cut.gz"
"$CTPROF" convert -t folded "$work/cut.gz" >"$work/out" 2>"$work/err"
report $? "a truncated file is used"
grep -qE "cut.gz: byte $((size / 2)) of the gzip'd file: .* truncated" \
	"$work/err"
report $? "the position is reported"
lines=$(wc -l <"$work/out")
[ "$lines" -gt 500 ] && [ "$lines" -lt 2000 ]
report $? "the part before the cut is there"
"$CTPROF" convert -q --strict -t folded "$work/cut.gz" >"$work/out"
[ $? = 4 ]
report $? "--strict fails on it"

(cat "$work/a.folded.gz"; echo 12345678) >"$work/more.gz"
"$CTPROF" convert -t folded "$work/a.folded" >"$work/plain"
"$CTPROF" convert -t folded "$work/more.gz" 2>"$work/err" |
	cmp -s - "$work/plain"
report $? "a file with other bytes after it is read"
grep -q 'more.gz: 9 bytes skipped' "$work/err"
report $? "they are counted"

# written COMMAND...: checks that the file that it writes, decompressed, equals
# its output.
written() {
	"$@" -o "$work/out.gz" && gzip -t "$work/out.gz" &&
		"$@" -o - >"$work/plain" && gzip -dc "$work/out.gz" |
		cmp - "$work/plain"
	report $? "$2 writes a compressed file"
	rm -f "$work/out.gz"
}

cd "$work" || exit 99
"$CTPROF" convert -q a.ctp -o trace.json || exit 99
written "$CTPROF" convert -q -t chrome a.ctp
written "$CTPROF" convert -q -t gprof a.pstats
written "$CTPROF" cut -q -t chrome trace.json
written "$CTPROF" merge -q -t chrome trace.json a.ctp
written "$CTPROF" repair -q trace.json
written "$CTPROF" stats --csv a.ctp
"$CTPROF" convert -q a.ctp -o named.json.gz && gzip -dc named.json.gz |
	sed 's/"title":"[^"]*"//' >named.json &&
	sed 's/"title":"[^"]*"//' trace.json | cmp - named.json
report $? "the format is that of the name before it"
slice='{"ph":"X","name":"f","pid":1,"tid":1,"dur":1,"ts":'
awk -v slice="$slice" 'BEGIN {
	print "["
	for (i = 0; i < 20000; i++)
		print (i == 0 ? "" : ",") slice 2 * i "}"
	print "]"
}' >many.json
"$CTPROF" cut -q --split 500K many.json -o part.json.gz &&
	gzip -t part-0001.json.gz && gzip -t part-0002.json.gz &&
	"$CTPROF" merge -q -o parts.pstats part-*.json.gz
report $? "so is each part"
"$CTPROF" convert -q a.ctp -o once.pb.gz && gzip -dc once.pb.gz >once &&
	! gzip -t once 2>/dev/null
report $? "a compressed format is not compressed again"
for target in /dev/full "$work/nowhere/x.json.gz"; do
	[ "$target" != /dev/full ] || { ln -s /dev/full full.gz; target=full.gz; }
	"$CTPROF" convert -q -t chrome a.ctp -o "$target" 2>err
	[ $? = 5 ] && grep -qE 'No space left|No such file' err
	report $? "$target cannot be written"
done

gzip -c /dev/null >"$work/nothing.gz"
"$CTPROF" stats "$work/nothing.gz" >"$work/out" 2>"$work/err"
[ $? = 3 ] && grep -q 'an empty file' "$work/err"
report $? "an empty file is refused"
printf '\037\213\010\377\377' >"$work/bad.gz"
"$CTPROF" stats "$work/bad.gz" >"$work/out" 2>"$work/err"
[ $? = 3 ] && grep -q 'bad.gz: byte [0-9]*: unknown header flags' "$work/err"
report $? "a file that only begins like gzip is refused"
exit $failed
