#!/bin/sh
# SPDX-License-Identifier: MIT
# Databases of NVIDIA's profilers are read with the same results as with SQL,
# malicious ones are rejected, and our output for SQL matches the input.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
printf 'SQLite format 3\0' > "$work/none"
! "$CTPROF" info "$work/none" 2>&1 | grep -q 'built without libsqlite3' ||
	skip "built without libsqlite3"
"$python" "$srcdir/tests/formats/sqlite/sqlite_read.py" "$work" "$srcdir/tests/formats/sqlite/sqlite" ||
	failed=1
"$python" "$srcdir/tests/formats/sqlite/sqlite_hostile.py" "$work" || failed=1
"$python" "$srcdir/tests/formats/sqlite/sqlite_write.py" "$work" \
	"$srcdir"/tests/traces/a100_simple*.gz "$srcdir"/tests/traces/mi300*.gz \
	"$srcdir/tests/traces/flow.json.gz" || failed=1
exit $failed
