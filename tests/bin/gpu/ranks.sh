#!/bin/sh
# SPDX-License-Identifier: MIT
# The ranks of a made job equal a plain recomputation in Python: rows, imbalance
# and collectives. The planted straggler is first, in any order of inputs and
# with any number of jobs.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

"$python" "$srcdir/tests/bin/gpu/ranks_check.py" "$CTPROF" "$work" || failed=1

# Phases of 10, 20 and 60 us: the variance is (20^2 + 10^2 + 30^2) / 3.
mkdir "$work/phases"
for rank in 0 1 2; do
	printf '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":5,"dur":%s,
		"name":"Frontend"}]}' "$(echo 10 20 60 | cut -d' ' -f$((rank + 1)))" \
		>"$work/phases/rank$rank.json"
done
"$CTPROF" summarize -q -o "$work/phases.ctpart" "$work/phases"
for input in "$work/phases" "$work/phases.ctpart"; do
	"$CTPROF" ranks -q --json "$input" | "$python" -c '
import json, sys
rows = [row for row in json.load(sys.stdin)["imbalance"] if row["kind"] == "phase"]
p50 = rows[0].pop("p50_ns")
for host in "min_host", "max_host":
    assert rows[0].pop(host, None) is None
assert abs(p50 - 20000) <= 640, p50
assert rows == [{"kind": "phase", "name": "frontend", "file": "", "line": 0,
    "ranks": 3, "lost_ns": 90000, "mean_ns": 30000, "stddev_ns": 21602,
    "min_ns": 10000, "min_rank": 0, "max_ns": 60000, "max_rank": 2,
    "p95_ns": 60000}], rows
' || complain "phases of $input"
done

# The command line.
"$CTPROF" ranks --by 0 "$work/job" 2>"$work/words" && complain "--by 0"
grep -q "'0' is neither 'host' nor a number of ranks" "$work/words" ||
	complain "--by 0: $(cat "$work/words")"
printf 'main;f 3\n' >"$work/a.folded"
"$CTPROF" ranks "$work/a.folded" 2>"$work/words"
test $? = 3 || complain "a profile was accepted"
grep -q 'is a profile (no timestamps)' "$work/words" ||
	complain "a profile: $(cat "$work/words")"

exit $failed
