#!/bin/sh
# SPDX-License-Identifier: MIT
# Converts other tools' Chrome traces to Chrome traces: this keeps all slices,
# instants, counters and arrows, with their categories, arguments and other
# members, the document's members, and the order of rows. A log in between
# changes nothing, and converting the output again gives the same bytes, except
# for open ranges and losses, which are reported once.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need "$python"

cat >"$work/small.json" <<'END'
[{"ph":"M","name":"process_name","pid":-5,"args":{"name":"p"}},
{"ph":"M","name":"process_sort_index","pid":-5,"args":{"sort_index":-7}},
{"ph":"M","name":"process_sort_index","pid":6,"args":{"sort_index":-9}},
{"ph":"M","name":"thread_sort_index","pid":6,"tid":8,"args":{"sort_index":88}},
{"ph":"M","name":"thread_name","pid":-5,"tid":"t","args":{"name":"named"}},
{"ph":"B","name":"a","cat":"x,y","pid":-5,"tid":"t","ts":-1.5,"args":{"n":1}},
{"ph":"s","name":"go","cat":"c","id":"0x1f","pid":-5,"tid":"t","ts":0},
{"ph":"t","name":"go","cat":"c","id":31,"pid":-5,"tid":"t","ts":0.001},
{"ph":"f","name":"go","cat":"c","id":31,"bp":"e","pid":-5,"tid":"t","ts":0.002,
 "args":{"deep":[{"":null},[true,1e400,"\u00e9\ud83d\ude00"]]}},
{"ph":"C","name":"lines","pid":-5,"tid":"t","ts":0.5,"args":{"u":1,"v":-0.25}},
{"ph":"C","name":"line","pid":-5,"tid":"t","ts":0.5,"args":{"line":7}},
{"ph":"b","name":"as","cat":"z","id":"7","pid":-5,"tid":"t","ts":1,
 "args":{"q":"text"}},
{"ph":"e","name":"as","cat":"z","id":"7","pid":-5,"tid":"t","ts":2,
 "args":{"q":0.1}},
{"ph":"i","name":"now","pid":-5,"tid":"t","ts":2,"s":"t","args":{"i":-3}},
{"ph":"E","pid":-5,"tid":"t","ts":3,"args":{"m":[]}},
{"ph":"X","name":"m","cat":"c","pid":6,"tid":8,"ts":1,"dur":50,"tts":5,
 "tdur":3,"cname":"good","bind_id":"0xff","flow_out":true,"id":"x1",
 "nested":[1,{"x":"\n\u00e9"}],"none":false,"args":{"q":1}},
{"caller_lineno":158,"dur":5,"ts":2,"tid":8,"pid":6,"name":"n","ph":"X"},
{"ph":"B","name":"o","cat":"c","pid":6,"tid":8,"ts":10,"tts":5},
{"ph":"E","name":"o","cat":"c","pid":6,"tid":8,"ts":12,"tts":7},
{"ph":"i","name":"i","cat":"c","pid":6,"tid":8,"ts":10,"s":"p","tts":1},
{"ph":"I","name":"i","cat":"c","pid":6,"tid":8,"ts":10},
{"ph":"N","name":"N","cat":"c","pid":6,"tid":8,"ts":10,"id":"0x7","scope":"s"},
{"ph":"(","name":"x","cat":"c","pid":6,"tid":8,"ts":10,"id":"0x7"},
{"ph":"=","name":"x","cat":"c","pid":6,"tid":8,"ts":10,"id":"0x7",
 "args":{"linked_id":"0x8"}},
{"ph":")","name":"x","cat":"c","pid":6,"tid":8,"ts":11,"id":"0x7"},
{"ph":"O","name":"N","cat":"c","pid":6,"tid":8,"ts":11,"id":"0x7","scope":"s",
 "args":{"snapshot":{"k":1}}},
{"ph":"D","name":"N","cat":"c","pid":6,"tid":8,"ts":12,"id":"0x7","scope":"s"},
{"ph":"c","name":"clock_sync","cat":"c","pid":6,"tid":8,"ts":14},
{"ph":"S","name":"S","cat":"c","pid":6,"tid":8,"ts":12,"id":"a","scope":"s"},
{"ph":"T","name":"S","cat":"c","pid":6,"tid":8,"ts":13,"id":"a","scope":"s"},
{"ph":"F","name":"S","cat":"c","pid":6,"tid":8,"ts":14,"id":"a","scope":"s"},
{"ph":"b","name":"l","cat":"c","pid":6,"tid":8,"ts":12,"id2":{"local":"1"}},
{"ph":"e","name":"l","cat":"c","pid":6,"tid":8,"ts":14,"id2":{"local":"1"}},
{"ph":"s","name":"f","cat":"c","pid":6,"tid":8,"ts":12,"id":17,"bp":"e"},
{"ph":"f","name":"f","cat":"c","pid":6,"tid":8,"ts":14,"id":17},
{"ph":"X","name":"one","pid":6,"tid":7,"ts":0,"dur":5},
{"ph":"X","name":"over","pid":6,"tid":7,"ts":3,"dur":6,"args":{"k":{}}},
{"ph":"X","name":"_Z3fooi","cat":"kernel","pid":7,"tid":9,"ts":4,"dur":5,
 "args":{"device":0,"stream":9,"correlation":1}}]
