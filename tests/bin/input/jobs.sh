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
	shift 2
	"$CTPROF" "$@" -j1 >one 2>one.err
	[ $? -eq "$wanted" ] || complain "$name: not $wanted with one job"
	for jobs in "" -j2 -j5; do
		# shellcheck disable=SC2086
		"$CTPROF" "$@" $jobs >many 2>many.err
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

"$CTPROF" summarize -q --device=host -o host.ctpart 1.pstats
"$CTPROF" summarize -q -o plain.ctpart 2.pstats
same "options that differ" 3 stats 3.pstats host.ctpart plain.ctpart 4.pstats
same "little memory" 6 stats --max-mem=1K 1.pstats 2.pstats
"$CTPROF" stats -j1 1.pstats 2.pstats >one
"$CTPROF" stats -j2 1.pstats - <2.pstats | cmp one
report $? "standard input is read once"
exit "$failed"
