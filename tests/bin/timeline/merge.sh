#!/bin/sh
# SPDX-License-Identifier: MIT
# Timelines merged into one: nothing of an input is lost or confused with
# another's, the clocks are aligned as requested, and impossible requests are
# refused with a reason. CTPROF_DATA may name a directory with the traces of
# eight ranks of a real job.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need "$python"
tests=$(cd "$srcdir/tests" && pwd) || exit 99
cd "$work" || exit 99

# Merges, and compares with Python's reading of the inputs: --align's value, the
# inputs, which are in the order of their ranks.
agrees() {
	align=$1
	shift
	rm -f all.json all.pftrace
	"$CTPROF" merge -q --align "$align" -o all.json "$@" &&
		"$python" "$tests/bin/timeline/merge_timelines.py" all.json "$align" \
			"$@" >said 2>&1 &&
		"$CTPROF" merge -q --align "$align" -o all.pftrace "$@" &&
		"$python" "$tests/support/pftrace_read.py" all.pftrace all.json \
			>>said 2>&1 || {
		cat said
		complain "--align $align of $*"
	}
}

# Refused: the status, the message, the inputs.
refuses() {
	status=$1 words=$2
	shift 2
	"$CTPROF" merge -o refused.json "$@" >said 2>&1
	got=$?
	if [ $got -ne "$status" ] || ! grep -q "$words" said || [ -e refused.json ]; then
		complain "$* ends with $got and $(cat said)"
	fi
}

# The fact of this name in a Chrome trace.
fact() {
	"$python" -c 'import json, sys
print(json.load(open(sys.argv[1]))["otherData"]["facts"].get(sys.argv[2]))' "$@"
}

# All names of processes, without their numbers, each once.
processes() {
	"$python" -c 'import json, sys
print("|".join(sorted({event["args"]["name"] for event in json.load(
    open(sys.argv[1]))["traceEvents"] if event["name"] == "process_name"})))' \
		"$1"
}

# A trace of two slices and a kernel: NAME BASE PID, further members.
trace() {
	first=${4:-}
	[ -z "$2" ] || first="\"baseTimeNanoseconds\":$2,$first"
	cat >"$1" <<END
{$first
"traceEvents":[
{"ph":"M","name":"process_name","pid":$3,"tid":1,"args":{"name":"python"}},
{"ph":"X","name":"step","pid":$3,"tid":1,"ts":100,"dur":50},
{"ph":"X","name":"ProfilerStep#7","cat":"cpu_op","pid":$3,"tid":1,"ts":105,"dur":20},
{"ph":"X","name":"cudaLaunchKernel","cat":"cuda_runtime","pid":$3,"tid":1,
 "ts":110,"dur":5,"args":{"correlation":9}},
{"ph":"X","name":"gemm","cat":"kernel","pid":0,"tid":7,"ts":120,"dur":10,
 "args":{"device":0,"stream":7,"correlation":9,"External id":4}},
{"ph":"s","name":"x","cat":"f","id":5,"pid":$3,"tid":1,"ts":111},
{"ph":"f","name":"x","cat":"f","id":5,"pid":$3,"tid":1,"ts":112}]}
END
}
base=1700000000000000000

# Random traces, as JSON and as logs, whose ranks are in their names.
for seed in 1 2 3; do
	rm -f rank?.json
	"$python" "$tests/bin/timeline/merge_random.py" $seed . || exit 99
	agrees wall rank?.json
done
agrees none rank?.json
agrees once rank?.json
"$CTPROF" merge -q -o in_order.json rank?.json
# shellcheck disable=SC2046 # names have no spaces
"$CTPROF" merge -q -o turned.json $(printf '%s\n' rank?.json | sort -r)
cmp in_order.json turned.json || complain "the order of inputs matters"
for rank in rank?.json; do
	"$CTPROF" convert -q -o "${rank%.json}.ctp" "$rank"
done
"$CTPROF" merge -q -o all.json --force rank?.ctp &&
	"$python" "$tests/bin/timeline/merge_timelines.py" all.json wall rank?.json >said ||
	complain "logs become something else"

