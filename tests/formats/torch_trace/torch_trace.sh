#!/bin/sh
# SPDX-License-Identifier: MIT
# Structured logs of torch.compile are read as the Chrome trace in them.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need "$python"
"$python" "$srcdir/tests/formats/torch_trace/torch_trace.py" \
	"$srcdir/tests/traces" "$work"
exit $?
