# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# Functions for tests of ctprof-mpi, sourced after prelude.sh. MPIRUN is the
# launcher. A test runs in $work.
need "$python"
mpirun=${MPIRUN:-mpirun}
mpi=$build/ctprof-mpi
[ -x "$mpi" ] || skip "ctprof-mpi was not built: see configure about MPI"
command -v "$mpirun" >/dev/null || skip "$mpirun is missing"
! sanitized || skip "MPI leaks memory by design"
tests=$srcdir/tests
cd "$work" || exit 99
# Open MPI refuses root, and more processes than processors, unless told.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
export OMPI_MCA_rmaps_base_oversubscribe
quiet=
"$mpirun" --version | grep -q 'Open MPI' && quiet=-q

# launch N PROGRAM ARGUMENT...: runs it in N processes. It is killed with them
# after two minutes, a limit for busy machines.
launch() {
	processes=$1
	shift
	# shellcheck disable=SC2086
	timeout 120 "$mpirun" $quiet -n "$processes" "$@" </dev/null
}

# team N ARGUMENT...: runs ctprof-mpi in N processes.
team() {
	processes=$1
	shift
	launch "$processes" "$mpi" "$@" 2>team.err
}

# check_equal WHAT COUNT STATUS: the job of COUNT processes exited with STATUS
# and wrote the same as the serial program.
check_equal() {
	if [ "$(cat "team.$2.status")" -ne "$3" ]; then
		complain "$1, $2: status $(cat "team.$2.status"), not $3: $(cat "team.$2.err")"
	elif [ -e serial.out ]; then
		cmp serial.out "team.$2.out" ||
			complain "$1: $2 processes have other results"
	elif [ -e "team.$2.out" ]; then
		complain "$1: $2 processes write an output"
	fi
}

# compare WHAT COUNTS COMMAND ARGUMENT...: any number of processes write the
# same, with the same exit status. All jobs run at the same time.
compare() {
	what=$1
	counts=$2
	shift 2
	rm -f serial.out team.*.out
	"$CTPROF" "$@" -o serial.out 2>serial.err
	wanted=$?
	for count in $counts; do
		{
			launch "$count" "$mpi" "$@" -o "team.$count.out" \
				2>"team.$count.err"
			echo $? >"team.$count.status"
		} &
	done
	wait
	for count in $counts; do
		check_equal "$what" "$count" $wanted
	done
}

# Some tests have accidents: see open_hook.c.
make_hook() {
	# shellcheck disable=SC2086
	${CC:-cc} -D_GNU_SOURCE -shared -fPIC -o hook.so \
		"$tests/bin/mpi/open_hook.c" ${LIBS:-} -ldl 2>hook.err
}

# hooked N ARGUMENT...: the same as team, with accidents.
hooked() {
	processes=$1
	shift
	launch "$processes" env LD_PRELOAD="$work/hook.so" "$mpi" "$@" \
		2>team.err
}

# The processes of a job that use MPI: others are their readers.
members() {
	found=$(pgrep -f "^$mpi .*$1" || :)
	for member in $found; do
		parent=$(ps -o ppid= -p "$member" | tr -d ' ')
		# A reader may have ended meanwhile.
		[ -z "$parent" ] || echo "$found" | grep -qx "$parent" ||
			echo "$member"
	done
}

has_parts() {
	[ "$(find checkpoint -name 'part.*' 2>/dev/null | wc -l)" -ge "$1" ]
}

# Inputs that crash their readers are left out, and the rest is summed.
crash() {
	mkdir accidents
	cp traces/rank0*.json accidents
	"$CTPROF" stats --json --force -o serial.out accidents
	cp traces/rank01.json accidents/segv.json
	cp traces/rank02.json accidents/killed.json
	hooked "$1" -q -j2 -o crash.ctpart accidents
	[ $? -eq 3 ] || complain "crashing inputs: $(cat team.err)"
	"$CTPROF" info crash.ctpart >crash.out
	grep -q 'segv.json.*signal 11' crash.out &&
		grep -q 'killed.json.*signal 9' crash.out ||
		complain "lost inputs: $(cat crash.out)"
	hooked "$1" stats --json --force -o team.out accidents
	[ $? -eq 3 ] || complain "crashing inputs of stats: $(cat team.err)"
	cmp serial.out team.out || complain "crashing inputs change the sums"
}

# kill_job N: one of N processes is killed while another one waits for its
# input. The job ends soon, without an output, but with parts of a checkpoint.
kill_job() {
	cp traces/rank06.json traces/slow.json
	: >hang
	hooked "$1" --checkpoint checkpoint --every 1ms -q -j1 \
		-o killed.ctpart traces >killed.out 2>&1 &
	job=$!
	wait_until has_parts 2 || complain "no checkpoint: $(cat team.err)"
	kill_member "$(members killed.ctpart | tail -n 1)" killed.ctpart
}

# kill_report N: the same for the first of N processes, which writes a page, with
# the inputs of kill_job.
kill_report() {
	: >hang
	: >opened
	hooked "$1" report -q -j1 -o killed.html traces >killed.out 2>&1 &
	job=$!
	wait_until grep -q slow opened || complain "no report: $(cat team.err)"
	for member in $(members killed.html); do
		tr '\0' '\n' <"/proc/$member/environ" |
			grep -qE '^(OMPI_COMM_WORLD|PMI)_RANK=0$' && break
	done
	kill_member "$member" killed.html
}

# kill_member PROCESS OUTPUT: kills a process of the background job.
kill_member() {
	[ -n "$1" ] || complain "no process to kill"
	begin=$(date +%s)
	kill -9 "$1"
	wait $job && complain "a job whose process was killed succeeds"
	[ $(($(date +%s) - begin)) -le 10 ] ||
		complain "a killed job does not end"
	rm hang
	left=$(find . -name "*$2*" -o -name '.ctprof.*')
	[ -z "$left" ] || complain "a killed job leaves $left"
}

# resume_job N: the job goes on, though some parts are damaged.
resume_job() {
	"$CTPROF" summarize -q --force -o serial.out traces
	wanted=$?
	first=$(find checkpoint -name 'part.*' | sort | head -n 1)
	head -c 100 "$first" >damaged && cp damaged "$first"
	echo garbage >checkpoint/part.7.0.0
	: >opened
	hooked "$1" --resume checkpoint -o resumed.ctpart traces
	[ $? -eq $wanted ] || complain "--resume fails: $(cat team.err)"
	[ "$(grep -c 'its inputs are read again' team.err)" = 2 ] ||
		complain "damaged parts: $(cat team.err)"
	cmp serial.out resumed.ctpart || complain "--resume has other sums"
	[ "$(wc -l <opened)" -lt "$(find traces -name '*.json*' | wc -l)" ] ||
		complain "--resume reads everything again"
	team "$1" --resume checkpoint --names=short -o other.ctpart traces
	[ $? -eq 3 ] && grep -q "it has 'names=full', and .* 'names=short'" \
		team.err || complain "other options: $(cat team.err)"
	touch -d 2001-02-03 traces/rank03.json
	team "$1" --resume checkpoint -o other.ctpart traces
	[ $? -eq 3 ] && grep -q 'rank03.json, .*rank03.json, ' team.err ||
		complain "other inputs: $(cat team.err)"
	team "$1" --checkpoint checkpoint -o other.ctpart traces
	[ $? -eq 5 ] || complain "a checkpoint is overwritten: $(cat team.err)"
	[ ! -e other.ctpart ] || complain "a refused job writes an output"
}
