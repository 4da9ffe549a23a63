#!/bin/sh
# SPDX-License-Identifier: MIT
# Reports as JSON and CSV are as doc/schemas says, and the same a second time.
set -u
# shellcheck source=tests/support/python_case.sh
. "${srcdir:-.}/tests/support/python_case.sh"
CTPROF_SPOOL=$work/spool
export CTPROF_SPOOL
mkdir "$CTPROF_SPOOL" "$work/inputs"
top=$(cd "$srcdir" && pwd) || exit 99
for name in lib/log_read/bad/modules support/device; do
	./tests/support/make_log "$srcdir/tests/$name.recipe" \
		>"$work/inputs/${name##*/}.ctp" || exit 99
done
"$python" -B "$top/tests/project/schemas_check.py" "$ctprof" "$CLI_PROGRAM" "$top" \
	"$work/inputs" || failed=1
exit $failed
