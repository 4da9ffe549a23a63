#!/bin/sh
# SPDX-License-Identifier: MIT
# Chrome traces as other tools write them: nesting, times, and the causes of
# device activities.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

# Checks that the trace on standard input gives these folded stacks; $3: further
# options.
folds() {
	cat >"$work/in.json"
	# shellcheck disable=SC2086
	"$CTPROF" convert -v ${3:-} -t folded "$work/in.json" >"$work/out" \
		2>"$work/err" || complain "$1: $(cat "$work/err")"
	[ "$(sort "$work/out")" = "$(echo "$2" | sort)" ] || complain "$1: $(cat "$work/out")"
}

# Checks that the messages about the last trace contain this.
says() {
	grep -q "$2" "$work/err" || complain "$1: said $(cat "$work/err")"
}

x() {
	printf '{"ph":"X","name":"%s","pid":1,"tid":1,"ts":%s,"dur":%s},\n' "$@"
}

array() {
	echo '['
	cat
	echo '{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"t"}}]'
}

# Times are decimal numbers of any size, and never converted to double.
{
	x a 1712345678901234.567 2.5
	x b 1712345678901235.068 0.001
	x c 17123456789012355.69e-1 '"1e-3"'
	x d '" 1712345678901236"' 0.0005
} | array | folds times 'a 2497
a;b 1
a;c 1
a;d 1'

# Slices at the same time: the longer one is the outer one, wherever it is in
# the file; of equal ones the first, unless children come first in the file.
{
	x inner 10 5
	x outer 10 10
} | array | folds longer 'outer 5000
outer;inner 5000'
{
	x top 0 100
	x first 10 10
	x second 10 10
} | array | folds parents 'top 90000
top;first;second 10000'
{
	x first 10 10
	x second 10 10
	x top 0 100
} | array | folds children 'top 90000
top;second;first 10000'

# Slices that overlap without nesting are kept beside the others.
{
	x a 0 10
	x b 5 10
	x c 12 1
} | array | folds overlap 'a 10000
b 10000
c 1000'
says overlap '1 slices that overlap'

# Python calls wait for the ranges that they end, but only up to a limit of
# bytes.
long=$(printf '%01200000d' 0)
{
	echo '[{"ph":"X","name":"r","cat":"cpu_op","pid":1,"tid":1,"ts":0,"dur":10}'
	for dur in 19 18 17 16 15; do
		echo ',{"ph":"X","name":"f","cat":"python_function","pid":1,'
		echo '"tid":1,"ts":5,"dur":'$dur',"args":{"a":"'"$long"'"}}'
	done
	echo ']'
} >"$work/in.json"
"$CTPROF" convert -v -t log "$work/in.json" >"$work/out" 2>"$work/err"
says late '3 calls in Python'
says late '2 slices that overlap'

# Ranges without an end, ends without a begin, ends within slices, ranges that
# begin and end with a slice.
folds ranges 'a 4000
a;b 5000
a;b;x 1000' <<'END'
{"displayTimeUnit":"ns","traceEvents":[
{"ph":"E","name":"z","pid":"p","tid":"t","ts":0},
{"ph":"B","name":"a","pid":"p","tid":"t","ts":0},
{"ph":"X","name":"b","pid":"p","tid":"t","ts":2,"dur":6},
{"ph":"B","name":"x","pid":"p","tid":"t","ts":2},
{"ph":"E","pid":"p","tid":"t","ts":3},
{"ph":"E","name":"a","pid":"p","tid":"t","ts":10},
{"ph":"B","name":"c","pid":"p","tid":"t","ts":10}]}
END
says ranges '1 ends without a begin'

# Invalid events are counted; the others are used.
folds senseless 'a 1000' <<'END'
[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},3,[4],
{"ph":"X","name":"b","pid":1,"tid":1,"ts":1},
{"ph":"X","name":"b","pid":1,"tid":1,"ts":1,"dur":-1},
{"ph":"X","name":"b","pid":1,"tid":1,"dur":1},
{"ph":"X","name":"b","pid":1,"tid":1,"ts":"now","dur":1},
{"ph":"X","name":"b","pid":1,"tid":1,"ts":1e99,"dur":1},
{"ph":"Q","name":"b","pid":1,"tid":1,"ts":1},
{"name":"b","pid":1,"tid":1,"ts":1},{}]
END
says senseless '9 invalid events'

# An array need not be closed, but may be cut off; any other truncation is
# damage.
folds 'open array' 'a 1000' <<'END'
[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},
END
says 'open array' 'may be cut off: its last bracket is missing'
"$CTPROF" convert --strict -t folded "$work/in.json" >"$work/out" 2>"$work/err" ||
	complain "an open array is an error: $(cat "$work/err")"
