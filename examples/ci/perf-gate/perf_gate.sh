#!/bin/sh
# SPDX-License-Identifier: MIT
# perf_gate.sh PROGRAM [ARGUMENT...]
#
# Records the program a few times and compares it with the last runs of the base
# branch. Exits with status 1 if a function is slower than allowed, and leaves in
# PERF_OUT:
#
#	comment.md	a table for a comment on the pull request
#	junit.xml	a report for the CI server
#	changed.svg	a flame graph: red is slower, blue is faster
#	1.ctp, ...	the recordings
#
# Environment:
#
#	PERF_STORE	directory that keeps the runs from job to job (perf-store)
#	PERF_BASE	the branch to compare with (main)
#	PERF_SAVE	1: this is the base branch, keep these runs (0)
#	PERF_KEEP	number of runs to compare with and to keep (10)
#	PERF_RUNS	number of recordings (3)
#	PERF_LIMIT	allowed growth of a function, a share or a time (5%)
#	PERF_LIMITS	file with limits of functions (none)
#	PERF_LINK	address of the flame graph, for the comment (none)
#	PERF_OUT	directory of the results (perf-out)
set -eu
store=${PERF_STORE:-perf-store}
out=${PERF_OUT:-perf-out}
[ $# -gt 0 ] || {
	sed -n '3,/^set/s/^#[ 	]\{0,1\}//p' "$0"
	exit 2
}

mkdir -p "$out"
rm -f "$out"/*.ctp "$out/comment.md" "$out/junit.xml" "$out/changed.svg"
run=0
while [ $run -lt "${PERF_RUNS:-3}" ]; do
	run=$((run + 1))
	ctprof record -q -o "$out/$run.ctp" -- "$@"
done

set -- --baseline "$store" --branch "${PERF_BASE:-main}" \
	--keep "${PERF_KEEP:-10}" --max-regression "${PERF_LIMIT:-5%}" \
	--markdown "$out/comment.md" --junit "$out/junit.xml" \
	--svg "$out/changed.svg" "$out"/*.ctp
[ -z "${PERF_LIMITS:-}" ] || set -- --limits "$PERF_LIMITS" "$@"
[ -z "${PERF_LINK:-}" ] || set -- --link "$PERF_LINK" "$@"
if [ "${PERF_SAVE:-0}" = 1 ]; then
	set -- --save "$@"
elif [ ! -e "$store" ]; then
	echo "perf_gate.sh: $store is not there yet: nothing to compare with"
	exit 0
fi
ctprof check "$@"
