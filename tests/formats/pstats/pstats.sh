#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles saved by Python are read exactly.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
# shellcheck disable=SC2086
"$python" "$srcdir/tests/formats/pstats/pstats_read.py" "$work" ${CTP_PYTHONS:-"$python"}
