#!/bin/bash
# SPDX-License-Identifier: MIT
# The guide builds as a web site, and no link in it is broken.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
need mkdocs
"$srcdir/doc/guide.sh" "$srcdir" "$CTPROF" "$work/guide" > "$work/out" 2>&1 || {
	! grep -q "Unrecognised theme name: 'material'" "$work/out" ||
		skip "mkdocs-material is not installed"
	cat "$work/out"
	exit 1
}
for page in doc/guide/record-c doc/guide/commands lib/log/FORMAT; do
	[ -s "$work/guide/site/$page/index.html" ] ||
		fail "the site has no page $page"
done
grep -q -- '--max-regression' "$work/guide/site/doc/guide/commands/index.html" ||
	fail "the page of commands has no options"
