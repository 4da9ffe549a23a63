#!/bin/bash
# SPDX-License-Identifier: MIT
# ctprof stats --follow: a program that records meanwhile; a log that grows in
# pieces, is replaced, truncated, damaged; the end; and a terminal.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
program=$build/tests/bin/input/follow_program
make_log=$build/tests/support/make_log
recipes=$srcdir/tests/lib/log_read/bad
on_terminal=$srcdir/tests/support/on_terminal.py
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 99

report() {
	if [ "$1" = 0 ]; then
		echo "ok $2"
	else
		echo "not ok $2"
		tail -n 5 out err
		failed=1
	fi
}

# follow ARGUMENTS...: in the background, but reachable by SIGINT, which a shell
# lets its background jobs ignore.
follow() {
	: >out
	"$python" -c '
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' \
		"$CTPROF" stats --follow --interval=10ms "$@" >out 2>err \
		8>&- 9<&- &
	follower=$!
}

# shows TEXT: waits until the last report has it.
shows() {
	wait_until is_shown "$1"
}

is_shown() {
	tail -n 1 out | grep -qF -- "$1"
}

said() {
	wait_until grep -qF -- "$1" err
}

is_gone() {
	! kill -0 $follower 2>/dev/null
}

ended() {
	wait_until is_gone
	kill -9 $follower 2>/dev/null
	wait $follower
	[ $? = "$1" ]
}

## A program that records.
mkfifo orders answers
CTPROF_OUT=run.ctp "$program" <orders >answers &
program_pid=$!
exec 8>orders 9<answers
follow --json run.ctp
for count in 3 4 1000; do
	echo $count >&8
	read -r _ <&9
	calls=$((${calls:-0} + count))
	shows "\"name\":\"work\",\"file\":\"\",\"line\":0,\"ncalls\":$calls,"
	report $? "live: $calls calls are seen"
	tail -n 1 out | grep -qF '"open_calls":1,' &&
		tail -n 1 out | grep -qF '"lost":{}'
	report $? "live: main is open, and nothing is lost"
done
exec 8>&-
wait $program_pid
ended 0
report $? "live: it ends with the program"
! grep -v 'run.ctp: does not exist yet; waiting$' err
report $? "live: nothing else to say"
"$CTPROF" stats --json run.ctp >whole
tail -n 1 out | cmp -s - whole
report $? "live: the last report is that of the whole log"

## Pieces, cut anywhere; the file is not there yet.
"$make_log" "$recipes/timeline-that-went-on.recipe" >bad.ctp
follow --json piece.ctp
said "piece.ctp: does not exist yet; waiting"
report $? "pieces: it waits for the file"
size=$(stat -c %s run.ctp)
for part in 0 1 2 3 4 5 6; do
	tail -c +$((size * part / 7 + 1)) run.ctp |
		head -c $((size * (part + 1) / 7 - size * part / 7)) >>piece.ctp
	sleep 0.05
done
ended 0
report $? "pieces: it ends with the end block"
sed 's/"inputs":\["[^"]*"\]/"inputs":["run.ctp"]/' out | tail -n 1 |
	cmp -s - whole
report $? "pieces: the last report is that of the whole log"
! grep -vF '"lost":{}' out
report $? "pieces: half-written blocks are not lost"

## Ended by SIGINT, with open ranges and half a block.
head -c $((size - 20)) run.ctp >cut.ctp
follow --strict --json cut.ctp
shows '"lost":{}'
kill -INT $follower
ended 0
report $? "SIGINT: status 0"
[ "$(wc -l <out)" = 1 ]
report $? "SIGINT: one report, as the log did not grow"

## Replaced, and cut short.
follow --json moved.ctp
cp cut.ctp moved.ctp.new && mv moved.ctp.new moved.ctp
shows '"ncalls":1007,'
report $? "replaced: the first file is shown"
printf '%s\n' "[0, {'format': 'ctprof log', 'reader': 1}]" \
	"[1, 1, [['other', '', 0]]]" \
	"[3, 1, 0, 0, [1], [], [1], [2], []]" >recipe
"$make_log" recipe >moved.ctp.new && mv moved.ctp.new moved.ctp
shows '"name":"other"'
report $? "replaced: the second file is shown"
said "moved.ctp: was replaced by another file"
report $? "replaced: it is reported"
tail -n 1 out | grep -qF '"functions":1,'
report $? "replaced: nothing of the first is left"
printf '%s\n' "[0, {'format': 'ctprof log', 'reader': 1}]" >recipe
"$make_log" recipe >short
cat short >moved.ctp
shows '"functions":0,'
report $? "cut short: it begins anew"
printf '%s\n' "[6, {'log': 5}]" >recipe
"$make_log" recipe >>moved.ctp
ended 0
report $? "cut short: and ends"

## Damage.
cp bad.ctp damaged.ctp
printf 'xxxx' | dd of=damaged.ctp bs=1 seek=700 conv=notrunc status=none
follow --strict --json damaged.ctp
ended 4
report $? "damage: status 4 with --strict"
grep -q 'bytes skipped: not part of a log' err
report $? "damage: the loss is reported"
follow -q bad.ctp
ended 0
report $? "damage: status 0 without"

## What cannot be followed.
for arguments in "a b" "-" "-o file run.ctp" "--interval=0 run.ctp" \
	"--interval=often run.ctp"; do
	# shellcheck disable=SC2086
	follow $arguments </dev/null
	ended 2
	report $? "--follow $arguments: status 2"
done
echo "this is no log at all" >text
follow text
ended 3
report $? "a file that is not a log: status 3"
follow .
ended 3
report $? "a directory: status 3"

## On a terminal it prints over what was there, and no more than fits.
"$python" "$on_terminal" 9 80 "$CTPROF" stats --follow run.ctp >out 2>err &&
	[ "$(head -c 7 out)" = $'\e[H\e[2J' ] && grep -q work out
report $? "a terminal is cleared for each report"
exit $failed