folds damage 'a 1000' <<'END'
{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},
{"ph":"X","name":"b"x","pid":1}]}
END
says damage 'cut off'
says damage 'byte 90: expected a comma'
echo '{"traceEvents":[{"ph":X}]}' >"$work/in.json"
"$CTPROF" convert -t folded "$work/in.json" >"$work/out" 2>"$work/err"
[ $? = 3 ] || complain "no event: $(cat "$work/out" "$work/err")"
says 'no event' 'byte 22'
echo '{"a":[]}' >"$work/in.json"
"$CTPROF" convert -t folded "$work/in.json" >"$work/out" 2>"$work/err"
[ $? = 3 ] || complain "no traceEvents: $(cat "$work/out" "$work/err")"

# A UTF-8 byte order mark, as from Windows editors and shells; also gzip'd.
printf '\357\273\277' >"$work/mark"
for filter in cat gzip; do
	{
		cat "$work/mark"
		x a 0 1 | array
	} | $filter | folds mark 'a 1000'
	[ -s "$work/err" ] && complain "mark: $(cat "$work/err")"
done

# clang's sums are not slices; VizTracer's functions have files and lines.
folds sums 'Source 10000' <<'END'
{"traceEvents":[{"ph":"X","name":"Source","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"X","name":"Total Source","pid":1,"tid":2,"ts":0,"dur":10,
"args":{"count":1,"avg ms":0}}],"beginningOfTime":1736075080262243}
END
says sums '1 sums, call arrows'
for base in 1736075080262243:1736075080262243000 59221921900:null; do
	sed "s/\(OfTime\":\)[0-9]*/\1${base%:*}/" "$work/in.json" \
		>"$work/base.json"
	"$CTPROF" info --json "$work/base.json" |
		grep -q "\"start_ns\":${base#*:}," || complain "start of $base"
done
cat >"$work/in.json" <<'END'
{"traceEvents":[{"ph":"X","cat":"FEE","pid":1,"tid":1,"ts":1,"dur":1.5,
"name":"run (/a b/c.py:12)"}]}
END
"$CTPROF" stats --csv "$work/in.json" | grep -q '^run,/a b/c.py,12,' ||
	complain "VizTracer: $("$CTPROF" stats --csv "$work/in.json")"

# Devices. $1, $2: External ids of the op and the kernel; $3: the call's
# correlation.
device() {
	cat <<END
{"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"early","pid":7,"tid":8,"ts":0,"dur":4,
"args":{"External id":$1}},
{"ph":"X","cat":"Operator","name":"op","pid":7,"tid":8,"ts":10,"dur":10},
{"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":7,"tid":"8",
"ts":12,"dur":3,"args":{"correlation":$3}},
{"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":5,"ts":11,"dur":6,
"args":{"device":0,"stream":5,"correlation":40,"external id":$2}}]}
END
}
joined='early 4000
op 7000
op;cudaLaunchKernel 3000'
device 9 9 40 | folds 'by correlation' "$joined
op;k 6000"
device 9 9 40 | folds 'by External id' "early 4000
early;k 6000
op 7000
op;cudaLaunchKernel 3000" --join=external
device 9 9 41 | folds 'call is missing' "early 4000
early;k 6000
op 7000
op;cudaLaunchKernel 3000"
device 9 9 41 | folds 'by correlation only' "$joined
k 6000" --join=correlation
device 40 40 41 | folds 'External id is the correlation' "$joined
k 6000"

# Other events: they are written as they were read.
cat >"$work/in.json" <<'END'
{"metadata":{"a":[1]},"host":"h\u00e9","baseTimeNanoseconds":123456789,
"stackFrames":{"1":{"name":"main"},"2":{"name":"f","parent":1},
"3":{"name":"loop","parent":3}},"samples":[
{"pid":1,"tid":1,"ts":3,"sf":2,"name":"s"},
{"pid":1,"tid":1,"ts":4,"sf":"3","name":"s"}],
"traceEvents":[
{"ph":"C","name":"mem","pid":1,"tid":1,"ts":1,"args":{"a":1,"b":2.5,"c":"no"}},
{"ph":"i","name":"now","pid":1,"tid":1,"ts":2,"s":"t"},
{"ph":"b","cat":"c","id":"0x1F","name":"async","pid":1,"tid":1,"ts":3},
{"ph":"e","cat":"c","id":31,"name":"async","pid":1,"tid":1,"ts":4},
{"ph":"X","name":"a","pid":1,"tid":1,"ts":5,"dur":9,"args":{"n":-3,"f":0.25,
"u":18446744073709551615,"t":"q\"\n","l":[1, {"x":null}],"b":true}},
{"ph":"s","cat":"c","id":5,"name":"flow","pid":1,"tid":1,"ts":6},
{"ph":"f","cat":"c","id":5,"name":"flow","pid":1,"tid":1,"ts":7,"bp":"e"},
{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"proc"}},
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"thread"}}]}
END
"$CTPROF" convert -q -t chrome "$work/in.json" >"$work/out" ||
	complain "convert failed"
