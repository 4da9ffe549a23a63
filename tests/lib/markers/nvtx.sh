#!/bin/bash
# SPDX-License-Identifier: MIT
# Marks that programs set by NVTX are in the log, in the same number and
# nesting: with NVIDIA's headers and without, and from Python. NVTX_INCLUDE may
# name the directory of the headers.
# shellcheck source=tests/support/mark_case.sh
. "${srcdir:-.}/tests/support/mark_case.sh"

# count CASE PATTERN WANTED: are there WANTED events with such a name?
count() {
	local found
	found=$(grep -c -- "$2" found)
	[ "$found" = "$3" ] || complain "$1: $found of $2, not $3"
}

# lost CASE WORDS WANTED
lost() {
	"$CTPROF" info run.ctp >info
	grep -q "$3 $2" info || complain "$1: not $3 $2: $(grep -e note -e lost info)"
}

cat >plain_events <<'END'
begin :outer:0
begin :wüide 😀:0
begin :first:0
begin :first:0
arg category=7
arg color=#ff00a0b0
end
begin :kept:0
arg category=seven
end
end
end
end
begin :payload:0
arg payload=18446744073709551615
end
begin :payload:0
arg payload=-5
end
begin :payload:0
arg payload=0x1p-1
end
begin :payload:0
arg payload=4294967295
end
begin :payload:0
arg payload=-6
end
begin :payload:0
arg payload=0x1p-2
end
begin :(unnamed):0
end
begin :(unnamed):0
end
instant :mark:0
async_begin :started:0
async_end :started:0
async_begin :aten::add, seq = 5:0
instant :aten::add, seq = 5:0
async_end :aten::add, seq = 5:0
instant :more:0 category=seven color=#0123fedc payload=18446744073709551615
async_begin :more:0 category=seven color=#0123fedc payload=18446744073709551615
async_end :more:0
instant :less:0 payload=0x1p-2
async_begin :less:0 payload=0x1p-2
async_end :less:0
begin :in module:0
begin :default of module:0
end
end
END

try_plain() {
	record "$program" plain
	cp plain_events want
	holds plain
	"$CTPROF" convert -q --force -t chrome run.ctp -o run.json
	"$python" - run.json <<'END' || complain "categories"
import collections, json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
found = {(e["name"], e.get("cat")) for e in events if e["ph"] in "XB"}
want = {("outer", "nvtx"), ("first", "dom"), ("kept", "dom"),
        ("in module", "module"), ("default of module", "nvtx")}
for missing in sorted(want - found):
    print(missing)
names = [e["args"]["name"] for e in events if e["name"] == "thread_name"]
sys.exit(bool(want - found) or "the main one" not in names)
END
}

try_crossed() {
	record "$program" crossed
	cat >want <<'END'
begin :a:0
begin :b:0
end
end
begin :c:0
end
END
	holds crossed
	lost crossed "exits of functions" 3
	lost crossed "functions left without an exit" 1
}

try_names() {
	record "$program" changing
	count changing '^begin :op, seq = ' 3000
	count changing '^begin :op, seq = 7:0$' 3
	record "$program" many
	count many '^begin :name ' 130048
	count many '^begin :(other):0$' 9952
	count many '^arg name=name 13' 9952
	count many '^instant :(other):0 name=a mark without a name$' 1
	count many '^async_begin :(other):0 name=a range without a name$' 1
	count many '^async_end :(other):0$' 1
}

try_threads() {
	record "$program" threads
	count threads '^begin :outer:0$' 4000
	count threads '^begin :inner:0$' 4000
	count threads '^begin :thread 3:0$' 500
	count threads '^async_begin :handed:0$' 8
	count threads '^async_end :handed:0$' 8
	# Each range is in its place.
	"$DUMP" run.ctp | awk '
		$4 == "begin" { depth[$2]++; at[$5 " " depth[$2]]++ }
		$4 == "end" { depth[$2]-- }
		END { exit !(at[":outer:0 1"] == 4000 && at[":inner:0 2"] == 4000) }
	' || complain "nesting"
	"$CTPROF" info run.ctp | grep -q 'lost  *nothing' || complain "lost"
}

