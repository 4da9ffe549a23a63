#!/bin/sh
# SPDX-License-Identifier: MIT
# On a machine with a GPU: every launch of a program is in its log, as it was
# made (tests/gpu/run, without what it measures).
set -u
srcdir=${srcdir:-.}
if grep -q '^CTP_LDFLAGS = .*-fsanitize' Makefile; then
	echo "skipped: programs cannot load a sanitized library"
	exit 77
fi
reason=$(tests/gpu/truth probe 2>&1)
if [ $? = 77 ]; then
	echo "skipped: no GPU: $reason"
	exit 77
fi
"$PYTHON3" "$srcdir/tests/gpu/run" --build=. --quick
