#!/bin/sh
# SPDX-License-Identifier: MIT
# Chrome traces are read, and written again, exactly like a few rules in
# Python: small ones, computed by hand; random ones with rounded times; those of
# other tools; and those of speedscope's own tests. CTPROF_DATA may name a
# directory with more: all *.json and *.json.gz in its kineto, clang, viztracer,
# catapult and speedscope, also those in a *.tar.gz.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
samples=$srcdir/tests/formats/chrome_read/chrome_snapshots

"$python" "$srcdir/tests/formats/chrome_read/chrome_cases.py" "$work" "$CTPROF" || failed=1
"$python" "$srcdir/tests/formats/chrome_read/chrome_rounding.py" "$CTPROF" "$work" ||
	failed=1
"$python" "$srcdir/tests/formats/chrome_read/chrome_reference.py" "$CTPROF" "$work" \
	"$work/rounded.json" "$srcdir"/tests/traces/*.json.gz || failed=1
"$python" "$srcdir/tests/formats/chrome_read/chrome_snapshots.py" "$CTPROF" \
	"$samples/trace-event.test.ts.snap" "$samples"/*.json || failed=1
if [ -d "${CTPROF_DATA:-}" ]; then
	for format in kineto clang viztracer catapult speedscope/trace-event
	do
		find "$CTPROF_DATA/$format" -name '*.json' -o -name '*.json.gz'
	done | sort >"$work/files"
	find "$CTPROF_DATA" -name '*.tar.gz' |
		while read -r tar; do
			tar -C "$work" -xzf "$tar" || echo "$tar"
		done
	find "$work" -mindepth 2 -name '*.json' | sort >>"$work/files"
	xargs "$python" "$srcdir/tests/formats/chrome_read/chrome_reference.py" "$CTPROF" "$work" \
		<"$work/files" || failed=1
else
	echo "skipped more_traces: CTPROF_DATA names no directory"
fi
exit $failed