END

cat >"$work/members.json" <<'END'
{"schemaVersion":1,"displayTimeUnit":"ms","with_flops":1,"roctracer":4.10,
"distributedInfo":{"rank":3,"pg":[{"a\u000ab":"\u00e9"}]},"none":null,"yes":true,
"one":"1","otherData":{"version":"2","list":[1,2]},"empty":"",
"metadata":{"l":[[],{}]},"traceEvents":[
{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5}],
"traceName":"/tmp/x \"quoted\".json","beginningOfTime":1691836962728328}
END

# Enough members and arguments that comparing all pairs would take minutes.
"$python" - >"$work/many.json" <<'END' || exit 99
import json
print(json.dumps({
    "traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0,
                     "dur": 5, "args": {f"k{i}": i for i in range(60000)}}],
    **{f"member{i}": i for i in range(60000)}}))
END

# Cases that a naive writer swaps or misreads in its own output: equal slices,
# calls at the same time, members beside B and E, annotations on rows of streams
# whose number is not a tid.
cat >"$work/own.json" <<'END'
{"traceEvents":[
{"ph":"M","name":"thread_name","pid":0,"tid":0,"args":{"name":"stream 0 "}},
{"ph":"X","name":"outer","cat":"cpu_op","pid":1,"tid":1,"ts":0,"dur":9},
{"ph":"X","name":"inner","cat":"cpu_op","pid":1,"tid":1,"ts":0,"dur":9,
 "args":{"External id":3}},
{"ph":"X","name":"one","cat":"cuda_runtime","pid":1,"tid":1,"ts":2,"dur":0,
 "args":{"correlation":1}},
{"ph":"X","name":"two","cat":"cuda_runtime","pid":1,"tid":1,"ts":2,"dur":0,
 "tts":2,"args":{"correlation":2}},
{"ph":"X","name":"three","cat":"cuda_runtime","pid":1,"tid":1,"ts":2,"dur":0,
 "args":{"correlation":3}},
{"ph":"X","name":"note","cat":"gpu_user_annotation","pid":0,"tid":0,"ts":3,
 "dur":4,"args":{"External id":3}},
{"ph":"X","name":"k","cat":"kernel","pid":0,"tid":0,"ts":3,"dur":2,
 "args":{"device":0,"stream":0,"correlation":1}},
{"ph":"X","name":"l","cat":"kernel","pid":0,"tid":0,"ts":4,"dur":3,
 "args":{"device":0,"stream":0,"correlation":2}},
{"ph":"X","name":"m","cat":"kernel","pid":0,"tid":0,"ts":7,"dur":2,
 "args":{"device":0,"stream":0,"correlation":3}},
{"ph":"B","name":"a","cat":"c","pid":1,"tid":2,"ts":5,"tts":1},
{"ph":"B","name":"b","cat":"c","pid":1,"tid":2,"ts":5,"tts":2},
{"ph":"E","name":"b","cat":"c","pid":1,"tid":2,"ts":5,"tts":3},
{"ph":"E","name":"a","cat":"c","pid":1,"tid":2,"ts":5,"tts":4}]}
END

