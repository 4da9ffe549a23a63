#!/bin/sh
# SPDX-License-Identifier: MIT
# The parts cut from a timeline add up to it, and redacted ones reveal nothing.
# CTPROF_DATA may name a directory with more traces.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
CTPROF_TMPDIR=$work
export CTPROF_TMPDIR

# A log, whose threads are in blocks, not in order of time.
CTPROF_OUT="$work/all.ctp" ./tests/lib/recorder/record_everything || exit 1
set -- "$work/all.ctp"
number=0
for trace in "$srcdir"/tests/traces/*.json.gz; do
	number=$((number + 1))
	[ $((number % ${CUT_EVERY:-1})) -ne 0 ] || set -- "$@" "$trace"
done
"$python" "$srcdir/tests/bin/timeline/cut_cases.py" "$CTPROF" "$work" "$@" || failed=1
if [ -d "${CTPROF_DATA:-}" ]; then
	find "$CTPROF_DATA" -size -2M \( -path '*/kineto/*.json*' -o \
		-path '*/clang/*.json*' -o -path '*/viztracer/*.json*' -o \
		-path '*/catapult/*.json*' \) | sort >"$work/files"
	xargs "$python" "$srcdir/tests/bin/timeline/cut_cases.py" "$CTPROF" "$work" \
		<"$work/files" || failed=1
else
	echo "skipped more_traces: CTPROF_DATA names no directory"
fi
# Progress is also shown while input that must be sorted is read: the first line
# comes before the end.
awk 'BEGIN {
	for (i = 0; i < 40000; i++)
		printf "%s{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1," \
			"\"ts\":%d,\"dur\":1}", i ? ",\n" : "[", 2 * i
	print "]"
}' >"$work/long.json"
for options in "-t csv" "--time 1us.. -t csv" "--redact --time 1us.. -t csv"; do
	# shellcheck disable=SC2086
	"$CTPROF" cut --progress=always $options "$work/long.json" \
		2>"$work/said" >"$work/out" || failed=1
	tr '\r' '\n' <"$work/said" | sed -n 2p | grep -q ' [1-9][0-9] %$' || {
		echo "not ok progress of cut $options"
		failed=1
	}
done
[ "$(find "$work" -name 'ctprof.*' | wc -l)" = 0 ] || failed=1
exit $failed
