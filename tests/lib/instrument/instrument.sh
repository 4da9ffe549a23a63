#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs compiled with -finstrument-functions, by every installed compiler and
# at several levels, recorded unchanged. The calls of every function are counted
# exactly, under the function that called it, however it was left.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
DUMP=$PWD/tests/support/dump_events
export LC_ALL=C
need_loadable_library
cd "$work" || exit 99
# A spool of its own, apart from other programs'.
export CTPROF_SPOOL=$work
flags="-g -w -pthread -fPIE -pie -finstrument-functions"

# Offsets of functions: "module+0x123 name", for logs without names.
map_names() {
	for file in "$@"; do
		nm "$file" | awk -v module="$file" '$2 ~ /^[tTwW]$/ {
			sub(/^0+/, "", $1)
			print module "+0x" $1, $3
		}'
	done >names
}

# The functions of a log: "name calls", and "caller>name calls"; the caller of
# those at the bottom of a thread's stack is "-".
calls_of() {
	"$DUMP" "$1" | awk '
		FILENAME == "names" { name[$1] = $2; next }
		$4 == "begin" {
			split($5, part, ":")
			called = part[2] in name ? name[part[2]] : part[2]
			depth[$2]++
			below = depth[$2] > 1 ? stack[$2, depth[$2] - 1] : "-"
			stack[$2, depth[$2]] = called
			count[called]++
			count[below ">" called]++
		}
		$4 == "end" { depth[$2]-- }
		END { for (what in count) print what, count[what] }
	' names -
}

