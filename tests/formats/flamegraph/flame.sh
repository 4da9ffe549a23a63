#!/bin/sh
# SPDX-License-Identifier: MIT
# Flame graphs, by what is in them; flame_browser.sh looks at them.
set -u
srcdir=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
CTPROF_OUT="$work/all.ctp" ./tests/lib/recorder/record_everything || exit 1
"$PYTHON3" -B "$srcdir/tests/support/oracle.py" program 3 |
	CTPROF_OUT="$work/program.ctp" ./tests/support/oracle_record || exit 1
"$PYTHON3" -B "$srcdir/tests/formats/flamegraph/flame_check.py" "$CTPROF" "$work/all.ctp" \
	"$work/program.ctp" "$srcdir/tests/formats/texts/simple.txt" \
	"$srcdir/tests/traces/self-win-clang-19.1_main.json.gz" \
	"$srcdir/tests/traces/cpu_only.json.gz" \
	"$srcdir/tests/traces/mi300_torch_compile_triton.json.gz"