# Python's numbers that are not JSON: in arguments, inside and outside brackets,
# beside the arguments, and in members of the document.
cat >"$work/nan.json" <<'END'
{"loss":NaN,"metadata":{"l":[1,-Infinity,"NaN, \"Infinity\""]},"traceEvents":[
{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5,"beside":Infinity,
 "args":{"n":NaN,"i":Infinity,"m":-Infinity,"text":"NaN","k":1.5,
 "deep":[NaN,{"Infinity":-Infinity},"\u004eaN"]}},
{"ph":"X","name":"b","pid":1,"tid":1,"ts":6,"dur":5,"nested":[ NaN ],
 "args":{"deep":[1, "a"]}}],"late":[Infinity]}
END

# Empty slices at the end of a range, after it, and at the begin of one.
cat >"$work/ends.json" <<'END'
[{"ph":"B","name":"all","pid":6,"tid":8,"ts":0},
{"ph":"B","name":"ends","pid":6,"tid":8,"ts":0},
{"ph":"B","name":"last","pid":6,"tid":8,"ts":5},
{"ph":"E","pid":6,"tid":8,"ts":5},
{"ph":"B","name":"outer","pid":6,"tid":8,"ts":5},
{"ph":"B","name":"inner","pid":6,"tid":8,"ts":5},
{"ph":"E","pid":6,"tid":8,"ts":5},
{"ph":"E","pid":6,"tid":8,"ts":5},
{"ph":"E","pid":6,"tid":8,"ts":5},
{"ph":"B","name":"begins","pid":6,"tid":8,"ts":5},
{"ph":"B","name":"first","pid":6,"tid":8,"ts":5},
{"ph":"E","pid":6,"tid":8,"ts":5},
{"ph":"E","pid":6,"tid":8,"ts":9},
{"ph":"E","pid":6,"tid":8,"ts":10}]
END

# Python calls that begin or end ranges, which overlap the calls and their
# callers; one call that does both, equal ones, and an empty one.
cat >"$work/cut.json" <<'END'
[{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},
{"ph":"X","name":"m","cat":"python_function","pid":1,"tid":2,"ts":0,"dur":90},
{"ph":"X","name":"e","cat":"python_function","pid":1,"tid":2,"ts":1,"dur":4,
 "args":{"Python id":7}},
{"ph":"X","name":"b","cat":"python_function","pid":1,"tid":2,"ts":2,"dur":2},
{"ph":"X","name":"c","cat":"python_function","pid":1,"tid":2,"ts":2,"dur":2},
{"ph":"X","name":"r","cat":"cpu_op","pid":1,"tid":2,"ts":3,"dur":17,
 "args":{"External id":1}},
{"ph":"X","name":"w","cat":"python_function","pid":1,"tid":2,"ts":6,"dur":9},
{"ph":"X","name":"x","cat":"python_function","pid":1,"tid":2,"ts":17,"dur":7,
 "args":{"Python id":8,"NaN":"\u00e9"}},
{"ph":"X","name":"y","cat":"python_function","pid":1,"tid":2,"ts":18,"dur":4},
{"ph":"X","name":"z","cat":"python_function","pid":1,"tid":2,"ts":18,"dur":4},
{"ph":"X","name":"s","cat":"python_function","pid":1,"tid":2,"ts":19,"dur":1},
{"ph":"X","name":"l","cat":"python_function","pid":1,"tid":2,"ts":21,"dur":1},
{"ph":"X","name":"q","cat":"cpu_op","pid":1,"tid":2,"ts":30,"dur":10},
{"ph":"X","name":"t","cat":"cpu_op","pid":1,"tid":2,"ts":31,"dur":8},
{"ph":"X","name":"i","cat":"python_function","pid":1,"tid":2,"ts":35,"dur":25},
{"ph":"X","name":"n","cat":"python_function","pid":1,"tid":2,"ts":40,"dur":0},
{"ph":"X","name":"u","cat":"cpu_op","pid":1,"tid":2,"ts":45,"dur":25}]
END

