#!/bin/sh
# SPDX-License-Identifier: MIT
# The gate for pull requests, as a CI server runs it, and the servers' files.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
gate=$srcdir/examples/ci/perf-gate/perf_gate.sh
mkdir "$work/bin" "$work/job"
ln -s "$CTPROF" "$work/bin/ctprof"
PATH=$work/bin:$PATH
cd "$work/job" || exit 99

# expect STATUS [VARIABLE=VALUE...]: the job ends so. Its program always takes
# the same time.
expect() {
	wanted=$1
	shift
	env "$@" "$gate" "$CLI_PROGRAM" >out 2>&1
	status=$?
	[ $status = "$wanted" ] || complain "$*: $status, not $wanted: $(cat out)"
}

expect 0 PERF_RUNS=1
grep -q 'nothing to compare with$' out || complain "no store: $(cat out)"
expect 0 PERF_SAVE=1 PERF_RUNS=2
[ "$(ls perf-store/main)" = "$(printf '1.ctpart\n2.ctpart')" ] ||
	complain "store: $(ls perf-store/main)"
expect 0 PERF_LINK=https://x.example/1
grep -q '^### ctprof check: nothing is slower' perf-out/comment.md ||
	complain "comment: $(cat perf-out/comment.md)"
grep -q 'https://x.example/1' perf-out/comment.md || complain "no link"
[ -s perf-out/junit.xml ] && [ -s perf-out/changed.svg ] ||
	complain "results: $(ls perf-out)"

# A base that took half the time.
ctprof convert -q -t chrome -o half.json perf-out/1.ctp
"$python" - <<'END' || complain "half.json"
import json
trace = json.load(open("half.json"))
for event in trace["traceEvents"] if isinstance(trace, dict) else trace:
    for key in "ts", "dur":
        if key in event:
            event[key] /= 2
json.dump(trace, open("half.json", "w"))
END
ctprof check -q --baseline perf-store --branch fast --save half.json
expect 1 PERF_BASE=fast
grep -q '^| \*\*slower\*\* | `main`' perf-out/comment.md ||
	complain "comment: $(cat perf-out/comment.md)"
expect 0 PERF_BASE=fast PERF_LIMIT=100%
echo 'off *' >limits
expect 0 PERF_BASE=fast PERF_LIMITS=limits
expect 3 PERF_BASE=other
"$gate" >out 2>&1
[ $? = 2 ] && grep -q PERF_STORE out || complain "help: $(cat out)"

yaml=
for each in "$python" /usr/bin/python3; do
	"$each" -c 'import yaml' 2>/dev/null && yaml=$each
done
if [ -n "$yaml" ]; then
	"$yaml" "$srcdir/tests/examples/ci_files.py" "$srcdir/examples/ci" ||
		complain "the servers' files"
else
	echo "skipped files: no PyYAML"
fi
exit $failed
