#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the checks that need a GPU (tests/gpu/run) with the CUDA and CUPTI of
# tests/lib/cupti/fake, so that these scripts work on a real GPU, and find
# errors. GPU_DRY_PARTS names more parts than the truth: stress, launch.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
fake=$PWD/tests/lib/cupti/fake/.libs
need_loadable_library
unset FAKE_CUPTI FAKE_TRUTH
export CTPROF_SPOOL=$work TMPDIR=$work PYTHONDONTWRITEBYTECODE=1
export CTPROF_CUPTI_LIB=$fake/libcupti.so.13
export LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
"$python" "$srcdir/tests/gpu/run" --build=. \
	--parts="${GPU_DRY_PARTS-truth}" --keep="$work" >"$work/rows" || {
	cat "$work/rows"
	exit 1
}
grep -v '^not measured' "$work/rows"
# All parts that were not measured are reported, with the reason.
[ "$(grep -c '^not measured: .*: not asked for$' "$work/rows")" = 4 ] ||
	[ -n "${GPU_DRY_PARTS-}" ] || exit 1
# Without time left, nothing is begun.
if ! "$python" "$srcdir/tests/gpu/run" --build=. --seconds=0 >"$work/rows" ||
	[ "$(grep -c '^not measured: .*: the time was up$' "$work/rows")" \
		-lt 3 ]; then
	cat "$work/rows"
	exit 1
fi
# A GPU that cannot be recorded is a failure.
if FAKE_CUPTI_SUBSCRIBE=39 "$python" "$srcdir/tests/gpu/run" --build=. \
	--quick >"$work/rows" ||
	! grep -q 'off: another tool uses CUPTI' "$work/rows" ||
	[ "$(grep -c '^not measured: .*: no CUPTI' "$work/rows")" != 5 ]; then
	cat "$work/rows"
	exit 1
fi
"$python" "$srcdir/tests/lib/cupti/cupti_dry.py" "$srcdir/tests/gpu" "$work"
