#!/bin/sh
# SPDX-License-Identifier: MIT
# Chrome traces are counted right: first those whose numbers were worked out by
# hand, which tests what the others are compared with.
set -u
srcdir=${srcdir:-.}
python=${PYTHON3:-python3}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

"$python" "$srcdir/tests/trace_cases.py" "$work" || exit 1
for file in "$srcdir"/tests/traces/*.json.gz; do
	"$python" "$srcdir/tests/trace_counts.py" "$file" >"$work/counts" ||
		exit 1
done
