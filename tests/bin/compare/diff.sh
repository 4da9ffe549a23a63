#!/bin/sh
# SPDX-License-Identifier: MIT
# The reported changes equal an independent count of both sides: for traces of
# other tools, for pstats, and for made-up runs. With CTPROF_DATA, a directory
# of real traces, also for larger ones.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
traces=$srcdir/tests/traces

# compare KIND BASE NEW
compare() {
	"$python" "$srcdir/tests/bin/compare/diff_check.py" "$CTPROF" "$work" "$@" ||
		complain "$*: differs from the count"
}

compare trace "$srcdir/tests/bin/compare/diff/compare_base.json.gz" \
	"$srcdir/tests/bin/compare/diff/compare_test.json.gz"
compare trace "$traces/mi250_minitoy.json.gz" \
	"$traces/a100_simple_add_cuda_sync.json.gz"
compare trace "$traces/mi300_vllm_graph_decode.json.gz" \
	"$traces/mi300_torch_compile_triton.json.gz"
compare random 8
if [ -n "${CTPROF_DATA:-}" ]; then
	compare trace "$CTPROF_DATA/kineto/diff_control_a100.json.gz" \
		"$CTPROF_DATA/kineto/diff_test_v100.json.gz"
	compare trace "$CTPROF_DATA/kineto/h100_qwen0.5b.json.gz" \
		"$CTPROF_DATA/kineto/mi300_qwen0.5b.json.gz"
	for pair in "memtrail.pstats pydna_test_built.prof" \
		"print1.pstats print2.pstats"; do
		# shellcheck disable=SC2086
		set -- $pair
		compare pstats "$CTPROF_DATA/pstats/$1" "$CTPROF_DATA/pstats/$2"
	done
else
	echo "skipped real: CTPROF_DATA does not name a directory of traces"
fi

# expect STATUS PATTERN ARGUMENT...: the words are on either stream.
expect() {
	wanted=$1
	pattern=$2
	shift 2
	"$CTPROF" diff "$@" >"$work/out" 2>&1 </dev/null
	status=$?
	[ $status -eq "$wanted" ] || complain "$*: status $status, not $wanted"
	grep -q -e "$pattern" "$work/out" || complain "$*: $(cat "$work/out")"
}

# Joined functions count once in a recursion: through others, too, if calls are
# known one by one, and otherwise if the function calls itself.
slice='{"ph":"X","pid":1,"tid":1,"name"'
mkdir "$work/nested"
printf '[%s:"f<int>","ts":0,"dur":80},%s:"g","ts":10,"dur":60},
	%s:"f<float>","ts":20,"dur":30}]' "$slice" "$slice" "$slice" \
	>"$work/nested/a.json"
printf '%s\n' 'f<int> 20000' 'f<int>;g 30000' 'f<int>;g;f<float> 30000' \
	>"$work/n.folded"
printf 'f<int> 50000\nf<int>;f<float> 30000\n' >"$work/direct.folded"
"$CTPROF" convert -q "$work/direct.folded" -o "$work/direct.pstats" ||
	complain "no sums of folded stacks"
mkdir "$work/sums" "$work/paths"
cp "$work/direct.pstats" "$work/sums"
cp "$work/n.folded" "$work/paths"
for nested in nested/a.json nested n.folded paths direct.pstats sums; do
	expect 0 '"name":"f","file":"","line":0,[^}]*"total_ns":80000,' --json \
		"$work/$nested" "$work/nested/a.json"
done

# A program that was built in another directory, in reports and pictures.
for side in 1 2; do
	printf 'events: ns\nfl=/v/%s/a.c\nfn=f\n1 100\n' $side
	printf 'fl=/v/%s/b/c.c\nfn=g\n1 %s00\n' $side $side
done >"$work/both.callgrind"
for side in 1 2; do
	(echo 'events: ns' && grep -A 2 "/v/$side" "$work/both.callgrind") \
		>"$work/$side.callgrind"
	category='"cat":"python_function"'
	printf '[%s:"/v/%s/a.py(1): f",%s,"ts":0,"dur":80},
		%s:"/v/%s/b/c.py(1): g",%s,"ts":10,"dur":60}]' "$slice" \
		$side "$category" "$slice" $side "$category" >"$work/$side.json"
done
expect 0 'files in /v/1 are compared with those in /v/2' \
	"$work/1.callgrind" "$work/2.callgrind"
expect 0 '"moved":\[{"base":"/v/1","new":"/v/2","files":2}\],' --json \
	"$work/1.callgrind" "$work/2.callgrind"
expect 0 'Functions in both: 2, added: 0, removed: 0' \
	"$work/1.callgrind" "$work/2.callgrind"
expect 0 '+100.00 .* g (c.c:1)' "$work/1.callgrind" "$work/2.callgrind"
expect 0 'in both: 0' --match=exact "$work/1.callgrind" "$work/2.callgrind"
expect 0 'Nothing changed' --svg "$work/moved.svg" "$work/1.json" "$work/2.json"
grep -q '; gone: ' "$work/moved.svg" &&
	complain "the picture has other paths"

# On a terminal, names of C++ lose their least informative parts first.
name='void ns::Outer<int>::Class<char>::method<long>(std::vector<int> const\&)'
for side in 1 2; do
	sed "s/^fn=g/fn=$name/" "$work/$side.callgrind" >"$work/$side.name"
