#!/bin/sh
# SPDX-License-Identifier: MIT
# Databases of NVIDIA's profilers are read as SQL finds them to be, those made to
# do harm are refused, and what we write for SQL is what we read.
set -u
srcdir=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
printf 'SQLite format 3\0' > "$work/none"
if "$CTPROF" info "$work/none" 2>&1 | grep -q 'built without libsqlite3'; then
	echo "skipped: built without libsqlite3"
	exit 77
fi
PYTHONPATH=$srcdir/tests/formats/sqlite
export PYTHONPATH
status=0
"$PYTHON3" -B "$srcdir/tests/formats/sqlite/sqlite_read.py" "$work" "$srcdir/tests/formats/sqlite/sqlite" ||
	status=1
"$PYTHON3" -B "$srcdir/tests/formats/sqlite/sqlite_hostile.py" "$work" || status=1
"$PYTHON3" -B "$srcdir/tests/formats/sqlite/sqlite_write.py" "$work" \
	"$srcdir"/tests/traces/a100_simple*.gz "$srcdir"/tests/traces/mi300*.gz \
	"$srcdir/tests/traces/flow.json.gz" || status=1
exit $status