has() {
	grep -qF "$1" "$work/out" || complain "not written: $1"
}
has '"name":"proc"'
has '"name":"thread"'
has '"n":-3,"f":0.25,"u":18446744073709551615,"t":"q\"\n","l":[1, {"x":null}],"b":true'
has '"baseTimeNanoseconds":123456789'
has '"host":"hé"'
has '"metadata":{"a":[1]}'
has '"stack":"main;f"'
has '"id":"0x1f"'
[ "$(grep -c '"ph":"C"' "$work/out")" = 2 ] || complain "counters"
[ "$(grep -c '"ph":"[sf]"' "$work/out")" = 2 ] || complain "flows"
[ "$(grep -c '"ph":"[be]"' "$work/out")" = 2 ] || complain "async"
[ "$(grep -c '"ph":"i"' "$work/out")" = 3 ] || complain "instants"

# Invalid JSON strings are repaired, also deep in an argument.
printf '[{"ph":"X","name":"a\\q\001\377","pid":1,"tid":1,"ts":1,"dur":1,
"args":{"s":"\002","l":["\003\\p\\u00e9\376",\n1]}}]' >"$work/bad.json"
"$CTPROF" convert -q -t chrome "$work/bad.json" >"$work/mended"
grep -qF '"name":"a\\q\u0001�"' "$work/mended" &&
	grep -qF '"s":"\u0002","l":["\u0003\\pé�",' "$work/mended" ||
	complain "mended: $(cat "$work/mended")"

# Arrows from calls to their activities are not doubled: we write our own.
cat >"$work/arrows.json" <<'END'
{"traceEvents":[
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":8,
"ts":2,"dur":3,"args":{"correlation":4}},
{"ph":"s","id":4,"pid":7,"tid":8,"ts":2,"cat":"ac2g","name":"ac2g"},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":5,"ts":6,"dur":1,
"args":{"device":0,"stream":5,"correlation":4}},
{"ph":"f","id":4,"pid":0,"tid":5,"ts":6,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"s","id":1,"pid":7,"tid":8,"ts":2,"cat":"async","name":"launch"},
{"ph":"s","id":1,"pid":7,"tid":8,"ts":2,"cat":"async","name":"mine"}]}
END
"$CTPROF" convert -q -t chrome "$work/arrows.json" >"$work/arrows"
[ "$(grep -c '"ph":"[sf]"' "$work/arrows")" = 3 ] ||
	complain "arrows: $(cat "$work/arrows")"
grep -q '"left_out":3' "$work/arrows" || complain "arrows are not counted"

# The same from a pipe. Converting the output again gives the same, except for
# the numbers of events without one.
"$CTPROF" convert -q -t chrome - <"$work/in.json" >"$work/pipe"
sed 's/,"title":"[^"]*"//' "$work/out" >"$work/one"
sed 's/,"title":"[^"]*"//' "$work/pipe" >"$work/two"
cmp -s "$work/one" "$work/two" || complain "pipe: $(cat "$work/pipe")"
"$CTPROF" convert -q -t chrome "$work/out" >"$work/again"
sed 's/,"title":"[^"]*"//;s/,"losses":.*//' "$work/out" >"$work/one"
sed 's/,"title":"[^"]*"//;s/,"losses":.*//' "$work/again" >"$work/two"
cmp -s "$work/one" "$work/two" || complain "$(diff "$work/one" "$work/two")"
# Events of PyTorch's profiler without process and thread do not get a number of
# ours.
"$CTPROF" convert -q -t csv - >"$work/out" <<'END'
[{"ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":3},
{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]
END
[ "$(grep -c '^instant,.*,(none),(none),.*Record Window End' "$work/out")" = 1 ] ||
	complain "no process: $(cat "$work/out")"
# Bazel's counters are numbers as text; JAX, nvcc and rocprof write empty
# events, which are not losses.
"$CTPROF" convert -q -t chrome - >"$work/out" <<'END'
[{},{"ph":"C","name":"cpu","pid":1,"tid":1,"ts":1,
"args":{"a":"0.5","b":"1x","c":"12345678901234567","d":3}},{}]
END
has '"args":{"a":0.5}'
has '"args":{"c":12345678901234567}'
has '"args":{"d":3}'
has '"not_kept":1'
"$CTPROF" info "$work/out" | grep 'output format' &&
	complain "info speaks of an output format"
grep -q left_out "$work/out" && complain "{} is counted as a loss"
exit $failed
