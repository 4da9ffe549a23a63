#!/bin/bash
# SPDX-License-Identifier: MIT
# The time by phase equals times counted by hand, and those of a method that
# examines each moment. Invalid rules are refused with their line; inputs
# without threads, or without events, get a message.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99

mkdir "$work/check"
PYTHONDONTWRITEBYTECODE=1 "$python" "$srcdir/tests/bin/input/phases_check.py" \
	"$CTPROF" "$work/check" "$srcdir/tests/traces" || failed=1
cd "$work" || exit 99
printf 'main;b;a 7\nmain;a;main;a 10\nmain 3\n' >calls.folded
clang=$srcdir/tests/traces/self-win-clang-19.1_main.json.gz

# status, text in stderr ("": empty), arguments; standard output goes to "out".
expect() {
	wanted=$1
	words=$2
	shift 2
	"$CTPROF" phases "$@" >out 2>err
	status=$?
	[ "$status" -eq "$wanted" ] || complain "$*: status $status"
	if [ -n "$words" ]; then
		grep -qF -e "$words" err
	else
		[ ! -s err ]
	fi || complain "$*: says $(cat err)"
}

# The text of rules, and the message about them.
refuse() {
	# shellcheck disable=SC2059
	printf "$1" >bad.rules
	expect 3 "$2" --rules bad.rules calls.folded
	[ ! -s out ] || complain "$1: printed $(cat out)"
	[ "$(wc -l <err)" -eq 1 ] || complain "$1: $(cat err)"
}

refuse '' 'ctprof: bad.rules: contains no "phase"'
refuse '# only\n\n' 'contains no "phase"'
refuse 'name a\n' 'bad.rules: line 1: no "phase" before this line'
refuse '\n#\nphase\n' 'line 3: no text after the first word'
refuse 'phase x\nname a\nname \t \n' 'line 3: no text after'
refuse 'phase x\nname a\nphrase b\n' 'line 3: must begin with'
refuse 'phase x\n\nphase y\nname a\n' 'line 1: no "name", "again" or "async" after'
refuse 'phase x\nname a\nfile b\n' 'line 3: no "name", "again" or "async" after'
refuse 'phase x\nname a\ncategory b' 'after "category"'
refuse 'phase (idle)\nname a\n' "line 1: a phase's name cannot begin with"
refuse 'phase x\nname a\033[2J\n' 'line 2: a control character'
refuse 'phase x\nname a\000b\n' 'line 2: a control character'
refuse 'phase x\nname \377\n' 'line 2: not UTF-8'
awk 'BEGIN { for (i = 0; i < 251; i++) printf "phase p%d\nname a\n", i }' >many
refuse "$(sed 's/$/\\n/' many | tr -d '\n')" 'line 501: there are too many phases'
awk 'BEGIN { print "phase x"; for (i = 0; i < 10001; i++) print "name a" }' \
	>bad.rules
expect 3 'line 10002: there are too many rules' --rules bad.rules calls.folded
head -c 1048577 /dev/zero | tr '\0' '#' >bad.rules
expect 3 'larger than 1 MiB' --rules bad.rules calls.folded
expect 3 "'nothing.rules' is neither a file nor one of clang, dynamo, import, nvcc" \
	--rules nothing.rules calls.folded
expect 3 'cannot read' --rules . calls.folded
expect 2 "'nothing' is not one of clang, dynamo, import, nvcc" --show-rules nothing

# A pattern that takes other matchers for ever.
stars=$(printf '%0200d' 0 | sed 's/0/*a/g')
name=$(printf '%02000d' 0 | tr 0 a)
printf 'phase x\nname %sb\n' "$stars" >stars.rules
printf '%s 5\n' "$name" >stars.folded
expect 0 '' --rules stars.rules --csv stars.folded
grep -q 'stars.rules,(unknown),0,5,5' out || complain "stars: $(cat out)"

# The longest possible rules, with the line ends of other systems.
printf 'phase  x y \r\nname a\r\nphase z\r\nname main' >ends.rules
expect 0 '' --rules ends.rules --csv calls.folded
printf 'rules,phase,count,self_ns,total_ns\n' >wanted
printf 'ends.rules,x y,3,17,17\nends.rules,z,2,3,20\n' >>wanted
cmp -s out wanted || complain "a tree of calls: $(cat out)"

