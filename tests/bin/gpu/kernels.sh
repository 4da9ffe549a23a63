#!/bin/sh
# SPDX-License-Identifier: MIT
# The figures of kernels agree with the traces: made-up ones and real ones.
# CTPROF_DATA may name a directory with more of these, CTPROF_TORCH a Python
# with PyTorch, whose own counts are compared then.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

set --
for name in a100_triton_1kernel a100_multi_stream_event_sync mi250_minitoy \
	mi300_torch_compile_triton mi300_vllm_graph_decode \
	tb_plugin_gpu_metrics_input; do
	set -- "$@" "$srcdir/tests/traces/$name.json.gz"
done
if [ -d "${CTPROF_DATA:-}" ]; then
	for name in h100_bert_small h100_vit mi300_qwen0.5b; do
		set -- "$@" "$CTPROF_DATA/kineto/$name.json.gz"
	done
else
	echo "skipped more_traces: CTPROF_DATA names no directory"
fi
"$python" "$srcdir/tests/bin/gpu/kernels_check.py" "$CTPROF" "$work" "$@" || failed=1
if [ -n "${CTPROF_TORCH:-}" ]; then
	"$CTPROF_TORCH" "$srcdir/tests/bin/gpu/kernels_torch.py" "$CTPROF" "$work" \
		2>"$work/err" || complain "torch: $(cat "$work/err")"
else
	echo "skipped flop_counter: CTPROF_TORCH names no Python with PyTorch"
fi

triton=$srcdir/tests/traces/mi300_torch_compile_triton.json.gz
"$CTPROF" kernels --top 2 "$triton" >"$work/text" || complain "text: status"
for line in 'Device 2: AMD Instinct MI300X$' 'Operations: known for 93.34 % ' \
	'(6 more not shown; see --top)$' 'Peaks: AMD'; do
	grep -q "^$line" "$work/text" || complain "text: no $line"
done
"$CTPROF" kernels --csv "$triton" >"$work/csv" || complain "csv: status"
[ "$(wc -l <"$work/csv")" -eq 9 ] || complain "csv: $(cat "$work/csv")"
"$CTPROF" kernels "$srcdir/tests/traces/tb_plugin_gpu_metrics_input.json.gz" \
	>"$work/text" || complain "no shapes: status"
grep -q '^Operations and bytes are unknown' "$work/text" ||
	complain "no shapes: $(cat "$work/text")"

none=$("$CTPROF" kernels "$srcdir/tests/traces/cpu_only.json.gz")
[ "$none" = "No GPU ran a kernel." ] || complain "without a GPU: $none"
printf '{"traceEvents":[]}' >"$work/empty.json"
none=$("$CTPROF" kernels "$work/empty.json")
[ "$none" = "No GPU ran a kernel." ] || complain "empty: $none"
# A terminal must not obey a device's name.
printf '{"deviceProperties":[{"id":0,"name":"a\\u001b[31m\\nb"}],"traceEvents":[
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":8,"dur":4,
 "args":{"device":0,"stream":7}}]}' >"$work/evil.json"
"$CTPROF" kernels -q "$work/evil.json" >"$work/text" || complain "evil: status"
grep -q '^Device 0: a.*b$' "$work/text" ||
	complain "a name of two lines: $(cat "$work/text")"
grep -q "$(printf '\033')" "$work/text" && complain "an escape is printed"
printf 'main 10\n' >"$work/x.folded"
"$CTPROF" kernels "$work/x.folded" 2>"$work/err"
[ $? -eq 3 ] || complain "a profile: not refused"
grep -q 'is a profile' "$work/err" || complain "a profile: $(cat "$work/err")"
"$CTPROF" kernels --dtype=int64 "$triton" 2>"$work/err"
[ $? -eq 2 ] || complain "a type without peaks: not refused"
"$CTPROF" kernels --sort=size "$triton" 2>"$work/err"
[ $? -eq 2 ] || complain "an unknown key: not refused"
"$CTPROF" kernels --augment --json "$triton" 2>"$work/err"
[ $? -eq 2 ] || complain "a report of an augmented trace: not refused"
for option in --top=3 --sort=name --dtype=fp16 --peaks=none; do
	"$CTPROF" kernels --augment "$option" "$triton" 2>"$work/err"
	[ $? -eq 2 ] || complain "--augment $option: not refused"
	grep -q "are for reports: --augment" "$work/err" ||
		complain "--augment $option: $(cat "$work/err")"
done
"$CTPROF" kernels --to chrome "$triton" 2>"$work/err"
[ $? -eq 2 ] || complain "a format of a report: not refused"
"$CTPROF" kernels --augment "$srcdir/tests/traces/cpu_only.json.gz" \
	-o "$work/cpu.json" 2>"$work/err" || complain "nothing to augment: status"
grep -q 'trace unchanged' "$work/err" ||
	complain "nothing to augment: $(cat "$work/err")"
for peaks in '[]' '{"X": 3}' '{"X": {"tflops": {"bf17": 1}}}' '{"X": {' \
	'{"X": {"gb_per_s": -1}}' '{"X": {}}'; do
	printf '%s' "$peaks" >"$work/peaks.json"
	"$CTPROF" kernels --peaks "$work/peaks.json" "$triton" 2>"$work/err" \
		>"$work/text"
	[ $? -eq 3 ] || complain "peaks $peaks: not refused"
	[ -s "$work/text" ] && complain "peaks $peaks: a report"
	grep -q "peaks.json" "$work/err" || complain "peaks: $(cat "$work/err")"
done
"$CTPROF" kernels --peaks "$work/none" "$triton" 2>"$work/err"
[ $? -eq 3 ] || complain "no peaks: not refused"
grep -q 'none: cannot open: ' "$work/err" ||
	complain "no peaks: $(cat "$work/err")"
exit $failed