# Functions of the same name at two locations, an empty one in an empty one;
# arguments with the names of locations that are not locations; and a name in
# the form of our own traces.
cat >"$work/places.json" <<'END'
[{"ph":"X","name":"f (a.py:3)","cat":"FEE","pid":1,"tid":1,"ts":1,"dur":9},
{"ph":"X","name":"f (b.py:70)","cat":"FEE","pid":1,"tid":1,"ts":2,"dur":3},
{"ph":"X","name":"f (b.py:7)","cat":"FEE","pid":1,"tid":1,"ts":6,"dur":0},
{"ph":"X","name":"g (b.py:8)","cat":"FEE","pid":1,"tid":1,"ts":6,"dur":0},
{"ph":"X","name":"x","pid":1,"tid":1,"ts":20,"dur":3,"args":{"file":7,"line":"8"}},
{"ph":"X","name":"x","pid":1,"tid":1,"ts":24,"dur":3,
 "args":{"file":["a"],"line":-1}},
{"ph":"X","name":"x","pid":1,"tid":1,"ts":30,"dur":3,
 "args":{"file":"/a","mode":"r","line":3}},
{"ph":"X","name":"x","pid":1,"tid":1,"ts":34,"dur":3,"args":{"file":"/b"}},
{"ph":"i","name":"y","pid":1,"tid":1,"ts":35,"s":"t","args":{"line":3,"file":"/b"}},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"t","part_of":1}},
{"ph":"X","name":"x","pid":1,"tid":2,"ts":34,"dur":3}]
END

# Details of clang's ranges: headers that begin and end together, or take no
# time, written as they end; of two compilers; and arguments that are not
# details.
cat >"$work/clang.json" <<'END'
{"traceEvents":[
{"ph":"b","name":"Source","cat":"Source","id":0,"pid":1,"tid":1,"ts":2,
 "args":{"detail":"/in/c.h"}},
{"ph":"e","name":"Source","cat":"Source","id":0,"pid":1,"tid":1,"ts":4},
{"ph":"b","name":"Source","cat":"Source","id":0,"pid":1,"tid":1,"ts":4,
 "args":{"detail":"/in/none.h"}},
{"ph":"e","name":"Source","cat":"Source","id":0,"pid":1,"tid":1,"ts":4},
{"ph":"b","name":"Source","cat":"Source","id":0,"pid":1,"tid":1,"ts":4,
 "args":{"detail":"/in/around.h"}},
{"ph":"e","name":"Source","cat":"Source","id":0,"pid":1,"tid":1,"ts":4},
{"ph":"b","name":"Source","cat":"Source","id":0,"pid":1,"tid":1,"ts":2,
 "args":{"detail":"/in/b.h"}},
{"ph":"e","name":"Source","cat":"Source","id":0,"pid":1,"tid":1,"ts":4},
{"ph":"b","name":"Source","cat":"Source","id":0,"pid":1,"tid":1,"ts":2,
 "args":{"detail":"/in/a\u002eh"}},
{"ph":"e","name":"Source","cat":"Source","id":0,"pid":1,"tid":1,"ts":9},
{"ph":"b","name":"Source","cat":"Source","id":0,"pid":2,"tid":1,"ts":3,
 "args":{"detail":"/in/a.h"}},
{"ph":"e","name":"Source","cat":"Source","id":0,"pid":2,"tid":1,"ts":5},
{"ph":"X","name":"InstantiateClass","pid":1,"tid":1,"ts":1,"dur":3,
 "args":{"detail":"std::vector<std::pair<int, \"a\">>"}},
{"ph":"X","name":"OptFunction","pid":1,"tid":1,"ts":5,"dur":3,
 "args":{"detail":"_Z1fi"}},
{"ph":"X","name":"Source","pid":2,"tid":1,"ts":5,"dur":3,
 "args":{"detail":"/in/old.h"}},
{"ph":"X","name":"EvaluateAsConstantExpr","pid":2,"tid":1,"ts":6,"dur":1,
 "args":{"detail":"/in/old.h:12:7"}},
{"ph":"X","name":"EvaluateAsConstantExpr","pid":2,"tid":1,"ts":7,"dur":1,
 "args":{"detail":"nowhere"}},
{"ph":"X","name":"ParseClass","pid":2,"tid":1,"ts":8,"dur":1,
 "args":{"detail":""}},
{"ph":"X","name":"ParseClass","pid":2,"tid":1,"ts":9,"dur":1,
 "args":{"detail":7}},
{"ph":"B","name":"ParseClass","pid":2,"tid":1,"ts":12,"args":{"detail":"f"}},
{"ph":"E","pid":2,"tid":1,"ts":13,"args":{"detail":"last"}},
{"ph":"B","name":"ParseClass","pid":2,"tid":1,"ts":13,"args":{"detail":"f"}},
{"ph":"E","pid":2,"tid":1,"ts":14,"args":{"detail":0}},
{"ph":"X","name":"ParseClass","cat":"c","pid":2,"tid":1,"ts":10,"dur":1,
 "args":{"detail":"not of clang"}}],"beginningOfTime":1736075080257295}
