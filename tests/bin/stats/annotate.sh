#!/bin/sh
# SPDX-License-Identifier: MIT
# Operations get the data of their nodes, by rules that annotate_check.py
# implements again; an invalid registry is refused with the reason.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
CTPROF_TMPDIR=$work
export CTPROF_TMPDIR

"$python" "$srcdir/tests/bin/stats/annotate_check.py" "$CTPROF" "$work" 20 ||
	failed=1

trace=$work/t.json
# refused STATUS WORDS < REGISTRY
refused() {
	"$CTPROF" annotate --registry - "$trace" -o "$work/out.json" \
		2>"$work/err"
	status=$?
	[ $status -eq "$1" ] || complain "$2: status $status"
	[ "$(cat "$work/err")" = "ctprof: standard input: $2" ] ||
		complain "$2: says $(cat "$work/err")"
	[ ! -e "$work/out.json" ] || complain "$2: wrote an output"
}

printf '[1]' | refused 3 'is an array, not an object'
printf '7' | refused 3 'is a number, not an object'
printf '{"a":1}' | refused 3 '"a" is a number, not an object'
printf '{"a.py":{"node_metadata":[]}}' |
	refused 3 '"a.py": "node_metadata" is an array, not an object'
printf '{"a.py":{"node_metadata":{"1x":{}}}}' | refused 3 \
	'"a.py": "node_metadata" has "1x", which is not the index of a node'
printf '{"a.py":{"node_metadata":{"1":true}}}' |
	refused 3 '"a.py": node 1 is true, not an object'
printf '{"a.py":{"node_metadata":{"1":{"name":{}}}}}' |
	refused 3 '"a.py": node 1: "name" is an object, not a text'
printf '{"a.py":{"node_metadata":{"1":{"stack_trace":2.5}}}}' |
	refused 3 '"a.py": node 1: "stack_trace" is a number, not a text'
head -c 5000 /dev/zero | tr '\0' '[' | refused 3 \
	"byte 2049: not JSON: maximum parsing depth reached near '['"
"$python" -c 'print("[" + "{}," * 400000 + "{}]")' >"$work/large"
"$CTPROF" annotate --max-mem 8M --registry "$work/large" "$trace" \
	-o "$work/out.json" 2>"$work/err"
[ $? -eq 6 ] || complain "too large: status"
grep -q 'needs more than the limit' "$work/err" || complain "too large: words"
"$CTPROF" annotate --registry "$work/missing" "$trace" 2>"$work/err"
[ $? -eq 3 ] || complain "missing: status"
grep -q 'cannot open' "$work/err" || complain "missing: $(cat "$work/err")"
"$CTPROF" annotate "$trace" 2>"$work/err" >"$work/out"
[ $? -eq 2 ] || complain "no registry: status"

# Missing markers are reported, and the output is written.
words() {
	"$CTPROF" annotate --force --registry "$work/$1" "$2" \
		-o "$work/out.json" 2>"$work/err" || complain "$3: refused"
	grep -q "$3" "$work/err" || complain "$3: $(cat "$work/err")"
	[ -s "$work/out.json" ] || complain "$3: wrote nothing"
}
echo '{}' >"$work/empty.json"
words empty.json "$trace" 'none of its nodes are in'
words fx.json "$srcdir/tests/traces/cpu_only.json.gz" \
	'has no markers like "## NAME.py ##": nothing annotated'
printf '[{"ph":"X","cat":"cpu_op","name":"## a.py ##","pid":1,"tid":1,"ts":1,
"dur":2}]' >"$work/file.json"
words fx.json "$work/file.json" 'has no markers like "## 12 ##"'

# A summary is printed on request.
counted() {
	printf '{"a.py":{"node_metadata":{%s}}}' "$1" >"$work/some.json"
	"$CTPROF" annotate -v --force --registry "$work/some.json" \
		"$work/two.json" -o "$work/out.json" 2>"$work/err"
	grep -qF "$2" "$work/err" || complain "$2: $(cat "$work/err")"
}
printf '[{"ph":"X","cat":"cpu_op","name":"## a.py ##","pid":1,"tid":1,"ts":1,
"dur":9},{"ph":"X","cat":"cpu_op","name":"## 1 ##","pid":1,"tid":1,"ts":2,
"dur":2},{"ph":"X","cat":"cpu_op","name":"mm","pid":1,"tid":1,"ts":3,"dur":1},
{"ph":"X","cat":"cpu_op","name":"## 2 ##","pid":1,"tid":1,"ts":5,"dur":2}]' \
	>"$work/two.json"
counted '"1":{"name":"x"},"2":{"name":"y"}' \
	'1 operations annotated by 2 node markers'
counted '"1":{"name":"x"}' \
	'1 operations annotated, but 1 of 2 node markers are not in'
printf '{"traceEvents":[]}' >"$work/none.json"
words fx.json "$work/none.json" 'has no markers'
printf 'main 10\n' >"$work/x.folded"
"$CTPROF" annotate --registry "$work/fx.json" "$work/x.folded" \
	2>"$work/err" >"$work/out"
[ $? -eq 3 ] || complain "a profile: not refused"
exit $failed
