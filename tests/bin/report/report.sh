#!/bin/sh
# SPDX-License-Identifier: MIT
# The page of `ctprof report` agrees with other reports.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

record_program 3 "$work/program.ctp"
CTPROF_OUT="$work/all.ctp" ./tests/lib/recorder/record_everything || exit 1
echo '[]' >"$work/empty.json"
echo 'a;b 3' >"$work/x.folded"
"$python" "$srcdir/tests/bin/report/report_check.py" "$CTPROF" "$work" \
	"$srcdir/tests/traces" \
	"$work/program.ctp" "$work/all.ctp" "$work/empty.json" \
	"$srcdir"/tests/traces/*.json.gz || failed=1

# Profiles have no times, and may have call paths.
"$CTPROF" report -o "$work/x.html" "$work/x.folded" ||
	complain "a profile: failed"
grep -q '"events":false' "$work/x.html" || complain "a profile has events"

# Unreadable inputs are not on the page; without readable ones there is no page.
"$CTPROF" report -q -o - "$work/none" >"$work/nothing" 2>/dev/null
[ $? = 3 ] && [ ! -s "$work/nothing" ] || complain "none: a page on stdout"
"$CTPROF" report -q -o "$work/some.html" "$work/none" "$work/empty.json" \
	2>/dev/null
[ $? = 3 ] && [ -s "$work/some.html" ] || complain "one of two: no page"
"$CTPROF" report -q -o "$work/none.html" "$work/none" 2>/dev/null
[ $? = 3 ] && [ ! -e "$work/none.html" ] || complain "no input: a page"
"$CTPROF" report -q -o "$work/x.html" "$work/empty.json" 2>/dev/null
[ $? = 5 ] || complain "an output that exists: written over"

# The output of a sum is checked before the inputs are read, and a pipe is opened
# once.
for output in "$work/x.html" "$work/missing/x.html" "$work"; do
	"$CTPROF" report --sum -o "$output" "$work/none" 2>"$work/err"
	[ $? = 5 ] && [ "$(wc -l <"$work/err")" = 1 ] ||
		complain "a sum to $output: $(cat "$work/err")"
done
mkfifo "$work/pipe"
cat "$work/pipe" >"$work/piped.html" &
"$CTPROF" report --sum -q -o "$work/pipe" "$work/x.folded" ||
	complain "a sum to a pipe: failed"
wait
grep -q '^</html>' "$work/piped.html" || complain "a sum to a pipe: no page"
[ -z "$(find "$work" -name '.ctprof.*')" ] || complain "a temporary file stays"
# A directory is the sum of its traces.
mkdir "$work/both"
cp "$srcdir/tests/traces/self-win-clang-19.1_main.json.gz" "$work/both/a.json.gz"
cp "$work/both/a.json.gz" "$work/both/b.json.gz"
"$CTPROF" report -o "$work/both.html" "$work/both" "$work/both/a.json.gz" ||
	complain "a directory: failed"
"$python" - "$work/both.html" <<'END' || complain "a directory: other sums"
import json, sys
page = open(sys.argv[1], encoding="utf-8").read()
data = page.split('id="data">\n')[1].split("\n</script>")[0]
both, one = json.loads(data)["inputs"]
assert both["name"].endswith("/both") and not both["events"]
for key in ("calls", "total_ns"):
    assert both[key] == 2 * one[key] != 0, key
END
# An operator by shape: 2 * 64^3 operations, and 3 * 64^2 floats, in 8 us, twice;
# and another shape.
op() {
	printf '{"ph":"X","pid":1,"tid":1,"cat":"cpu_op","name":"aten::mm",'
	printf '"ts":%s,"dur":9,"args":{"External id":%s,' "$1" "$1"
	printf '"Input Dims":[[%s,%s],[%s,%s]],' "$2" "$2" "$2" "$2"
	printf '"Input type":["float","float"]}},\n'
	printf '{"ph":"X","pid":1,"tid":1,"cat":"cuda_runtime",'
	printf '"name":"cudaLaunchKernel","ts":%s,"dur":1,' "$1"
	printf '"args":{"correlation":%s,"External id":%s}},\n' "$1" "$1"
	printf '{"ph":"X","pid":0,"tid":7,"cat":"kernel","name":"gemm",'
	printf '"ts":%s,"dur":8,"args":{"device":0,"stream":7,' $(($1 + 2))
	printf '"correlation":%s}},\n' "$1"
}
{
	echo '['
	op 100 64
	op 200 64
	op 300 128
} >"$work/ops.json"
"$CTPROF" report -q -o "$work/ops.html" "$work/ops.json" ||
	complain "operators: failed"
"$python" - "$work/ops.html" <<'END' || complain "operators: other rows"
import json, sys
page = open(sys.argv[1], encoding="utf-8").read()
data = page.split('id="data">\n')[1].split("\n</script>")[0]
table = json.loads(data)["inputs"][0]["operators"]
rows = [dict(zip((column["title"] for column in table["columns"]), row))
        for row in table["rows"]]
found = [(*row["operator"][:2], row["GPU time"], row["calls"], row["FLOP/s"],
          row["B/s"]) for row in rows]
assert found == [
    ("aten::mm", f"[[{size}, {size}], [{size}, {size}]]", 8000 * calls, calls,
     2 * size ** 3 * 10 ** 6 // 8, 3 * size ** 2 * 4 * 10 ** 6 // 8)
    for size, calls in ((64, 2), (128, 1))], found
END
# A piece of a timeline has every slice, with arguments.
trace=$srcdir/tests/traces/a100_simple_add_cuda_sync.json.gz
"$CTPROF" report -q -o "$work/piece.html" --time 0..2ms --size 1M "$trace" ||
	complain "a piece: failed"
"$python" - "$work/piece.html" <<'END' || complain "a piece: not whole"
import json, sys
page = open(sys.argv[1], encoding="utf-8").read()
data = page.split('id="data">\n')[1].split("\n</script>")[0]
timeline = json.loads(data)["inputs"][0]["timeline"]
assert 0 < timeline["span_ns"] <= 2000000, timeline["span_ns"]
assert all(lane["bins"] == [] for lane in timeline["lanes"])
assert any(lane["args"] for lane in timeline["lanes"])
END
"$CTPROF" report -q -o "$work/no.html" --around 'no such range' "$trace" \
	2>/dev/null
[ $? = 1 ] && [ ! -e "$work/no.html" ] || complain "no such range: a page"
for options in '--step 1 --time 0..1s' '--step 1 --sum' '--size 4k'; do
	# shellcheck disable=SC2086
	"$CTPROF" report -o "$work/no.html" $options "$trace" 2>/dev/null
	[ $? = 2 ] || complain "$options: not refused"
done
# Source lines: only on request, of source files that are not binary.
mkdir "$work/src"
printf 'int f(void)\n{\n\treturn 1; // </script>\n}\nint g;\n' >"$work/src/a.c"
printf 'int\0secret\n' >"$work/src/b.c"
echo secret >"$work/src/key"
mkfifo "$work/src/p.c"
{
	echo 'events: Ir'
	for file in a.c b.c key p.c none.c; do
		printf 'fl=/elsewhere/src/%s\nfn=f_%s\n2 10\n3 5\n' $file $file
	done
} >"$work/cg.out"
"$CTPROF" report -q -o "$work/source.html" --source --source-dir "$work" \
	"$work/cg.out" || complain "--source: failed"
"$CTPROF" report -q -o "$work/nosource.html" "$work/cg.out" || exit 1
"$python" - "$work/source.html" "$work/nosource.html" <<'END' || complain "--source: other lines"
import json, sys
pages = [open(path, encoding="utf-8").read() for path in sys.argv[1:]]
one, none = [json.loads(page.split('id="data">\n')[1].split("\n</script>")[0])
             ["inputs"][0] for page in pages]
assert "sources" not in none and "secret" not in pages[0]
sources = one["sources"]
assert sources["by_line"] and sources["missing"] == 4, sources
assert [row[1:] for row in sources["rows"]] == [[1, [
    "int f(void)", "{", "\treturn 1; // </script>", "}"],
    [2, 0, 10, 10, 3, 0, 5, 5]]], sources
END
# The page is HTML, and nothing else.
for name in x.svg x.json.gz; do
	"$CTPROF" report -o "$work/$name" "$work/x.folded" 2>"$work/err"
	[ $? = 2 ] && grep -q "$name: a report is an HTML page" "$work/err" ||
		complain "$name: not refused"
done
"$python" "$srcdir/tests/support/on_terminal.py" 24 80 "$CTPROF" report \
	"$work/x.folded" >"$work/out" 2>&1
[ $? = 5 ] && grep -q 'not writing an HTML page to a terminal' "$work/out" ||
	complain "a terminal: not refused"
# shellcheck disable=SC2046
"$CTPROF" report $(yes "$work/empty.json" | head -n 65) >/dev/null 2>&1
[ $? = 2 ] || complain "65 inputs: not refused"
exit $failed
