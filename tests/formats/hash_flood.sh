#!/bin/sh
# SPDX-License-Identifier: MIT
# Inputs made to fill one place of a hash table take no longer than others, and
# what is written does not depend on the seeds of the tables.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
"$python" "$srcdir/tests/formats/hash_flood.py" "$CTPROF" "$work"
