#!/bin/sh
# SPDX-License-Identifier: MIT
# Directories as inputs: the traces below them are added up, whatever other
# files are there.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need "$python"
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 99
export CTPROF_SPOOL="$work"

# expect STATUS COMMAND...: its output is in `out`, its messages in `said`.
expect() {
	want=$1
	shift
	"$@" > out 2> said
	got=$?
	[ "$got" = "$want" ] || complain "$*: $got, not $want: $(cat said)"
}

said() {
	grep -qxF "ctprof: $1" said || complain "not said: $1, but $(cat said)"
}

# Since clang 19 headers are asynchronous ranges. The unit is there twice, once
# packed. Any path of the directory gives the same.
real=$srcdir/tests/traces/self-win-clang-19.1_main.json.gz
mkdir -p units/a units/b
cp "$real" units/a/main.cpp.json.gz
gzip -dc "$real" > units/b/main.cpp.json
ln -s units named
expect 0 "$CTPROF" stats -q --json --names=mangled --callers units
"$python" "$srcdir/tests/bin/input/clang_build_count.py" out units || complain "units"
for name in units/ ./units named named/; do
	expect 0 "$CTPROF" stats -q --csv units
	mv out want.csv
	expect 0 "$CTPROF" stats -q --csv "$name"
	cmp out want.csv || complain "$name is another one"
done
expect 0 "$CTPROF" stats -q --group=unit --unit us units
"$python" - << 'END' || complain "units: $(cat out)"
with open("out") as file:
    lines = file.read().split("\n")
assert lines[0] == "Translation units: 2, 1138972.000 us", lines[0]
assert [line.split()[-1] for line in lines[2:4]] == \
    ["a/main.cpp", "b/main.cpp"], lines
assert lines[2].split()[:3] == [
    "569486.000", "345621.000", "217870.000"], lines[2]
END
expect 0 "$CTPROF" stats -q --group=unit --json units
"$python" - << 'END' || complain "units as JSON: $(cat out)"
import json
with open("out") as file:
    rows = json.load(file)["rows"]
assert [(row["name"], row["cumtime_ns"], row["frontend_ns"],
         row["backend_ns"]) for row in rows] == [
    (name, 569486000, 345621000, 217870000)
    for name in ("a/main.cpp", "b/main.cpp")], rows
END
# Groups may be requested for one file, with or without a directory.
expect 0 "$CTPROF" stats -q --group=header --csv units/b/main.cpp.json
[ "$(head -1 out)" = group,name,file,line,ncalls,pcalls,tottime_ns,cumtime_ns ] &&
	[ "$(grep -c '^header,Source,' out)" = 107 ] ||
	complain "headers: $(wc -l < out) lines"

# A compiler that was killed leaves the beginning of a trace, or nothing.
mkdir -p odd/deep
head -c 20000 units/b/main.cpp.json > odd/cut.cpp.json
printf '{"traceEvents":[{"pid":1,' > odd/deep/begun.json
: > odd/deep/empty.json
echo '{"version":3,"configurations":[]}' > odd/deep/cmake.json
echo 'int main;' > odd/main.c
expect 0 "$CTPROF" stats odd
said "odd: left out: 1 without a trace, 1 empty, 1 damaged"
said "odd: 1 recording cut off: its end is missing"
expect 4 "$CTPROF" stats -q --strict odd
expect 0 "$CTPROF" stats -v odd
grep -q '^ctprof: odd/deep/begun.json: ' said || complain "-v: $(cat said)"
expect 0 "$CTPROF" stats -q --json odd
"$python" - << 'END' || complain "odd: $(cat out)"
import json
report = json.load(open("out"))
assert report["schema"] == "ctprof/build/1" and report["inputs"] == ["odd"]
assert report["units"] == 1 and report["lost"] == {"truncated": 1}, report
assert report["skipped"] == {"no_trace": 1, "empty": 1, "damaged": 1}
END
if chmod 0 odd/cut.cpp.json && ! cat odd/cut.cpp.json > cut 2>&1; then
	expect 3 "$CTPROF" stats odd units
	grep -q '^ctprof: odd/cut.cpp.json: cannot open: ' said ||
		complain "unreadable: $(cat said)"
	grep -q '^Translation units: 2,' out || complain "$(head -3 out)"
	chmod 0 odd/deep
	expect 3 "$CTPROF" stats odd
	said "odd: left out: 2 unreadable"
fi
chmod 700 odd/deep
chmod 600 odd/cut.cpp.json

# The functions of other traces are added up; among compilers' traces they are
# left out.
mkdir -p logs/one
CTPROF_OUT=logs/one/1.ctp "$CLI_PROGRAM" && CTPROF_OUT=logs/2.ctp "$CLI_PROGRAM" ||
	complain "the program failed"
"$CTPROF" convert -q -t pstats logs/2.ctp -o logs/3.pstats
expect 0 "$CTPROF" stats -q --csv --sort name \
	logs/2.ctp logs/3.pstats logs/one/1.ctp
mv out want.csv
expect 0 "$CTPROF" stats -q --csv --sort name logs
cmp out want.csv || complain "the logs' sums are wrong"
expect 3 "$CTPROF" stats --group=phase logs
said "no compiler trace, which --group=phase, unit, header, template, template-set, function and all need"
expect 0 "$CTPROF" stats logs units
said "all inputs: left out: 3 not of a compiler"
expect 2 "$CTPROF" stats --group=phase --gpu logs

# Sums are profiles: no timelines, no call paths.
for format in chrome folded; do
	expect 2 "$CTPROF" convert -t $format logs
done
expect 0 "$CTPROF" convert -q -t pstats logs/ units/ -o sums/
[ -s sums/logs.pstats ] && [ -s sums/units.pstats ] ||
	complain "no names for directories: $(ls sums)"
# Two spellings of a header's path are one header; random paths become as
# Python makes them.
"$python" - "$CTPROF" <<'END' || complain "paths of headers are not normalized"
import csv, json, posixpath, random, subprocess, sys
chance = random.Random(3)
paths = {"/usr/bin/../lib/gcc/12/../../include/c++/map": 0}
while len(paths) < 2000:
    parts = [chance.choice(("a", "bin", "..", ".", "c.h", ""))
             for _ in range(chance.randrange(1, 9))]
    paths[chance.choice(("/", "b/", "")) + "/".join(parts) + "/x.h"] = 0
events = [{"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 10**6,
           "name": "ExecuteCompiler"}]
calls = {}
for number, path in enumerate(paths):
    events.append({"ph": "X", "pid": 1, "tid": 1, "ts": 2 * number, "dur": 1,
                   "name": "Source", "args": {"detail": path}})
    whole = posixpath.normpath(path)
    whole = "/" + whole.lstrip("/") if whole.startswith("/") else whole
    calls[whole] = calls.get(whole, 0) + 1
with open("headers.json", "w", encoding="utf-8") as file:
    json.dump({"traceEvents": events, "beginningOfTime": 1}, file)
out = subprocess.run([sys.argv[1], "stats", "--csv", "headers.json"],
                     check=True, stdout=subprocess.PIPE, text=True).stdout
found = {row["file"]: int(row["ncalls"])
         for row in csv.DictReader(out.splitlines()) if row["name"] == "Source"}
sys.exit(found != calls or "/usr/lib/include/c++/map" not in found)
END
mkdir none
expect 3 "$CTPROF" stats none
said "none: contains no trace"
expect 3 "$CTPROF" convert -t pstats none
[ -s out ] && complain "something came of nothing"
exit $failed
