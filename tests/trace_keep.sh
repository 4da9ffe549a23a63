#!/bin/sh
# SPDX-License-Identifier: MIT
# Chrome traces of others, written as such again: all slices, instants,
# counters and arrows are there, with their categories and arguments, and all
# else that an event may have, what the document says, and the order of rows. A
# log in between changes nothing.
set -u
# shellcheck source=tests/python_case.sh
. "${srcdir:-.}/tests/python_case.sh"

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
{"ph":"X","name":"over","pid":6,"tid":7,"ts":4,"dur":5,"args":{"k":{}}}]
END

cat >"$work/members.json" <<'END'
{"schemaVersion":1,"displayTimeUnit":"ms","with_flops":1,"roctracer":4.10,
"distributedInfo":{"rank":3,"pg":[{"a\u000ab":"\u00e9"}]},"none":null,"yes":true,
"one":"1","otherData":{"version":"2","list":[1,2]},"empty":"",
"metadata":{"l":[[],{}]},"traceEvents":[
{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5}],
"traceName":"/tmp/x \"quoted\".json","beginningOfTime":1691836962728328}
END

# So many members, and arguments, that to compare each with each takes minutes.
"$python" - >"$work/many.json" <<'END' || exit 99
import json
print(json.dumps({
    "traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0,
                     "dur": 5, "args": {f"k{i}": i for i in range(60000)}}],
    **{f"member{i}": i for i in range(60000)}}))
END

cd "$srcdir/tests/traces" || exit 99
for trace in "$work/small.json" "$work/members.json" "$work/many.json" \
	a100_simple_add_cuda_sync.json.gz \
	flow.json.gz logging_integration.json.gz mi250_minitoy.json.gz \
	mi300_vllm_graph_decode.json.gz self-win-clang-19.1_main.json.gz \
	tb_plugin_gpu_metrics_input.json.gz; do
	"$ctprof" convert -q -t chrome "$trace" >"$work/a.json" &&
		"$ctprof" convert -q -t log "$trace" >"$work/a.ctp" &&
		"$ctprof" convert -q -f log -t chrome "$work/a.ctp" \
			>"$work/b.json" &&
		"$python" -B ../trace_keep.py "$trace" "$work/a.json" \
			"$work/b.json" || {
		echo "$trace is not kept"
		failed=1
	}
done
exit $failed
