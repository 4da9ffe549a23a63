#!/bin/sh
# SPDX-License-Identifier: MIT
# The program measured beside ctprof's reports gives the same answers. Otherwise
# its times would mean nothing.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

tests/support/make_trace --bytes=1M >"$work/made.json" || exit 99
mkdir "$work/shifted" || exit 99
set -- "$work/made.json"
for name in mi250_minitoy mi300_torch_compile_triton \
	a100_simple_add_cuda_sync a100_multi_stream_event_sync; do
	set -- "$@" "$srcdir/tests/traces/$name.json.gz"
done
"$python" "$srcdir/tests/bench/bench_document_check.py" "$CTPROF" \
	"$work/shifted" "$srcdir/lib/phases/rules" "$@"
