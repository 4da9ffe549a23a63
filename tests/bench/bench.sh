#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures the cost of recording, beside other installed recorders, and prints
# one table; doc/BENCHMARKS.md explains it. Nothing is asserted.
#
# Usage: bench.sh BUILD-DIRECTORY
# Environment: CC, PYTHON, CTPROF (the program, to measure reading), and
#	BENCH_PAIRS	ranges per run (10000000); slow peers do a fifth
#	BENCH_ROUNDS	rounds (7)
#	BENCH_OUT	results as JSON (BUILD-DIRECTORY/bench.json)
#	BENCH_LIB	directory of libctprof.so (BUILD-DIRECTORY/.libs)
#	BENCH_PEERS	where spall/spall.h and tracy/public are (bench-peers)
#	BENCH_FULL	if 1, reading is measured with 10^8 events too
#
# Every recorder is a separate program. All run once before any runs again, so
# that a machine that slows down slows all of them.

set -eu

tests=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:?usage: bench.sh BUILD-DIRECTORY}" && pwd)
cc=${CC:-cc}
python=${PYTHON:-python3}
pairs=${BENCH_PAIRS:-10000000}
rounds=${BENCH_ROUNDS:-7}
out=${BENCH_OUT:-$build/bench.json}
lib=${BENCH_LIB:-$build/.libs}
peers=$(realpath -m "${BENCH_PEERS:-bench-peers}")
work=$(mktemp -d)
results=$work/results
daemon=

clean_up()
{
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null || :
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

say()
{
	printf '%s\n' "bench: $*" >&2
}

skip()
{
	printf '{"peer": "%s", "skipped": "%s"}\n' "$1" "$2" >>"$results"
	say "$1 skipped: $2"
}

# compile NAME [FLAG...]: builds bench_NAME from the source of that name, or
# SOURCE, if that is set.
compile()
{
	name=$1
	shift
	# shellcheck disable=SC2086 # $cc may hold options
	$cc -std=gnu17 -O2 -g -D_GNU_SOURCE -I"$tests" -I"$tests/../lib" \
		-c "$tests/bench/bench_harness.c" -o "$work/harness.o" &&
	$cc -std=gnu17 -O2 -g -D_GNU_SOURCE -I"$tests" -I"$tests/../lib" \
		"$tests/bench/bench_peer_${SOURCE:-$name}.c" "$work/harness.o" \
		-o "$work/bench_$name" -pthread "$@" 2>"$work/errors"
}

# sizes DIRECTORY: bytes of all files in it.
sizes()
{
	find "$1" -type f -exec stat -c %s {} + |
		awk '{ sum += $1 } END { printf "%d", sum }'
}

# run LABEL WORK PAIRS COMMAND...: one run; its files are all in $work/out.
run()
{
	label=$1
	kind=$2
	count=$3
	shift 3
	line=$("$@" "$kind" "$count" "$work/out/log.ctp" 2>"$work/errors" |
		grep '^{') || :
	if [ -z "$line" ]; then
		skip "$label" "it failed: $(head -n 1 "$work/errors" |
			tr -d '\042\134')"
		return
	fi
	printf '%s, "label": "%s", "bytes": %s}\n' "${line%\}}" "$label" \
		"$(sizes "$work/out")" >>"$results"
}

# --- the peers ------------------------------------------------------------

run_program()
{
	rm -rf "$work/out"
	mkdir "$work/out"
	run "$1" "$2" "$pairs" "$work/bench_$1"
}

run_gprof()
{
	rm -rf "$work/out"
	mkdir "$work/out"
	GMON_OUT_PREFIX=$work/out/gmon run gprof "$1" "$pairs" \
		"$work/bench_mcount"
}

