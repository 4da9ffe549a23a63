#!/bin/sh
# SPDX-License-Identifier: MIT
# snakeviz shows the profile of a recorded Python program: a headless browser
# draws the page with the program's functions, and its scripts report no errors.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need_loadable_library
recorded=$(package_python)
[ -n "$recorded" ] || skip "configured without Python"
need_package snakeviz
need chromium
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT

PYTHONPATH=$PWD/python/package LD_LIBRARY_PATH=$PWD/.libs \
	"$recorded" -m ctprof -q -o "$work/run.ctp" \
	"$srcdir/examples/compile_modules.py" 3 || fail "is not recorded"
"$CTPROF" convert -q "$work/run.ctp" -o "$work/run.pstats" || exit 1

# It chooses a free port and prints it.
"$python" -u -m snakeviz -s -H 127.0.0.1 "$work/run.pstats" \
	> "$work/server" 2>&1 &
server=$!
url=$(wait_until grep '^http:' "$work/server") || {
	cat "$work/server"
	fail "snakeviz does not start"
}

mkdir "$work/browser"
"$python" "$srcdir/tests/support/browser.py" chromium "$work/browser" "$url" \
	compile_module unparse _get_instructions_bytes ||
	fail "the page is not as it should be"
