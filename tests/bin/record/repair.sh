#!/bin/bash
# SPDX-License-Identifier: MIT
# ctprof repair on the command line: the logs that it lists, completes, removes
# and refuses, and its messages.
# shellcheck source=tests/support/kill_case.sh
. "${srcdir:-.}/tests/support/kill_case.sh"

# expect STATUS ARGUMENT...: runs ctprof repair; `out` and `said` have its
# output.
expect() {
	local want=$1 got=0
	shift
	what="repair $*"
	"$CTPROF" repair "$@" >out 2>said || got=$?
	[ "$got" = "$want" ] || complain "$what: status $got, not $want"
}

says() {
	grep -qE -- "$1" said || complain "$what: did not say '$1'"
}

# A program that ended early, and its incomplete log.
leave() {
	CTPROF_OUT=$1 "$program" _exit "${2:-2}" 10000 0 >lines 2>said
}

spools() {
	find "$CTPROF_SPOOL" -name '*.spool' | wc -l
}

nothing='^ctprof: no spools were left behind: nothing to do$'
expect 0
says "$nothing"
[ -s out ] && complain "an empty list is not empty"
expect 0 --all
says "$nothing"
expect 0 --discard
says "$nothing"
expect 0 --json
"$python" -c 'import json, sys
assert json.load(open("out"))["rows"] == []' || complain "empty JSON"
[ $failed -gt 0 ] || echo "ok nothing to do"

# Readers report that an incomplete log is not complete.
CTPROF_OUT=half.ctp "$program" _exit 2 400000 0 >lines 2>said
"$CTPROF" info half.ctp >out 2>said
grep -q "^ .*'ctprof repair' completes it$" out || complain "half: $(cat out)"
"$CTPROF" stats half.ctp >out 2>said
what=half
says "^ctprof: half.ctp: is still .*; 'ctprof repair' completes it$"
expect 0 half.ctp
"$CTPROF" info half.ctp >out 2>said
grep -q "completes it" out said && complain "whole: $(cat out said)"

# Completed at the level of the recording, then compressed.
CTPROF_LEVEL=0 leave stored.ctp
expect 0 --compress stored.ctp
says '^ctprof: stored.ctp: .*completed'
says '^ctprof: stored.ctp: compressed from [0-9]* to [0-9]* bytes$'
"$CTPROF" stats --strict stored.ctp >out 2>said || complain "stored: $(cat said)"

leave one.ctp
leave two.ctp 3
expect 0
says "^ctprof: 'ctprof repair --all' completes these logs, "
[ "$(wc -l <out)" = 3 ] || complain "the list: $(cat out)"
grep -qE '^ *[0-9]+  20[-0-9]* [0-9:.]* UTC +[0-9]+ +[0-9]+  /.*/one.ctp$' out ||
	complain "the list: $(cat out)"
expect 0 --json
"$python" - <<'END' || complain "JSON: $(cat out)"
import json, os
report = json.load(open("out"))
assert report["schema"] == "ctprof/repair/1", report
assert report["lost"] == {} and report["truncated"] is False
rows = report["rows"]
assert sorted(os.path.basename(row["log"]) for row in rows) == [
	"one.ctp", "two.ctp"], rows
for row in rows:
	assert set(row) == {
		"spool", "log", "pid", "start_ns", "ranges", "events"}, row
	assert str(row["pid"]) in row["spool"] and os.path.exists(row["spool"])
	assert row["ranges"] > 0 and row["events"] >= 2 * row["ranges"], row
END
[ "$(spools)" = 2 ] || complain "a list has removed spools"
[ $failed -gt 0 ] || echo "ok the list"

expect 0 one.ctp
says '^ctprof: one.ctp: is completed; [0-9]+ events were taken from its buffers$'
"$CTPROF" info one.ctp >out
grep -q 'ranges     20000$' out || complain "one.ctp: $(cat out)"
cp one.ctp kept.ctp
expect 0 one.ctp
says '^ctprof: one.ctp: is complete: nothing to do$'
cmp -s one.ctp kept.ctp || complain "a complete log was changed"
[ "$(spools)" = 1 ] || complain "one.ctp's spool is still there"
[ $failed -gt 0 ] || echo "ok one log"

leave one.ctp
expect 0 -q --all
[ -s said ] && complain "--quiet: says something"
[ "$(spools)" = 0 ] || complain "--all left spools"
"$CTPROF" info two.ctp >out
grep -q 'ranges     30000$' out || complain "two.ctp: $(cat out)"
[ $failed -gt 0 ] || echo "ok --all"

