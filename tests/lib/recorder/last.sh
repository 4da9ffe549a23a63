#!/bin/bash
# SPDX-License-Identifier: MIT
# A recording of the last events: the events in the log and those that were not
# kept are all events of the program, however it ends, and no range is torn.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
program=$PWD/tests/lib/recorder/last_program
log=$work/run.ctp
round=400000 # events of 100,000 rounds

# record LAST ARGUMENT...: makes the log; the program's status.
record() {
	local last=$1
	shift
	rm -f "$work"/*.ctp
	"$CTPROF" record -q --separate --last="$last" -o "$log" -- "$program" "$@" \
		>"$work/out" 2>"$work/err"
}

# facts LOG: begins, ends, ranges open at the end, earlier events, stray ends.
facts() {
	"$CTPROF" info --json "$1" >"$work/info" &&
		"$CTPROF" convert -t chrome -o "$work/run.json" --force "$1" &&
		"$python" - "$work/info" "$work/run.json" <<'END'
import json, sys
info = json.load(open(sys.argv[1]))
lost = info["lost"]
print(info["counts"]["ranges"], info["counts"]["open"],
      info["notes"].get("earlier_events", 0), lost.get("stray_ends", 0),
      len(lost))
END
}

# check WHAT TOTAL LEAST OPEN [LOG [MOST]]: all events are accounted for. A
# killed process may leave more, which it had no time to drop.
check() {
	local ranges open earlier stray others kept
	read -r ranges open earlier stray others < <(facts "${5:-$log}")
	kept=$((2 * ranges - open))
	if [ $((kept + earlier)) = "$2" ] && [ "$kept" -ge "$3" ] &&
		[ "$kept" -lt "${6:-$(($3 + 100000))}" ] &&
		[ "$open" = "$4" ] && [ "$stray" = 0 ] && [ "$others" = 0 ]; then
		echo "ok $1"
	else
		complain "$1: $ranges ranges, $open open, $earlier earlier," \
			"$stray stray, $others other losses, of $2"
	fi
}

record 1000000 exit
check "few events are all kept" $((round + 2)) $((round + 2)) 0
record 10000 exit
check "the last events are kept at the end" $((round + 2)) 10000 0
grep -q earlier_ns "$work/run.json" ||
	complain "a range that began earlier has no argument"
record 10000 kill
check "they are kept after SIGKILL" $((round + 1)) 10000 1 "$log" $((round + 2))
record 10000 crash
check "they are kept after a crash" $((round + 1)) 10000 1 "$log" $((round + 2))
record 10000 _exit
check "they are kept after _exit()" $((round + 1)) 10000 1 "$log" $((round + 2))
record 10000 threads
check "threads share the window" $((5 * round + 2)) 10000 0
record 10000 left
check "ends of threads inside ranges" $((5 * round + 6)) 10000 4
record 10000 dumps
check "ranges across two dumps are whole" $((2 * round + 6)) 20000 0
record 10000 fork
check "a parent keeps its own" $((2 * round + 2)) 10000 0
child=$(echo "$work"/run.[0-9]*.ctp)
# Its log begins with the open range.
check "a forked child keeps its own" $((round + 2)) 10000 0 "$child"

record 10000 signal 12 "stat -c %s $log"
[ "$(sed -n 1p "$work/out")" = dumped ] && [ "$(sed -n 2p "$work/out")" -gt 0 ]
report $? "SIGUSR2 writes the log while the program runs"
check "a signal's dump and the last one" $((2 * round + 2)) 20000 0
rm -f "$work"/*.ctp
"$CTPROF" record -q --last=10000 --dump-signal=USR1 -o "$log" -- "$program" \
	signal 10 >"$work/out"
report $? "--dump-signal chooses another signal"
check "its dump" $((2 * round + 2)) 20000 0
rm -f "$work"/*.ctp
"$CTPROF" record -q --last=10000 --dump-signal=none -o "$log" -- "$program" \
	signal 12 >"$work/out" 2>&1
[ $? = $((128 + 12)) ]
report $? "--dump-signal=none leaves the signal alone"
rm -f "$work"/*.ctp
# Little memory is stronger than the number of events.
"$CTPROF" record -q --last=1000000 --buffer=512K --buffer-max=1M -o "$log" -- \
	"$program" exit
check "the memory has a limit" $((round + 2)) 60000 0
for bad in 0 -1 x; do
	"$CTPROF" record --last=$bad -o "$log" -- true 2>/dev/null
	[ $? = 2 ] || complain "--last=$bad is not refused"
done
exit $failed
