#!/bin/bash
# SPDX-License-Identifier: MIT
# libctprof forwards its ranges to another tool by NVTX and by ITT: here to a
# tool of our own, which writes them down. If a program marks the same ranges,
# we record those of the program.
# shellcheck source=tests/support/mark_case.sh
. "${srcdir:-.}/tests/support/mark_case.sh"
CTP_PYTHONS=${CTP_PYTHONS:-}
export EMIT_OUT=$work/told LD_LIBRARY_PATH=$build/.libs

# compile OUTPUT SOURCE FLAG...
compile() {
	local out=$1 source=$2
	shift 2
	# shellcheck disable=SC2086 # $cc may hold options
	$cc -w -O1 -D_GNU_SOURCE -I"$srcdir/lib" "$srcdir/tests/lib/$source" \
		-o "$out" "$@" -ldl -pthread || {
		how=build complain "$source"
		exit 1
	}
}

# forward CASE: the tool's record, for $how.
forward() {
	rm -f run*.ctp told.*
	env "$variable=$tool" timeout 120 \
		"$CTPROF" record -q "--emit=$how" -o run.ctp -- ./program "$1" \
		>out 2>err || complain "$1: fails: $(cat err)"
}

# Begins and ends of a log, by thread; names include sequence numbers.
# Unfinished ranges and stray ends are not forwarded.
ranges() {
	"$DUMP" "$1" | awk '
		$4 == "begin" {
			name = $5
			for (i = 6; i <= NF; i++) name = name " " $i
			sub(/^[^:]*:/, "", name)
			sub(/:[0-9]*$/, "", name)
			line[++n] = "begin " name
			opened[++depth] = n
		}
		$4 == "arg" && $5 ~ /^seq=/ {
			line[opened[depth]] = line[opened[depth]] ", seq = " \
				substr($5, 5)
		}
		$4 == "end" && depth > 0 { line[++n] = "end"; depth-- }
		END { for (i = 1; i <= n; i++) print line[i] }
	'
}

same() {
	if ! diff "$2" "$3" >difference; then
		complain "$1: $(head -20 difference)"
	else
		echo "ok $how $1"
	fi
}

try_plain() {
	forward plain
	ranges run.ctp >recorded
	grep -q '^begin op, seq = -6$' recorded || complain "no sequence number"
	[ "$(grep -c '^begin made$' recorded)" = 2 ] || complain "a copied name"
	same plain recorded told.0
}

# The other direction: the same ranges from the other side.
try_again() {
	rm -f again.ctp
	"$CTPROF" record -q -o again.ctp -- "./$how" replay <told.0 ||
		complain "replay fails"
	ranges again.ctp >again
	same "there and back" told.0 again
}

try_more() {
	forward threads
	[ "$(cat told.* | grep -c '^begin in a thread$')" = 1600 ] &&
		[ "$(cat told.* | grep -c '^begin leaf$')" = 1600 ] &&
		[ "$(ls told.* | wc -l)" = 8 ] || complain "threads"
	for file in told.*; do
		awk '$1 == "begin" { depth++ } $1 == "end" { depth-- }
			depth > 2 || depth < 0 { bad = 1 }
			END { exit bad || depth != 0 }' "$file" ||
			complain "nesting in $file"
	done
	forward deep
	[ "$(grep -c '^begin down$' told.0)" = 1024 ] &&
		[ "$(grep -c '^end$' told.0)" = 1025 ] || complain "deep"
	# Comparing each name with all before it would take a minute.
	forward numbered
	[ "$(grep -c '^begin op, seq = [0-9]*$' told.0)" = 60000 ] ||
		complain "numbered"
	rm -f second.ctp
	forward across
	printf '%s\n' 'begin outer' end 'begin leaf' end 'begin leaf' end >want
	same across want told.0
	forward forked
	printf '%s\n' 'begin outer' 'begin leaf' end end 'begin leaf' end \
		end 'begin leaf' end >want
	same forked want told.0
}

compile program recorder/forward_program.c -L"$build/.libs" -lctprof
compile nvtx markers/nvtx_program.c -DALONE
compile itt markers/itt_program.c
for flags in "" -DNO_DOMAINS; do
	compile "tool$flags.so" recorder/forward_tool.c -shared -fPIC $flags
done
for how in nvtx itt; do
	variable=NVTX_INJECTION64_PATH
	[ $how = nvtx ] || variable=INTEL_LIBITTNOTIFY64
	tool=$work/tool.so
	try_plain
	try_again
	try_more
done

how=nvtx
variable=NVTX_INJECTION64_PATH
tool=$work/tool-DNO_DOMAINS.so
try_plain

# Python's ranges are shown as well; a 64-bit number is the number of a
# sequence.
for python in $CTP_PYTHONS; do
	how=nvtx
	tool=$work/tool.so
	rm -f run*.ctp told.*
	cat >ranges.py <<'END'
import ctprof
for seq in 3, 1 << 70, "x":
    with ctprof.range("op", seq=seq, more=1):
        pass
END
	env "$variable=$tool" "PYTHONPATH=$build/python/package" \
		"$CTPROF" record -q --emit=nvtx -o run.ctp -- \
		"$python" ranges.py 2>err || complain "$python: $(cat err)"
	printf 'begin %s\nend\n' "op, seq = 3" op op >want
	same "$python" want told.0
	"$DUMP" run.ctp | awk '$4 == "arg" { print $5 }' >found
	printf '%s\n' seq=3 more=1 seq=1180591620717411303424 more=1 seq=x \
		more=1 >want
	same "arguments of $python" want found
done

# Options enable it for one recording; afterwards the tool gets nothing.
rm -f told.* first.ctp
NVTX_INJECTION64_PATH=$work/tool.so CTPROF_OUT= ./program options
printf 'begin leaf\nend\n' >want
same options want told.0

# A missing tool is reported, and the rest continues; our own library does not
# count as a tool.
for tool in "" "$build/.libs/libctprof-inject.so.0" /nonexistent.so; do
	rm -f run*.ctp told.*
	env "$variable=$tool" "$CTPROF" record --emit=nvtx -o run.ctp -- \
		./program plain 2>err || complain "without a tool"
	ranges run.ctp | grep -q '^begin outer, seq = 1$' ||
		complain "no recording"
	[ "$tool" = /nonexistent.so ] ||
		grep -q "NVTX_INJECTION64_PATH is not set" err ||
		complain "no message: $(cat err)"
done
exit $failed
