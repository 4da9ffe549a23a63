#!/bin/sh
# SPDX-License-Identifier: MIT
# Idle times of GPUs, their causes and the recommended optimizations equal those
# of a naive Python implementation of the rules: on random programs, and on
# PyTorch's own events. Figures of other tools' traces must add up.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

"$python" "$srcdir/tests/bin/gpu/gaps_check.py" "$CTPROF" "$work" \
	"$srcdir/tests/bin/gpu/gaps/profiler_utils_mock_events.json.gz" 25 || failed=1
"$python" "$srcdir/tests/bin/gpu/gaps_counters.py" "$CTPROF" "$work" 20 || failed=1

# All commands count the same activities, which are those of the file. Busy and
# idle time are the whole, and the causes all of the idle time.
for trace in "$srcdir"/tests/traces/*.json.gz; do
	"$CTPROF" gaps -q --json "$trace" >"$work/gaps.json" ||
		complain "$trace: cannot be read"
	"$CTPROF" info -q --json "$trace" >"$work/info.json" ||
		complain "$trace: no info"
	"$CTPROF" stats -q --gpu --json "$trace" >"$work/stats.json" ||
		complain "$trace: no stats"
	"$python" - "$work" "$trace" <<'EOF' || complain "$trace: does not add up"
import gzip
import json
import sys


def read(name):
    with open(f"{sys.argv[1]}/{name}.json", encoding="utf-8") as file:
        return json.load(file)


report = read("gaps")
with gzip.open(sys.argv[2], "rt", encoding="utf-8") as file:
    events = json.load(file)
if isinstance(events, dict):
    events = events["traceEvents"]
KINDS = "kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"
activities = sum(event.get("ph") == "X" and
                 str(event.get("cat")).lower() in KINDS for event in events)
counts = (read("info")["counts"]["device"], read("stats")["activities"],
          sum(row["activities"] for row in report["rows"]))
assert counts == (activities,) * 3, (counts, activities)
assert report["schema"] == "ctprof/gaps/1"
for row in report["rows"]:
    assert row["busy_ns"] + row["idle_ns"] == row["span_ns"], row
    assert sum(row["causes"].values()) == row["idle_ns"], row
    assert row["kernel_ns"] <= row["busy_ns"], row
    hidden = row["comm_ns"] - row["exposed_comm_ns"]
    assert row["compute_ns"] + row["exposed_comm_ns"] == row["kernel_ns"], row
    assert 0 <= hidden <= row["compute_ns"], row
    places = [place for place in report["places"]
              if (place["pid"], place["device"]) ==
              (row["pid"], row["device"])]
    assert sum(place["idle_ns"] for place in places) == row["idle_ns"], row
EOF
done

none=$("$CTPROF" gaps "$srcdir/tests/traces/cpu_only.json.gz")
case $none in
"No GPU activity"*) ;;
*) complain "without a GPU: $none" ;;
esac
none=$("$CTPROF" gaps --optimize 3 \
	"$srcdir/tests/traces/a100_triton_1kernel.json.gz")
case $none in
"Nothing to optimize: the queue"*) ;;
*) complain "a queue of one: $none" ;;
esac
none=$("$CTPROF" gaps --optimize 3 "$srcdir/tests/traces/cpu_only.json.gz")
case $none in
"Nothing to optimize: no GPU ran a kernel.") ;;
*) complain "nothing to optimize: $none" ;;
esac
"$CTPROF" convert --counters "$srcdir/tests/traces/cpu_only.json.gz" \
	-t chrome -o "$work/cpu.json" 2>"$work/err" || complain "no GPU: status"
grep -q 'no GPU activity' "$work/err" ||
	complain "no GPU, and counters: $(cat "$work/err")"
"$CTPROF" convert --counters "$srcdir/tests/traces/cpu_only.json.gz" \
	-t pstats 2>"$work/err" >"$work/out"
[ $? -eq 2 ] || complain "counters of a profile: not refused"
# An empty table has only titles.
"$CTPROF" gaps "$srcdir/tests/bin/compare/diff/compare_base.json.gz" >"$work/out"
grep -qx 'The table of host work leaves these causes out.' "$work/out" ||
	complain "gaps that no host is known of: $(cat "$work/out")"
printf '[{"ph":"X","pid":0,"tid":7,"cat":"kernel","name":"k","ts":0,"dur":8,
	"args":{"device":0,"stream":7}}]' >"$work/busy.json"
"$CTPROF" gaps "$work/busy.json" >"$work/out"
[ "$(sed -n '4,$p' "$work/out")" = "No GPU was ever idle." ] ||
	complain "no gaps: $(cat "$work/out")"
# The device visible to a program has another number there.
"$CTPROF" gaps "$srcdir/tests/traces/mi300_torch_compile_triton.json.gz" \
	>"$work/out"
grep -q ' 2 AMD Instinct MI300X$' "$work/out" ||
	complain "another number: $(cat "$work/out")"
# With several GPUs, each row names the idle one, and shares are of all idle
# time.
{
	printf '[{"ph":"X","pid":9,"tid":9,"cat":"cpu_op","name":"op","ts":0,'
	printf '"dur":20}'
	for device in 0 1; do
		at=$((device * 10))
		printf ',{"ph":"X","pid":9,"tid":9,"cat":"cuda_runtime",'
		printf '"name":"cudaLaunchKernel","ts":%s,' "$((at + 5))"
		printf '"dur":1,"args":{"correlation":%s}}' "$((device + 1))"
		printf ',{"ph":"X","pid":%s,"tid":7,"cat":"kernel",' $device
		printf '"name":"k","ts":%s,"dur":%s,"args":{"device":%s,' \
			"$((at + 5))" "$((15 - at))" $device
		printf '"stream":7,"correlation":%s}}' "$((device + 1))"
	done
	echo ']'
} >"$work/two.json"
"$CTPROF" gaps "$work/two.json" >"$work/out"
cat >"$work/wanted" <<'EOF'
idle ms  share %  cause
  0.020   100.00  host code before the launch

idle ms  share %  count  longest ms  device  cause  what the host did
  0.014    70.00      2       0.009       1  host   op
  0.005    25.00      1       0.005       0  host   op
  0.001     5.00      1       0.001       1  host   op > cudaLaunchKernel
EOF
sed '1,/^$/d' "$work/out" | cmp - "$work/wanted" ||
	complain "two GPUs: $(cat "$work/out")"
printf 'main 10\n' >"$work/x.folded"
"$CTPROF" gaps "$work/x.folded" 2>"$work/err"
[ $? -eq 3 ] || complain "a profile: not refused"
grep -q 'is a profile' "$work/err" || complain "a profile: $(cat "$work/err")"
for style in --json --csv --optimize=4; do
	"$CTPROF" gaps -q "$style" \
		"$srcdir/tests/traces/tb_plugin_gpu_metrics_input.json.gz" \
		>"$work/one"
	"$CTPROF" gaps -q "$style" \
		"$srcdir/tests/traces/tb_plugin_gpu_metrics_input.json.gz" \
		>"$work/two"
	cmp -s "$work/one" "$work/two" || complain "$style: not the same twice"
	[ -s "$work/one" ] || complain "$style: empty"
done
# Several inputs are one table, each line of which names its input.
cp "$srcdir/tests/traces/a100_simple_add_cuda_sync.json.gz" "$work/real"
cd "$work" || exit 99
for form in "gaps --csv" "gaps --optimize=4 --csv" "kernels --csv"; do
	# shellcheck disable=SC2086
	"$CTPROF" $form real busy.json real -q >out || complain "$form"
	"$python" - out "$form" <<'EOF' || failed=1
import csv, sys
with open(sys.argv[1], encoding="utf-8", newline="") as text:
    titles, *rows = csv.reader(text)
inputs = [row[0] for row in rows]
assert titles[0] == "input" and titles not in rows, titles
assert set(inputs) - {"busy.json"} == {"real"}, inputs
assert inputs.count("real") % 2 == 0, inputs
assert "kernels" not in sys.argv[2] or "busy.json" in inputs, inputs
EOF
done
exit $failed
