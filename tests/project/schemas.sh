#!/bin/sh
# SPDX-License-Identifier: MIT
# Reports as JSON and CSV match doc/schemas, and a second run prints the same.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need "$python"
CTPROF_SPOOL=$work/spool
export CTPROF_SPOOL
mkdir "$CTPROF_SPOOL" "$work/inputs"
top=$(cd "$srcdir" && pwd) || exit 99
for name in lib/log_read/bad/modules support/device; do
	./tests/support/make_log "$srcdir/tests/$name.recipe" \
		>"$work/inputs/${name##*/}.ctp" || exit 99
done
"$CTPROF" help --columns | "$python" "$top/doc/schemas.py" "$work" || failed=1
for file in "$work"/*-1.json "$work"/*-1.csv.json; do
	cmp -s "$file" "$top/doc/schemas/${file##*/}" ||
		complain "doc/schemas/${file##*/} is out of date; run 'make schemas'"
done
"$python" "$top/tests/project/schemas_check.py" "$CTPROF" "$CLI_PROGRAM" "$top" \
	"$work/inputs" || failed=1
exit $failed
