#!/bin/bash
# SPDX-License-Identifier: MIT
# Whole programs begin and end in every way while they record, and disks are
# full: each exits as it would without the recorder, and its log is complete.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
program=$PWD/tests/lib/recorder/lifecycle_program
dump=$PWD/tests/support/dump_events
unset LIFE_START

# check WHAT COMMAND...: one case.
check() {
	local what=$1
	shift
	if "$@"; then
		echo "ok $what"
	else
		echo "not ok $what"
		failed=1
	fi
}

# ends MODE...: the program exits with 7, and has printed only "done".
ends() {
	ends_with 7 "$@"
}

ends_with() {
	local status=$1 got=0
	shift
	timeout 60 "$program" "$@" >"$work/out" 2>"$work/err" || got=$?
	[ "$got" = "$status" ] && [ "$(cat "$work/out")" = "done" ] && return
	echo "    $*: status $got, said '$(cat "$work/out" "$work/err")'"
	return 1
}

# has LOG COUNT SITE: the log has COUNT ranges of the site.
has() {
	local got
	got=$("$dump" "$1" | grep -c " begin .*:$3:") || true
	[ "$got" = "$2" ] && return
	echo "    $1: $got ranges $3, not $2"
	return 1
}

# whole LOG: nothing is missing from it.
whole() {
	"$CTPROF" info --strict "$1" >"$work/info" 2>&1 && return
	sed 's/^/    /' "$work/info"
	return 1
}

export CTPROF_OUT=$work/run.ctp
unleaked=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

ends_exit() {
	ends exit && has "$CTPROF_OUT" 1 constructor &&
		"$CTPROF" info "$CTPROF_OUT" >/dev/null
}
for _ in 1 2 3 4 5; do
	check "exit() while eight threads record" ends_exit
done
ends_return() {
	ends return && has "$CTPROF_OUT" 1 constructor
}
check "main returns while detached threads record" ends_return

ends_atexit() {
	ends atexit && has "$CTPROF_OUT" 1 constructor &&
		has "$CTPROF_OUT" 1 "at exit" &&
		has "$CTPROF_OUT" 1 destructor && whole "$CTPROF_OUT"
}
check "constructors, destructors and atexit() are recorded" ends_atexit

# descriptors COMMAND...: children's open descriptors beyond the standard ones.
descriptors() {
	timeout 60 "$@" 2>"$work/err" | grep -v '^done$'
}

leaves_no_descriptors() {
	local plain found list
	# shellcheck disable=SC2016 # $$ is the other shell's
	list='find /proc/$$/fd -mindepth 1 ! -name "[012]" -printf "%f %l\n"; :'
	plain=$(unset CTPROF_OUT && descriptors "$program" children)
	found=$(descriptors "$program" children)
	[ "$found" = "$plain" ] || { echo "    $found"; return 1; }
	has "$CTPROF_OUT" 10 work || return 1
	found=$(descriptors "$CTPROF" record --force -q -o "$work/run.ctp" \
		"$program" children)
	[ "$found" = "$plain" ] || { echo "    $found"; return 1; }
	has "$CTPROF_OUT" 10 work || return 1
	plain=$(sh -c "$list")
	found=$("$CTPROF" record --force -q -o "$work/run.ctp" sh -c "$list" \
		2>"$work/err")
	[ "$found" = "$plain" ] && return
	echo "    of ctprof: $found"
	return 1
}
check "children inherit no descriptor of the recorder's" leaves_no_descriptors

leaves() {
	ends_with 0 leave && has "$CTPROF_OUT" 1000 work &&
		has "$CTPROF_OUT" 1 "at exit" &&
		has "$CTPROF_OUT" 1 destructor && whole "$CTPROF_OUT"
}
check "pthread_exit() in main: it ends with its last thread" leaves

leaves_in_child() {
	rm -f "$work"/run*.ctp
	ASAN_OPTIONS=$unleaked ends "leave child" && has "$CTPROF_OUT" 10 work &&
		has "$work"/run.[0-9]*.ctp 1000 work &&
		has "$work"/run.[0-9]*.ctp 1 "at exit"
}
check "pthread_exit() in the first thread of a child" leaves_in_child

leaves_in_namespace() {
	local got=0
	rm -f "$work"/run*.ctp
	ASAN_OPTIONS=$unleaked timeout 60 "$program" "leave in namespace" \
		>"$work/out" 2>"$work/err" || got=$?
	[ $got = 77 ] && return # not allowed here
	[ $got = 7 ] && has "$work/run.1.ctp" 1000 work
}
check "the same in a namespace of its own" leaves_in_namespace