done
shown() {
	columns=$1
	shift
	"$python" "$srcdir/tests/support/on_terminal.py" 24 "$columns" "$CTPROF" "$@" \
		>"$work/out" 2>&1
}
shown 80 stats "$work/2.name"
grep -q ' ns::Outer::Class::method (c.c:1)' "$work/out" ||
	complain "not without brackets: $(cat "$work/out")"
shown 78 stats "$work/2.name"
grep -q ' \.\.\.Class::method (c.c:1)' "$work/out" ||
	complain "not without scopes: $(cat "$work/out")"
shown 86 diff "$work/1.name" "$work/2.name"
grep -q ' \.\.\.method (c.c:1)' "$work/out" ||
	complain "not the last of it: $(cat "$work/out")"
sed "s/^fn=g/fn=load::all the data of the first batch from the disk/" \
	"$work/2.callgrind" >"$work/2.phrase"
shown 80 stats "$work/2.phrase"
grep -q ' load::all .*\.\.\..* (c.c:1)' "$work/out" ||
	complain "a phrase is not a function: $(cat "$work/out")"
"$CTPROF" stats "$work/2.name" | grep -qF 'const&) (c.c:1)' ||
	complain "shortened without a terminal"

# However large the increase.
printf 'f 1\n' >"$work/one.folded"
printf 'f 9000000000000000000\n' >"$work/most.folded"
expect 0 ' +899999999999999999900.00 .* f$' "$work/one.folded" \
	"$work/most.folded"
expect 0 ' -100.00 .* f$' "$work/most.folded" "$work/one.folded"

base=$srcdir/tests/bin/compare/diff/compare_base.json.gz
new=$srcdir/tests/bin/compare/diff/compare_test.json.gz
v100=$traces/tb_plugin_gpu_metrics_input.json.gz
a100=$traces/a100_simple_add_cuda_sync.json.gz
: >"$work/empty.json"
echo '{"traceEvents":[]}' >"$work/none.json"
head -c 700 "$base" >"$work/cut.json.gz"
expect 0 'Nothing changed' "$base" "$base"
expect 0 '^All functions: 223.188 -> 223.339 ms (+0.07 %)$' "$base" "$new"
expect 0 'Functions in both: 13, added: 3, removed: 0$' "$base" "$new"
expect 0 '(4 more changed; see --top)' --top 2 "$base" "$new"
expect 0 'added' --sort self --kernels "$base" "$a100"
expect 0 'no GPU activity' --kernels "$traces/old.json.gz" \
	"$traces/cpu_only.json.gz"
expect 0 'there are no functions' "$work/none.json" "$work/none.json"
expect 0 'removed' "$base" "$work/none.json"
expect 0 '+-' --runs "$base" "$new" -- "$new"
expect 0 '' --exit-code "$base" "$base"
expect 1 '' --exit-code "$base" "$new"
expect 1 '' --exit-code --json "$base" "$new"
expect 2 'base ran on .*A100.*, new on .*: see --across-devices' \
	"$a100" "$v100"
expect 2 'needs two inputs' "$base"
expect 2 'needs two inputs' "$base" "$base" "$base"
expect 2 'both sides of --' --runs "$base" "$new"
expect 2 'both sides of --' --runs -- "$base" "$new"
expect 2 '--match' --match=some "$base" "$new"
expect 3 'cannot open' "$base" "$work/nothing"
expect 3 'empty' "$base" "$work/empty.json"
expect 4 'added' --strict "$base" "$work/cut.json.gz"

# flame.sh checks the picture itself.
"$CTPROF" convert -q -o "$work/sums.pstats" "$base"
expect 0 '' --svg "$work/d.svg" "$base" "$new"
expect 5 'exists' --svg "$work/d.svg" "$base" "$new"
# Names that are equal get as many directories as distinguish them.
mkdir -p "$work/a/x" "$work/b/x"
cp "$base" "$work/a/x/run"
cp "$new" "$work/b/x/run"
expect 0 '' --svg "$work/named.svg" "$work/a/x/run" "$work/b/x/run"
grep -q '<title>a/x/run → b/x/run</title>' "$work/named.svg" ||
	complain "the picture does not name both sides"
expect 0 '' --force --svg "$work/d.svg" --runs "$base" "$new" -- "$new"
grep -q '<title>2 runs such as compare_base.* 1 such as compare_test' "$work/d.svg" ||
	complain "the picture has no title"
expect 3 'sums.pstats: .* no call paths' --svg "$work/e.svg" "$base" \
	"$work/sums.pstats"
expect 2 'needs a file name' --svg - "$base" "$new"

# A directory is one run, the sum of all files below it, without call paths: the
# paths of one file are not those of all.
printf 'other 1\n' >"$work/paths/other.folded"
for of in "$work/paths" "$work/nested"; do
	expect 3 'no call paths' --svg "$work/e.svg" "$of" "$base"
done
mkdir "$work/build"
cp "$traces/self-win-clang-19.1_main.json.gz" "$work/build/a.json.gz"
expect 0 'Nothing changed' "$work/build" "$work/build/a.json.gz"

for style in --json --csv --color=always; do
	"$CTPROF" diff "$style" "$base" "$new" >"$work/one"
	"$CTPROF" diff "$style" "$base" "$new" >"$work/two"
	cmp -s "$work/one" "$work/two" || complain "$style: not the same twice"
	[ -s "$work/one" ] || complain "$style: empty"
done
grep -q '^.\[31m .*added.*All2All_Pooled_Req' "$work/one" ||
	complain "slower functions are not red"
grep -q '^.\[32m.*nccl:all_reduce' "$work/one" ||
	complain "faster functions are not green"
exit $failed
