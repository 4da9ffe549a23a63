#!/bin/sh
# SPDX-License-Identifier: MIT
# The ranks of a made job equal a plain recomputation in Python: rows, imbalance
# and collectives. The planted straggler is first, in any order of inputs and
# with any number of jobs.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

"$python" "$srcdir/tests/bin/gpu/ranks_check.py" "$CTPROF" "$work" || failed=1

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
