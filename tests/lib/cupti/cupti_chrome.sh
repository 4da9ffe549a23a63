#!/bin/bash
# SPDX-License-Identifier: MIT
# Activities of a program on the fake GPU, as read by tools for PyTorch's
# traces: each kernel belongs to the operator that launched it.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
fake=$build/tests/lib/cupti/fake/.libs
# LeakSanitizer crashes when it inspects threads of libraries that are loaded
# late.
export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"
cd "$work" || exit 99

for mode in light full; do
	env CTPROF_OUT=run.ctp CTPROF_SPOOL="$work" CTPROF_GPU=$mode \
		CUDA_INJECTION64_PATH="$build/.libs/libctprof-inject.so" \
		CTPROF_CUPTI_LIB="$fake/libcupti.so.13" \
		LD_LIBRARY_PATH="$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
		timeout 50 "$build/tests/lib/cupti/cupti_program" nested >out 2>err
	got=$?
	if [ $got != 7 ] || [ -s err ]; then
		echo "FAILED: $mode: status $got"
		cat err
		exit 1
	fi
	"$CTPROF" convert --strict -q --force -t chrome -o run.json run.ctp &&
		"$CTPROF" info --json run.ctp >info.json &&
		"$python" - "$mode" <<'END' || exit 1
import json, sys
mode = sys.argv[1]
trace = json.load(open("run.json"))
info = json.load(open("info.json"))
events = trace["traceEvents"]
devices = {device["id"]: device for device in trace["deviceProperties"]}
rows = {(event["pid"], event["tid"]): event["args"]["name"]
        for event in events if event["name"] == "thread_name"}

operations = {}
for event in events:
    if event.get("cat") == "cpu_op":
        assert event["args"]["External id"] not in operations, event
        operations[event["args"]["External id"]] = event

# The size of the grid identifies the range.
names = {1: "outer", 2: "middle", 3: "inner", 4: "inner"}
kernels = [event for event in events if event.get("cat") == "kernel"]
calls = {event["args"]["correlation"]: event for event in events
         if event["ph"] == "X" and "device" not in event["args"]
         and "correlation" in event["args"]}
starts = {event["id"]: event for event in events if event["ph"] == "s"}
ends = {event["id"]: event for event in events if event["ph"] == "f"}
assert len(kernels) == info["counts"]["device"] == 10, len(kernels)
assert len(starts) == len(ends) == 10
for kernel in kernels:
    args = kernel["args"]
    operation = operations[args["External id"]]
    call = calls[args["correlation"]]
    assert operation["name"] == names[args["grid"][0]], (kernel, operation)
    assert call["args"]["External id"] == args["External id"]
    assert operation["ts"] <= call["ts"]
    for flow, slice in ((starts, call), (ends, kernel)):
        for key in ("pid", "tid", "ts"):
            assert flow[args["correlation"]][key] == slice[key], slice
    assert kernel["pid"] == args["device"] == 0
    assert kernel["tid"] == args["stream"] == 7
    assert rows[0, 7] == "stream 7 (default)", rows
    device = devices[args["device"]]
    blocks = args["grid"][0] * args["grid"][1] * args["grid"][2]
    assert abs(args["blocks per SM"] - blocks / device["numSms"]) < 1e-12
assert trace["otherData"]["losses"] == {}, trace["otherData"]

assert info["devices"] == len(info["device_properties"]) == 1
assert info["device_properties"][0]["properties"]["name"] == \
    devices[0]["name"]
assert info["facts"]["gpu.mode"] == mode
assert (info["counts"]["calls"] > 0) == (mode == "full"), info["counts"]
assert info["clock_skew_ns"] is not None and info["lost"] == {}
END
	rm run.ctp
done
echo "each kernel belongs to the operation that launched it"
