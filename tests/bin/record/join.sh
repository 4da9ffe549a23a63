#!/bin/bash
# SPDX-License-Identifier: MIT
# ctprof record joins the logs of a program's processes: nothing is lost or counted
# twice, however they end.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
make_log=$build/tests/support/make_log
for program in "$CLI_PROGRAM" "$make_log"; do
	[ -x "$program" ] || fail "$program is not built; 'make check' builds it"
done
export LC_ALL=C
export CTPROF_SPOOL=$work/spool
mkdir "$CTPROF_SPOOL" "$work/run" "$work/kept"
cd "$work/run" || exit 99

# record STATUS OPTION... -- PROGRAM...: in an empty directory.
record() {
	local wanted=$1 status
	shift

	rm -f ./* ../kept/*
	"$CTPROF" record "$@" >../out 2>../err
	status=$?
	[ "$status" = "$wanted" ] ||
		complain "record $*: status $status, not $wanted: $(cat ../err)"
}

says() {
	grep -qE -- "$1" ../err || complain "did not say '$1' but: $(cat ../err)"
}

only() {
	[ "$(echo *)" = "$*" ] || complain "the files are $(echo *), not $*"
}

# sums LOG...: calls, and their times, of all functions of all logs together.
cat >../sums.py <<'END'
import collections, json, os, subprocess, sys

rows = collections.Counter()
for log in sys.argv[1:]:
    report = json.loads(subprocess.check_output(
        [os.environ["CTPROF"], "stats", "-q", "--json", log]))
    for row in report["rows"]:
        for field in ("ncalls", "pcalls", "tottime_ns", "cumtime_ns"):
            rows[row["name"], row["file"], row["line"], field] += row[field]
for key in sorted(rows):
    print(*key, rows[key])
END
sums() {
	"$python" ../sums.py "$@"
}

# same LOG COPY...: the log has all that is in the copies, to the nanosecond.
same() {
	local joined=$1
	shift
	[ "$(sums "$joined")" = "$(sums "$@")" ] ||
		complain "$joined has not the sums of $*"
}

# parse LOG COUNT: each process has 3 calls of it.
parse() {
	[ "$(sums "$1" | sed -n 's/^parse .* ncalls //p')" = "$2" ] ||
		complain "$1: not $2 calls: $(sums "$1")"
}

# The script copies the logs while they are separate.
record 0 -o run.ctp -- sh -c '"$0"; stat -c %i run.ctp >../inode; "$0" & "$0" again
	wait; cp run*.ctp ../kept' "$CLI_PROGRAM"
only run.ctp
[ "$(ls ../kept | wc -l)" = 4 ] || complain "not 4 logs: $(ls ../kept)"
same run.ctp ../kept/*
parse run.ctp 12
says '^ctprof: run.ctp: 20 ranges, 4 processes, 4 threads, '
[ "$(stat -c %i run.ctp)" = "$(cat ../inode)" ] ||
	complain "the log of the first process was copied"
[ "$(stat -c %s run.ctp)" = "$(cat ../kept/* | wc -c)" ] ||
	complain "the log has not the size of its parts"
"$CTPROF" info run.ctp >../out
[ "$(grep -c '^  process [0-9]* *.*cli_program' ../out)" = 3 ] ||
	complain "info does not list the processes: $(cat ../out)"
"$CTPROF" repair run.ctp 2>&1 | grep -q 'is complete' || complain "repair"
report $failed "the logs of four processes are one"

record 0 -q -o run.ctp -- sh -c '"$0"; cp run.ctp ../kept' "$CLI_PROGRAM"
cmp run.ctp ../kept/run.ctp || complain "the log of one process was changed"
report $failed "the log of one process stays as it is"

record 0 --separate -o run.ctp -- sh -c '"$0"; "$0"' "$CLI_PROGRAM"
[ "$(ls | wc -l)" = 2 ] || complain "--separate: $(ls)"
record 0 -o 'run.%p.ctp' -- sh -c '"$0"; "$0" again; ls >../kept/ls' "$CLI_PROGRAM"
cmp -s ../kept/ls <(ls) && [ "$(ls | wc -l)" = 3 ] || complain "%p: $(ls)"
[ "$(grep -c 'ctprof: run.[0-9]*.ctp: 5 ranges' ../err)" = 3 ] ||
	complain "%p: $(cat ../err)"
record 0 -o '1%%p.ctp' -- sh -c '"$0"; "$0"' "$CLI_PROGRAM"
only 1%p.ctp
for options in '-o x.%p.pstats' '--separate -o x.json'; do
	# shellcheck disable=SC2086
	record 2 $options -- touch ran
	only '*'
	says 'only logs can be separate'
done
report $failed "logs stay separate on request"

RANK=3 record 0 -o 'a[%r].ctp' -- sh -c '"$0"; RANK=4 "$0"; RANK=3 "$0"' "$CLI_PROGRAM"
[ "$(ls | wc -l)" = 3 ] && parse 'a[3].ctp' 3 && parse 'a[4].ctp' 3
record 0 -o run.ctp -- sh -c '"$0"; RANK=4 "$0"; RANK=x "$0"' "$CLI_PROGRAM"
"$CTPROF" info run.ctp | grep -q '^  process [0-9]* *rank 4: .*cli_program$' ||
	complain "info does not have the rank"
"$CTPROF" convert -q run.ctp -t chrome -o - | grep -q '"rank 4: cli_program"' ||
	complain "the process is not named after its rank"
report $failed "processes have their ranks"

# 9 is SIGKILL; the shell goes on.
record 0 -o run.ctp -- sh -c '"$0"; "$0" kill 9; "$0" kill 15; "$0"' "$CLI_PROGRAM"
only run.ctp
parse run.ctp 12
says '^ctprof: run.ctp: 2 child processes ended without completing their logs; 20 events were taken from buffers$'
[ -z "$(ls "$CTPROF_SPOOL")" ] || complain "spools are left"
report $failed "killed children are in the log"

record 137 -o run.ctp -- sh -c '"$0"; "$0"; kill -9 $$' "$CLI_PROGRAM" 2>/dev/null
only run.ctp
parse run.ctp 6
report $failed "a killed program's children are in the log"

record 0 -o run.ctp -- sh -c '"$0"; "$0"; rm run.ctp; "$0"; "$0"; rm run.ctp' "$CLI_PROGRAM"
only run.ctp
parse run.ctp 6
report $failed "if the first log is gone, the next takes its name"

# Another recording may have such a name.
CTPROF_OUT=../other.ctp "$CLI_PROGRAM"
record 0 -o run.ctp -- sh -c '"$0"; "$0"; cp ../other.ctp run.7.ctp' "$CLI_PROGRAM"
only run.7.ctp run.ctp
cmp run.7.ctp ../other.ctp || complain "another recording was changed"
parse run.ctp 6
report $failed "another recording is left alone"

## Processes that outlive the program.

record 0 -o run.ctp -- sh -c '"$0"; "$0" wait >../pid & "$0"
	until [ -s ../pid ]; do sleep 0.01; done' "$CLI_PROGRAM"
pid=$(cat ../pid)
only "run.$pid.ctp" run.ctp
parse run.ctp 6
says "^ctprof: run.$pid.ctp: process $pid is still recording to it; run 'ctprof repair' on it when the process has ended$"
says "^ctprof: run.ctp: 1 of 3 processes have separate logs; 'ctprof merge' joins them later$"
kill -KILL "$pid"
"$CTPROF" repair -q --all
"$CTPROF" merge -o all.ctp run.ctp "run.$pid.ctp"
parse all.ctp 9
"$CTPROF" info all.ctp | grep -q 'processes *3$' || complain "merged: $("$CTPROF" info all.ctp)"
rm ../pid
record 0 -o run.ctp -- sh -c '"$0" wait >../pid & 
	until [ -s ../pid ]; do sleep 0.01; done; "$0"; "$0"' "$CLI_PROGRAM"
[ "$(ls | wc -l)" = 3 ] || complain "the first process lives: $(ls)"
kill "$(cat ../pid)"
report $failed "a process that outlives the program keeps its log"

## Signals.

# The program ends by itself at SIGTERM, and so does not end us.
for signal in TERM HUP; do
	rm -f ../pid ./*
	"$CTPROF" record -o run.ctp -- sh -c 'trap : HUP TERM; "$0"; "$0"
		echo $$ >../pid; while :; do sleep 1; done & wait; kill $!; exit 3' \
		"$CLI_PROGRAM" >../out 2>../err &
	launcher=$!
	wait_until [ -s ../pid ] || complain "did not start"
	kill -$signal $launcher
	wait $launcher
	status=$?
	[ $status = 3 ] || complain "$signal: status $status"
	only run.ctp
	parse run.ctp 6
done
report $failed "signals to ctprof do not prevent joining"

## Many.

record 0 -o run.ctp -- sh -c 'for i in $(seq 300); do "$0"; done; cp run*.ctp ../kept' \
	"$CLI_PROGRAM"
only run.ctp
[ "$(ls ../kept | wc -l)" = 300 ] || complain "not 300 logs"
"$CTPROF" merge -q -t pstats -o ../kept.pstats ../kept/*
[ "$(sums run.ctp)" = "$(sums ../kept.pstats)" ] || complain "300: not the sums"
report $failed "300 processes are one log"

## Disks.

# A log of process 4242 that is larger than what is left.
cat >../full.sh <<'END'
mount -t tmpfs -o size=192k,mode=777 none "$WORK/run" && cd "$WORK/run" || exit 77
"$CTPROF" record -o run.ctp -- sh -c '"$0"; cp ../big.ctp run.4242.ctp
	"$0"; cat /dev/zero >fill 2>/dev/null; cp run.ctp ../kept; ls >../before' "$CLI_PROGRAM"
status=$?
ls >../after
cp run*.ctp ../kept2
exit $status
END
{
	echo "[0, {'format': 'ctprof log', 'reader': 1, 'pid': 4242}]"
	echo "[2, 1, 0, 7, '$(head -c 60000 /dev/urandom | base64 -w 0)']"
	echo "[6, {'log': 500, 'events': 0, 'blocks': 2}]"
} | "$make_log" /dev/stdin >../big.ctp || complain "cannot make a log"
mkdir ../kept2
cd ..
rm -f run/* kept/*
WORK=$work unshare -rm sh full.sh >out 2>err
status=$?
if [ $status = 77 ] || grep -q '^unshare' err; then
	echo "skipped a full disk: no file system may be mounted"
else
	cd run || exit 99
	[ $status = 5 ] || complain "a full disk: status $status"
	says '^ctprof: run.ctp: cannot append run.4242.ctp: No space left on device; the logs of [12] of 3 processes are separate$'
	cmp ../big.ctp ../kept2/run.4242.ctp || complain "the log was changed"
	sums=$(sums ../kept2/run*.ctp)
	[ "$(echo "$sums" | sed -n 's/^parse .* ncalls //p')" = 6 ] ||
		complain "a full disk: $sums"
	cmp -s -n "$(stat -c %s ../kept/run.ctp)" ../kept/run.ctp ../kept2/run.ctp ||
		complain "the first log was changed"
	"$CTPROF" info ../kept2/run.ctp | grep -q 'lost *nothing' ||
		complain "a part of the log is left"
fi
report $failed "on a full disk the logs stay separate"
exit $failed
