#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the seeds of fuzzing, and the inputs that broke us once
# (tests/lib/log_read/bad), through the fuzz targets: no crash, no hang, and no
# reference to a missing entry.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
for target in fuzz_cut fuzz_deflate fuzz_digest fuzz_elf fuzz_http fuzz_log \
	fuzz_part fuzz_pstats \
	fuzz_repair fuzz_replay fuzz_rules fuzz_spool fuzz_sqlite fuzz_summary \
	fuzz_texts fuzz_trace; do
	mkdir "$work/$target"
	"$srcdir/tests/fuzz/fuzz_seeds.sh" $target "$work/$target" || exit 1
	set -- "$work/$target"/*
	[ $# -gt 10 ] || exit 1
	if ./tests/fuzz/$target "$@"; then
		echo "ok $target"
	else
		echo "not ok $target"
		failed=1
	fi
done
exit $failed