# states PID: the states of its threads.
states() {
	sed 's/.*) \(.\).*/\1/' "/proc/$1"/task/*/stat | tr -d '\n'
}

are_in() {
	[[ $(states "$1") == $2 ]]
}

# reach PID STATES: its threads reach these states soon.
reach() {
	wait_until are_in "$1" "$2" && return
	echo "    threads of $1 are $(states "$1"), not $2"
	return 1
}

stops_without_first() {
	local recorder child good
	"$CTPROF" record -q --force -o "$work/run.ctp" "$program" \
		"leave waiting" >"$work/out" 2>"$work/err" &
	recorder=$!
	child=$(wait_until grep -x "[0-9]*" "$work/out")
	reach "$child" 'Z*S' && kill -STOP "$child" &&
		reach "$recorder" T && sleep 0.3 &&
		reach "$child" 'Z*T' && reach "$recorder" T &&
		kill -CONT "$recorder" && reach "$child" 'Z*S'
	good=$?
	kill -KILL "$child"
	wait "$recorder" 2>/dev/null
	return $good
}
check "a program without its first thread stays stopped" stops_without_first

forks_into_namespace() {
	rm -f "$work"/run*.ctp
	# LeakSanitizer does not find its threads there, nor in a clone, and a
	# child has lost the data of the parent's background thread.
	ASAN_OPTIONS=$unleaked "$program" namespace >"$work/out" 2>"$work/err"
	case $? in
	7) ;;
	77) return 0 ;; # not allowed here
	*) return 1 ;;
	esac
	has "$CTPROF_OUT" 1 "open at the fork" && has "$work/run.1.ctp" 10 work &&
		has "$work/run.1.ctp" 1 "open at the fork" &&
		whole "$CTPROF_OUT" && whole "$work/run.1.ctp" &&
		"$CTPROF" info --json "$work/run.1.ctp" | grep -q '"parent":"[1-9]'
}
check "fork into a namespace of its own" forks_into_namespace

clones_itself() {
	ASAN_OPTIONS=$unleaked ends clone && has "$CTPROF_OUT" 1 destructor &&
		"$CTPROF" info "$CTPROF_OUT" >/dev/null
}
check "clone() that makes a process" clones_itself

starts_itself() {
	(unset CTPROF_OUT && LIFE_START=$work/start.ctp ends atexit) &&
		has "$work/start.ctp" 1 constructor &&
		has "$work/start.ctp" 1 destructor && whole "$work/start.ctp"
}
check "ctp_start() in a constructor" starts_itself

# The old image's log ends without its last moments, which are in its spool.
execs_itself() {
	CTPROF_SPOOL=$work CTPROF_OUT_EXCL=1 CTPROF_OUT=$work/exec.ctp \
		ends exec && set -- "$work"/exec.[0-9]*.ctp &&
		[ -f "$work/exec.ctp" ] && [ $# = 1 ] &&
		has "$1" 1 "at exit" && whole "$1" &&
		"$CTPROF" repair -q --spool="$work" "$work/exec.ctp" 2>"$work/err" &&
		has "$work/exec.ctp" 10 work &&
		[ -z "$(find "$work" -name '*.spool')" ]
}
check "exec of itself: each image has a log" execs_itself

for name in first second; do
	cat >"$work/$name.c" <<-END
		#include <ctprof.h>
		void call(void);
		void call(void)
		{
			CTP_SCOPE("$name");
		}
	END
	$CC -O1 -shared -fPIC -I"$srcdir/lib" -o "$work/$name.so" \
		"$work/$name.c" .libs/libctprof.so -Wl,-rpath,"$PWD/.libs" ||
		exit 99
done
closes_libraries() {
	ends libraries "$work/first.so" "$work/second.so" "$work/first.so" &&
		has "$CTPROF_OUT" 2 first && has "$CTPROF_OUT" 1 second &&
		whole "$CTPROF_OUT"
}
check "a library with sites is closed, another takes its place" closes_libraries

# Only the plugin is linked with libctprof, and a thread outlives it.
cat >"$work/host.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void *library;
static pthread_barrier_t barrier;

static void *run(void *unused)
{
	void (*call)(void);

	*(void **)&call = dlsym(library, "call");
	call();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	library = dlopen(argv[argc - 1], RTLD_NOW);
	if (library == NULL || pthread_barrier_init(&barrier, NULL, 2) != 0 ||
		pthread_create(&thread, NULL, run, NULL) != 0)
		return 1;
	pthread_barrier_wait(&barrier);
	if (dlclose(library) != 0)
		return 1;
	pthread_barrier_wait(&barrier);
	if (pthread_join(thread, NULL) != 0)
		return 1;
	puts("done");
	return 7;
}
END
outlives() {
	$CC -O1 -D_GNU_SOURCE -o "$work/host" "$work/host.c" -lpthread -ldl || return 1
	program=$work/host ends "$work/first.so" && has "$CTPROF_OUT" 1 first
}
# Functions known by their address: those open in the parent end in the child.
cat >"$work/forks.c" <<'END'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int leaf(int x)
{
	return x + 7;
}

static int inner(int *child)
{
	*child = fork();
	return leaf(0);
}

static int outer(int *child)
{
	return inner(child) + leaf(-7);
}

int main(void)
{
	int child;
	int status = outer(&child);

	if (child == 0)
		return status;
	waitpid(child, NULL, 0);
	puts("done");
	return leaf(0);
}
END
# times LOG COUNT WHAT: COUNT events match WHAT.
times() {
	local got
	got=$("$dump" "$1" | cut -d' ' -f4- | grep -c "^$3") || true
	[ "$got" = "$2" ] && return
	echo "    $1: $got times $3, not $2"
	return 1
}
inherits() {
	local got=0 log=$work/forks.ctp
	$CC -O0 -finstrument-functions -o "$work/forks" "$work/forks.c" ||
		return 1
	"$CTPROF" record -q --separate -o "$log" "$work/forks" >"$work/out" || got=$?
	[ "$got" = 7 ] && [ "$(cat "$work/out")" = "done" ] || return 1
	times "$log" 6 begin && times "$log" 6 end && whole "$log" || return 1
	log=$(echo "$work"/forks.[0-9]*.ctp)
	times "$log" 3 "arg inherited=1" && times "$log" 5 begin &&
		times "$log" 5 end && whole "$log"
}

if nm -D .libs/libctprof.so 2>/dev/null | grep -q __asan_; then
	echo "skipped: libraries that come later: AddressSanitizer has to be there first"
else
	check "functions open at a fork are open in the child" inherits
	check "a thread outlives the plugin that brought the library" outlives
fi

## Disks.

# full SIZE LOG SPOOL: in a file system of SIZE bytes at $work/disk. Messages go
# elsewhere.
full() {
	SIZE=$1 LOG=$2 SPOOL=$3 WORK=$work DUMP=$dump CTPROF=$CTPROF PROGRAM=$program \
		unshare -rm sh -c '
		mount -t tmpfs -o size="$SIZE" none "$WORK/disk" || exit 98
		"$CTPROF" record --force --spool="$SPOOL" -o "$LOG" \
			"$PROGRAM" fill 200000 >"$WORK/out" 2>"$WORK/err"
		echo $? >"$WORK/status"
		"$CTPROF" info --json "$LOG" >"$WORK/info" 2>&1
		echo $? >"$WORK/read"
		mount -o remount,size=100m "$WORK/disk" &&
			"$CTPROF" repair -q --spool="$SPOOL" "$LOG" \
				>"$WORK/repaired" 2>&1 &&
			"$DUMP" "$LOG" >"$WORK/events" &&
			"$CTPROF" info --json "$LOG" >"$WORK/later" 2>&1
		[ -z "$(find "$SPOOL" -name "*.spool")" ] || echo left >"$WORK/read"
	'
}

harmless() {
	[ "$(cat "$work/status")" = 7 ] && [ "$(cat "$work/out")" = "done" ] &&
		return
	echo "    status $(cat "$work/status"), said '$(cat "$work/out" "$work/err")'"
	return 1
}

# ranges FILE: those that this JSON has, and those that it counts as lost.
ranges() {
	"$python" -c '
import json, sys
info = json.load(open(sys.argv[1]))
print(info["counts"]["ranges"] + info["lost"].get("unwritten_ranges", 0))' "$1"
}

# The log and the reported losses add up to all that was recorded: with a range
# before main() and one around it. Once there is room again, the log has all that
# is in the buffers.
disk_full() {
	local lost events all
	full "$1" "$work/disk/run.ctp" "$work/spool" && harmless || return 1
	lost=$(sed -n 's/^stopped: cannot write .*\/run.ctp: No space left on device; \([0-9]*\) events after that are lost$/\1/p' "$work/err")
	[ -n "$lost" ] && [ "$(cat "$work/read")" = 0 ] ||
		{ sed 's/^/    /' "$work/err" "$work/info"; return 1; }
	for all in "$(ranges "$work/info")" "$(ranges "$work/later")"; do
		[ "$all" = 400002 ] || { echo "    $all of 400002 ranges"; return 1; }
	done
	events=$(wc -l <"$work/events")
	[ "$events" -gt 0 ] && [ "$lost" -gt 0 ] && return
	echo "    $lost events were lost, $events are in the log now"
	return 1
}

spool_full() {
	full "$1" "$work/run.ctp" "$work/disk" && harmless &&
		grep -q 'recording to .* (without a spool: ' "$work/err" &&
		[ "$(cat "$work/read")" = 0 ] && has "$work/run.ctp" 400000 work
}

mkdir "$work/disk" "$work/spool"
if ! unshare -rm mount -t tmpfs none "$work/disk" 2>/dev/null; then
	echo "skipped: full disks: no file system may be mounted here"
else
	for size in 16k 32k 64k 100k 200k; do
		check "a disk of $size is full" disk_full "$size"
	done
	for size in 4k 64k 1m; do
		check "a spool's disk of $size is full" spool_full "$size"
	done
fi
exit $failed