# run_uftrace LABEL PROGRAM WORK: runs once, and packs its data as our log is
# packed, to compare the bytes.
run_uftrace()
{
	rm -rf "$work/out"
	mkdir "$work/out"
	run "$1" "$3" $((pairs / 5)) uftrace record --no-libcall \
		-d "$work/out/uftrace" "$work/bench_$2"
	if [ "$round $3" = "1 graph" ] && ls "$work"/out/uftrace/*.dat \
		>/dev/null 2>&1; then
		printf '{"label": "%s", "packed_bytes": %s, "pairs": %s}\n' \
			"$1" "$(cat "$work"/out/uftrace/*.dat | gzip -1 |
				wc -c)" $((pairs / 5 * 11 / 10)) >>"$results"
	fi
}

# The session keeps the events that fit into 32 MiB for each CPU, and drops the
# rest.
run_lttng()
{
	rm -rf "$work/out"
	mkdir "$work/out"
	{
		lttng create bench --output="$work/out" &&
		lttng enable-channel -u --subbuf-size=4M --num-subbuf=8 bench &&
		lttng enable-event -u -c bench 'ctprof_bench:*' &&
		lttng start
	} >"$work/lttng.log" 2>&1 || {
		skip lttng "no session: $(tail -n 1 "$work/lttng.log" |
			tr -d '\042\134')"
		lttng destroy bench >/dev/null 2>&1 || :
		lttng=
		return
	}
	rm -f "$results.lttng"
	all=$results
	results=$results.lttng
	run lttng "$1" $((pairs / 5)) "$work/bench_lttng"
	results=$all
	lttng stop >"$work/lttng.log" 2>&1 || :
	lttng destroy bench >>"$work/lttng.log" 2>&1 || :
	# The trace is complete only now.
	sed "s/\"bytes\": [0-9]*}/\"bytes\": $(sizes "$work/out")}/" \
		"$results.lttng" >>"$results"
	if grep -q discarded "$work/lttng.log"; then
		say "lttng: $(grep discarded "$work/lttng.log" | head -n 1)"
	fi
}

# Starts LTTng's daemon, in our own directory unless we are root.
start_lttng()
{
	lttng=
	if ! command -v lttng >/dev/null || ! command -v lttng-sessiond \
		>/dev/null; then
		skip lttng "lttng-tools is not installed"
		return
	fi
	if ! compile lttng -llttng-ust -ldl; then
		skip lttng "liblttng-ust-dev is not installed"
		return
	fi
	LTTNG_HOME=$work/lttng
	export LTTNG_HOME
	mkdir "$LTTNG_HOME"
	if ! lttng list >/dev/null 2>&1; then
		lttng-sessiond --daemonize --pidfile="$work/sessiond.pid" \
			>"$work/lttng.log" 2>&1 || {
			skip lttng "lttng-sessiond does not start"
			return
		}
		daemon=$(cat "$work/sessiond.pid")
	fi
	lttng=yes
}

start_mcount()
{
	gprof=
	uftrace=
	compile mcount -pg && gprof=yes || skip gprof "$cc has no -pg"
	if command -v uftrace >/dev/null; then
		uftrace=yes
	else
		skip uftrace "it is not installed"
	fi
}

# spall's header and Tracy's client have no package: put them there by hand.
start_by_hand()
{
	spall=
	tracy=
	if [ ! -e "$peers/spall/spall.h" ]; then
		skip spall "spall.h is not in bench-peers/spall"
	elif compile spall -I"$peers/spall"; then
		spall=yes
	else
		skip spall "its header does not compile"
	fi
	if [ ! -e "$peers/tracy/public/TracyClient.cpp" ]; then
		skip tracy "TracyClient.cpp is not in bench-peers/tracy/public"
	elif ${CXX:-c++} -O2 -DTRACY_ENABLE -c \
		"$peers/tracy/public/TracyClient.cpp" -o "$work/tracy.o" \
		2>"$work/errors" &&
		compile tracy -DTRACY_ENABLE -I"$peers/tracy/public" \
			"$work/tracy.o" -lstdc++ -lm -ldl; then
		tracy=yes
	else
		skip tracy "its client does not compile"
	fi
}

# --- instructions -----------------------------------------------------------

# collected PROGRAM PAIRS: instructions within peer_loop().
collected()
{
	case $1 in
	*_gpu) set -- "$1" "$2" as_with_gpu ;;
	*_last) set -- "$1" "$2" as_with_last ;;
	*_stored) set -- "$1" "$2" as_with_level_0 ;;
	*) set -- "$1" "$2" env ;;
	esac
	"$3" valgrind --tool=callgrind --toggle-collect=peer_loop \
		--callgrind-out-file="$work/callgrind" \
		"$1" loop "$2" "$work/out/log.ctp" 2>&1 >/dev/null |
		sed -n 's/.*Collected : *\([0-9][0-9]*\).*/\1/p'
}

