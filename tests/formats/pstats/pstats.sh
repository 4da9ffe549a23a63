#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles that Python saved are read as they are.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
# shellcheck disable=SC2086
"$python" "$srcdir/tests/formats/pstats/pstats_read.py" "$work" ${CTP_PYTHONS:-"$python"}
