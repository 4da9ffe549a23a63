#!/bin/bash
# SPDX-License-Identifier: MIT
# Many threads share little memory: they lose nothing with the policy block, what
# others drop is counted, and a killed process leaves all of its ranges.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
program=$PWD/tests/lib/recorder/threads_program
log=$work/run.ctp
threads=400
ranges=$((threads * 200))

# record POLICY SIZE [MODE]: the program's status.
record() {
	rm -f "$log"
	CTPROF_OUT=$log CTPROF_SPOOL=$work CTPROF_POLICY=$1 CTPROF_BUFFER=$2 \
		CTPROF_BUFFER_MAX=$2 timeout 60 "$program" "$threads" ${3+"$3"} \
		>"$work/out" 2>"$work/err"
}

# facts: ranges, threads, dropped ranges, number of kinds of losses.
facts() {
	"$CTPROF" info --json "$log" | "$python" -c '
import json, sys
info = json.load(sys.stdin)
lost = info["lost"]
print(info["counts"]["ranges"], info["threads"],
      lost.get("dropped_ranges", 0), len(lost))'
}

# check TEXT EXPECTED
check() {
	local found
	found=$(facts)
	[ "$found" = "$2" ] || complain "$1: $found, not $2"
}

# More than one thread for each 64K.
for size in 2M 4M; do
	record block $size || complain "block, $size: status $?"
	check "block, $size" "$ranges $threads 0 0"
done

record drop 256K || complain "drop: status $?"
read -r kept tracks dropped others < <(facts)
[ $((kept + dropped)) = "$ranges" ] && [ "$tracks" = "$threads" ] &&
	[ "$others" -le 1 ] ||
	complain "drop: $kept ranges of $tracks threads, $dropped dropped"

record block 4M kill 2>"$work/killed"
CTPROF_SPOOL=$work "$CTPROF" repair --all -q >"$work/out" 2>&1 ||
	complain "repair: $(cat "$work/out")"
read -r kept tracks dropped others < <(facts)
[ "$kept $tracks $dropped" = "$ranges $threads 0" ] ||
	complain "killed: $kept ranges of $tracks threads, $dropped dropped"

exit $failed