# holds CASE LOG "name calls..." UNWOUND: compares; - is not compared.
holds() {
	local what=$1 log=$2 want=$3 ends=$4 good=1 pair found
	calls_of "$log" >calls
	for pair in $want; do
		grep -qxF -- "${pair%=*} ${pair#*=}" calls ||
			{ [ "${pair#*=}" = 0 ] &&
				! cut -d" " -f1 calls |
				grep -qxF -- "${pair%=*}"; } || good=0
	done
	"$CTPROF" info "$log" >info
	found=$(awk '/functions left without an exit/ { n = $2 }
		END { print n + 0 }' info)
	[ "$ends" = - ] || [ "$found" = "$ends" ] || good=0
	grep -q -e 'exits of functions' -e 'times that went backwards' info && good=0
	if [ $good = 0 ]; then
		complain "$what: not $want with $ends unwound, but"
		sort calls | tr '\n' ';'
		grep -e note -e lost info
	else
		echo "ok $what"
	fi
}

# record ARGUMENT...: records the current program.
record() {
	rm -f run*.ctp
	"$CTPROF" record -q --separate ${options:-} -o run.ctp -- "$program" "$@" \
		>out 2>err || complain "$program $*: fails: $(cat err)"
}

# try CASE "name=calls..." UNWOUND
try() {
	record "$1"
	holds "$how $1" run.ctp "$2" "$3"
}

child_of() {
	ls run.[0-9]*.ctp
}

plain="main=1 ->main=1 main>middle=1 middle>leaf=2 main>fib=1 fib=1973
	main>after=1 comes_before=1 comes_after=1"

try_all() {
	map_names "${program#./}"
	try plain "$plain" 0
	try longjmp "jump=20 main>jump=5 jump>jump=15 main>after=1" 20
	try into "climb=7 climb>leaf=1 main>climb=1 main>after=1" 3
	try tail "ping=6 pong=5 main>ping=1 ping>pong=5 main>after=1" 0
	try pops "pops=10 outer=20 inner=40 many=70 pops>outer=20
		outer>inner=40 inner>many=40 pops>many=10 outer>leaf=20
		pops>leaf=10 main>after=1" 0
	try alloca "allocates=6 fill=18 allocates>fill=18 fill>leaf=18
		main>allocates=1 main>after=1" 0
	try deep "down=50001 main>down=1 down>down=50000" 0
	try signal "raises=100 handler=100 raises>handler=100 leaf=300
		main>after=1" 0
	try altstack "raises=100 raises>handler=100 handler>leaf=100
		main>after=1" 0
	try onown "raises=100 raises>handler=100 handler>leaf=100
		main>raises=100 main>after=1" 0
	try jump "raises=100 raises>jumping_handler=100 main>raises=100
		main>after=1" 200
	try altjump "raises=100 raises>jumping_handler=100 main>raises=100
		main>after=1" 200
	try exits "thread_exits=3 ->thread_exits=3 exits=9 main>after=1" 12
	try cancel "thread_waits=3 waits=9 waits>waits=6 main>after=1" 12
	try threads "works=8 leaf=8000 works>leaf=8000 main>after=1" 0
}

# Callers are unknown then, which is reported; calls are counted.
try_coroutines() {
	local name
	record coroutines
	calls_of run.ctp >calls
	for name in "resumes 10" "yields 10" "coroutine 1" "leaf 30" \
		"middle>leaf 20" "after 1"; do
		grep -qxF -- "$name" calls ||
			complain "$how coroutines: not $name: $(cat calls)"
	done
	[ "$("$CTPROF" info run.ctp | grep -c 'a change of stacks')" = 2 ] ||
		complain "$how coroutines: no message"
}

try_processes() {
	record fork
	holds "$how fork" run.ctp "middle=1 main>after=1 child=0" 0
	holds "$how child of fork" "$(child_of)" "child>leaf=7 after=0" 0
	record vfork
	holds "$how vfork" run.ctp "becomes=1 main>becomes=1 main>after=1" 1
	holds "$how exec after vfork" "$(child_of)" "$plain" 0
	record spawn
	holds "$how posix_spawn" run.ctp "main>after=1" 0
	holds "$how posix_spawn's child" "$(child_of)" "$plain" 0
	record exec
	holds "$how exec of itself" "$(child_of)" "$plain" 0
}

# A timer's handler interrupts hooks at any point; all calls are counted.
try_hammer() {
	local dropped
	record hammer "${INSTRUMENT_ROUNDS:-400}"
	dropped=$("$CTPROF" info run.ctp | awk '/ranges dropped/ { n = $2 }
		END { print n + 0 }')
	calls_of run.ctp >calls
	handled=$(awk '$1 == "handler" { print $2 }' calls)
	if [ $((handled * 2 + dropped)) != $(($(cat out) * 2)) ]; then
		complain "$how hammer: $handled and $dropped, not $(cat out)"
	fi
	holds "$how hammer" run.ctp \
		"fib=$((465 * ${INSTRUMENT_ROUNDS:-400})) main>after=1" 0
	# Handlers that jump out of hooks: the rest is complete.
	record leap
	holds "$how leap" run.ctp \
		"leaping_handler=$(cat out) main>after=1 ->main=1" -
}

# A handler after every instruction of both hooks, also one that jumps out.
try_step() {
	local steps
	[[ $($cc -dumpmachine) = x86_64* ]] || return
	how="$cc -O2"
	program=./step
	# shellcheck disable=SC2086
	$cc -std=gnu17 $flags -D_GNU_SOURCE -O2 -o "$program" \
		"$srcdir/tests/lib/instrument/instrument_step.c" ||
		complain "$how: instrument_step.c does not build"
	map_names "${program#./}"
	record
	steps=$(cat out)
	holds "$how step" run.ctp "handler=$steps leaf=$((2 * steps))
		steps>after=$steps main>steps=1" 0
	record jump
	holds "$how step, jump" run.ctp "handler=$(cat out)
		handler>leaf=$(cat out) steps>after=$(cat out)
		main>steps=1" -
}

try_libraries() {
	local name
	for name in one two; do
		# shellcheck disable=SC2086 # they may hold options
		$cc $flags -fPIC -shared -DFUNCTION=in_$name -o $name.so \
			"$srcdir/tests/lib/instrument/instrument_library.c" ||
			complain "$how: $name.so does not build"
	done
	map_names "${program#./}" one.so two.so
	record libraries ./one.so ./two.so ./one.so ./two.so ./one.so
	holds "$how dlclose" run.ctp "main>in_one=6 main>in_two=4" 0
}

# Functions left out by a file: a module, and one function of another.
try_filter() {
	local offset
	offset=$(awk '$2 == "leaf" { sub(/.*0x/, "", $1); print $1 }' names)
	export CTPROF_FUNCTIONS=$work/functions
	printf 'ctprof-functions 1\nin %s\n%s\n' \
		"$(realpath "$program")" "$offset" >functions
	record plain
	holds "$how filter of a function" run.ctp "leaf=0 middle=1 fib=1973" 0
	printf 'ctprof-functions 1\nmodule - o?e.so\n' >functions
	record libraries ./one.so ./two.so
	holds "$how filter of a module" run.ctp "in_one=0 in_two=2 after=1" 0
	printf 'ctprof-functions 1\ndefault -\nmodule + two.so\n' >functions
	record libraries ./one.so ./two.so
	holds "$how filter of all but a module" run.ctp "->in_two=2 main=0" 0
	printf 'ctprof-functions 1\nnonsense\n' >functions
	"$CTPROF" record -q -o none.ctp -- "$program" plain 2>/dev/null
	[ -e none.ctp ] && complain "$how: a bad filter, but a log"
	unset CTPROF_FUNCTIONS
}

try_options() {
	local all short
	options=--min-ns=1s
	record plain
	all=$(awk '$1 !~ />/ { n += $2 } END { print n + 0 }' <(calls_of run.ctp))
	short=$("$CTPROF" info run.ctp |
		awk '/shorter than the minimum/ { print $2 }')
	[ "$all,$short" = 0,1980 ] ||
		complain "$how --min-ns: $all kept and $short left out"
	options=--clock=system
	try plain "$plain" 0
	options=--no-preload
	rm -f run.ctp
	"$CTPROF" record $options -o run.ctp -- "$program" plain 2>err
	[ -e run.ctp ] && complain "$how --no-preload: there is a log"
	grep -q 'no log was made' err || complain "$how --no-preload: $(cat err)"
	options=
}

for cc in "${CC:-cc}" clang; do
	command -v -- "${cc%% *}" >/dev/null || continue
	[ "$cc" = clang ] && [ "${CC:-cc}" = clang ] && continue
	levels=(-O0 -O2 -O3)
	# Return addresses may be signed there.
	[[ $($cc -dumpmachine) = aarch64* ]] &&
		levels+=("-O2 -mbranch-protection=standard")
	for level in "${levels[@]}"; do
		how="$cc $level"
		program=./program${level// /}
		# shellcheck disable=SC2086
		$cc -std=gnu17 $flags $level -o "$program" \
			"$srcdir/tests/lib/instrument/instrument_program.c" -ldl || {
			complain "$how: does not build"
			continue
		}
		try_all
	done
	try_coroutines
	try_processes
	try_hammer
	try_libraries
	try_filter
	try_options
	try_step
done
for cxx in "${CXX:-c++}" clang++; do
	command -v "${cxx%% *}" >/dev/null || continue
	for level in -O0 -O2; do
		how="$cxx $level"
		program=./throws$level
		# shellcheck disable=SC2086
		$cxx $flags $level -o "$program" \
			"$srcdir/tests/lib/instrument/instrument_program.cc" || {
			complain "$how: does not build"
			continue
		}
		map_names "${program#./}"
		try exceptions "throws=40 main>catches=10 catches>passes=10
			passes>throws=10 cleans=20 catches>cleans=10
			main>after=1" -
	done
done
exit $failed