leave one.ctp
leave two.ctp
size=$(stat -c %s one.ctp)
expect 0 --discard one.ctp
says "^ctprof: $CTPROF_SPOOL/ctprof.*: removed; /.*/one.ctp stays as it is$"
[ "$(stat -c %s one.ctp)" = "$size" ] || complain "--discard changed the log"
[ "$(spools)" = 1 ] || complain "--discard one.ctp: $(spools) spools"
expect 0 one.ctp
says '^ctprof: one.ctp: .*: nothing to do$'
expect 0 --discard
says "^ctprof: $CTPROF_SPOOL/ctprof.*: removed; /.*/two.ctp stays as it is$"
[ "$(spools)" = 0 ] || complain "--discard left spools"
[ $failed -gt 0 ] || echo "ok --discard"

# Elsewhere, by another name, and gone.
mkdir else
for size in 100 50000; do # nothing is in the log yet, or its header is
	rm -f home.ctp
	CTPROF_SPOOL=else CTPROF_OUT=away.ctp "$program" _exit 2 $size 0
	expect 0
	says "$nothing"
	expect 0 --spool=else
	says '^ctprof: .*--all. completes this log'
	mv away.ctp home.ctp
	if [ $size = 100 ]; then
		expect 0 --spool=else home.ctp
	else
		expect 0 home.ctp
	fi
	says '^ctprof: home.ctp: is completed; '
	"$CTPROF" info home.ctp >out
	grep -q "ranges     $((2 * size))\$" out ||
		complain "home.ctp: $(cat out)"
done
leave gone.ctp
rm gone.ctp
expect 0 gone.ctp
says '^ctprof: gone.ctp: is completed; '
"$CTPROF" info gone.ctp >out 2>&1
grep -q 'ranges' out || complain "gone.ctp: $(cat out)"
clean elsewhere
[ $failed -gt 0 ] || echo "ok spools elsewhere, logs renamed and gone"

expect 2 --all --discard
expect 2 --all one.ctp
expect 2 --json one.ctp
expect 3 none.ctp
says '^ctprof: none.ctp: No such file or directory$'
echo "not a log" >text
expect 3 text
says '^ctprof: text: not a ctprof log, and has no spool; to repair JSON, use'
printf 'CTPSPOOL????' >"$CTPROF_SPOOL/ctprof.$(id -u).1.0.0123456789abcdef.spool"
expect 0
says '^ctprof: .*spool: byte 8: was written by another ctprof'
[ "$(spools)" = 1 ] || complain "a foreign spool is gone"
rm "$CTPROF_SPOOL"/*
: >"$CTPROF_SPOOL/ctprof.$(id -u).1.0.0123456789abcdef.spool"
: >"$CTPROF_SPOOL/ctprof.$(id -u).1.0.0123456789abcdef.spool.bak"
: >"$CTPROF_SPOOL/ctprof.$(id -u)1.1.0.0123456789abcdef.spool"
expect 0 --all
says '^ctprof: .*spool: nothing was recorded in it; removed$'
[ "$(ls "$CTPROF_SPOOL" | wc -l)" = 2 ] || complain "touched a file that is not ours"
rm "$CTPROF_SPOOL"/*
# Only root can give a file away.
CTPROF_OUT=given.ctp "$program" _exit 2 400000 0 >lines 2>said
if chown 65534 "$CTPROF_SPOOL"/*.spool 2>/dev/null; then
	expect 3 given.ctp
	says '^ctprof: given.ctp: is truncated, and its spool, /.*spool, belongs to'
	[ "$(spools)" = 1 ] || complain "another user's spool is gone"
fi
rm "$CTPROF_SPOOL"/*
[ $failed -gt 0 ] || echo "ok refused inputs"

# Disk full: existing data stay, and repair can be repeated. One byte more fits,
# and any completion needs more. Messages go through a pipe, which has no limit.
leave full.ctp
cp full.ctp kept.ctp
(
	trap '' XFSZ
	exec "$python" -c 'import os, resource, sys
limit = os.stat("full.ctp").st_size + 1
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
os.execv(sys.argv[1], sys.argv[1:])' "$CTPROF" repair full.ctp 2>&1 >out
) | cat >said
[ "${PIPESTATUS[0]}" != 0 ] || complain "a full disk was not noticed"
what="a full disk"
says '^ctprof: full.ctp: cannot be completed: cannot write the log: File too large; /.*spool is kept$'
[ "$(spools)" = 1 ] || complain "the spool is gone"
expect 0 full.ctp
"$CTPROF" info full.ctp >out
grep -q 'ranges     20000$' out || complain "full.ctp: $(cat out)"
[ $failed -gt 0 ] || echo "ok a full disk"
exit $((failed > 0))
