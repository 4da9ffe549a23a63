#!/bin/sh
# SPDX-License-Identifier: MIT
# `ctprof compilations` of the traces of clang, nvcc, rustc and XLA.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need "$python"
"$python" "$srcdir/tests/bin/compilations/compilers_check.py" \
	"$srcdir/tests/traces" "$work"
exit $?