"$CTPROF" merge -q -o again.ctp rank?.json &&
	"$CTPROF" convert -q -o again.json again.ctp &&
	"$python" "$tests/bin/timeline/merge_timelines.py" again.json wall rank?.json >said ||
	complain "as a log it becomes something else"

# Inputs that cannot be on one clock.
trace a.json $base 1
trace b.json $((base + 2000000)) 1
trace c.json "" 1
refuses 3 'c.json: has no recording time' a.json c.json
refuses 3 'c.json: has no recording time' --align wall c.json c.json
refuses 3 'a.json: has no range of that name' --align nowhere a.json b.json
refuses 3 'b.json: has no collective op' --align collective a.json b.json
# The quality of the alignment needs no -v.
for rank in 0 1; do
	echo "{\"baseTimeNanoseconds\":1,\"traceEvents\":["
	for i in 1 2 3; do
		echo "{\"ph\":\"X\",\"cat\":\"kernel\",
\"name\":\"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)\",
\"pid\":0,\"tid\":7,\"ts\":$((i * 100 + rank * (1000 + i))),\"dur\":5,
\"args\":{\"device\":0,\"stream\":7}},"
	done
	echo '{"ph":"X","name":"f","pid":1,"tid":1,"ts":1,"dur":1}]}'
done | csplit -sz -f pairs - '/baseTime/' '{1}'
"$CTPROF" merge -o pairs.json --align collective pairs00 pairs01 2>said ||
	complain "SendRecv is not a collective: $(cat said)"
grep -qx 'ctprof: clocks agree to within 1.0 us in nine of ten collectives (worst input: pairs01, by 3 collectives)' said ||
	complain "merge: did not say the quality but '$(cat said)'"
agrees none a.json c.json
agrees step a.json c.json
agrees step c.json a.json
"$CTPROF" convert -q -o a.pstats a.json
refuses 3 'a.pstats: is a profile' a.json a.pstats
refuses 3 'a.pstats: is a profile' --align step a.json a.pstats
refuses 3 'none.json: cannot open' a.json none.json
refuses 2 'pstats is a profile' -t pstats --align wall a.json
refuses 2 'no output format' -o - a.json
refuses 6 'memory' --max-mem 2M a.json b.json

# A single input needs no clock, and an empty input lacks one.
"$CTPROF" merge -q -o one.json --force c.json || complain "one without a clock"
echo '{"traceEvents":[]}' >empty.json
"$CTPROF" merge -q -o one.json --force c.json empty.json ||
	complain "one, and nothing"

# Times are the hour of day itself in older traces.
sed 's/"ts":1/"ts":17000000000001/; s/"baseTimeN.*,//' a.json >old.json
sed 's/"ts":1/"ts":17000000000001/; s/"baseTimeN.*,//' b.json >older.json
sed -i 's/"ts":17000000000001/"ts":17000000000000/' older.json
agrees wall old.json older.json

# Pipes can be read only once, and need not be read twice.
"$CTPROF" merge -q -o files.json --align step a.json c.json
# shellcheck disable=SC2002 # it is to be a pipe
cat c.json | "$CTPROF" merge -q -o pipe.json --align step a.json - ||
	complain "a pipe cannot be read"
[ "$(grep -c '"ph":"X"' pipe.json)" = "$(grep -c '"ph":"X"' files.json)" ] ||
	complain "a pipe is something else"

# Their names: from their contents, their process names, their files.
called() {
	"$CTPROF" merge -q -o called.json --force "$2" "$3" &&
		[ "$(processes called.json)" = "$1" ] ||
		complain "$2 and $3 are called $(processes called.json)"
}
trace told5.json $base 1 '"distributedInfo":{"backend":"nccl", "rank" : 5},'
# With many ranks, their names are longer.
members=$(seq -s , 1 5000)
trace told4.json $base 1 \
	"\"distributedInfo\":{\"rank\":4,\"x\":{\"rank\":7},\"y\":[$members]},"
called 'rank 4: python|rank 4: python GPU 0|rank 5: python (pid 1)|rank 5: python (pid 1) GPU 0' \
	told5.json told4.json
cp a.json job_Rank-12.x.json
cp b.json job_rank3.json
called 'rank 12: python (pid 1)|rank 12: python (pid 1) GPU 0|rank 3: python|rank 3: python GPU 0' \
	job_Rank-12.x.json job_rank3.json
