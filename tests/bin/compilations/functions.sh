#!/bin/sh
# SPDX-License-Identifier: MIT
# `ctprof compilations` sums what Dynamo traced, from logs of record --compile.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need "$python"
"$python" "$srcdir/tests/bin/compilations/functions_check.py" "$work"
exit $?