END

# Slices that overlap without nesting on their thread, but would nest on a
# separate row.
cat >"$work/overlaps.json" <<'END'
[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"X","name":"b","pid":1,"tid":1,"ts":5,"dur":20},
{"ph":"X","name":"c","pid":1,"tid":1,"ts":11,"dur":4},
{"ph":"X","name":"d","pid":1,"tid":1,"ts":12,"dur":6},
{"ph":"X","name":"d","pid":1,"tid":2,"ts":12,"dur":4},
{"ph":"X","name":"e","pid":1,"tid":1,"ts":13,"dur":9}]
END

# The span of a recording, on its thread's first row, and slices marked as
# apart.
cat >"$work/span.json" <<'END'
{"ctprof":"0","traceEvents":[
{"ph":"M","name":"thread_name","pid":1,"tid":2,
 "args":{"name":"t","apart_from":1}},
{"ph":"X","name":"PyTorch Profiler (0)","cat":"Trace","pid":1,"tid":1,"ts":0,
 "dur":2},
{"ph":"X","name":"a","pid":1,"tid":1,"ts":10,"dur":10},
{"ph":"X","name":"b","pid":1,"tid":2,"ts":12,"dur":3}]}
END

# Empty calls before, in and after others that begin or end at the same time.
cat >"$work/moments.json" <<'END'
{"$schema":"https://www.speedscope.app/file-format-schema.json",
"shared":{"frames":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}]},
"profiles":[{"type":"evented","name":"t","unit":"microseconds","startValue":0,
"endValue":9,"events":[
{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":5},
{"type":"C","frame":1,"at":5},{"type":"O","frame":2,"at":5},
{"type":"O","frame":3,"at":5},{"type":"C","frame":3,"at":5},
{"type":"O","frame":1,"at":5},{"type":"C","frame":1,"at":7},
{"type":"O","frame":3,"at":7},{"type":"C","frame":3,"at":7},
{"type":"C","frame":2,"at":7},{"type":"O","frame":1,"at":7},
{"type":"C","frame":1,"at":7},{"type":"C","frame":0,"at":9}]}]}
END

# Converts $1 to a log and back to a trace, $2.
round() {
	"$CTPROF" convert -q -t log "$1" >"$work/a.ctp" &&
		"$CTPROF" convert -q -f log -t chrome "$work/a.ctp" >"$2"
}

