#!/bin/sh
# SPDX-License-Identifier: MIT
# The Python package under each interpreter that it is built for: all of
# tests/python/python, or the files named in PYTHON_TESTS ("test_exact test_load").
set -u
srcdir=${srcdir:-.}
if [ -z "${CTP_PYTHONS-}" ]; then
	echo "skipped: configure found no Python to build the package for"
	exit 77
fi
if grep -q '^CTP_LDFLAGS = .*-fsanitize' Makefile; then
	echo "skipped: programs cannot load a sanitized library"
	exit 77
fi
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# What dies by a signal leaves its buffers here, not in /dev/shm.
export TMPDIR="$work" CTPROF_SPOOL="$work"
export PYTHONPATH="$PWD/python/package" LD_LIBRARY_PATH="$PWD/.libs"
export PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0
unset PYTHONSTARTUP PYTHONHOME PYTHONWARNINGS CTPROF_PYTHON
failed=0

for python in $CTP_PYTHONS; do
	# shellcheck disable=SC2086
	"$python" -P "$srcdir/tests/python/run.py" ${PYTHON_TESTS-} || failed=1
done
exit $failed
