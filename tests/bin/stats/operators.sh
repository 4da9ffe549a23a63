#!/bin/sh
# SPDX-License-Identifier: MIT
# Averages of operations - by name, shapes, functions around them, kind and
# module - equal those of a Python implementation of the rules: for random
# programs and for PyTorch's traces. Small tables are compared literally.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
traces=$srcdir/tests/traces

set -- "$traces/a100_simple_add_cuda_sync.json.gz" \
	"$traces/mi300_torch_compile_triton.json.gz" \
	"$traces/v100_resnet50_2020_piece.json.gz"
if [ -n "${CTPROF_DATA-}" ]; then
	set -- "$@" "$CTPROF_DATA/kineto/h100_bert_small.json.gz"
fi
"$python" "$srcdir/tests/bin/stats/operators_check.py" "$CTPROF" "$work" 6 "$@" || failed=1

# Each key of --sort sorts each table, or is refused.
"$python" "$srcdir/tests/bin/stats/sort_check.py" "$CTPROF" "$work" \
	"$traces/self-win-clang-19.1_main.json.gz" || failed=1

# By hand: mm is called twice, once in itself; 3 us of 8 are the inner one's.
cat >"$work/small.json" <<'EOF'
{"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"mm","pid":1,"tid":1,"ts":0,"dur":10,
 "args":{"Input Dims":[[2000,3000],[3000,4000]]}},
{"ph":"X","cat":"cpu_op","name":"mm","pid":1,"tid":1,"ts":1,"dur":3,
 "args":{"Input Dims":[[9]]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,
 "ts":5,"dur":2,"args":{"correlation":7}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":8,"dur":4,
 "args":{"correlation":7,"device":0,"stream":7}},
{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,
 "ts":2,"args":{"Bytes":512,"Device Type":1,"Device Id":0}},
{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,
 "ts":9,"args":{"Bytes":-2048,"Device Type":1,"Device Id":0}},
{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,
 "ts":11,"args":{"Bytes":64,"Device Type":0,"Device Id":-1}}
]}
EOF

table() {
	"$CTPROF" stats -q --unit=us "$@" "$work/small.json" >"$work/out" ||
		complain "stats $*: failed"
	cmp "$work/out" "$work/wanted" || {
		complain "stats $*: is"
		cat "$work/out"
	}
}

cat >"$work/wanted" <<'EOF'
count  self us  self %  total us  mean us  dev self   dev %  dev total  dev mean  name
    2    8.000   80.00    10.000    5.000     4.000  100.00      4.000     2.000  mm
    1                                         4.000  100.00      4.000     4.000  gemm <gpu:0>
    1    2.000   20.00     2.000    2.000     0.000    0.00      0.000     0.000  cudaLaunchKernel
    1    0.000    0.00     0.000    0.000     0.000    0.00      0.000     0.000  [memory]
    4   10.000  100.00    10.000    2.500     4.000  100.00      4.000     1.000  Total

Self CPU time total: 10.000 us
Device time total: 4.000 us (activities: 1, with unknown launch: 0)
Memory taken or given back (--columns memory): 3 times (host 1, cuda:0 2)
Floating-point operations: 48.000 GFLOP (--columns flops)
EOF
table --group=name
cat >"$work/wanted" <<'EOF'
count  self mem   mem  self mem cuda:0  mem cuda:0  name              shapes of inputs
    1       0 B   0 B            512 B       512 B  mm                [[9]]
    1       0 B   0 B              0 B         0 B  cudaLaunchKernel
    1      64 B  64 B              0 B         0 B  [memory]
    1       0 B   0 B          -2.0 kB     -1.5 kB  mm                [[2000, 3000], [3000, 4000]]
    4      64 B  64 B          -1.5 kB     -1.5 kB  Total

Self CPU time total: 10.000 us
Memory taken or given back (--columns memory): 3 times (host 1, cuda:0 2)
Floating-point operations: 48.000 GFLOP (--columns flops)
EOF
table --group=shape --sort=self_device_memory --columns=memory --device=host
cat >"$work/wanted" <<'EOF'
count   GFLOP  name
    2  48.000  mm
