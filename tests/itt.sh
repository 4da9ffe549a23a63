#!/bin/bash
# SPDX-License-Identifier: MIT
# What programs mark by ITT is in the log, as often and as deep as they mark it:
# without Intel's library, and from Python with it. CTPROF is the program.
# Prints what failed.
set -u
CTPROF=$(realpath "${CTPROF:?}")
srcdir=$(realpath "${srcdir:-.}")
DUMP=$PWD/tests/dump_events
cc=${CC:-cc}
python=${PYTHON3:-python3}
unset CTPROF_OUT CTPROF_OUT_EXCL LD_PRELOAD NVTX_INJECTION64_PATH \
	INTEL_LIBITTNOTIFY64 CUDA_INJECTION64_PATH CTPROF_EMIT CTPROF_GPU
if grep -q '^CTP_LDFLAGS = .*-fsanitize' Makefile; then
	echo "skipped: programs cannot load a sanitized library"
	exit 77
fi
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
export CTPROF_SPOOL=$work
failed=0

complain() {
	echo "not ok $1"
	failed=1
}

record() {
	rm -f run*.ctp
	"$CTPROF" record -q -o run.ctp -- "$@" >out 2>err ||
		complain "$*: fails: $(cat out err)"
	[ ! -s out ] || complain "$*: says $(cat out)"
	# Without times, and without the numbers of async ranges.
	"$DUMP" run.ctp | sed -E 's/^[a-z]+ [0-9]+ -?[0-9]+ //
		s/^(async_.*) [0-9]+$/\1/' >found
}

holds() {
	if ! diff want found >difference; then
		complain "$1: $(cat difference)"
	else
		echo "ok $1"
	fi
}

count() {
	[ "$(grep -c -- "$1" found)" = "$2" ] || complain "not $2 of $1"
}

# shellcheck disable=SC2086 # $cc may hold options
$cc -w -O1 -rdynamic "$srcdir/tests/itt_program.c" -o program -ldl -pthread ||
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
END
record ./program plain
# How a counter's value is shown is not what this is about.
sed -i -E 's/^(counter [^ ]*) [^=]*=/\1 key=/' found
holds plain
"$CTPROF" info run.ctp | grep -q 'note  *1 exits of functions' ||
	complain "the end of nothing is not counted"
"$CTPROF" convert -q -t chrome run.ctp -o run.json
for words in '"name":"outer","cat":"dom"' '"name":"inner","cat":"other"' \
	'"the main one"'; do
	tr -d ' ' <run.json | grep -qF "$(echo "$words" | tr -d ' ')" ||
		complain "no $words in a Chrome trace"
done
record ./program threads
count '^begin :outer:0$' 4000
count '^begin :inner:0$' 4000
"$CTPROF" info run.ctp | grep -q 'lost  *nothing' || complain "lost"
"$CTPROF" record --no-itt -o none.ctp -- ./program plain >out 2>err
[ ! -e none.ctp ] || complain "--no-itt recorded"

if "$python" -c 'import ittapi' 2>/dev/null; then
	record "$python" -B "$srcdir/tests/itt_program.py"
	"$python" -B "$srcdir/tests/itt_program.py" events >want
	holds "the package ittapi"
else
	echo "skipped python: the package ittapi is not installed"
fi
exit $failed
