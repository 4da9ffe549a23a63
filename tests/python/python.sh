#!/bin/sh
# SPDX-License-Identifier: MIT
# The Python package under each interpreter that it is built for: all of
# tests/python/python, or the files named in PYTHON_TESTS ("test_exact
# test_load").
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
[ -n "${CTP_PYTHONS-}" ] ||
	skip "configure found no Python to build the package for"
need_loadable_library

# A process killed by a signal leaves its buffers here, not in /dev/shm.
export TMPDIR="$work" CTPROF_SPOOL="$work"
export PYTHONPATH="$PWD/python/package" LD_LIBRARY_PATH="$PWD/.libs"
export PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0
unset PYTHONSTARTUP PYTHONHOME PYTHONWARNINGS

for python in $CTP_PYTHONS; do
	# shellcheck disable=SC2086
	"$python" -P "$srcdir/tests/python/run.py" ${PYTHON_TESTS-} || failed=1
done
exit $failed
