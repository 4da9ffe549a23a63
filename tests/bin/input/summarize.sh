#!/bin/bash
# SPDX-License-Identifier: MIT
# A summary gives the same reports as its inputs, merging it has no order, and
# bad inputs are listed.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
traces=$srcdir/tests/traces
mkdir "$work/in" "$work/in/part"
cd "$work" || exit 99

# Two compilers' traces and five others, one of them in a directory, and a
# profile.
cp "$traces"/{nvcc_13.0,self-win-clang-19.1_main,flow}.json.gz in
cp "$traces"/mi300_vllm_graph_decode.json.gz in/rank0.json.gz
cp "$traces"/a100_triton_1kernel.json.gz in/worker_1.json.gz
cp "$traces"/cpu_only.json.gz in/part
"$CTPROF" convert -q "$traces/flow.json.gz" -o in/flow.pstats || exit 99
others=(in/flow.json.gz in/rank0.json.gz in/worker_1.json.gz
	in/part/cpu_only.json.gz in/flow.pstats)

# same NAME SUMMARY OPTIONS INPUT...: both give the same table, but for the names
# of inputs.
same() {
	local name=$1 summary=$2 options=$3
	shift 3
	# shellcheck disable=SC2086
	{
		"$CTPROF" stats -q $options "$@"
		"$CTPROF" diff -q --json "$1" "$1"
	} | sed 's/"inputs":\[[^]]*\]//' >a.out
	# shellcheck disable=SC2086
	{
		"$CTPROF" stats -q $options "$summary"
		"$CTPROF" diff -q --json "$1" "$1"
	} | sed 's/"inputs":\[[^]]*\]//' >b.out
	[ -s a.out ] && cmp a.out b.out
	report $? "$name: stats $options"
}

"$CTPROF" summarize -q -o all.ctpart in || complain "a directory: status $?"
"$CTPROF" summarize -q -o named.ctpart "${others[@]}" ||
	complain "files: status $?"
for options in "" "--json --callers" "--csv --callees" "--gpu --json"; do
	same "a directory" all.ctpart "$options" in
	same "files" named.ctpart "$options" "${others[@]}"
done
same "a directory" all.ctpart "--json --group all" in
for group in phase unit header template template-set function; do
	same "a directory" all.ctpart "--json --group $group" in
done
for group in name shape thread; do
	"$CTPROF" stats --group $group all.ctpart >out 2>err
	[ $? -eq 3 ] && [ ! -s out ] && grep -q 'is a summary, .*: use its inputs' err
	report $? "stats --group $group: $(cat err)"
done

for to in pstats gprof; do
	"$CTPROF" merge -q -t $to "${others[@]}" >a.out
	"$CTPROF" convert -q -t $to named.ctpart >b.out
	cmp a.out b.out
	report $? "convert -t $to"
done
"$CTPROF" diff -q --json named.ctpart named.ctpart |
	grep -q '"delta_ns":[^0]' && complain "diff of equal summaries"

# Jobs and parts do not change a byte.
"$CTPROF" summarize -q -j4 -o j4.ctpart in && cmp all.ctpart j4.ctpart
report $? "-j"
for i in 0 1 2 3 4 5 6 7 8 9; do
	"$CTPROF" summarize -q --shard $i/10 -o part$i.ctpart in ||
		complain "--shard $i/10: status $?"
done
"$CTPROF" merge -q -o merged.ctpart part?.ctpart && cmp all.ctpart merged.ctpart
report $? "--shard"
mkdir one
cp in/flow.pstats one
for i in 1 2; do
	"$CTPROF" summarize -o none$i.ctpart --shard $i/3 one ||
		complain "a part without inputs: status $?"
done
"$CTPROF" merge -o none.ctpart none1.ctpart none2.ctpart &&
	cmp none.ctpart none1.ctpart
report $? "merge of summaries without inputs"
"$CTPROF" merge -q -j3 -o half.ctpart part[5-9].ctpart &&
	"$CTPROF" merge -q -o tree.ctpart half.ctpart part4.ctpart part0.ctpart \
		part[1-3].ctpart && cmp all.ctpart tree.ctpart
