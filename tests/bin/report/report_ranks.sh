#!/bin/sh
# SPDX-License-Identifier: MIT
# The page of a job: its ranks, its inputs, and names that are hostile.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

PYTHONPATH="$srcdir/tests/bin/report:$PYTHONPATH" \
	"$python" "$srcdir/tests/bin/report/report_ranks.py" "$work" || failed=1

"$CTPROF" report --paths "$work/job" >/dev/null 2>&1
[ $? = 2 ] || complain "--paths without --sum: not refused"
exit $failed
