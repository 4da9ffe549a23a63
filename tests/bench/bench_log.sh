#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures the handling of logs: packing chunks into one, and converting one.
# Prints one JSON object per line; bench.sh puts them into its table.
#
# Usage: bench_log.sh BUILD-DIRECTORY WORK-DIRECTORY
# Environment: BENCH_RECORD, a program that records as described in
# bench_harness.c; CTPROF, PYTHON, BENCH_FULL as in bench.sh.
#
# The output goes through a pipe, which costs some of the measured CPU time. A
# file would cost more, and /dev/null would hide the writing.

set -eu

tests=$(cd "$(dirname "$0")/.." && pwd)
build=$1
work=$2
python=${PYTHON:-python3}
ctprof=${CTPROF:-$build/ctprof}

measure()
{
	"$python" "$tests/bench/bench_measure.py" "$@"
}

# convert PAIRS REPEATS: both conversions of a log with twice as many events.
convert()
{
	"$BENCH_RECORD" graph "$1" "$work/read.ctp" >"$work/recorded"
	events=$("$python" -c 'import json, sys
print(2 * json.load(open(sys.argv[1]))["all_pairs"])' "$work/recorded")
	for format in pstats chrome; do
		cost=$(measure "$2" "$ctprof" convert -t $format -o - \
			"$work/read.ctp") || {
			printf '{"convert": "%s", "skipped": "%s"}\n' \
				$format "ctprof convert failed"
			continue
		}
		printf '{"convert": "%s", "events": %s, %s\n' $format \
			"$events" "${cost#\{}"
	done
	rm -f "$work/read.ctp"
}

if [ -x "$build/bench_pack" ]; then
	for _ in 1 2 3; do
		"$build/bench_pack" "$work/pack.ctp"
		rm -f "$work/pack.ctp"
	done
else
	printf '{"pack": true, "skipped": "bench_pack is not built"}\n'
fi
if [ -x "$build/tests/lib/recorder/record_devices" ]; then
	for _ in 1 2 3; do
		CTPROF_OUT=$work/devices.ctp CTPROF_CLOCK=events "$build/tests/lib/recorder/record_devices" \
			1000000 >"$work/devices"
		printf '{"devices": 1000000, "bytes": %s, %s}\n' \
			"$(wc -c <"$work/devices.ctp")" \
			"$(sed 's/^\([0-9.]*\) .* \([0-9.]*\) .*/"handing_ns": \1, "cpu_ns": \2/' \
				"$work/devices")"
		rm -f "$work/devices.ctp"
	done
else
	printf '{"devices": 0, "skipped": "record_devices is not built"}\n'
fi
if [ ! -x "$ctprof" ]; then
	printf '{"convert": "all", "skipped": "ctprof is not built"}\n'
	exit 0
fi
# The harness's warm-up adds a tenth: at least a million events.
convert 455000 3
convert 4550000 1
if [ "${BENCH_FULL:-0}" = 1 ]; then
	convert 45500000 1
fi