cp a.json step_1.json
cp b.json step_0.json
called 'rank 0: python|rank 0: python GPU 0|rank 1: python (pid 1)|rank 1: python (pid 1) GPU 0' \
	step_1.json step_0.json
cp a.json run.1234.json
cp b.json run.5678.json
called 'run.1234: python|run.1234: python GPU 0|run.5678: python (pid 1)|run.5678: python (pid 1) GPU 0' \
	run.1234.json run.5678.json
mkdir -p x y
cp a.json x/run.json
cp b.json y/run.json
called 'input 1: python|input 1: python GPU 0|input 2: python (pid 1)|input 2: python (pid 1) GPU 0' \
	x/run.json y/run.json

# Earlier merged inputs keep their names, in both formats.
for form in json ctp; do
	rm -f two.$form three.$form
	"$CTPROF" merge -q -o two.$form told4.json told5.json &&
		"$CTPROF" merge -q -o three.json --force two.$form job_rank3.json ||
		complain "merging again fails"
	case $(processes three.json) in
	*'rank 3: python'*'rank 4: python'*'rank 5: python'*) ;;
	*) complain "$form merged again is called $(processes three.json)" ;;
	esac
	[ "$(fact three.json merged)" = 3 ] || complain "merged $(fact three.json merged)"
	"$python" - three.json <<'END' || complain "$form merged again is confused"
import json, sys
sys.path.insert(0, ".")
events = json.load(open(sys.argv[1]))["traceEvents"]
work = [event for event in events if event.get("cat") == "kernel"]
calls = {event["args"]["correlation"] for event in events
         if event.get("cat") == "cuda_runtime"}
assert len(calls) == 3 and len({event["pid"] for event in work}) == 3
assert {event["args"]["correlation"] for event in work} == calls
assert len({event["args"]["External id"] for event in work}) == 3
END
done

# Any number of inputs needs few open files, and has the same result.
mkdir many
seq 0 149 | while read -r number; do
	trace "$(printf 'many/rank%03d.json' "$number")" $((base + number * 1000)) $((number % 3 + 1))
