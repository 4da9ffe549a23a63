#!/bin/sh
# SPDX-License-Identifier: MIT
# On a machine with a GPU: every launch of a program is in its log, as it was
# made (tests/gpu/run, without its measurements).
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need_loadable_library
reason=$(tests/gpu/truth probe 2>&1)
[ $? != 77 ] || skip "no GPU: $reason"
"$python" "$srcdir/tests/gpu/run" --build=. --quick
