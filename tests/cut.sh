#!/bin/sh
# SPDX-License-Identifier: MIT
# What is cut out of a timeline, and what it is split into, adds up to it; what
# is redacted tells nothing. CTPROF_DATA may name a directory with more traces.
set -u
srcdir=${srcdir:-.}
python=${PYTHON3:-python3}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
CTPROF_TMPDIR=$work
export CTPROF_TMPDIR
failed=0

# A log, whose threads are in blocks, not in order of time.
CTPROF_OUT="$work/all.ctp" ./tests/record_everything || exit 1
"$python" -B "$srcdir/tests/cut_cases.py" "$CTPROF" "$work" \
	"$work/all.ctp" "$srcdir"/tests/traces/*.json.gz ||
	failed=1
if [ -d "${CTPROF_DATA:-}" ]; then
	find "$CTPROF_DATA" -size -2M \( -path '*/kineto/*.json*' -o \
		-path '*/clang/*.json*' -o -path '*/viztracer/*.json*' -o \
		-path '*/catapult/*.json*' \) | sort >"$work/files"
	xargs "$python" -B "$srcdir/tests/cut_cases.py" "$CTPROF" "$work" \
		<"$work/files" || failed=1
else
	echo "skipped more_traces: CTPROF_DATA names no directory"
fi
[ "$(find "$work" -name 'ctprof.*' | wc -l)" = 0 ] || failed=1
exit $failed
