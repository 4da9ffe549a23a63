#!/bin/bash
# SPDX-License-Identifier: MIT
# ctprof repair on other tools' files: all kinds of damage, and the messages of
# the command.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
need "$python"

# expect STATUS ARGUMENT...: runs ctprof repair; `out` and `said` are its
# output.
expect() {
	local want=$1 got=0
	shift
	what="repair $*"
	"$CTPROF" repair "$@" >"$work/out" 2>"$work/said" || got=$?
	[ "$got" = "$want" ] ||
		complain "$what: status $got, not $want: $(cat "$work/said")"
}

says() {
	grep -qF -- "$1" "$work/said" ||
		complain "$what: did not say '$1' but $(cat "$work/said")"
}

is() {
	cmp -s "$work/$1" "$work/$2" || complain "$what: $(cat "$work/$1")"
}

event='{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}'
echo "[$event]" >"$work/good.json"
printf '%s' "[$event,{\"ph\":\"X\"" >"$work/cut.json"
printf '%s' "[$event]" >"$work/want.json"
gzip -c "$work/cut.json" >"$work/cut.json.gz"

expect 0 "$work/good.json" -o "$work/a.json"
says 'good.json: nothing to repair'
is a.json good.json
expect 5 "$work/cut.json" -o "$work/a.json"
is a.json good.json
expect 0 "$work/cut.json" -o "$work/a.json" --force
says 'cut.json: 1 truncated at the end'
is a.json want.json
expect 0 "$work/cut.json.gz" -o -
is out want.json
expect 0 -q - -o - <"$work/cut.json"
is out want.json
[ -s "$work/said" ] && complain "$what: $(cat "$work/said")"

# A repaired file stays unchanged too.
cp "$work/cut.json" "$work/b.json"
expect 5 "$work/b.json" -o "$work/b.json" --force
says 'b.json: is also an input; write to another file'
is b.json cut.json

# The compressed data itself may be damaged.
head -c 60 "$work/cut.json.gz" >"$work/short.json.gz"
expect 0 "$work/short.json.gz" -o "$work/c.json" --json
grep -q '"truncated":true' "$work/out" || complain "$what: $(cat "$work/out")"
says 'short.json.gz: byte 60'

# Input that is not JSON, empty, or a log.
printf '' >"$work/empty"
expect 0 "$work/empty" -o "$work/d.json"
says 'is empty, and so is the repaired trace'
[ "$(cat "$work/d.json")" = '[]' ] || complain "$what: $(cat "$work/d.json")"
head -c 12 "$work/cut.json.gz" >"$work/short.json.gz"
expect 0 "$work/short.json.gz" -o "$work/d.json" --force
says 'byte 12: the compressed data are truncated'
rm "$work/d.json"
echo 'no JSON at all' >"$work/text"
expect 3 "$work/text" -o "$work/d.json"
says 'neither a JSON object nor a JSON array'
printf 'int main(void) {\n\tint a[] = {1};\n\treturn a[0];\n}\n' >"$work/x.c"
expect 3 "$work/x.c" -o "$work/d.json"
says 'x.c: has no events, and is not a trace in JSON'
[ -e "$work/d.json" ] && complain "$what: something was left"
# But a document may follow log lines.
{
	yes 'INFO: up' | head -n 1000
	echo '{"$schema":"https://www.speedscope.app/file-format-schema.json",'
	echo '"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"evented",'
	echo '"name":"p","unit":"none","startValue":0,"endValue":1,"events":[]'
} >"$work/late.json"
expect 0 "$work/late.json" -o "$work/e.json"
expect 0 "$work/e.json" -o - -q
grep -q '"frames":' "$work/out" || complain "late: $(cat "$work/out")"
"$CTPROF" convert -q "$work/good.json" -o "$work/log.ctp"
expect 3 "$work/log.ctp" -o "$work/d.json"
says "log.ctp: is a ctprof log"
"$CTPROF" convert -q "$work/good.json" -o "$work/p.pstats"
expect 3 "$work/p.pstats" -o "$work/d.json"
says 'is pstats'
expect 3 "$work/none" -o "$work/d.json"
[ -e "$work/d.json" ] && complain "something was left"
expect 5 "$work/good.json" -o /dev/full
says 'No space left'

for args in "--json -o - x" "-o a" "-o a x y" "--all -o a x" "--force x"; do
	# shellcheck disable=SC2086
	expect 2 $args
done

# The readers recommend ctprof repair for files that they cannot read.
echo "[$event,{\"ph\":\"X\",\"name\":\"say \"a\"\"},$event]" >"$work/e.json"
"$CTPROF" convert -t folded "$work/e.json" >/dev/null 2>"$work/said"
what=convert
says "'ctprof repair' fixes it"

# A trace truncated before its first event is an empty trace.
convert() {
	what="convert of $1"
	printf '%s' "$1" >"$work/f.json"
	"$CTPROF" convert -t csv "$work/f.json" >/dev/null 2>"$work/said"
}
for text in '[' '[]' '[{"name":"a' '{' '{"traceEv' '{"schemaVersion":1,"dev' \
	'{"distributedInfo":{"ra' '{"traceEvents":[{"ph":"X","na' \
	'{"$schema": "https://www.speedsco'; do
	convert "$text" || complain "$what: $(cat "$work/said")"
done
# But another kind of document is not.
for text in '{}' '[1]' '[{"name":"a"}]' '[{"directory":"/"' '{"name":"a"' \
	'{"name":"a","version":"1"}' '{"schemaVersion":2}' '"abc' ' '; do
	convert "$text" && complain "$what: is not a trace"
done
says 'contains only white space'

"$python" "$srcdir/tests/formats/json_repair/repair_json.py" "$CTPROF" \
	"$PWD/tests/formats/json_repair/repair_many" "$srcdir/tests/traces" || failed=1
exit $failed
