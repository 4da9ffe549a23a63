#!/bin/bash
# SPDX-License-Identifier: MIT
# Marks that programs set by ITT are in the log, in the same number and nesting:
# without Intel's library, and from Python with it.
# shellcheck source=tests/support/mark_case.sh
. "${srcdir:-.}/tests/support/mark_case.sh"

count() {
	[ "$(grep -c -- "$1" found)" = "$2" ] || complain "not $2 of $1"
}

# shellcheck disable=SC2086 # $cc may hold options
$cc -w -O1 -D_GNU_SOURCE -rdynamic "$srcdir/tests/lib/markers/itt_program.c" -o program -ldl \
	-pthread ||
	complain "does not build"
cat >want <<'END'
begin :outer:0
begin :inner:0
begin :named_function:0
end
end
end
begin :key:0
arg key=-7
arg key=0x1p-1
arg key=a text
arg key=a t
end
async_begin :frame:0
instant :mark:0
async_end :frame:0
counter :count:0 key=5
counter :count:0 key=6
counter :count:0 key=-4
counter :real:0 key=0x1p-1
async_begin :one:0
async_begin :two:0
async_begin :two:0
async_end :one:0
async_end :two:0
async_end :two:0
async_begin :two:0
async_end :two:0
counter :by name:0 key=1
counter :by name:0 key=2
counter :by name:0 key=-3
counter :third:0 key=9
END
# The form of a counter's value is not tested here.
record_values() {
	record "$@"
	sed -i -E 's/^(counter .*:0) [^=]*=/\1 key=/' found
}

record_values ./program plain
holds plain
"$CTPROF" info run.ctp | grep -q 'note  *2 exits of functions' ||
	complain "the ends of nothing are not counted"
"$CTPROF" convert -q -t chrome run.ctp -o run.json
for words in '"name":"outer","cat":"dom"' '"name":"inner","cat":"other"' \
	'"the main one"'; do
	tr -d ' ' <run.json | grep -qF "$(echo "$words" | tr -d ' ')" ||
		complain "no $words in a Chrome trace"
done
cat >want <<'END'
begin :before:0
async_begin :hidden:0
async_begin :frame:0
instant :paused:0
async_end :frame:0
async_end :hidden:0
instant :resumed:0
begin :after:0
end
counter :hidden:0 key=2
end
END
record_values ./program rest
holds "pause and resume"
"$CTPROF" info run.ctp | grep -q 'lost  *nothing' || complain "lost in a pause"
record ./program frames
"$CTPROF" convert -q -t chrome run.ctp -o frames.json
ids=$(sed -n 's/.*"ph":"b".*"id":"\([^"]*\)".*/\1/p' frames.json | sort -u |
	wc -l)
[ "$ids" = 32 ] || complain "$ids ids of 32 frames"
record ./program "leave open"
count '^async_begin :frame:0$' 256
record ./program threads
count '^begin :outer:0$' 4000
count '^begin :inner:0$' 4000
count '^async_begin :any:0$' 4000
count '^async_end :any:0$' 4000
"$CTPROF" info run.ctp | grep -q 'lost  *nothing' || complain "lost"
"$CTPROF" record --no-itt -o none.ctp -- ./program plain >out 2>err
[ ! -e none.ctp ] || complain "--no-itt recorded"

if "$python" -c 'import ittapi' 2>/dev/null; then
	record "$python" "$srcdir/tests/lib/markers/itt_program.py"
	"$python" "$srcdir/tests/lib/markers/itt_program.py" events >want
	holds "the package ittapi"
else
	echo "skipped python: the package ittapi is not installed"
fi
exit $failed
