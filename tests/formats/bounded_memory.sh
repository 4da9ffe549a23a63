#!/bin/sh
# SPDX-License-Identifier: MIT
# The memory for reading a trace does not grow with its length: this trace's
# events would not fit into the allowed memory.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
CTPROF_TMPDIR=$work
export CTPROF_TMPDIR

make() {
	./tests/support/make_trace --bytes="$1"
}

# The number of slices, counted by lines.
make 60M | tee "$work/trace" | grep -cE '"ph": "X"' >"$work/slices"
gzip -1 <"$work/trace" >"$work/trace.gz"
[ "$(cat "$work/slices")" -gt 100000 ]
report $? "the trace has many slices"

"$CTPROF" convert --max-mem=28M -t pstats "$work/trace" >"$work/one" &&
	[ -s "$work/one" ]
report $? "pstats: in memory that does not hold the events"
"$CTPROF" convert --max-mem=28M -t pstats - <"$work/trace.gz" >"$work/two" &&
	cmp -s "$work/one" "$work/two"
report $? "pstats: gzip'd, in no more"
cat "$work/trace" | "$CTPROF" convert --max-mem=28M -t chrome |
	grep -oE '"ph":"X"' | wc -l >"$work/written"
[ "$(cat "$work/slices")" -eq "$(cat "$work/written")" ]
report $? "chrome: from a pipe, with every slice, in no more"
"$CTPROF" convert --max-mem=28M -o "$work/trace.ctp" "$work/trace" &&
	"$CTPROF" convert -t pstats "$work/trace.ctp" >"$work/two" &&
	cmp -s "$work/one" "$work/two"
report $? "log: with all that makes the same profile, in no more"
mkdir "$work/parts"
"$CTPROF" convert --max-mem=40M -t chrome --split 5M - -o "$work/parts/" \
	<"$work/trace" &&
	[ "$(find "$work/parts" -type f | wc -l)" -ge 10 ] &&
	cat "$work"/parts/* | grep -oE '"ph":"X"' | wc -l >"$work/written" &&
	[ "$(cat "$work/slices")" -le "$(cat "$work/written")" ]
report $? "chrome: in parts, in little more"
rm -r "$work/parts"
"$CTPROF" cut --max-mem=40M --time 1ms..2ms --redact -t chrome \
	<"$work/trace" >"$work/two" && grep -q '"ph":"X"' "$work/two"
report $? "chrome: a piece, in little more"

# Threads with open calls at the same time, each with its own functions.
awk 'BEGIN {
	printf "[{}"
	for (thread = 1; thread <= 2000; thread++) {
		row = ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":" thread
		print row ",\"ts\":0,\"dur\":100,\"name\":\"thread\"}"
		for (call = 1; call <= 25; call++)
			print row ",\"ts\":" 3 * call ",\"dur\":1,\"name\":\"f" \
				25 * thread + call "\"}"
	}
	print "]"
}' >"$work/threads"
"$CTPROF" convert --max-mem=100M -t pstats "$work/threads" >"$work/two"
report $? "pstats: of many threads with functions of their own"

# Checks that the events make the difference.
"$CTPROF" convert --max-mem=16M -t pstats "$work/trace" >"$work/two" 2>"$work/err"
[ $? = 6 ]
report $? "the memory for sorting events is counted"
CTPROF_TMPDIR=$work/nowhere "$CTPROF" convert -t chrome "$work/trace" \
	>"$work/two" 2>"$work/err"
[ $? != 0 ] && grep -q "temporary data in $work/nowhere" "$work/err"
report $? "events that do not fit are in temporary files"
[ "$(find "$work" -name 'ctprof*' | wc -l)" = 0 ]
report $? "none of which is left"
exit $failed
