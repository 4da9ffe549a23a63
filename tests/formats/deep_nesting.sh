#!/bin/sh
# SPDX-License-Identifier: MIT
# Millions of nested values of each kind are rejected or read with a small
# stack; and pattern matching terminates for any pattern.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
# Recursion for each level would need more.
# shellcheck disable=SC3045
ulimit -s 1024

report() {
	if [ "$1" = 0 ]; then
		echo "ok $2"
	else
		echo "not ok $2: $(head -c 300 "$work/err")"
		failed=1
	fi
}

# of BYTES TEXT: repeats the text.
of() {
	yes "$2" | tr -d '\n' | head -c "$1"
}

# ends STATUS NAME COMMAND...: does it end with a message, not by a signal?
ends() {
	expected=$1
	name=$2
	shift 2
	timeout 100 "$@" >"$work/out" 2>"$work/err"
	[ $? = "$expected" ] && grep -q '^ctprof: ' "$work/err"
	report $? "$name"
}

event='"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"f"'
{
	printf '[{%s,"args":{"a":' "$event"
	of 10000000 '['
	of 10000000 ']'
	printf '}}]\n'
} >"$work/arrays"
{
	printf '{"other":'
	of 50000000 '{"a":'
	printf '1'
	of 10000000 '}'
	printf ',"traceEvents":[{%s}]}\n' "$event"
} >"$work/objects"
{
	# shellcheck disable=SC2016
	printf '{"$schema":"https://www.speedscope.app/file-format-schema.json",'
	printf '"shared":{"frames":'
	of 10000000 '['
} >"$work/frames"
for name in arrays objects frames; do
	ends 6 "JSON: ten million $name" \
		"$CTPROF" convert -t pstats "$work/$name"
done
for name in arrays objects; do
	timeout 100 "$CTPROF" repair -o "$work/$name.json" "$work/$name" \
		>"$work/out" 2>"$work/err"
	report $? "repair: ten million $name are mended"
done
ends 3 "the registry of nodes: ten million arrays" \
	"$CTPROF" annotate --registry "$work/arrays" "$work/arrays.json"

printf 'main;f 1\nmain;g 2\n' >"$work/folded"
"$CTPROF" convert -t pstats "$work/folded" >"$work/pstats"
"$CTPROF" convert -t pprof "$work/folded" | gzip -dc >"$work/pprof"
# A table whose first key is a tuple of one, that of another, and so on.
{
	printf '{'
	of 20000000 ')!' | tr '!' '\001'
} >"$work/tuples"
ends 3 "marshal: ten million tuples" \
	"$CTPROF" convert -f pstats -t folded "$work/tuples"
# Groups, which are obsolete, of field 15.
{
	cat "$work/pprof"
	of 10000000 '{'
	of 10000000 '|'
} >"$work/groups"
ends 4 "protobuf: ten million groups" \
	"$CTPROF" convert --strict -f pprof -t folded "$work/groups"

# A name that nearly matches in as many ways as possible.
{
	printf 'main;f 1\nmain;'
	of 50000 'a'
	printf ' 5\n'
} >"$work/long"
stars=$(of 4000 'a*')b
printf '1%%  %s\n1%%  *%sb\n' "$stars" "$(of 2000 'a')" >"$work/allowed"
timeout 100 "$CTPROF" check --limits "$work/allowed" "$work/long" "$work/long" \
	>"$work/out" 2>"$work/err"
report $? "check: limits with thousands of stars"
{
	echo 'phase p'
	echo "name $stars"
	echo "name *$(of 2000 'a')b"
} >"$work/rules"
printf '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"%s"}]\n' \
	"$(of 50000 'a')" >"$work/name"
timeout 100 "$CTPROF" phases --rules "$work/rules" "$work/name" \
	>"$work/out" 2>"$work/err"
report $? "phases: rules with thousands of stars"
ends 1 "cut: a pattern with thousands of stars" \
	"$CTPROF" cut --around "$stars" -t chrome "$work/name"
exit $failed
