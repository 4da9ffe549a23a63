#!/bin/sh
# SPDX-License-Identifier: MIT
# snakeviz shows the profile of a recorded Python program: in a browser without
# a window the page is drawn, with the program's functions, and its scripts have
# nothing to complain of.
set -u
srcdir=${srcdir:-.}
viewer=${PYTHON3:-python3}
python=$(sed -n 's/^CTP_PYTHONS = *\([^ ]*\).*/\1/p' Makefile)
if [ -z "$python" ]; then
	echo "skipped: configured without Python"
	exit 77
fi
if grep -q '^CTP_LDFLAGS = .*-fsanitize' Makefile; then
	echo "skipped: programs cannot load a sanitized library"
	exit 77
fi
if ! "$viewer" -c 'import snakeviz' 2>/dev/null; then
	echo "skipped: the Python package snakeviz is not installed"
	exit 77
fi
if ! command -v chromium >/dev/null; then
	echo "skipped: chromium is not installed"
	exit 77
fi
work=$(mktemp -d) || exit 99
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT

fail() {
	printf '%s\n' "$*"
	exit 1
}

PYTHONPATH=$PWD/python/package LD_LIBRARY_PATH=$PWD/.libs \
	"$python" -m ctprof -q -o "$work/run.ctp" \
	"$srcdir/examples/compile_modules.py" 3 || fail "is not recorded"
"$CTPROF" convert -q "$work/run.ctp" -o "$work/run.pstats" || exit 1

# It asks for a port that is free, and says which.
"$viewer" -u -m snakeviz -s -H 127.0.0.1 "$work/run.pstats" \
	> "$work/server" 2>&1 &
server=$!
url=
tries=0
while [ -z "$url" ] && [ "$tries" -lt 600 ]; do
	url=$(sed -n 's/^\(http:.*\)$/\1/p' "$work/server")
	tries=$((tries + 1))
	sleep 0.1
done
[ -n "$url" ] || {
	cat "$work/server"
	fail "snakeviz does not start"
}

mkdir "$work/browser"
"$viewer" "$srcdir/tests/support/browser.py" chromium "$work/browser" "$url" \
	compile_module unparse _get_instructions_bytes ||
	fail "the page is not as it should be"