# The difference of two runs, so that one-time costs do not count. The harness
# records a tenth more than requested.
count_instructions()
{
	if ! command -v valgrind >/dev/null; then
		skip instructions "valgrind is not installed"
		return
	fi
	for name in none rdtsc hooks $ours ctprof_gpu ctprof_last ctprof_stored; do
		few=$(collected "$work/bench_$name" 100000)
		many=$(collected "$work/bench_$name" 300000)
		if [ -n "$few" ] && [ -n "$many" ]; then
			printf '{"label": "%s", "instructions": %s, %s}\n' \
				"$name" $((many - few)) '"pairs": 220000' \
				>>"$results"
		fi
	done
}

# --- main -------------------------------------------------------------------

if [ ! -e "$lib/libctprof.so" ]; then
	say "no libctprof.so in $lib"
	exit 1
fi
cd "$work"
mkdir out
: >"$results"
ours="ctprof ctprof_call instrument ctprof_off ctprof_stopped"
hooks=-finstrument-functions
for name in none rdtsc clock; do
	compile "$name" || { cat "$work/errors" >&2; exit 1; }
done
SOURCE=mcount compile hooks $hooks || { cat "$work/errors" >&2; exit 1; }
for name in $ours; do
	case $name in
	instrument) more="$hooks -lctprof-instrument" ;;
	*) more= ;;
	esac
	# shellcheck disable=SC2086 # $more is many words
	compile "$name" -L"$lib" $more -lctprof -Wl,-rpath,"$lib" ||
		{ cat "$work/errors" >&2; exit 1; }
done
SOURCE=nvtx compile nvtx_empty -DEMPTY -ldl ||
	{ cat "$work/errors" >&2; exit 1; }
# shellcheck disable=SC2086 # $cc may hold options
$cc -O2 -fPIC -shared -I"$tests/../lib" "$tests/bench/bench_injection.c" \
	-o "$work/injection.so"
compile nvtx -L"$lib" -lctprof -ldl -Wl,-rpath,"$lib" ||
	{ cat "$work/errors" >&2; exit 1; }
# Started as `ctprof record --gpu` does it, but without using CUDA.
ln "$work/bench_ctprof" "$work/bench_ctprof_gpu"
as_with_gpu()
{
	env CTPROF_GPU=full \
		CUDA_INJECTION64_PATH="$lib/libctprof-inject.so.0" \
		NVTX_INJECTION64_PATH="$lib/libctprof-inject.so.0" \
		INTEL_LIBITTNOTIFY64="$lib/libctprof-inject.so.0" "$@"
}
# Started as `ctprof record --last` does it.
ln "$work/bench_ctprof" "$work/bench_ctprof_last"
as_with_last()
{
	env CTPROF_LAST=100000 "$@"
}
# Started as `ctprof record --level=0` does it.
ln "$work/bench_ctprof" "$work/bench_ctprof_stored"
as_with_level_0()
{
	env CTPROF_LEVEL=0 "$@"
}
start_mcount
start_lttng
start_by_hand

round=1
while [ "$round" -le "$rounds" ]; do
	say "round $round of $rounds"
	for kind in loop graph; do
		for name in none rdtsc clock hooks $ours; do
			run_program "$name" "$kind"
		done
		rm -rf "$work/out"
		mkdir "$work/out"
		run ctprof_gpu "$kind" "$pairs" \
			as_with_gpu "$work/bench_ctprof_gpu"
		rm -rf "$work/out"
		mkdir "$work/out"
		run ctprof_last "$kind" "$pairs" \
			as_with_last "$work/bench_ctprof_last"
		rm -rf "$work/out"
		mkdir "$work/out"
		run ctprof_stored "$kind" "$pairs" \
			as_with_level_0 "$work/bench_ctprof_stored"
		BENCH_INJECTION=$lib/libctprof-inject.so.0 \
			run_program nvtx "$kind"
		BENCH_INJECTION=$work/injection.so \
			run_program nvtx_empty "$kind"
		[ -z "$gprof" ] || run_gprof "$kind"
		[ -z "$uftrace" ] || run_uftrace uftrace_hooks hooks "$kind"
		[ -z "$gprof" ] || [ -z "$uftrace" ] ||
			run_uftrace uftrace mcount "$kind"
		[ -z "$lttng" ] || run_lttng "$kind"
		[ -z "$spall" ] || run_program spall "$kind"
		[ -z "$tracy" ] || run_program tracy "$kind"
	done
	round=$((round + 1))
done
say "instructions"
count_instructions
say "reading"
BENCH_RECORD=$work/bench_ctprof sh "$tests/bench/bench_log.sh" "$build" "$work" \
	>>"$results"
"$python" "$tests/bench/bench_table.py" "$results" "$out"
