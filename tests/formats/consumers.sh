#!/bin/sh
# SPDX-License-Identifier: MIT
# The usual readers of our output accept it, and show the same numbers: pstats,
# snakeviz, gprof2dot, graphviz and a strict JSON parser. The recordings are of a
# recursive program, of every kind of event, and empty.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need_package gprof2dot snakeviz
need dot
consumers="$srcdir/tests/formats/consumers.py"

run() {
	"$@" || {
		echo "failed: $*"
		failed=1
	}
}

# With the options under test, for profiles.
options=
convert() {
	# shellcheck disable=SC2086
	run "$CTPROF" convert -q --force $options -t "$1" "$log" -o "$out.$1"
}

# All formats of one log. We do not test gprof2dot's own recursion and its
# rejection of files without time: the names must be in the picture.
check() {
	log=$work/$1.ctp
	out=$work/$1
	shift
	convert pstats
	# shellcheck disable=SC2086
	run "$CTPROF" stats -q --force $options --json --callers "$log" \
		-o "$out.stats"
	run "$python" "$consumers" pstats "$out.pstats" "$out.stats"
	run "$python" "$consumers" json "$out.stats"
	convert chrome
	run "$python" "$consumers" json "$out.chrome"
	[ $# -gt 0 ] || return 0
	run "$python" "$consumers" gprof2dot pstats "$out.pstats" "$@"
	convert gprof
	run "$python" "$consumers" gprof2dot prof "$out.gprof" "$@"
	convert callgrind
	run "$python" "$consumers" gprof2dot callgrind "$out.callgrind" "$@"
	convert folded
	run "$python" "$consumers" gprof2dot collapse "$out.folded" "$@"
	convert dot
	run dot -Tsvg "$out.dot" -o "$out.dot.svg"
	convert svg
	run grep -q '</svg>' "$out.svg"
}

printf 'T 0\nB 0 main\nB 10 fib\nB 20 fib\nE 50\nE 90\nB 95 leaf\nE 100\nE 120\n' |
	CTPROF_OUT="$work/small.ctp" run ./tests/support/oracle_record
printf '' | CTPROF_OUT="$work/nothing.ctp" run ./tests/support/oracle_record
CTPROF_OUT="$work/all.ctp" run ./tests/lib/recorder/record_everything
CTPROF_OUT="$work/cindex.ctp" run ./cindex -j 2 -n 3 -o /dev/null \
	"$srcdir/lib/ctprof.h" "$srcdir/lib/base/strtab.h" "$srcdir/lib/trace/event.h"

./tests/support/make_log "$srcdir/tests/support/device.recipe" > "$work/device.ctp"

check nothing
check small main fib leaf
check all fibonacci main
check cindex lex
check device main step gemm cudaLaunchKernel
options=--device=host
check device main step cudaLaunchKernel
options=--device=device
check device main step gemm
options=

# Viewers group rows by process: it has the program's name.
grep -q '"process_name".*"name":"cindex"' "$work/cindex.chrome" || {
	echo "the Chrome trace does not name the process"
	failed=1
}

# Folding pruned functions keeps the total.
for limits in "--top 3" "--min 5%"; do
	# shellcheck disable=SC2086
	run "$CTPROF" convert -q -t folded $limits "$work/cindex.ctp" \
		-o "$work/pruned"
	full=$(awk '{ sum += $NF } END { printf "%.0f", sum }' \
		"$work/cindex.folded")
	pruned=$(awk '{ sum += $NF } END { printf "%.0f", sum }' \
		"$work/pruned")
	[ "$full" = "$pruned" ] || {
		echo "$limits: $pruned ns instead of $full"
		failed=1
	}
	grep -q '(other)' "$work/pruned" || {
		echo "$limits: nothing is folded into (other)"
		failed=1
	}
	rm -f "$work/pruned"
done
exit $failed
