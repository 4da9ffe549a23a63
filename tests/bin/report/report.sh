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