cd "$srcdir/tests/traces" || exit 99
for trace in "$work/small.json" "$work/members.json" "$work/many.json" \
	"$work/own.json" "$work/nan.json" "$work/ends.json" \
	"$work/cut.json" "$work/places.json" "$work/clang.json" \
	"$work/overlaps.json" *.json.gz; do
	"$CTPROF" convert -q -t chrome "$trace" >"$work/a.json" &&
		round "$trace" "$work/b.json" &&
		round "$work/b.json" "$work/c.json" &&
		round "$work/c.json" "$work/d.json" &&
		"$python" ../formats/chrome/chrome_roundtrip.py "$trace" "$work/a.json" \
			"$work/b.json" &&
		cmp "$work/c.json" "$work/d.json" || {
		echo "$trace is not kept"
		failed=1
	}
done

# Profiles and tables of these are the same whether or not calls were clipped,
# and wherever a function's location or detail was.
for trace in "$work/places.json" "$work/clang.json" "$work/overlaps.json" \
	"$work/moments.json" "$work/span.json" \
	self-win-clang-19.1_main.json.gz logging_integration.json.gz old.json.gz \
	pytorch_2.15_with_stack.json.gz jax_0.12_steps.json.gz \
	"$work/cut.json"; do
	"$CTPROF" convert -q -t chrome "$trace" >"$work/a.json"
	round "$trace" "$work/b.json"
	for form in pstats folded csv; do
		for file in "$trace" "$work/a.ctp" "$work/a.json" "$work/b.json"
		do
			"$CTPROF" convert -q -t $form "$file" |
				case $form in
				csv) cut -d, -f1,5-8,15 | sort ;;
				*) cat ;;
				esac >"$work/$form"
			[ "$file" != "$trace" ] || cp "$work/$form" "$work/first"
			cmp "$work/first" "$work/$form" || {
				echo "$form of $file"
				failed=1
			}
		done
	done
done

# In tables, the parent of a row is a row.
"$CTPROF" convert -q -t csv "$trace" | awk -F, '
	NR > 1 { is[$2] = 1; around[NR] = $3 }
	END { for (i in around) if (around[i] != "" && !is[around[i]]) exit 1 }' || {
	echo "no row is around that one"
	failed=1
}

# Perfetto also sees the same in the trace and in its log.
for file in "$trace" "$work/a.ctp"; do
	"$CTPROF" convert -q -t pftrace "$file" >"$work/a.pftrace" &&
		"$CTPROF" convert -q -t chrome "$file" >"$work/a.json" &&
		"$python" ../support/pftrace_read.py "$work/a.pftrace" \
			"$work/a.json" || failed=1
done

# The output is strict JSON, with the same texts as from ctprof repair.
"$CTPROF" repair -q "$work/nan.json" -o "$work/mended.json"
for trace in nan mended; do
	"$CTPROF" convert -q -t chrome -o "$work/$trace.chrome" -f chrome - \
		<"$work/$trace.json"
done
cmp "$work/nan.chrome" "$work/mended.chrome" || failed=1
if grep -E '[:[, ](NaN|-?Infinity)[],} ]' "$work/nan.chrome"; then
	echo "that is no JSON"
	failed=1
fi

# C's printf() spells them differently.
words='s/NaN/nan/g; s/u004eaN/u006ean/; s/Infinity/inf/g'
sed "$words" "$work/nan.json" | "$CTPROF" convert -q -t chrome -f chrome - \
	-o "$work/c.chrome"
sed "$words" "$work/nan.chrome" | cmp - "$work/c.chrome" || failed=1

# The tree and the arrows stay the same, however often the file is converted.
round "$work/own.json" "$work/b.json"
round "$work/b.json" "$work/c.json"
for trace in "$work/own.json" "$work/b.json" "$work/c.json"; do
	"$CTPROF" convert -q -t folded "$trace" | sort >"$trace.folded"
	cmp "$work/own.json.folded" "$trace.folded" || failed=1
done
[ "$(grep -c '"ph":"[sf]"' "$work/c.json")" = 6 ] || {
	echo "arrows are lost"
	failed=1
}
round "$work/ends.json" "$work/written.json"
"$python" ../formats/chrome_read/chrome_reference.py "$CTPROF" "$work" "$work/ends.json" \
	"$work/written.json" "$work/c.json" || failed=1
exit $failed
