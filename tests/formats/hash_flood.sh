#!/bin/sh
# SPDX-License-Identifier: MIT
# Inputs made to collide in a hash table take no longer than others, and the
# output does not depend on the tables' seeds.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
"$python" "$srcdir/tests/formats/hash_flood.py" "$CTPROF" "$work"