(3 more not shown; see --top and --min)
EOF
"$CTPROF" stats -q --group=name --sort=flops --columns=flops --top=1 \
	"$work/small.json" | grep -v -e Total -e '^$' -e total: -e Memory \
	-e Floating | cmp - "$work/wanted" || complain "flops are not shown"


# Allocated on one device and freed on another, by two threads; last outside of
# all ranges; and a failed request.
memory() {
	printf '{"ph":"i","s":"t","name":"%s","pid":1,"tid":%s,"ts":%s,
"args":{"Bytes":%s,"Device Type":%s,"Device Id":%s}},' "$@"
}
range() {
	printf '{"ph":"X","cat":"cpu_op","name":"%s","pid":1,"tid":%s,"ts":%s,
"dur":%s},' "$@"
}
{
	printf '{"traceEvents":['
	range load 1 0 10
	range copy 1 2 4
	range load 2 0 10
	memory "[memory]" 1 1 4096 0 -1
	memory "[memory]" 1 3 4096 1 0
	memory "[memory]" 1 7 -3072 6 1
	memory "[memory]" 2 3 512 6 1
	memory "[memory]" 2 12 -512 6 1
	memory "[OutOfMemory]" 2 4 9999 6 1
	printf '{}]}\n'
} >"$work/devices.json"
cat >"$work/wanted" <<'EOF'
count  self mem     mem  self dev mem  dev mem  self mem hip:1  mem hip:1  oom hip:1  name
    1       0 B     0 B        4.1 kB   4.1 kB             0 B        0 B          0  copy
    1       0 B     0 B           0 B      0 B             0 B        0 B          1  [OutOfMemory]
    1       0 B     0 B        -512 B   -512 B          -512 B     -512 B          0  [memory]
    2    4.1 kB  4.1 kB       -2.6 kB   1.5 kB         -2.6 kB    -2.6 kB          1  load
    5    4.1 kB  4.1 kB        1.0 kB   1.0 kB         -3.1 kB    -3.1 kB          1  Total
(of each device: --columns memory-each)

Self CPU time total: 20.000 us
Memory taken or given back (--columns memory): 5 times (host 1, cuda:0 1, hip:1 3)
Out of memory: 1 time (hip:1 1)
EOF
cp "$work/small.json" "$work/first.json"
cp "$work/devices.json" "$work/small.json"
table --group=name --columns=memory --sort=memory:hip:1
cat >"$work/wanted" <<'EOF'
count  self mem     mem  self dev mem  dev mem  self mem cuda:0  mem cuda:0  self mem hip:1  mem hip:1  oom hip:1  name
    1       0 B     0 B        4.1 kB   4.1 kB           4.1 kB      4.1 kB             0 B        0 B          0  copy
    1       0 B     0 B           0 B      0 B              0 B         0 B             0 B        0 B          1  [OutOfMemory]
    1       0 B     0 B        -512 B   -512 B              0 B         0 B          -512 B     -512 B          0  [memory]
    2    4.1 kB  4.1 kB       -2.6 kB   1.5 kB              0 B      4.1 kB         -2.6 kB    -2.6 kB          1  load
    5    4.1 kB  4.1 kB        1.0 kB   1.0 kB           4.1 kB      4.1 kB         -3.1 kB    -3.1 kB          1  Total

Self CPU time total: 20.000 us
Memory taken or given back (--columns memory): 5 times (host 1, cuda:0 1, hip:1 3)
Out of memory: 1 time (hip:1 1)
EOF
table --group=name --columns=memory-each --sort=memory:hip:1
cat >"$work/wanted" <<'EOF'
count  self us  self %  total us  mean us  oom hip:1  name
    2   16.000   80.00    20.000   10.000          1  load
    1    4.000   20.00     4.000    4.000          0  copy
    1    0.000    0.00     0.000    0.000          1  [OutOfMemory]
    1    0.000    0.00     0.000    0.000          0  [memory]
    5   20.000  100.00    20.000    4.000          1  Total

Self CPU time total: 20.000 us
Memory taken or given back (--columns memory): 5 times (host 1, cuda:0 1, hip:1 3)
Out of memory: 1 time (hip:1 1)
EOF
table --group=name
cp "$work/first.json" "$work/small.json"
"$CTPROF" stats -q --group=name --sort=memory:xpu:0 "$work/devices.json" \
	2>&1 >"$work/out" | grep -q "no memory counts of xpu:0" ||
	complain "--sort of no device: no message"
