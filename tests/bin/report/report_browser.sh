#!/bin/sh
# SPDX-License-Identifier: MIT
# The page that `ctprof report` writes, in a browser.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
traces=$srcdir/tests/traces

# slice NAME START DURATION: in microseconds, on one thread.
slice() {
	printf '{"ph":"X","pid":1,"tid":1,"name":"%s","ts":%s,"dur":%s},\n' "$@"
}

{
	echo '['
	printf '{"ph":"M","pid":1,"tid":1,"name":"thread_name",'
	printf '"args":{"name":"%s"}},\n' \
		'a thread with a name that is wider than the column of names'
	slice main 0 100
	slice outer 0 60
	slice inner 0 50
	slice leaf 0 20
	slice other 60 30
	printf '{"ph":"X","pid":1,"tid":1,"cat":"cuda_runtime","name":"%s",' \
		cudaLaunchKernel
	echo '"ts":70,"dur":1,"args":{"correlation":1}},'
	printf '{"ph":"X","pid":1,"tid":7,"cat":"kernel","name":"%s",' \
		'void k<int>(int)'
	echo '"ts":80,"dur":40,"args":{"correlation":1,"stream":7,"device":0}}]'
} >"$work/exact.json"
{
	echo '['
	for tid in 1 2 3; do
		printf '{"ph":"M","pid":1,"tid":%s,"name":"thread_name",' $tid
		printf '"args":{"name":"worker"}},\n'
		printf '{"ph":"X","pid":1,"tid":%s,"name":"work %s",' $tid $tid
		echo '"ts":0,"dur":9},'
	done
} >"$work/namesakes.json"
record_program 3 "$work/program.ctp"
echo '[]' | "$CTPROF" convert -q -t log - -o "$work/empty.ctp" || exit 1
"$CTPROF" convert -q -o "$work/whole.ctp" \
	"$traces/self-win-clang-19.1_main.json.gz" || exit 1
size=$(wc -c <"$work/whole.ctp")
head -c $((size - 100)) "$work/whole.ctp" >"$work/cut.ctp"
set -- "$work/program.ctp" "$work/empty.ctp" "$work/cut.ctp" \
	"$work/namesakes.json" "$traces/a100_simple_add_cuda_sync.json.gz" \
	"$traces/self-win-clang-19.1_main.json.gz"

recorded=$(package_python)
if [ -n "$recorded" ]; then
	PYTHONPATH=$PWD/python/package LD_LIBRARY_PATH=$PWD/.libs \
		"$recorded" -m ctprof -q -o "$work/python.ctp" \
		"$srcdir/examples/compile_modules.py" 1 || exit 1
	set -- "$@" "$work/python.ctp"
fi
PYTHONPATH="$srcdir/tests/bin/report:$PYTHONPATH" "$python" -c '
import report_job
report_job.make("'"$work/job"'", 1024, report_job.HOSTS)' || exit 1
"$CTPROF" summarize -q -o "$work/job.ctpart" "$work/job" || exit 1
"$python" "$srcdir/tests/bin/report/report_browser.py" "$CTPROF" "$work" \
	"$work/exact.json" "$traces/torch_trace_functions.log.gz" \
	"$traces/compile/functions.json.gz" "$work/job.ctpart" "$@"
