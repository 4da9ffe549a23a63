#!/bin/sh
# SPDX-License-Identifier: MIT
# A page that compares an input with a base agrees with `ctprof diff`.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
traces=$srcdir/tests/traces

# In nanoseconds; 80 more of 200: 60 in grown, 70 in new, and 50 are gone.
printf 'main 50\nmain;grown 40\nmain;equal 60\nmain;gone 50\n' >"$work/old.folded"
printf 'main 50\nmain;grown 100\nmain;equal 60\nmain;new 70\n' >"$work/new.folded"
"$python" "$srcdir/tests/bin/report/report_base.py" "$CTPROF" "$work" \
	"$work/old.folded" "$work/new.folded" \
	"$traces/a100_simple_add_cuda_sync.json.gz" \
	"$traces/a100_multi_stream_event_sync.json.gz" \
	"$traces/torch_trace_2.15_cold.log.gz" \
	"$traces/torch_trace_2.15_warm.log.gz" || failed=1

# refused STATUS WORDS ARGUMENTS...
refused() {
	status=$1
	words=$2
	shift 2
	"$CTPROF" report --force -o "$work/x.html" "$@" 2>"$work/err"
	[ $? = "$status" ] && grep -q -e "$words" "$work/err" ||
		complain "$*: $(cat "$work/err")"
}
new=$work/new.folded
refused 2 'compares with one input' --base "$new" "$new" "$new"
refused 2 'compares with one input' --sum --base "$new" "$new"
refused 2 'reads its inputs twice' --base - "$new"
refused 2 'reads its inputs twice' --base "$new" -
refused 3 'none: ' --base "$work/none" "$new"
refused 3 'none: ' --base "$new" "$work/none"
[ ! -e "$work/x.html" ] || complain "a page without a base"
# The other side's profile has no call paths, or is a sum of a directory.
"$CTPROF" convert -q -t pstats -o "$work/new.pstats" "$new" || exit 1
mkdir "$work/folder"
cp "$new" "$work/folder"
for other in "$work/new.pstats" "$work/folder"; do
	"$CTPROF" report -q --force -o "$work/x.html" --base "$other" \
		"$new" || complain "$other: failed"
	grep -q '"diff":{"base":' "$work/x.html" || complain "$other: no diff"
	grep -q '"trees":' "$work/x.html" && complain "$other: call paths"
done
exit $failed
