#!/bin/sh
# SPDX-License-Identifier: MIT
# The sources have the format of .clang-format. Versions differ in details: only
# that of tests/requirements-format.txt counts.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
cd "$srcdir" || exit 99
pin=tests/requirements-format.txt
wanted=$(sed -n 's/^clang-format==\([0-9]*\)\..*/\1/p' $pin)
found=
for program in "clang-format-$wanted" clang-format; do
	version=$("$program" --version 2>/dev/null |
		sed -n 's/.*version \([0-9]*\)\..*/\1/p')
	[ "$version" != "$wanted" ] || break
	found=${found:-$version}
	program=
done
[ -n "$program" ] ||
	skip "clang-format $wanted is not installed${found:+, but $found is}" \
		"(Debian: clang-format-$wanted;" \
		"PyPI: pip install --require-hashes -r $pin)"
find lib formats bin python examples tests -name '*.[ch]' -print0 |
	xargs -0 "$program" --dry-run -Werror --style=file
