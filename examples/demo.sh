#!/bin/sh
# SPDX-License-Identifier: MIT
# Records examples/cindex while it reads the headers under /usr/include,
# converts the log to several views, and prints the commands. Then records
# ctprof itself, which has no recording code, compiled with
# -finstrument-functions, while it reads that log; and finally a Python program
# that compiles modules of the standard library. Run by `./bootstrap demo`;
# BUILD is where ctprof was built.
set -eu
build=${BUILD:?run ./bootstrap demo}
top=$(cd "$(dirname "$0")/.." && pwd)
headers=${DEMO_HEADERS:-/usr/include}
out=$build/demo
ctprof=$build/ctprof
PATH=$build/venv/bin:$PATH
export PATH

say() {
	printf '\n%s\n' "$*"
}

rm -rf "$out"
mkdir -p "$out"
cd "$out"

say "Recording cindex on 50 headers of $headers and all they include ..."
"$ctprof" record -o run.ctp -- \
	"$build/cindex" -j 2 -n 50 -o index.txt "$headers"
printf '%s declarations indexed: %s\n' "$(wc -l < index.txt)" "$out/index.txt"

say "What the log holds (ctprof info run.ctp):"
"$ctprof" info run.ctp

say "Where the time goes (ctprof stats --top 15 run.ctp):"
"$ctprof" stats --top 15 run.ctp

say "Converting ..."
"$ctprof" convert run.ctp -o run.pstats
"$ctprof" convert run.ctp -o run.json
"$ctprof" convert -t gprof run.ctp -o run.gprof.txt
"$ctprof" convert -t folded run.ctp -o run.folded
"$ctprof" convert run.ctp -o run.flame.svg
"$ctprof" convert -t dot run.ctp -o run.dot
dot -Tsvg run.dot -o run.svg
if command -v gprof2dot >/dev/null; then
	"$ctprof" convert -t svg --min 1% run.ctp -o run.gprof2dot.svg
fi

# --- a program without recording code: ctprof ---------------

instrumented=$build/instrumented
say "Building ctprof once more, with CFLAGS='-O2 -g -finstrument-functions' ..."
mkdir -p "$instrumented"
cd "$instrumented"
[ -f Makefile ] || "$top/configure" -q --disable-shared \
	CFLAGS='-O2 -g -finstrument-functions' > configure.out
make -s -j"$(nproc 2>/dev/null || echo 1)" ctprof > make.out 2>&1 || {
	cat make.out
	exit 1
}
cd "$out"

say "Recording it while it converts run.ctp, to Chrome and to pstats ..."
"$ctprof" record -o self-chrome.ctp -- \
	"$instrumented/ctprof" convert -q run.ctp -o again.json
"$ctprof" record -o self-pstats.ctp -- \
	"$instrumented/ctprof" convert -q run.ctp -o again.pstats
cmp run.json again.json
cmp run.pstats again.pstats
rm again.json again.pstats

say "Its functions (ctprof stats --sort tottime --top 15 self-chrome.ctp):"
"$ctprof" stats --sort tottime --top 15 self-chrome.ctp

for name in self-chrome self-pstats; do
	"$ctprof" convert -t dot --min 2% $name.ctp -o $name.dot
	dot -Tsvg $name.dot -o $name.svg
done

# --- a Python program, as it is ----------------------------------------------

python=$(sed -n 's/^CTP_PYTHONS = *\([^ ]*\).*/\1/p' "$build/Makefile")
if [ -n "$python" ]; then
	say "Recording a Python program that compiles modules of the standard library:"
	echo "$python -m ctprof -o python.ctp compile_modules.py"
	PYTHONPATH=$build/python/package LD_LIBRARY_PATH=$build/.libs \
		"$python" -m ctprof -o python.ctp \
		"$top/examples/compile_modules.py"

	say "Its functions (ctprof stats --trim-prefix --top 15 python.ctp):"
	"$ctprof" stats --trim-prefix --top 15 python.ctp

	"$ctprof" convert --trim-prefix python.ctp -o python.pstats
	"$ctprof" convert --trim-prefix python.ctp -o python.json
	# With more functions it is wider than a window, and begins anywhere.
	"$ctprof" convert --trim-prefix -t dot --min 5% python.ctp -o python.dot
	dot -Tsvg python.dot -o python.svg
fi

set -- run.ctp self-chrome.ctp self-pstats.ctp
[ -z "$python" ] || set -- "$@" python.ctp
"$ctprof" report -o report.html "$@"

cat <<EOF

The results are in $out:
  report.html         all that was recorded, on one page: open it in a browser
  run.ctp             the log (all else is made from it)
  run.pstats          $build/venv/bin/snakeviz $out/run.pstats
  run.json            open https://ui.perfetto.dev or chrome://tracing and load it
  run.gprof.txt       a text report: less $out/run.gprof.txt
  run.flame.svg       a flame graph: open it in a browser
  run.svg             the call graph: likewise
  run.gprof2dot.svg   the same as gprof2dot draws it
  run.folded          flamegraph.pl --countname=ns run.folded, or speedscope
  self-chrome.ctp     ctprof, recorded while it wrote run.json; and
  self-pstats.ctp     while it wrote run.pstats: $ctprof stats $out/self-pstats.ctp
  self-chrome.svg     what called what in it: open it in a browser
  self-pstats.svg     the same
EOF
if [ -n "$python" ]; then
	cat <<EOF
  python.ctp          every call of the Python program and of its C functions
  python.pstats       $build/venv/bin/snakeviz $out/python.pstats
  python.svg          the call graph: open it in a browser
  python.json         its timeline: load it on https://ui.perfetto.dev
EOF
else
	echo "No Python part: configure found no Python to build the package for."
fi
