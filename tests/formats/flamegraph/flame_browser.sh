#!/bin/sh
# SPDX-License-Identifier: MIT
# Flame graphs, in a browser.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

# slice NAME START DURATION: in microseconds, on one thread.
slice() {
	printf '{"ph":"X","pid":1,"tid":1,"name":"%s","ts":%s,"dur":%s},\n' "$@"
}

{
	echo '['
	slice main 0 100
	slice outer 0 60
	slice inner 0 50
	slice leaf 0 20
	slice other 60 30
	printf '{"ph":"X","pid":1,"tid":1,"cat":"cuda_runtime","name":"%s",' \
		cudaLaunchKernel
	echo '"ts":70,"dur":1,"args":{"correlation":1}},'
	printf '{"ph":"X","pid":0,"tid":7,"cat":"kernel","name":"%s",' \
		'void k<int>(int)'
	echo '"ts":80,"dur":40,"args":{"correlation":1,"stream":7,"device":0}}]'
} >"$work/device.json"
record_program 3 "$work/program.ctp"
# Python's frames have files; without the Python package, test the rest.
set --
recorded=$(package_python)
if [ -n "$recorded" ]; then
	PYTHONPATH=$PWD/python/package LD_LIBRARY_PATH=$PWD/.libs "$recorded" \
		-m ctprof -o "$work/python.ctp" \
		"$srcdir/tests/python/programs/calls.py" >"$work/out" 2>&1 || {
		cat "$work/out"
		exit 1
	}
	set -- "$work/python.ctp"
fi
printf '[{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"}]' >"$work/empty.json"
head -c 3000 "$work/program.ctp" >"$work/cut.ctp"
echo '[]' | "$CTPROF" convert -q -t log - -o "$work/nothing.ctp" || exit 1
"$python" "$srcdir/tests/formats/flamegraph/flame_browser.py" "$CTPROF" "$work" \
	"$work/device.json" "$work/program.ctp" "$work/empty.json" \
	"$work/cut.ctp" "$work/nothing.ctp" \
	"$srcdir/tests/traces/mi300_torch_compile_triton.json.gz" \
	"$srcdir/tests/traces/self-win-clang-19.1_main.json.gz" "$@"