"$CTPROF" stats --group=name --sort=flops:xpu:0 "$work/devices.json" \
	2>"$work/err"
[ $? -eq 2 ] || complain "--sort=flops:xpu:0: not refused"
for options in "--group=name --sort=memory:" "--sort=memory:xpu:0"; do
	# shellcheck disable=SC2086
	"$CTPROF" stats $options "$work/devices.json" >"$work/out" 2>&1
	[ $? -eq 2 ] || complain "$options: not refused"
done

"$CTPROF" stats -q --group=name --csv "$work/devices.json" >"$work/out"
grep -q ',cuda:0_bytes,self_hip:1_bytes,hip:1_bytes,hip:1_out_of_memory,out_of' \
	"$work/out" && grep -q '^load,.*,4096,-2560,-2560,1,1$' "$work/out" &&
	grep -q '^copy,.*,4096,0,0,0,0$' "$work/out" ||
	complain "out of memory as CSV: $(cat "$work/out")"

# With three devices, the table has the sum, and each device on request.
{
	printf '{"traceEvents":['
	range load 1 0 10
	for device in 2 0 1 1; do
		memory "[OutOfMemory]" 1 5 9 1 "$device"
	done
	printf '{}]}\n'
} >"$work/three.json"
for columns in "memory;  oom  name" \
	"memory-each;  oom  oom cuda:0  oom cuda:1  oom cuda:2  name"; do
	"$CTPROF" stats -q --group=name --columns="${columns%;*}" \
		"$work/three.json" >"$work/out"
	grep -q "^count.*${columns#*;}\$" "$work/out" ||
		complain "out of memory of three: $(cat "$work/out")"
done
grep -q " 4 *1 *2 *1  load$" "$work/out" ||
	complain "out of memory of each: $(cat "$work/out")"

# With at most one device, the sum is not split.
{
	printf '{"traceEvents":['
	range load 1 0 10
	memory "[memory]" 1 1 4096 0 -1
	printf '{}]}\n'
} >"$work/host.json"
"$CTPROF" stats -q --group=name --columns=memory "$work/host.json" >"$work/out"
grep -q "^count  self mem     mem  name" "$work/out" &&
	! grep -q "of each device" "$work/out" ||
	complain "memory of the host: $(cat "$work/out")"

# That many devices are distinguished; further ones are summed, and not lost.
# The text shows 8, including that of --sort.
{
	printf '{"traceEvents":['
	for device in $(seq 0 299); do
		memory "[memory]" 1 "$device" 2 1 "$device"
	done
	printf '{}]}\n'
} >"$work/many.json"
"$CTPROF" stats -q --group=name --json "$work/many.json" |
	"$python" -c 'import json, sys
had = json.load(sys.stdin)["memory"]
assert [part["device"] for part in had] == [
    f"cuda:{n}" for n in range(256)] + ["other"]
assert [part["records"] for part in had] == [1] * 256 + [44]
assert had[-1]["bytes"] == 88 and had[-1]["device_id"] is None
' || complain "300 devices: not as they should be"
"$CTPROF" stats -q --group=name --columns=memory-each --sort=memory:other \
	"$work/many.json" >"$work/out"
grep -q "mem cuda:6  self mem other  mem other  name" "$work/out" &&
	grep -q "^(memory of 249 more devices not shown" "$work/out" &&
	grep -q ", cuda:7 1, and 249 more)" "$work/out" ||
	complain "300 devices: $(cat "$work/out")"

# The first mm of the two, the kernel no, and memory outside of ranges.
names=$("$CTPROF" stats -q --group=name --top-level --csv "$work/small.json" |
	cut -d, -f1 | tr '\n' ' ')
[ "$names" = "name mm [memory] " ] || complain "--top-level: $names"

# The documents' export_stacks().
stacks() {
	metric=$1
	shift
	printf '%s\n' "$@" >"$work/wanted"
	"$CTPROF" convert -q -t folded --metric="$metric" "$work/small.json" \
		>"$work/out" || complain "--metric=$metric: failed"
	cmp "$work/out" "$work/wanted" ||
		complain "--metric=$metric: $(cat "$work/out")"
}

