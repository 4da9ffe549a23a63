#!/bin/sh
# SPDX-License-Identifier: MIT
# Output for other tools' viewers, read by a few lines of our own: every count
# and time equals that of the other formats and `ctprof stats`.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

# write FORMAT FILE LOG
write() {
	"$CTPROF" convert -q --force -t "$1" -o "$work/$2" "$3"
}

# check LOG WHAT
check() {
	"$CTPROF" stats -q --force --json -o "$work/stats" "$1" &&
		write folded folded "$1" && write pprof pb.gz "$1" &&
		"$python" "$srcdir/tests/formats/pprof/pprof_read.py" "$work/pb.gz" \
			"$work/folded" "$work/stats"
	report $? "pprof: $2"
	write pftrace pftrace "$1" && write chrome json "$1" &&
		"$python" "$srcdir/tests/support/pftrace_read.py" \
			"$work/pftrace" "$work/json"
	report $? "pftrace: $2"
	write speedscope speedscope.json "$1" &&
		"$python" "$srcdir/tests/formats/speedscope/speedscope_check.py" \
			"$work/speedscope.json" "$work/stats" "$work/json"
	report $? "speedscope: $2"
}

CTPROF_OUT="$work/all.ctp" ./tests/lib/recorder/record_everything || exit 1
check "$work/all.ctp" "events of every kind"
for seed in 1 2 3 4 5 6; do
	"$python" "$srcdir/tests/support/oracle.py" program $seed |
		CTPROF_OUT="$work/$seed.ctp" ./tests/support/oracle_record || exit 1
	check "$work/$seed.ctp" "program $seed"
done

trace=$srcdir/tests/formats/viewers_trace.py
"$python" "$trace" > "$work/hard" || exit 1
check "$work/hard" "what viewers find hard"
"$python" "$srcdir/tests/support/pftrace_read.py" --show "$work/pftrace" \
	> "$work/shown"
for line in "flow inner target" "flow arrow target" \
	"flow cudaLaunchKernel k1" "flow cudaLaunchKernel k2" \
	"correlation 11 cudaLaunchKernel k1" "counter two a 2000 2.5"; do
	grep -qx "$line" "$work/shown"
	report $? "pftrace: $line"
done
"$python" "$trace" --deep-argument > "$work/deep" &&
	write pftrace pftrace "$work/deep" &&
	"$python" "$srcdir/tests/support/pftrace_read.py" --show \
		"$work/pftrace" > "$work/shown" && grep -q innermost "$work/shown"
report $? "pftrace: arguments nested deep are text below some level"

# Any lack of memory is an error.
for format in pftrace speedscope pprof; do
	refused=0
	for size in 200K 400K 700K 1M 2M 3M 4M 6M 40M 80M; do
		"$CTPROF" convert -q --force --max-mem=$size -t $format \
			-o "$work/out" "$work/hard" 2> "$work/err"
		case $? in
		0) break ;;
		6) refused=$((refused + 1)) ;;
		*) cat "$work/err"; refused=-99 ;;
		esac
	done
	[ $refused -gt 0 ]
	report $? "$format: $refused limits of memory are too low"
done
exit $failed
