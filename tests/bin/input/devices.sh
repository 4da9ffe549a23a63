#!/bin/bash
# SPDX-License-Identifier: MIT
# Device activities, from a log (device.recipe) to tables and profiles: the
# numbers are computed by hand from the recipe.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
./tests/support/make_log "$srcdir/tests/support/device.recipe" > "$work/run.ctp" || exit 99
cd "$work" || exit 99

# is COMMAND...: it succeeds and prints the text on stdin.
is() {
	local status=0
	cat > want
	"$@" > out 2> err || status=$?
	[ $status = 0 ] || complain "$*: status $status: $(cat err)"
	cmp -s want out || complain "$*: $(diff want out)"
}

is "$CTPROF" stats --strict --gpu run.ctp <<'END'
count  total us  mean us  min us  max us  share %  device      what it did
    5     1.120    0.224   0.010   0.700    51.85  0 Tester 9  gemm
    1     1.000    1.000   1.000   1.000    46.30  0 Tester 9  Memcpy HtoD (Pageable -> Device)
    1     0.040    0.040   0.040   0.040     1.85  0 Tester 9  Memset (Device)

ncalls  self device us  device us  tottime us  cumtime us  launched by
     1           0.100      2.150       0.090       0.200  main (a.c:1)
     2           2.050      2.050       0.070       0.090  step (a.c:10)

Device time: 2.160 us in 7 activities
Activities whose launch is not in the log: 1
END
is "$CTPROF" stats run.ctp <<'END'
ncalls  pcalls  tottime us  self %  cumtime us  function
     5       5       1.120   47.46       1.120  gemm <gpu:0 Tester 9>
     1       1       1.000   42.37       1.000  Memcpy HtoD (Pageable -> Device) <gpu:0 Tester 9>
     1       1       0.090    3.81       0.200  main (a.c:1)
     2       1       0.070    2.97       0.090  step (a.c:10)
     1       1       0.040    1.69       0.040  Memset (Device) <gpu:0 Tester 9>
     1       1       0.020    0.85       0.020  cudaGraphLaunch
     2       2       0.020    0.85       0.020  cudaLaunchKernel

Total timings: 13, unique functions: 7
Sum tottime: 2.360 us, sum cumtime: 2.490 us
END
is "$CTPROF" stats --device=host --csv run.ctp <<'END'
name,file,line,ncalls,pcalls,tottime_ns,cumtime_ns
main,a.c,1,1,1,90,200
step,a.c,10,2,1,70,90
cudaGraphLaunch,,0,1,1,20,20
cudaLaunchKernel,,0,2,2,20,20
END
is "$CTPROF" stats --device=device --csv --sort tottime run.ctp <<'END'
name,file,line,ncalls,pcalls,tottime_ns,cumtime_ns,self_device_ns,device_ns
gemm,<gpu:0 Tester 9>,0,5,5,1120,1120,1120,1120
Memcpy HtoD (Pageable -> Device),<gpu:0 Tester 9>,0,1,1,1000,1000,1000,1000
Memset (Device),<gpu:0 Tester 9>,0,1,1,40,40,40,40
main,a.c,1,1,1,0,2150,100,2150
step,a.c,10,2,1,0,2050,2050,2050
cudaGraphLaunch,,0,1,1,0,0,0,0
cudaLaunchKernel,,0,2,2,0,0,0,0
END
is "$CTPROF" convert -t folded run.ctp <<'END'
gemm 10
main 90
main;gemm 60
main;step 40
main;step;gemm 300
main;step;step 30
main;step;step;gemm 750
main;step;step;Memcpy HtoD (Pageable -> Device) 1000
main;step;step;cudaLaunchKernel 10
main;step;cudaLaunchKernel 10
main;Memset (Device) 40
main;cudaGraphLaunch 20
END
is "$CTPROF" convert -t folded --device=host run.ctp <<'END'
main 90
main;step 40
main;step;step 30
main;step;step;cudaLaunchKernel 10
main;step;cudaLaunchKernel 10
main;cudaGraphLaunch 20
END
is "$CTPROF" convert -t folded --device=device run.ctp <<'END'
main;step;step;gemm 750
main;step;step;Memcpy HtoD (Pageable -> Device) 1000
main;step;gemm 300
main;gemm 60
main;Memset (Device) 40
gemm 10
END
"$CTPROF" convert -t pstats --device=separate run.ctp > one.pstats &&
	"$CTPROF" convert -t pstats run.ctp | cmp - one.pstats ||
	complain "--device=separate differs from the default"

# Each function of the host has the figures of its kernels' callers.
"$CTPROF" stats --gpu --json --callers run.ctp > out &&
	"$python" - <<'END' || complain "stats --gpu --json"
import json

with open("out", encoding="utf-8") as file:
    report = json.load(file)
assert report["notes"]["unmatched"] == report["unmatched"] == 1
assert report["lost"] == {}
launched = {}
for row in report["kernels"]:
    for caller in row["callers"]:
        launched.setdefault(caller["name"], []).append(caller["total_ns"])
assert {name: sum(times) for name, times in launched.items()} == {
    row["name"]: row["self_device_ns"] for row in report["rows"]}
total = sum(row["total_ns"] for row in report["kernels"])
assert total == report["device_ns"] == 2160
assert [row["bytes"] for row in report["kernels"]] == [0, 4096, 512]
END

# A device with a fast clock works without a pause: nothing seems to overlap.
cat > busy.recipe <<'END'
[0, {'format': 'ctprof log', 'version': 1, 'reader': 1, 'tool': 'ctprof 0.1.0', 'host': 'here', 'pid': 42, 'command': ['train'], 'realtime': 1700000000000000000, 'clock': 'tsc', 'clock_hz': 2600000000, 'policy': 'block', 'min_ns': 0, 'spool': ''}]
[1, 1, [['gemm', '', 0, 0, 0, '', 'kernel', 0]]]
[2, 1, 2, 7, '', 0, 1]
[9, 1, [[1, 1, {}]]]
[11, [[0, 0], [2000000, 2000100]]]
[8, 1000, [0, 1000 * 1899], [1000 * 1900], [1 * 1900], [1 * 1900], [0 * 1900], [], []]
[6, {'log': 9000, 'events': 1900, 'blocks': 6}]
END
"$build/tests/support/make_log" busy.recipe > busy.ctp &&
	"$CTPROF" convert -q -t chrome -o busy.json busy.ctp &&
	"$python" - <<'END' || complain "a busy device"
import json

with open("busy.json", encoding="utf-8") as file:
    trace = json.load(file)
kernels = [event for event in trace["traceEvents"] if event["ph"] == "X"]
assert len(kernels) == 1900, len(kernels)
assert {kernel["tid"] for kernel in kernels} == {7}, "in several rows"
assert "overlaps" not in trace["otherData"]["losses"]
END

"$CTPROF" stats --gpu --device=host run.ctp > out 2>&1
[ $? = 2 ] || complain "stats --gpu --device: $(cat out)"
"$CTPROF" stats --device=both run.ctp > out 2>&1
[ $? = 2 ] || complain "stats --device=both: $(cat out)"
exit $failed
