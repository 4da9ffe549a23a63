#!/bin/bash
# SPDX-License-Identifier: MIT
# No recorded event is lost, in whatever way a program ends.
# shellcheck source=tests/support/kill_case.sh
. "${srcdir:-.}/tests/support/kill_case.sh"

# ok WHAT: passes unless there was a complaint since the last one.
ok() {
	[ $failed -gt "$before" ] || echo "ok $1"
	before=$failed
}
before=0

says() {
	grep -qE -- "$1" said || complain "$2: did not say '$1'"
}

# The first pid of a progress file.
pid_in() {
	od -An -t d8 -N 8 "$1" | tr -d ' '
}

# dies_by PARENT END WORDS: the program ends in this way; with a parent, WORDS
# are printed.
dies_by() {
	run "$1" "$2" 4 20000 0
	holds "$1, $2" progress
	[ "$1" = alone ] || says "^ctprof: run.ctp: $3; [0-9]* events were" "$2"
	clean "$1, $2"
}

for parent in record alone; do
	dies_by $parent abort 'the program was killed by SIGABRT'
	dies_by $parent _exit 'the program ended without completing it'
	dies_by $parent overflow 'the program was killed by SIGSEGV'
	# A sanitizer then ends it in its own way, and the recorder may be the
	# first to run out of memory.
	dies_by $parent memory \
		'(the program (was killed by SIGABRT|ended without completing it)|recording stopped early: out of memory)'
	ok "abort, _exit, stack overflow, no memory: $parent"

	# Two programs, one process: two logs.
	run $parent exec 4 20000 0
	second=$(echo run.*.ctp)
	[ $parent = record ] || "$CTPROF" repair "$second" >>said 2>&1
	holds "exec, $parent" progress run.ctp
	holds "exec, $parent" progress2 "$second"
	clean "exec, $parent"
	ok "exec: $parent"
done 2>/dev/null

is_in_state() {
	[ ! -s "$2" ] || pid=$(pid_in "$2")
	[ "$(sed 's/.*) \(.\).*/\1/' "/proc/${pid:-none}/stat")" = "$1" ]
}

# waits_for STATE FILE: until the process in the file is in that state.
waits_for() {
	wait_until is_in_state "$1" "$2" ||
		complain "$2: the process is not in state $1"
} 2>/dev/null

rm -f run*.ctp progress*
CTPROF_OUT=run.ctp "$program" stop 4 20000 0 >lines 2>said &
waits_for T progress
"$CTPROF" repair run.ctp >said 2>&1 && complain "repair touched a live log"
says "^ctprof: run.ctp: process $pid is still recording to it" stop
kill -KILL "$pid"
wait $! 2>/dev/null
"$CTPROF" repair run.ctp >said 2>&1
holds "stopped and killed" progress
clean "stopped and killed"
ok "SIGSTOP, and SIGKILL later: alone"

rm -f run*.ctp progress*
"$CTPROF" record -o run.ctp -- "$program" stop 4 20000 0 >lines 2>said &
recorder=$!
waits_for T progress
kill -KILL "$pid"
wait $recorder 2>/dev/null
says '^ctprof: run.ctp: the program was killed by SIGKILL; ' stop
holds "stopped and killed" progress
clean "stopped and killed"
ok "SIGSTOP, and SIGKILL later: record"

# Our disk has room for files that the program's disk does not have.
run record disk 4 20000 0
says '^ctprof: run.ctp: recording stopped early: .*; [0-9]* events were taken' disk
holds disk progress
clean disk
"$CTPROF" info --json run.ctp >said
grep -q '"truncated":true.*"stopped":"cannot write ' said ||
	complain "disk: the log does not say that recording stopped"
all=$("$python" -c '
import json
info = json.load(open("said"))
print(info["counts"]["ranges"] + info["lost"]["unwritten_ranges"])')
[ "$all" = 280000 ] || complain "disk: $all of 280000 ranges"
ok "a full disk"

# is_dead PID: nobody may reap it; and its first thread may be a zombie while
# others still hold its files.
is_dead() {
	[ -e "/proc/$1" ] || return 0
	[ "$(sed 's/.*) \(.\).*/\1/' "/proc/$1/stat")" = Z ] &&
		[ "$(ls "/proc/$1/task" | wc -l)" -le 1 ]
}

# Processes that record after the program has ended are left alone.
for end in daemon child; do
	run record $end 4 20000 0
	waits_for S progress2
	[ $end = daemon ] || says \
		"^ctprof: run.$pid.ctp: process $pid is still recording" $end
	holds $end progress run.ctp
	kill -KILL "$pid"
	until is_dead "$pid"; do
		sleep 0.01
	done
	"$CTPROF" repair "run.$pid.ctp" >said 2>&1
	holds "$end, killed later" progress2 "run.$pid.ctp"
	clean $end
	ok $end
done 2>/dev/null

# An uncaught exception.
cat >throws.cc <<'END'
#include <ctprof.h>
#include <stdexcept>
int main()
{
	for (int i = 0; i < 1000; i++) {
		CTP_SCOPE("step");
	}
	throw std::runtime_error("nobody catches this");
}
END
if ${CXX:-c++} -I"$srcdir/lib" throws.cc -o throws "$build/.libs/libctprof.so" \
	-Wl,-rpath,"$build/.libs" >said 2>&1; then
	"$CTPROF" record -o throws.ctp -- ./throws >/dev/null 2>said
	says '^ctprof: throws.ctp: the program was killed by SIGABRT; 2000 ' throw
	says '^ctprof: throws.ctp: 1000 ranges, ' throw
	clean throw
	ok "an exception that nobody catches"
else
	echo "not tried: an exception, for want of a C++ compiler"
fi 2>/dev/null
exit $((failed > 0))