# try NAME FLAG...: all cases of the program compiled in this way.
try() {
	how=$1
	program=./$1
	shift
	# shellcheck disable=SC2086 # $cc may hold options
	if ! $cc -w -O1 -D_GNU_SOURCE -DMODULE "$@" -shared -fPIC \
		"$srcdir/tests/lib/markers/nvtx_program.c" -o "lib$how.so" -ldl -pthread ||
		! $cc -w -O1 -D_GNU_SOURCE "$@" "$srcdir/tests/lib/markers/nvtx_program.c" -o "$program" \
			"-Wl,-rpath,$work" -L. "-l$how" -ldl -pthread; then
		complain "does not build"
		return
	fi
	try_plain
	try_crossed
	try_names
	try_threads
}

# The directory of NVIDIA's headers; empty if they are not installed.
find_headers() {
	for directory in "${NVTX_INCLUDE:-}" \
		"$("$python" -c 'import os, nvidia.nvtx as n
print(os.path.join(list(n.__path__)[0], "include"))' 2>/dev/null)" \
		/usr/local/cuda/include /usr/include; do
		if [ -f "$directory/nvtx3/nvToolsExt.h" ]; then
			echo "$directory"
			return
		fi
	done
}

# Tests without headers.
try_outside() {
	how=outside
	# Another tool's variable is left alone.
	export NVTX_INJECTION64_PATH=/nonexistent/tool.so
	"$CTPROF" record -v -o run2.ctp -- ./plain plain >out 2>err
	grep -q "NVTX_INJECTION64_PATH is already set to $NVTX_INJECTION64_PATH" err ||
		complain "a variable that is set: $(cat err)"
	[ ! -e run2.ctp ] || complain "took the variable"
	unset NVTX_INJECTION64_PATH
	"$CTPROF" record --no-nvtx -o run2.ctp -- ./plain plain >out 2>err
	[ ! -e run2.ctp ] || complain "--no-nvtx recorded"
	# Programs that use none of these see no change, and leave no log.
	"$CTPROF" record -o run2.ctp -- sh -c 'cat /proc/$$/maps' >maps 2>err
	! grep -q libctprof-inject maps || complain "loaded for nothing"
	[ ! -e run2.ctp ] || complain "a log of nothing"
}

# Calls of Python are recorded as well: neither is shown below the other.
try_calls() {
	cat >calls.py <<'END'
import nvtx


def work():
    return 1


def main():
    with nvtx.annotate("pushed"):
        work()


main()
END
	"$CTPROF" record -q --python -o calls.ctp -- "$python" calls.py \
		>out 2>err
	[ -e calls.ctp ] || { # not built for this Python
		grep -q 'no extension\|package for Python' err ||
			complain "--python: $(cat err)"
		return
	}
	"$DUMP" calls.ctp | awk '
		$4 == "begin" { stack[++depth] = $5 }
		$4 == "end" { depth-- }
		$4 == "begin" && $5 ~ /:work:/ { caller = stack[depth - 1] }
		$4 ~ /^async/ && $5 == ":pushed:0" { ranges++ }
		END { exit !(caller ~ /:main:/ && ranges == 2) }
	' || complain "ranges among calls"
}

try plain
headers=$(find_headers)
if [ -n "$headers" ]; then
	try headers -DHEADERS -I"$headers"
	# shellcheck disable=SC2086
	$cc -std=gnu17 -fsyntax-only -I"$headers" -I"$srcdir/lib" \
		"$srcdir/tests/lib/markers/nvtx_headers.c" || complain "another ABI"
else
	echo "skipped headers: NVIDIA's headers of NVTX are not installed"
fi
try_outside
if "$python" -c 'import nvtx' 2>/dev/null; then
	how=python
	program=$python
	record "$program" "$srcdir/tests/lib/markers/nvtx_program.py"
	"$python" "$srcdir/tests/lib/markers/nvtx_program.py" events >want
	holds "the package nvtx"
	try_calls
else
	echo "skipped python: the package nvtx is not installed"
fi
exit $failed
