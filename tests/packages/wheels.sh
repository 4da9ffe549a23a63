#!/bin/sh
# SPDX-License-Identifier: MIT
# The wheels that `make wheels` left in wheels/ work in minimal systems, and a C
# program is compiled against one. Needs root and mirrors.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need debootstrap
[ "$(id -u)" = 0 ] || skip "only root can make a minimal system"
ls wheels/*.whl >/dev/null 2>&1 || skip "make wheels has made no wheels"
exec sh "$srcdir/packages/check_wheels.sh" wheels