# Without a tree, functions have their own time: a has 17, main 3.
"$CTPROF" convert -q calls.folded -o calls.pstats
printf 'phase x\nname a\n' >a.rules
expect 0 '' --rules a.rules calls.pstats
grep -q '^(1 of them have no call tree' out || complain "pstats: $(cat out)"
expect 0 '' --rules a.rules --csv calls.pstats
grep -q 'a.rules,x,[0-9]*,17,17' out || complain "pstats: $(cat out)"
grep -q 'a.rules,(unknown),0,3,3' out || complain "pstats: $(cat out)"

# A build: its units are added up, apart from other traces, and however many are
# read at a time.
mkdir -p build/sub
cp "$clang" build/one.json.gz
cp "$clang" build/sub/two.json.gz
cp "$srcdir/tests/traces/cpu_only.json.gz" build/other.json.gz
echo '{}' >build/no.json
expect 0 'left out: 1 without a trace' --csv build
cp out one
expect 0 'left out: 1 without a trace' -j 3 --csv build
cmp -s one out || complain "a build: not the same with several threads"
"$CTPROF" phases -q --csv --rules clang "$clang" |
	awk -F, -v OFS=, 'NR > 1 { $3 *= 2; $4 *= 2; $5 *= 2 } 1' >wanted
"$CTPROF" phases -q --csv build/other.json.gz | sed 1d >>wanted
cmp -s one wanted || complain "a build: $(diff one wanted)"
expect 0 '' -q --threads --json build
"$python" - out <<'EOF' || complain "a build: $(cat out)"
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
assert [one["input"] for one in report["threads"] if one["rules"]] == [
    "build/one.json.gz", "build/sub/two.json.gz"], report["threads"]
assert [one["input"] for one in report["threads"] if not one["rules"]] == [
    "build/other.json.gz"] * 3, report["threads"]
assert report["sets"][0]["inputs"] == report["sets"][0]["threads"] == 2
for one in report["threads"]:
    assert sum(one["phases"].values()) == one["wall_ns"]
EOF

# A summary has the same phases as its inputs, in any order and grouping, with
# those of profiles, and with headers that are asynchronous.
printf '{"traceEvents":[
{"ph":"X","pid":1,"tid":1,"ts":1,"dur":90,"name":"ExecuteCompiler"},
{"ph":"X","pid":1,"tid":1,"ts":2,"dur":80,"name":"Frontend"},
{"ph":"b","cat":"Source","id":7,"pid":1,"tid":1,"ts":5,"name":"Source","args":{"detail":"a.h"}},
{"ph":"b","cat":"Source","id":8,"pid":1,"tid":1,"ts":10,"name":"Source","args":{"detail":"b.h"}},
{"ph":"X","pid":1,"tid":1,"ts":12,"dur":3,"name":"InstantiateClass","args":{"detail":"c<int>"}},
{"ph":"e","cat":"Source","id":7,"pid":1,"tid":1,"ts":20,"name":"Source"},
{"ph":"e","cat":"Source","id":9,"pid":1,"tid":1,"ts":21,"name":"Source"},
{"ph":"e","cat":"Source","id":8,"pid":1,"tid":1,"ts":30,"name":"Source"},
{"ph":"b","cat":"Source","id":7,"pid":1,"tid":1,"ts":40,"name":"Source","args":{"detail":"a.h"}}]}' >headers.json
printf 'phase x\nname a\n' >a.rules
named=("$clang" "$srcdir/tests/traces/cpu_only.json.gz" "$work/check/import.json"
	calls.folded calls.pstats headers.json "$srcdir/tests/traces/nvcc_13.0.json.gz")
mkdir all
cp "${named[@]}" all
echo '{}' >all/no.json
"$CTPROF" summarize -q -o all.ctpart all && "$CTPROF" summarize -q -o 1.ctpart \
	"${named[@]:4}" && "$CTPROF" summarize -q -o 2.ctpart "${named[@]:0:4}" &&
	"$CTPROF" merge -q -o merged.ctpart 1.ctpart 2.ctpart ||
	complain "summaries: status $?"
for form in "" --json --csv; do
	# shellcheck disable=SC2086
	"$CTPROF" phases -q $form "${named[@]}" >wanted
	for inputs in merged.ctpart "2.ctpart 1.ctpart" \
		"2.ctpart ${named[*]:4}"; do
		# shellcheck disable=SC2086
		"$CTPROF" phases -q $form $inputs >out
		cmp -s wanted out || complain "$form $inputs: $(diff wanted out)"
	done
	# shellcheck disable=SC2086
	"$CTPROF" phases -q $form all >wanted
	# shellcheck disable=SC2086
	"$CTPROF" phases -q $form -j3 all.ctpart >out
	cmp -s wanted out || complain "$form a directory: $(diff wanted out)"
