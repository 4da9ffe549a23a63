# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# shellcheck disable=SC2154
# Traces for the tests of examples/scale, in the current directory. Sourced
# after prelude.sh.
#
#	traces/		of seven ranks, and one that cannot be read
#	serial.ctpart	their sums by one program
#	bin/ctprof	the program, in PATH
mkdir traces bin
"$python" - <<'PYTHON'
import json

for rank in range(7):
    events = [{"ph": "X", "name": f"f{number % 17}", "pid": 1, "tid": 1,
               "ts": 10 * number, "dur": 5 + (rank + number) % 4}
              for number in range(20 + 30 * rank)]
    with open(f"traces/rank{rank}.json", "w") as file:
        json.dump({"distributedInfo": {"rank": rank}, "traceEvents": events},
                  file)
PYTHON
echo garbage >traces/rank7.ctp
ln -s "$CTPROF" bin/ctprof
PATH=$PWD/bin:$PATH
export PATH
"$CTPROF" summarize -q -o serial.ctpart "$PWD/traces" 2>/dev/null
[ $? = 3 ] || fail "the serial sums do not lack the bad input"

# equals FILE WHAT: the file has the serial sums.
equals() {
	cmp serial.ctpart "$1"
	report $? "$2"
}
