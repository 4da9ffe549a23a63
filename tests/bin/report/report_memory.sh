#!/bin/sh
# SPDX-License-Identifier: MIT
# Memory over time on the page of `ctprof report`.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

"$python" "$srcdir/tests/bin/report/report_memory.py" "$CTPROF" "$work" ||
	failed=1

# pool FILE: the first device's counts and peak.
pool() {
	rm -f "$work/page.html"
	"$CTPROF" report -q -o "$work/page.html" "$1" || complain "$1: failed"
	"$python" - "$work/page.html" <<'END'
import json, sys
page = open(sys.argv[1], encoding="utf-8").read()
data = page.split('id="data">\n')[1].split("\n</script>")[0]
for pool in json.loads(data)["inputs"][0]["allocations"]["pools"]:
    print(*(pool[key] for key in ("type", "number", "allocs", "frees", "failed",
                                  "before_bytes")),
          pool["peak"]["bytes"], pool["peak"]["depth"])
END
}

# Events of a log.
CTPROF_OUT="$work/all.ctp" ./tests/lib/recorder/record_everything || exit 1
pool "$work/all.ctp" >"$work/out"
printf '%s\n' 'cpu -1 1 1 0 0 1000 1' 'cuda 3 1 0 0 0 1099511627776 1' |
	cmp -s - "$work/out" || complain "a log: $(cat "$work/out")"

# Arguments of any size and type: levels saturate, and no event is counted
# without its bytes.
instant() {
	printf '{"ph":"i","cat":"x","s":"t","pid":1,"tid":1,"ts":1,"name":"%s",' "$1"
	printf '"args":{%s}},\n' "$2"
}
{
	echo '['
	instant '[memory]' '"Bytes":9223372036854775807,"Addr":1'
	instant '[memory]' '"Bytes":9223372036854775807,"Addr":2'
	instant '[memory]' '"Bytes":-9223372036854775807,"Addr":3'
	instant '[memory]' '"Bytes":"1","Addr":4'
	instant '[memory]' '"Addr":5'
	instant '[memory]' '"Bytes":0.5,"Addr":{}'
	instant '[memory]' '"Bytes":1e30,"Device Type":[1]'
	instant '[OutOfMemory]' '"Bytes":1'
} >"$work/bad.json"
pool "$work/bad.json" >"$work/out"
grep -q '^cpu -1 2 1 1 1152921504606846976 ' "$work/out" ||
	complain "bad arguments: $(cat "$work/out")"
exit $failed
