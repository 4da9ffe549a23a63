#!/bin/sh
# SPDX-License-Identifier: MIT
# Named inputs are read in parallel: output, messages in their order, and the
# exit status are those of one job.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
golden=$(realpath "$srcdir/tests/formats/pstats/pstats")
inputs=
cd "$work" || exit 99
for i in 1 2 3 4 5 6; do
	cp "$golden/py2_sample.prof2" $i.pstats
	printf '\1\2broken %s' $i >$i.broken
	inputs="$inputs $i.pstats $i.broken"
done

# The same with any number of jobs.
same() {
	name=$1
	wanted=$2
	command=$3
	shift 3
	"$CTPROF" "$command" -j1 "$@" >one 2>one.err
	[ $? -eq "$wanted" ] || complain "$name: not $wanted with one job"
	for jobs in "" -j2 -j5; do
		# shellcheck disable=SC2086
		"$CTPROF" "$command" $jobs "$@" >many 2>many.err
		[ $? -eq "$wanted" ] && cmp one many && cmp one.err many.err
		report $? "$name ${jobs:-by default}"
	done
}

# shellcheck disable=SC2086
same "sums and errors" 3 stats $inputs
[ "$(grep -c '[.]broken' one.err)" -ge 6 ] && [ -s one ]
report $? "each broken input is named"
same "sums" 0 stats ./*.pstats
same "no input" 3 stats ./*.broken
same "summary" 0 summarize -o - 1.pstats 2.pstats 3.pstats

# Results that are taken in the order of the inputs.
slice='"ph":"X","pid":1,"tid":1,"name"'
for i in 1 2 3 4 5 6 7 8 9; do
	printf '[{%s:"start","ts":%s,"dur":9},{%s:"f%s","ts":%s0,"dur":1}]' \
		"$slice" $i "$slice" $i $i >$i.json
	head -c 90 $i.json >$i.cut.json
done
mkdir directory
cp [1-4].json directory
# shellcheck disable=SC2086
{
	same "difference and errors" 3 diff --runs $inputs -- $inputs
	same "difference" 0 diff --runs --json [1-9].json -- [1-9].cut.json
	same "strict difference" 4 diff --strict --runs [1-5].json -- [1-5].cut.json
	same "two inputs" 0 diff 1.json 2.cut.json
	same "directories" 0 diff --runs directory 1.json -- directory 2.json
	same "regressions" 0 check --runs [1-9].json -- [1-9].json
	same "sum and errors" 3 merge -t pstats $inputs
	same "sum" 0 merge -t callgrind [1-9].json [1-9].cut.json
	same "aligned timeline" 0 merge -t chrome --align=start [1-9].json
	same "clocks that cannot be aligned" 3 \
		merge -t chrome --align=f1 [1-9].json $inputs
	same "difference, little memory" 6 diff --max-mem=1K 1.pstats 2.pstats
	same "sum, little memory" 6 merge --max-mem=1K -t pstats 1.pstats 2.pstats
}

"$CTPROF" summarize -q --device=host -o host.ctpart 1.pstats
"$CTPROF" summarize -q -o plain.ctpart 2.pstats
same "options that differ" 3 stats 3.pstats host.ctpart plain.ctpart 4.pstats
same "little memory" 6 stats --max-mem=1K 1.pstats 2.pstats
"$CTPROF" stats -j1 1.pstats 2.pstats >one
"$CTPROF" stats -j2 1.pstats - <2.pstats | cmp one
report $? "standard input is read once"
exit "$failed"