done
(
	ulimit -n 64
	for align in wall step; do
		agrees "$align" many/rank*.json
	done
	# Pipes as well, each of which is read once.
	mkfifo first second
	cat many/rank000.json >first &
	cat many/rank001.json >second &
	"$CTPROF" merge -q --align step -o pipes.json first second \
		many/rank00?.json many/rank01?.json || complain "pipes are not merged"
	exit "$failed"
) || failed=1
echo text >many/broken.json
refuses 3 'many/broken.json: ' many/*.json
rm many/broken.json
"$CTPROF" convert -q -o many/sums.pstats many/rank000.json
refuses 3 'many/sums.pstats: is a profile' many/*
rm many/sums.pstats

# A part of the merged timeline is that of cut: the same events, apart from their
# numbers, which are those of their order.
"$CTPROF" merge -q -o whole.ctp many/rank01*.json
for part in --time=2us..60us --step=7 --rank=12-14,18 "--step=7 --rank=15"; do
	# shellcheck disable=SC2086
	"$CTPROF" cut -q --force $part -o cut.ctp whole.ctp &&
		"$CTPROF" convert -q -t csv cut.ctp | cut -d, -f1,5- | sort >cut.csv &&
		"$CTPROF" merge -q --force $part -o part.ctp many/rank01*.json &&
		"$CTPROF" convert -q -t csv part.ctp | cut -d, -f1,5- | sort >part.csv &&
		cmp cut.csv part.csv || complain "merge $part differs from cut"
done
[ "$(wc -l <part.csv)" -gt 3 ] || complain "a step has no events"
"$CTPROF" merge -q --step=8 -o step8.ctp many/rank01*.json 2>said
[ $? = 1 ] && grep -q 'has no step 8' said || complain "step 8: $(cat said)"
"$CTPROF" merge -q --rank=3 -o rank.pstats many/rank01*.json 2>said
[ $? = 2 ] || complain "a profile of a part: $(cat said)"

# An open range lasts until the end of its own recording.
cat >open0.json <<END
{"baseTimeNanoseconds":$base,"traceEvents":[
{"ph":"B","name":"open","pid":1,"tid":1,"ts":1},
{"ph":"X","name":"last","pid":1,"tid":1,"ts":2,"dur":7}]}
END
cat >open1.json <<END
{"baseTimeNanoseconds":$base,"traceEvents":[
{"ph":"X","name":"long","pid":1,"tid":1,"ts":2,"dur":700}]}
END
"$CTPROF" merge -q -o open.json open0.json open1.json
grep -q '"ts":1.000,"dur":8.000,"name":"open"' open.json ||
	complain "a range is open too long: $(grep '"open"' open.json)"

# All that is read can be merged: the counts of each kind equal the inputs'.
counts() {
	"$CTPROF" info --json "$@" | "$python" -c 'import collections, json, sys
sums = collections.Counter()
decoder, text = json.JSONDecoder(), sys.stdin.read()
while text.strip():
    report, end = decoder.raw_decode(text.lstrip())
    sums.update({**report["counts"], "processes": report["processes"]})
    text = text.lstrip()[end:]
print(sorted(sums.items()))'
}
set -- "$tests"/traces/mi300_vllm*.gz "$tests"/traces/flow.json.gz in_order.json \
	rank0.ctp
"$CTPROF" info "$tests/formats/sqlite/sqlite/mock.sqlite.gz" >/dev/null 2>&1 &&
	set -- "$@" "$tests/formats/sqlite/sqlite/mock.sqlite.gz"
"$CTPROF" merge -q --align none -o mixed.ctp "$@" || complain "$* do not mix"
[ "$(counts "$@")" = "$(counts mixed.ctp)" ] ||
	complain "mixed: $(counts mixed.ctp), of $(counts "$@")"

# Ranges open in a recording end with it, even if others continue.
echo '{"baseTimeNanoseconds":1,"traceEvents":[
{"ph":"B","name":"f","pid":1,"tid":1,"ts":1},
{"ph":"X","name":"g","pid":1,"tid":1,"ts":2,"dur":3}]}' >short.json
sed 's/"ts":2/"ts":90/' short.json >long.json
for name in short long; do
	"$CTPROF" convert -q -o $name.ctp $name.json || complain "$name.json"
done
"$CTPROF" stats -q --csv -o apart.csv short.ctp long.ctp &&
	"$CTPROF" merge -q -o open.ctp short.ctp long.ctp &&
	"$CTPROF" stats -q --csv -o together.csv open.ctp &&
	cmp apart.csv together.csv || complain "open ranges end elsewhere"
# Also in a window of time that ends or begins after it.
for window in 3us..50us 6us..50us; do
	for name in short long open; do
		"$CTPROF" cut -q --force --time=$window -o $name-cut.ctp $name.ctp
	done
	"$CTPROF" stats -q --csv --force -o apart.csv short-cut.ctp long-cut.ctp
	"$CTPROF" stats -q --csv --force -o together.csv open-cut.ctp
	cmp apart.csv together.csv || complain "open in $window: $(cat together.csv)"
done

# A log of others' timelines begins where they do.
for name in short.json short.ctp; do
	"$CTPROF" info --json $name | grep -o '"start_ns":1001,"span_ns":4000'
done | uniq -c | grep -q '^ *2 ' ||
	complain "a log begins elsewhere than its source"

# Profiles: also sums, and in any order.
for name in a b old; do "$CTPROF" convert -q -o $name.pstats --force $name.json; done
"$CTPROF" merge -o ab.pstats a.pstats b.pstats &&
	"$CTPROF" merge -o abc.pstats ab.pstats old.pstats &&
	"$CTPROF" merge -o cba.pstats old.pstats b.pstats a.pstats &&
	cmp abc.pstats cba.pstats || complain "sums differ"

archive=${CTPROF_DATA:-}/kineto/v100_dlrm_8ranks.tar.gz
if [ -f "$archive" ]; then
	tar xzf "$archive" || exit 99
	for align in wall collective none; do
		agrees "$align" dlrm_kineto/*.json
	done
else
	echo "skipped eight_ranks: CTPROF_DATA has none"
fi
exit $failed
