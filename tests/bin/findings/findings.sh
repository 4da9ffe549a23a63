#!/bin/sh
# SPDX-License-Identifier: MIT
# Each rule finds what a made recording has, with a share that was computed by
# hand, and nothing below its limit.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
traces=$srcdir/tests/traces
srcdir=$srcdir "$python" "$srcdir/tests/bin/findings/findings_make.py" "$work" ||
	exit 99
cd "$work" || exit 99

# rows FILE...: "rule share text" of each finding.
rows() {
	"$CTPROF" findings -q --json "$@" |
		"$python" -c 'import json, sys
for row in json.load(sys.stdin)["rows"]:
    print(row["rule"], row["share"], row["text"])'
}

# finds RULE SHARE WORDS FILE...: the words are a pattern of the sentence.
finds() {
	rule=$1
	share=$2
	words=$3
	shift 3
	rows "$@" >found
	grep -q "^$rule $share .*$words" found ||
		complain "$rule in $*: $(cat found)"
}

# finds_not RULE FILE...
finds_not() {
	rule=$1
	shift
	rows "$@" >found
	! grep -q "^$rule " found || complain "$rule in $*: $(cat found)"
}

finds gpu_idle 0.8 "GPU 0 (NVIDIA H100 80GB HBM3) was idle 80 % of" idle.json
finds_not gpu_idle busy.json
finds exposed_communication 0.3 'takes 30 % of' exposed.json
finds_not exposed_communication hidden.json
finds straggler 0.2 'Rank 2 takes 400.0 us longer per step .*: slow compute' job
finds_not straggler job/rank0.json
finds hot_function 0.6 "'a' takes 60 % of the time itself" hot.folded
[ -z "$(rows even.folded)" ] || complain "healthy: $(rows even.folded)"
"$CTPROF" findings even.folded | grep -qx 'No findings.' ||
	complain "healthy as text: $("$CTPROF" findings even.folded)"
finds headers 0.25 "'/usr/include/big.h' is read 2 times and takes 500.0 ms" \
	build
finds templates 0.15 "sort' is instantiated 4 times and takes 300.0 ms" \
	instances
finds_not templates few
finds slow_kernels 0.6 "1 kernel below 2 % .* 60 % .*'kernel of aten::mm'" \
	slow.json
finds_not slow_kernels fast.json
finds recording_cost 0.2 'took about 20 % of .*: 2000 ranges' costly.json
finds_not recording_cost cheap.json
finds allocated_again 0.5 "'decode' allocates and frees 10.5 MB in each of 6" \
	again.json
finds memory_growth 0.363636 'of GPU 0 grows in 4 of 4 steps, by 8.4 MB' grows.json
for name in small pooled less steady; do
	finds_not allocated_again $name.json
	finds_not memory_growth $name.json
done
finds recompilations '0\.[0-9]*' '2 recompilations take' \
	"$traces/compile/functions.json.gz"
finds graph_breaks '0\.[0-9]*' 'graph breaks throw' \
	"$traces/torch_trace_graph_breaks.log.gz"

# A recording without its end, and its cost.
"$CTPROF" record -q -o run.ctp -- "$CLI_PROGRAM" kill
"$CTPROF" convert -q -t chrome -o run.json run.ctp
head -c $(($(wc -c <run.json) - 40)) run.json >cut.json
finds losses None 'not complete' cut.json
finds_not losses run.json

# A profile with a million short calls.
"$python" - <<'END'
import marshal
calls = {("a.py", 1, "short"): (2000000, 2000000, 0.5, 0.5, {})}
for i in range(9):
    calls[("a.py", 10 + i, f"f{i}")] = (10, 10, 0.5, 0.5, {})
with open("many.pstats", "wb") as file:
    marshal.dump(calls, file)
END
finds many_calls 0.1 "'short' is called 2000000 times and takes 250 ns each" \
	many.pstats

# The same in all forms, from a summary, and on the page.
"$CTPROF" summarize -q -o job.ctpart job
rows job >one
rows job.ctpart >two
rows --sum job/rank*.json >three
cmp -s one two && cmp -s one three || complain "sums: $(cat one two three)"
"$CTPROF" findings --csv idle.json exposed.json >out
[ "$(wc -l <out)" = 3 ] || complain "CSV: $(cat out)"
"$CTPROF" findings idle.json exposed.json >out
[ "$(grep -c 'Cure: ' out)" = 2 ] || complain "text: $(cat out)"
"$CTPROF" report -q -o page.html exposed.json
grep -q 'takes 30 % of' page.html || complain "no finding on the page"

# Names are text.
printf 'main;\033[31m<b>%0300d 900\nmain;a 1\nmain;b 1\nmain;c 1\n' 1 >bad.folded
"$CTPROF" findings bad.folded >out
grep -q 'takes 100 % of the time itself' out || complain "a bad name: $(cat out)"
! grep -q "$(printf '\033')" out || complain "an escape: $(cat out)"
exit $failed
