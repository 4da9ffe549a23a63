#!/bin/sh
# SPDX-License-Identifier: MIT
# ctprof-mpi: any number of processes write the reports of ctprof, to the byte,
# for all kinds of inputs. An input that crashes costs only itself. A job that
# loses a process ends without an output, and can be continued.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
# shellcheck source=tests/bin/mpi/team.sh
. "$srcdir/tests/bin/mpi/team.sh"
all='1 2 3 4 7'

# Traces of 40 ranks, a few of other formats, and some that are bad, each in its
# own way.
mkdir traces few none twice
"$python" "$tests/bin/mpi/rank_traces.py" traces 40 17
"$python" "$tests/bin/mpi/rank_traces.py" twice 2 0
cp "$tests"/traces/*.json.gz traces
"$CTPROF" convert -q -o traces/log.ctp traces/rank00.json
cp traces/rank0[0-2].json few
: >traces/empty.json
head -c 900 traces/rank06.json >traces/cut.json
echo text >traces/garbage.ctp
ln -s rank01.json traces/link.json
[ "$(id -u)" = 0 ] || chmod 0 traces/rank05.json

# Every report.
compare summarize "$all" summarize traces
compare "call paths" "$all" summarize --paths -j3 traces
for style in '' --json --csv; do
	for command in stats phases 'stats --group=shape' ranks 'kernels --sum' \
		'gaps --sum'; do
		# shellcheck disable=SC2086
		compare "$command $style" "$all" $command $style traces
	done
done
compare info "$all" info --sum traces
compare 'info --json' "$all" info --sum --json traces
compare report "$all" report --sum traces

# All kinds of inputs. /proc/self/mem cannot be read, even by root.
compare "more processes than inputs" "$all" summarize few
compare "named inputs" "$all" summarize traces/rank0*.json traces/garbage.ctp \
	traces/missing.json /proc/self/mem traces/empty.json traces/cut.json
compare "shuffled inputs" "$all" summarize traces/rank07.json \
	traces/rank01.json traces/rank03.json
compare "two directories" "$all" summarize few twice
"$CTPROF" summarize -q -o one.ctpart traces/rank0*.json
compare "a summary as well" "$all" summarize one.ctpart traces/rank1*.json
compare "a rank twice" "$all" summarize one.ctpart traces/rank01.json
compare "an empty directory" "$all" summarize none
"$CTPROF" summarize -q --names=short -o short.ctpart traces/rank2*.json
compare "different options" "$all" summarize one.ctpart short.ctpart

# Standard output is that of a terminal for Open MPI's processes.
"$CTPROF" stats traces >serial.out 2>serial.err
team 3 stats traces >team.out
cmp serial.out team.out || complain "standard output differs"
# --sum is implied.
"$CTPROF" kernels --sum --json few >serial.out
team 2 kernels --json few >team.out
cmp serial.out team.out || complain "kernels does not imply --sum"
team 3 ranks --json traces | grep -m 1 '"rank"' >team.out
grep -q '"rank": *17\>' team.out || complain "the straggler is not first"
team 3 --progress=always --force -o team.out traces
grep -q 'of [0-9]* files' team.err || complain "no progress: $(cat team.err)"

# Wrong options are reported once, and nothing waits for anybody.
refuse() {
	refuse_some 3 "$@"
}
# The same with the number of processes, and perhaps other ones: "N ARGUMENT... :
# -n N PROGRAM ARGUMENT...".
refuse_some() {
	rm -f team.out
	begin=$(date +%s)
	team "$@"
	[ $? -ne 0 ] && [ ! -e team.out ] || complain "$* is accepted"
	[ "$(grep -c '^ctprof' team.err)" = 1 ] || complain "$*: $(cat team.err)"
	[ $(($(date +%s) - begin)) -le 10 ] || complain "$* does not end"
	left=$(find . -name '.ctprof.*')
	[ -z "$left" ] || complain "$* leaves $left"
}
refuse --no-such-option
refuse --every=3x -o team.out few
refuse --files0-from=- -o team.out
refuse --resume none -o team.out few
refuse -o team.out -
refuse -o one.ctpart few
refuse stats --group=thread few
refuse phases --threads few
# One of three processes fails.
refuse_some 1 kernels --peaks=none.toml -o team.out few : \
	-n 2 "$mpi" kernels -o team.out few
refuse_some 2 kernels -o team.out few : \
	-n 1 "$mpi" kernels --peaks=none.toml -o team.out few
refuse_some 2 report -o team.out few : -n 1 "$mpi" report --no-such-option
refuse_some 2 report -o team.out few : -n 1 "$mpi" report --help

# An input that vanishes after it was found is counted as such.
crash_or_skip() {
	make_hook || {
		echo "accidents are not tested: $(head -n 1 hook.err)"
		return
	}
	crash 3
	kill_job 3
	kill_report 3
	resume_job 3
	vanish
}
vanish() {
	rm -rf serial few/slow.json
	cp traces/rank06.json few/slow.json
	"$CTPROF" stats --csv few >serial.out 2>serial.err
	cp traces/rank01.json few/rank09.json
	: >hang
	: >opened
	hooked 1 --force -q -j1 -o team.out few &
	job=$!
	wait_until grep -q slow opened
	rm few/rank09.json hang
	wait $job
	[ $? -eq 3 ] || complain "a vanished input: $(cat team.err)"
	"$CTPROF" stats -q --csv team.out >stats.out
	cmp serial.out stats.out || complain "a vanished input changes sums"
	"$CTPROF" info team.out 2>&1 | grep -q 'rank09.json.*No such file' ||
		complain "a vanished input is not listed"
}
crash_or_skip
exit $failed