report $? "merge"
find in -type f ! -name '*.gz' -print0 >names
"$CTPROF" summarize -q --files0-from names -o names.ctpart &&
	"$CTPROF" summarize -q -o pstats.ctpart in/flow.pstats &&
	cmp names.ctpart pstats.ctpart
report $? "--files0-from"

# Call paths of many inputs.
"$CTPROF" summarize -q --paths -o paths.ctpart "${others[@]:0:4}" &&
	"$CTPROF" convert -q -t folded --metric count paths.ctpart | sort >a.out
for input in "${others[@]:0:4}"; do
	"$CTPROF" convert -q -t folded --metric count "$input" || complain "folded: $input"
done | awk '{
		count = $NF
		sub(/ [0-9]+$/, "")
		sum[$0] += count
	}
	END {
		for (stack in sum)
			printf "%s %d\n", stack, sum[stack]
	}' | sort >b.out
[ -s a.out ] && cmp a.out b.out
report $? "--paths"
for i in 0 1; do
	"$CTPROF" summarize -q --paths --shard $i/2 -o paths$i.ctpart \
		"${others[@]:0:4}" || complain "--paths --shard $i/2"
done
"$CTPROF" merge -q -o mergedpaths.ctpart paths1.ctpart paths0.ctpart &&
	cmp paths.ctpart mergedpaths.ctpart
report $? "merge of call paths"

# refused MESSAGE COMMAND...: status 3, and no output.
refused() {
	local message=$1
	shift
	rm -f no.ctpart
	"$@" -o no.ctpart 2>err
	[ $? -eq 3 ] && [ ! -e no.ctpart ] && grep -qF -e "$message" err
	report $? "refused: $message"
}
refused "input in/flow.pstats is there twice: with " \
	"$CTPROF" merge names.ctpart all.ctpart
cp in/rank0.json.gz other_rank0.json.gz
"$CTPROF" summarize -q -o rank.ctpart other_rank0.json.gz
refused "rank 0 is there twice (see --allow-repeats): as other_rank0.json.gz" \
	"$CTPROF" merge rank.ctpart all.ctpart
"$CTPROF" merge -q --allow-repeats -o twice.ctpart rank.ctpart all.ctpart
report $? "--allow-repeats"
for command in stats phases kernels gaps "info --sum" ranks; do
	# shellcheck disable=SC2086
	"$CTPROF" $command rank.ctpart all.ctpart >out 2>err
	[ $? -eq 3 ] && [ ! -s out ] && grep -qF "(see --allow-repeats)" err
	report $? "refused: $command of a rank twice"
	# shellcheck disable=SC2086
	"$CTPROF" $command twice.ctpart >b.out &&
		"$CTPROF" $command --allow-repeats rank.ctpart all.ctpart >a.out &&
		cmp a.out b.out
	report $? "$command --allow-repeats"
done
"$CTPROF" summarize -q --names short -o short.ctpart "$traces/old.json.gz"
for option in --paths "--device host" "--edge-times all" --trim-prefix \
	"--join external"; do
	# shellcheck disable=SC2086
	"$CTPROF" summarize -q $option -o option.ctpart --force "$traces/old.json.gz" ||
		complain "summarize $option"
	"$CTPROF" merge -o no.ctpart all.ctpart option.ctpart 2>err
	[ $? -eq 3 ] && [ ! -e no.ctpart ] &&
		grep -qE "cannot be merged: [a-z-]+ is '[a-z]+' in one, and '[a-z]+' in another" err
	report $? "refused: merge of summaries with and without $option: $(cat err)"
	"$CTPROF" ranks all.ctpart option.ctpart >out 2>err
	[ $? -eq 3 ] && [ ! -s out ] && grep -q "cannot be merged: " err
	report $? "refused: ranks of summaries with and without $option"
done
refused "names is 'full' in one, and 'short' in another one" \
	"$CTPROF" merge all.ctpart short.ctpart
refused "input in/flow.pstats is there twice" \
	"$CTPROF" summarize in/flow.pstats in/flow.pstats

