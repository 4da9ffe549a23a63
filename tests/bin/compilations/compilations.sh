#!/bin/sh
# SPDX-License-Identifier: MIT
# `ctprof compilations` shows what the metrics in TORCH_TRACE logs say.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need "$python"
"$python" "$srcdir/tests/bin/compilations/compilations_check.py" \
	"$srcdir/tests/traces" "$work"
exit $?
