#!/bin/sh
# SPDX-License-Identifier: MIT
# Random programs, recorded with their own times, give exactly the profile of
# the naive rules in oracle.py, in integer nanoseconds.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

seed=0
while [ $seed -lt "${ORACLE_PROGRAMS:-120}" ]; do
	"$python" "$srcdir/tests/support/oracle.py" program $seed > "$work/program" &&
		CTPROF_OUT="$work/run.ctp" ./tests/support/oracle_record \
			< "$work/program" &&
		"$CTPROF" stats -q --json --callers "$work/run.ctp" \
			> "$work/stats.json" &&
		"$python" "$srcdir/tests/support/oracle.py" compare $seed \
			"$work/stats.json" || {
		echo "seed $seed failed"
		exit 1
	}
	seed=$((seed + 1))
done
echo "$seed programs agree"