done
for input in "${named[@]}"; do
	"$CTPROF" summarize -q --force -o one.ctpart "$input"
	"$CTPROF" phases -q --json "$input" >wanted
	"$CTPROF" phases -q --json one.ctpart >out
	cmp -s wanted out || complain "a summary of $input: $(diff wanted out)"
done
# Headers: 5 to 30 without the template's 3, and 40 to the end.
printf '%s\n' rules,phase,count,self_ns,total_ns clang,compiler,1,1000,90000 \
	clang,frontend,1,13000,80000 clang,headers,3,73000,76000 \
	clang,templates,1,3000,3000 >wanted
"$CTPROF" summarize -q -o headers.ctpart headers.json &&
	expect 0 '' -q --csv headers.ctpart
cmp -s wanted out || complain "headers: $(cat out)"
for option in --threads '--rules clang'; do
	# shellcheck disable=SC2086
	expect 3 'for --rules and --threads, use its inputs' $option all.ctpart
done

# `stats` uses the same rules; this version has no headers.
"$CTPROF" phases -q --csv "$clang" >phases.csv
"$CTPROF" stats -q --csv --group phase "$clang" >stats.csv
for name in compiler templates backend optimizer 'machine code'; do
	ours=$(grep "^clang,$name," phases.csv | cut -d, -f4)
	theirs=$(grep "^phase,$name," stats.csv | cut -d, -f7)
	[ "${ours:-0}" = "${theirs:-none}" ] ||
		complain "$name: $ours ns, but $theirs ns for stats"
done

# nvcc's: headers and templates, as its compiler for the device reports them.
nvcc=$srcdir/tests/traces/nvcc_13.0.json.gz
for group in header template; do
	"$CTPROF" stats -q --json --group "$group" "$nvcc" >"$group.json"
done
gzip -dc "$nvcc" | "$python" -c '
import collections, json, posixpath, sys
wanted = {"header": collections.Counter(), "template": collections.Counter()}
for one in json.load(sys.stdin)["traceEvents"]:
    name, detail = one.get("name", ""), one.get("args", {}).get("detail")
    if name == "Processing Header File":
        wanted["header"][posixpath.normpath(detail)] += 1
    elif name.startswith("Instantiating "):
        instance = detail[detail.index(" [") + 2:-1]
        wanted["template"][name + " " + instance] += 1
for group, counts in wanted.items():
    with open(group + ".json", encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    found = {row["file"] or row["name"]: row["ncalls"] for row in rows}
    assert found == counts and counts, (group, found, counts)
' || complain "nvcc: headers or templates"

# Each set of rules separately, in one report.
expect 0 '' -q "$clang" "$work/check/import.json" \
	"$srcdir/tests/traces/cpu_only.json.gz"
[ "$(grep -c '^Phases by the rules ' out)" -eq 2 ] || complain "two: $(cat out)"
grep -q '^Without phases: 1 input' out || complain "none: $(cat out)"
grep -q 'see --rules)$' out || complain "none: $(cat out)"
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || complain "wide: $(cat out)"

# No events, and a truncated trace.
expect 3 'is empty' /dev/null
expect 0 '' "$srcdir/tests/traces/mi300_vllm_graph_decode.json.gz"
echo '{"traceEvents":[]}' >none.json
expect 0 '' none.json
[ "$(cat out)" = 'No phase was found.' ] ||
	complain "no events: $(cat out)"
expect 0 '' --json none.json
grep -q '"rows":\[\],"sets":\[\]' out || complain "no events: $(cat out)"
gzip -dc "$clang" | head -c 40000 >cut.json
expect 0 'cut.json: ' cut.json
expect 4 'cut.json: ' --strict --json cut.json
grep -q '"truncated":true' out || complain "cut: $(cat out)"
printf '%s\n' '{"traceEvents":[{"ph":"E","pid":1,"tid":1,"ts":1},' \
	'{"ph":"B","pid":1,"tid":1,"ts":2,"name":"Frontend"},' \
	'{"ph":"X","pid":1,"tid":1,"ts":5,"dur":4,"name":"Backend"}]}' >open.json
expect 0 '1 ends without a begin ignored' --csv open.json
grep -q '^clang,frontend,1,3000,7000$' out || complain "open: $(cat out)"
expect 0 '' --show-rules dynamo
cmp -s out "$srcdir/lib/phases/rules/dynamo.rules" || complain "other rules are shown"
exit $failed
