#!/bin/sh
# SPDX-License-Identifier: MIT
# ctprof-mpi: the sums of any number of processes equal those of ctprof, to the
# byte, whatever the inputs are; and a job that loses a process ends without an
# output. MPIRUN is the launcher.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need "$python"
mpirun=${MPIRUN:-mpirun}
mpi=$build/ctprof-mpi
[ -x "$mpi" ] || skip "ctprof-mpi was not built: mpicc is missing"
command -v "$mpirun" >/dev/null || skip "$mpirun is missing"
tests=$(cd "$srcdir/tests" && pwd) || exit 99
cd "$work" || exit 99
# Open MPI refuses root, and more processes than processors, unless told.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
export OMPI_MCA_rmaps_base_oversubscribe
quiet=
"$mpirun" --version | grep -q 'Open MPI' && quiet=-q

# team N ARGUMENT...: runs ctprof-mpi in N processes.
team() {
	processes=$1
	shift
	# shellcheck disable=SC2086
	timeout 60 "$mpirun" $quiet -n "$processes" "$mpi" "$@" 2>team.err
}

# equal WHAT ARGUMENT...: the same inputs give the same summary and reports, and
# the same exit status.
equal() {
	what=$1
	shift
	rm -f serial.ctpart
	"$CTPROF" summarize --force -o serial.ctpart "$@" 2>serial.err
	wanted=$?
	for count in 1 2 3 4 7; do
		rm -f team.ctpart
		team $count -o team.ctpart "$@"
		got=$?
		if [ $got -ne $wanted ]; then
			complain "$what, $count: status $got, not $wanted: $(cat team.err)"
		elif [ -e serial.ctpart ]; then
			cmp serial.ctpart team.ctpart ||
				complain "$what: $count processes have other sums"
		elif [ -e team.ctpart ]; then
			complain "$what: $count processes write an output"
		fi
	done
	# Refused inputs have no sum.
	[ -e serial.ctpart ] || return
	for style in '' --json --csv; do
		# shellcheck disable=SC2086
		"$CTPROF" stats $style "$@" >serial.out 2>/dev/null
		# shellcheck disable=SC2086
		team 3 stats $style "$@" >team.out
		cmp serial.out team.out || complain "$what: stats $style differs"
	done
}

# Traces of 40 ranks of different sizes, a few of other formats, and some that
# are bad, each in its own way.
mkdir traces few none
"$python" - <<'END'
import json

for rank in range(40):
    events = [{"ph": "X", "name": f"f{number % 17}", "pid": 1, "tid": 1,
               "ts": 10 * number, "dur": 5 + (rank + number) % 4}
              for number in range(20 + 30 * (rank % 7))]
    with open(f"traces/rank{rank:02}.json", "w") as file:
        json.dump({"distributedInfo": {"rank": rank}, "traceEvents": events},
                  file)
END
cp "$tests"/traces/*.json.gz traces
"$CTPROF" convert -q -o traces/log.ctp traces/rank00.json
cp traces/rank0[0-2].json few
equal "three inputs" few
equal "a directory" traces
: >traces/empty.json
head -c 900 traces/rank06.json >traces/cut.json
echo text >traces/garbage.ctp
ln -s rank01.json traces/link.json
equal "bad inputs" traces
equal "named inputs" traces/rank0*.json traces/garbage.ctp traces/missing.json
equal "shuffled inputs" traces/rank07.json traces/rank01.json traces/rank03.json
"$CTPROF" summarize -q -o one.ctpart traces/rank0*.json
equal "a summary as well" one.ctpart traces/rank1*.json
equal "a rank twice" one.ctpart traces/rank01.json
equal "no inputs" none
"$CTPROF" summarize -q --names=short -o short.ctpart traces/rank2*.json
equal "different options" one.ctpart short.ctpart
[ "$(id -u)" = 0 ] || {
	chmod 0 traces/rank05.json
	equal "an unreadable input" traces
	chmod 644 traces/rank05.json
}
# Wrong options are reported once, and nothing waits for anybody.
team 3 --no-such-option
[ $? -ne 0 ] && [ "$(grep -c 'unrecognized option' team.err)" = 1 ] ||
	complain "a wrong option: $(cat team.err)"
team 3 -o one.ctpart few
[ $? -ne 0 ] || complain "an output is overwritten"

# One process is killed: the job ends soon, without an output.
mkfifo wait.json
exec 9<>wait.json
timeout 60 "$mpirun" $quiet -n 3 "$mpi" -o killed.ctpart traces wait.json \
	>killed.out 2>&1 &
job=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	victim=$(pgrep -f "^$mpi -o killed.ctpart" | tail -n 1)
	[ -n "$victim" ] && break
	sleep 0.2
done
sleep 1
begin=$(date +%s)
kill -9 "$victim"
wait $job && complain "a job whose process was killed succeeds"
[ $(($(date +%s) - begin)) -le 10 ] || complain "a killed job does not end"
exec 9>&-
left=$(find . -name '*killed.ctpart*')
[ -z "$left" ] || complain "a killed job leaves $left"
exit $failed
