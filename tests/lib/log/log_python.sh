#!/bin/sh
# SPDX-License-Identifier: MIT
# A log unpacks with gzip alone, and Python's msgpack package alone reads the
# same events from it as our reader does.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need_package msgpack

# The log's events as printed by both readers; exits unless they are the same.
compare() {
	gzip -t < "$work/run.ctp" || exit 1
	./tests/support/dump_events "$work/run.ctp" > "$work/ours" || exit 1
	gzip -dc < "$work/run.ctp" | "$python" "$srcdir/tests/support/read_log.py" \
		> "$work/theirs" || exit 1
	# Invalid UTF-8 is printed differently: compare the rest.
	LC_ALL=C sed -i '/^thread [0-9]* [0-9]* arg broken=/d' \
		"$work/ours" "$work/theirs"
	cmp "$work/ours" "$work/theirs" || {
		diff "$work/ours" "$work/theirs" | head -20
		exit 1
	}
}

# The same for the rewritten log, which has the same events on each track.
compare_again() {
	compare
	sort -s -k1,2 "$work/ours" > "$work/before"
	"$CTPROF" convert -f log -t log "$work/run.ctp" > "$work/again.ctp" ||
		exit 1
	mv "$work/again.ctp" "$work/run.ctp"
	compare
	sort -s -k1,2 "$work/ours" | cmp "$work/before" - || exit 1
}

# Made-up devices for twenty seconds of a made-up clock, with drift and a step.
CTPROF_OUT="$work/run.ctp" CTPROF_CLOCK=events \
	./tests/lib/recorder/record_devices 4000 5000 > /dev/null || exit 1
compare_again
[ "$(grep -c ' activity ' "$work/ours")" = 4000 ] || exit 1
CTPROF_OUT="$work/run.ctp" ./tests/lib/recorder/record_everything || exit 1
compare_again
cp "$work/ours" "$work/everything"
# Recordings of other tools, with the records that only these have.
./tests/support/make_log "$srcdir/tests/support/foreign.recipe" > "$work/run.ctp" || exit 1
compare_again
for kind in complete flow 'Input Dims=\[\[2, 3\], \[\]\]'; do
	grep -q " $kind" "$work/ours" || {
		echo "no $kind in what others recorded"
		exit 1
	}
done
# Calls in Python that begin, and end, a range, and so overlap it.
cat >"$work/calls.json" <<'END'
[{"ph":"X","name":"a","cat":"python_function","pid":1,"tid":2,"ts":0,"dur":4},
{"ph":"X","name":"r","cat":"cpu_op","pid":1,"tid":2,"ts":3,"dur":17},
{"ph":"X","name":"b","cat":"python_function","pid":1,"tid":2,"ts":18,"dur":7,
 "args":{"Python id":8}}]
END
"$CTPROF" convert -q -t log "$work/calls.json" >"$work/run.ctp" || exit 1
compare_again
for what in 'end 1000ns' 'unclipped_call :b:0 7000ns Python id=8' \
	'begin :b:0 2000ns Python id=8'; do
	grep -q "$what$" "$work/ours" || {
		echo "no $what in the log"
		exit 1
	}
done
mv "$work/everything" "$work/ours"
for kind in begin end arg async_begin async_end instant counter alloc free \
	step; do
	grep -q " $kind" "$work/ours" || {
		echo "no $kind in the log"
		exit 1
	}
done
grep -q '^timeline .* 4000000000000000 end$' "$work/ours" || exit 1
echo "$(wc -l < "$work/ours") events agree"