# A file under several names.
ln -s flow.pstats in/link.pstats
ln in/flow.pstats hard.pstats
for name in "$PWD/in/flow.pstats" in/../in/flow.pstats in/link.pstats hard.pstats; do
	refused "input in/flow.pstats is there twice: as in/flow.pstats and as $name (summarize --allow-repeats adds it twice)" \
		"$CTPROF" summarize in/flow.pstats "$name"
done
refused "as in/flow.pstats and as hard.pstats" "$CTPROF" summarize -j3 in hard.pstats
refused "as in/flow.pstats and as hard.pstats" \
	"$CTPROF" summarize --shard 1/3 in hard.pstats
refused "as in/flow.pstats and as in/link.pstats" \
	"$CTPROF" merge in/flow.pstats in/link.pstats
"$CTPROF" ranks in/flow.json.gz ./in/flow.json.gz >out 2>err
[ $? -eq 3 ] && [ ! -s out ] &&
	grep -qF "as in/flow.json.gz and as ./in/flow.json.gz" err
report $? "refused: ranks of a file twice"
"$CTPROF" ranks -q --allow-repeats in/flow.json.gz ./in/flow.json.gz >out &&
	"$CTPROF" summarize -q --allow-repeats -o links.ctpart in/flow.pstats hard.pstats
report $? "--allow-repeats of a file"
"$CTPROF" summarize -q -o spelled.ctpart ./in//flow.pstats
refused "input ./in//flow.pstats is there twice: as ./in//flow.pstats and as in/flow.pstats" \
	"$CTPROF" merge spelled.ctpart pstats.ctpart
rm in/link.pstats hard.pstats

# A directory is its files.
rm in/{nvcc_13.0,self-win-clang-19.1_main}.json.gz
"$CTPROF" summarize -q -o directory.ctpart in
"$CTPROF" summarize -q -o named.ctpart --force "${others[@]}" &&
	cmp directory.ctpart named.ctpart
report $? "a directory has the summary of its files"

# Bad inputs do not stop the sum.
head -c 5000 all.ctpart >cut.ctpart
printf '{"traceEvents": [{"ph": ' >cut.json
printf 'nothing' >garbage.json
: >empty.json
"$CTPROF" summarize -o bad.ctpart in/flow.pstats cut.ctpart garbage.json \
	empty.json missing.json 2>err
[ $? -eq 3 ] && [ "$(grep -c '' err)" -eq 5 ] &&
	grep -q 'cut.ctpart: .*damaged summary' err &&
	grep -q 'the sum lacks 4 inputs' err
report $? "bad inputs are reported"
gzip -dc bad.ctpart | grep -aq 'cannot open: No such file' &&
	gzip -dc bad.ctpart | grep -aq garbage.json
report $? "bad inputs are listed"
"$CTPROF" stats -q --csv pstats.ctpart >a.out &&
	"$CTPROF" stats --csv bad.ctpart >b.out 2>err && cmp a.out b.out &&
	grep -q 'bad.ctpart: lacks 4 inputs' err
report $? "the others are summed"

"$CTPROF" summarize -q -o none.ctpart empty.json 2>err
"$CTPROF" stats none.ctpart 2>err
[ $? -eq 3 ] && grep -q 'none.ctpart: contains no trace' err
report $? "a summary without inputs is an error"

"$CTPROF" info bad.ctpart >out
grep -q '^  *inputs  *1$' out && grep -q '^  *lost inputs  *4$' out &&
	grep -q '^  *missing.json  *cannot open: No such file' out &&
	grep -q '^  *names  *full$' out
report $? "info shows inputs, options and lost inputs"

# Neither order nor grouping changes the result.
"$build/tests/bin/input/merge_trees" "${MERGE_TREES:-200}" all.ctpart part?.ctpart >out &&
	grep -q "^${MERGE_TREES:-200} trees$" out
report $? "random merge trees"

"$CTPROF" summarize -o x.ctpart --shard 2/2 in 2>err
[ $? -eq 2 ] && grep -q "'2/2' is not a part" err
report $? "--shard of a wrong part"
"$CTPROF" convert -q -t chrome all.ctpart >out 2>err
[ $? -eq 3 ] && grep -q "is a profile (no timestamps)" err
report $? "a summary has no events"
exit $failed
