#!/bin/sh
# SPDX-License-Identifier: MIT
# The contents of flame graphs; flame_browser.sh checks their appearance.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
CTPROF_OUT="$work/all.ctp" ./tests/lib/recorder/record_everything || exit 1
record_program 3 "$work/program.ctp"
"$python" "$srcdir/tests/formats/flamegraph/flame_check.py" "$CTPROF" "$work/all.ctp" \
	"$work/program.ctp" "$srcdir/tests/formats/profile_readers/simple.txt" \
	"$srcdir/tests/traces/self-win-clang-19.1_main.json.gz" \
	"$srcdir/tests/traces/cpu_only.json.gz" \
	"$srcdir/tests/traces/mi300_torch_compile_triton.json.gz"
