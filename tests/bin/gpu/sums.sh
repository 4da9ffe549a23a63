#!/bin/bash
# SPDX-License-Identifier: MIT
# --sum equals the sums of the reports on each input, in any order, with any
# number of jobs, and from summaries that were merged.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
need "$python"
check=$srcdir/tests/bin/gpu/sums_check.py
mkdir "$work/in" || exit 99
cp "$srcdir"/tests/traces/{a100_multi_stream_event_sync,a100_triton_1kernel,cpu_only,mi250_minitoy,mi300_torch_compile_triton,v100_resnet50_2020_piece}.json.gz \
	"$work/in"
# The same kernels with other times.
for rank in 0 1 2; do
	printf '{"deviceProperties":[{"id":0,"name":"V"}],"traceEvents":[
{"ph":"X","cat":"kernel","name":"k\\u0000%d","pid":0,"tid":7,"ts":8,"dur":4,
 "args":{"device":0,"stream":7}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":%d,"dur":2.5,
 "args":{"device":0,"stream":7}},
{"ph":"E","pid":1,"tid":1,"ts":9},
{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":%d,"dur":2.5,
 "args":{"device":%d,"stream":7}}]}' $rank $((90 - rank)) $((30 + rank)) $rank \
		>"$work/in/x$rank.json"
done
cd "$work" || exit 99
inputs=(in/*)
shuffled=("${inputs[@]:5}" "${inputs[@]:0:3}" "${inputs[@]:3:2}")

"$CTPROF" summarize -q -o all.ctpart "${inputs[@]}" || complain "summarize: status $?"
"$CTPROF" summarize -q -o 1.ctpart "${shuffled[@]:0:4}"
"$CTPROF" summarize -q -o 2.ctpart "${shuffled[@]:4}"
"$CTPROF" merge -q -o merged.ctpart 2.ctpart 1.ctpart
cmp all.ctpart merged.ctpart && cmp all.ctpart <("$CTPROF" merge -q -t ctpart all.ctpart) || complain "read and written"
for part in kernel_devices kernels idle_devices places; do
	gzip -dc merged.ctpart | grep -aq $part || complain "no section $part"
done

for name in kernels gaps; do
	for form in "" --json --csv; do
		# shellcheck disable=SC2086
		"$CTPROF" $name -q --sum $form "${inputs[@]}" >sum
		for other in "--sum ${shuffled[*]}" "--sum -j3 ${shuffled[*]}" \
			"--sum in" "all.ctpart" "merged.ctpart" \
			"--sum 2.ctpart 1.ctpart"; do
			# shellcheck disable=SC2086
			"$CTPROF" $name -q $form $other >other
			[ -s sum ] && cmp sum other
			report $? "$name $form: $other"
		done
	done
	# A pipe is read once.
	for input in all.ctpart in/x0.json in/a100_triton_1kernel.json.gz; do
		"$CTPROF" $name -q $input >file
		"$CTPROF" $name -q <$input | cmp file - &&
			"$CTPROF" $name -q <(cat $input) | cmp file - &&
			cat $input | "$CTPROF" $name -q - | cmp file -
		report $? "$name: a pipe with $input"
	done
	"$CTPROF" $name -q --json --sum "${inputs[@]}" >sum.json
	"$CTPROF" $name -q --json "${inputs[@]}" >each.json
	"$python" "$check" $name sum.json each.json
	report $? "$name: sums in Python"
	"$CTPROF" $name -q --sum in/cpu_only.json.gz | grep -q '^No GPU'
	report $? "$name: no GPU"
	# A bad input does not stop the sum.
	printf 'main 10\n' >x.folded
	"$CTPROF" $name --sum in/x0.json missing x.folded >out 2>err
	[ $? -eq 3 ] && grep -q 'missing: cannot open' err &&
		grep -q 'x.folded: is a profile (no timestamps)' err &&
		"$CTPROF" $name --sum in/x0.json 2>/dev/null | cmp - out
	report $? "$name: bad inputs"
	"$CTPROF" $name -j2 in/x0.json 2>err
	[ $? -eq 2 ] && grep -q -e '--jobs needs --sum' err
	report $? "$name: --jobs"
done

# The census also counts profiles; a summary without --sum is one file.
"$CTPROF" convert -q in/cpu_only.json.gz -o in/cpu.pstats || exit 99
for form in "" --json; do
	# shellcheck disable=SC2086
	"$CTPROF" info -q --sum $form in/* >sum
	"$CTPROF" summarize -q --force -o info.ctpart in/cpu.pstats "${inputs[@]}"
	for other in in "-j3 ${shuffled[*]} in/cpu.pstats" info.ctpart; do
		# shellcheck disable=SC2086
		"$CTPROF" info -q --sum $form $other >other
		[ -s sum ] && cmp sum other
		report $? "info $form: $other"
	done
done
"$CTPROF" info -q --json in/* >each.json
"$python" "$check" info sum each.json
report $? "info: sums in Python"

# The page has the rows of the other reports, and is that of a summary.
"$CTPROF" report -q --sum -o sum.html "${inputs[@]}" &&
	"$CTPROF" report -q --sum -j3 -o - "${shuffled[@]}" | cmp - sum.html &&
	"$CTPROF" report -q -o - all.ctpart | sed 's/all\.ctpart/all inputs/' |
	cmp - sum.html
report $? "report: one page"
"$CTPROF" gaps -q --json --sum "${inputs[@]}" >gaps.json
"$python" - sum.html gaps.json <<'END'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    data = file.read().split('id="data">\n')[1].split("\n</script>")[0]
with open(sys.argv[2], encoding="utf-8") as file:
    gaps = json.load(file)
page, = json.loads(data)["inputs"]
assert page["format"] == "sum" and not page["events"], page["format"]
assert len(page["gaps"]["rows"]["rows"]) == len(gaps["rows"]) > 1
assert len(page["gaps"]["places"]["rows"]) > 1
assert "AMD Instinct MI300X (" in str(page["gaps"]["rows"]["rows"])
END
report $? "report: rows"

"$CTPROF" gaps --sum --optimize 3 in/x0.json 2>err
[ $? -eq 2 ] && grep -q 'cannot be combined with --sum' err
report $? "gaps --optimize --sum"
exit $failed