stacks self_cpu "mm 5000" "mm;mm 3000" "mm;cudaLaunchKernel 2000"
stacks cpu "mm 10000" "mm;mm 3000" "mm;cudaLaunchKernel 2000"
stacks self_device "mm 4000"
stacks device "mm 4000"
stacks count "mm 1" "mm;mm 1" "mm;gemm 1" "mm;cudaLaunchKernel 1"
"$CTPROF" convert -t pstats --metric=cpu "$work/small.json" 2>"$work/err"
[ $? -eq 2 ] || complain "--metric of pstats: not refused"
"$CTPROF" convert -q -t folded --metric=device \
	"$traces/mi300_vllm_graph_decode.json.gz" >"$work/out"
"$CTPROF" stats -q --group=name --json \
	"$traces/mi300_vllm_graph_decode.json.gz" >"$work/names.json"
"$python" - "$work" <<'EOF' || complain "--metric=device: another sum"
import json
import sys

with open(sys.argv[1] + "/names.json", encoding="utf-8") as file:
    wanted = json.load(file)["device_ns"]
with open(sys.argv[1] + "/out", encoding="utf-8") as file:
    lines = [line.rsplit(" ", 1) for line in file]
assert sum(int(n) for stack, n in lines if ";" not in stack) == wanted
EOF

# Missing data are reported.
cp "$traces/logging_integration.json.gz" "$work/shape.json.gz"
cp "$work/small.json" "$work/stack.json"
cp "$work/small.json" "$work/module.json"
for group in shape stack module; do
	"$CTPROF" stats -q --group=$group "$work/$group".json* \
		>"$work/out" || complain "$group of nothing: failed"
	case $(tail -1 "$work/out") in
	"No "*" recorded.") ;;
	*) complain "$group of nothing: $(tail -1 "$work/out")" ;;
	esac
done
printf '{"traceEvents":[]}\n' >"$work/none.json"
[ "$("$CTPROF" stats -q --group=name "$work/none.json")" = \
	"No operations were recorded." ] || complain "no events: no message"
[ "$("$CTPROF" stats -q "$work/none.json")" = \
	"No functions were recorded." ] || complain "no functions: no message"
# Events that are not functions are counted, so that nobody takes the input for
# an empty one.
"$python" -c '
import json
print(json.dumps([{"ph": kind, "cat": "c", "name": "a", "id": i, "pid": 1,
    "tid": 1, "ts": i + (kind == "e")} for i in range(1000) for kind in "be"]
    + [{"ph": "i", "name": "i", "pid": 1, "tid": 1, "ts": 1}]))' \
	>"$work/async.json"
"$CTPROF" stats "$work/async.json" 2>&1 >/dev/null |
	grep -q 'has events that are not functions (asynchronous ranges: 1000, samples: 0, instants: 1, counter values: 0)$' ||
	complain "async ranges are not counted"
# Samples are counted even beside functions, those of V8 and of `samples`.
printf '%s\n' '{"traceEvents":[{"ph":"X","name":"x","pid":1,"tid":1,"ts":0,"dur":9},
{"ph":"P","name":"p","pid":1,"tid":1,"ts":1},{"ph":"i","name":"i","pid":1,"tid":1,"ts":2}],
"stackFrames":{"1":{"name":"a"}},
"samples":[{"cpu":0,"tid":1,"ts":3,"name":"cycles","sf":1,"weight":1}]}' \
	>"$work/samples.json"
"$CTPROF" stats "$work/samples.json" 2>&1 >/dev/null |
	grep -q '(asynchronous ranges: 0, samples: 2, instants: 1, counter values: 0)$' ||
	complain "samples are not counted"
"$CTPROF" info "$work/samples.json" | grep -q 'note  *2 samples of stacks' ||
	complain "info: no samples"
# MTIA's rows have no argument that names the device: they are work nevertheless.
printf '%s\n' '[{"ph":"X","cat":"mtia_runtime","name":"run","pid":7,"tid":7,"ts":0,
"dur":2,"args":{"correlation":4}},{"ph":"X","cat":"mtia_ccp_events","name":"k",
"pid":0,"tid":3,"ts":5,"dur":4,"args":{"correlation":4}}]' >"$work/mtia.json"
"$CTPROF" stats --gpu --json "$work/mtia.json" | "$python" -c '
import json, sys
found = json.load(sys.stdin)
assert (found["activities"], found["device_ns"], found["unmatched"]) == (
    1, 4000, 0), found
assert found["kernels"][0]["name"] == "k", found' || complain "MTIA: no work"
printf '{"traceEvents":[{"ph":"X","name":"x","pid":1,"tid":1,"ts":0,"dur":1}]}
' >"$work/x.json"
for none in none.json x.json; do
	[ "$("$CTPROF" stats -q --gpu "$work/$none")" = \
		"No GPU activity." ] || complain "no GPU: $none: no message"
done
# A sum that overflows is the largest number, and not a small one.
for op in 1 2 3; do
	printf '{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":%d,
"dur":1,"args":{"kernel_flop":9000000000000000000}},' $op
done | sed '1s/^/[/; $s/,$/]/' >"$work/many.json"
"$CTPROF" stats -q --group=name --json "$work/many.json" "$work/many.json" \
	>"$work/out"
[ "$(grep -o '"flops":18446744073709551615' "$work/out" | wc -l)" -eq 2 ] ||
	complain "too many operations: $(cat "$work/out")"
printf 'main 10\n' >"$work/x.folded"
"$CTPROF" stats --group=shape "$work/x.folded" 2>"$work/err"
[ $? -eq 3 ] || complain "a profile: not refused"
grep -q 'no operations' "$work/err" || complain "a profile: $(cat "$work/err")"
"$CTPROF" stats --columns=memory "$work/small.json" 2>"$work/err"
[ $? -eq 2 ] || complain "--columns without --group: not refused"

# Sums over several inputs, and the same with any number of jobs.
"$CTPROF" stats -q --group=shape --csv "$work/small.json" "$work/small.json" \
	>"$work/two"
"$CTPROF" stats -q --group=shape --csv -j2 "$work/small.json" \
	"$work/small.json" | cmp -s - "$work/two" || complain "-j2 differs"
grep -q '^mm,,0,2,2,6000,6000,0,0,host,3000,0,0,0,1024,1024,1024,1024,0,\[\[9\]\]$' \
	"$work/two" || complain "two inputs: $(cat "$work/two")"
# By hand: two threads, one with a pause.
cat >"$work/threads.json" <<'END'
{"traceEvents":[
{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":4},
{"ph":"X","name":"b","pid":1,"tid":1,"ts":1,"dur":2},
{"ph":"X","name":"a","pid":1,"tid":1,"ts":6,"dur":1},
{"ph":"X","name":"c","pid":1,"tid":2,"ts":2,"dur":9}]}
END
"$CTPROF" stats -q --group=thread --csv "$work/threads.json" | cut -d, -f2-6 \
	>"$work/threads.csv"
printf 'pid,tid,calls,own_ns,total_ns\n1,2,1,9000,9000\n1,1,3,5000,7000\n' |
	cmp -s - "$work/threads.csv" ||
	complain "threads: $(cat "$work/threads.csv")"
# threads_have TIDS OPTION...: the threads shown, in their order.
threads_have() {
	wanted=$1
	shift
	got=$("$CTPROF" stats -q --group=thread --csv "$@" "$work/threads.json" |
		sed 1d | cut -d, -f3 | tr '\n' ' ')
	[ "$got" = "$wanted" ] || complain "threads $*: $got"
}
threads_have '1 2 ' --sort ncalls
threads_have '2 ' --top 1
threads_have '2 ' --min 8us
threads_have '2 1 ' --min 50%
threads_have '2 ' --min 60% --sort cumtime
"$CTPROF" stats -q --group=thread --top 1 "$work/threads.json" |
	grep -q '^(1 more not shown' || complain "threads: --top hides silently"
"$CTPROF" stats -q --group=thread --unit=us "$work/threads.json" |
	grep -q '^ *1  *2  *1  *9\.0' || complain "threads: --unit changes nothing"
"$CTPROF" stats -q --group=thread --sort device "$work/threads.json" \
	2>/dev/null && complain "threads: sorted by device"
exit $failed
