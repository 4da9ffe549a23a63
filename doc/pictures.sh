#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the pictures of the README and the guide anew: from recordings of
# examples, a trace of clang, the traces of a made job, and a trace of PyTorch,
# $TORCH_TRACE. None is larger than 300 kB. `make pictures` runs it.
#
# Usage: pictures.sh CTPROF CINDEX DIRECTORY
set -eu
ctprof=$(realpath "$1")
cindex=$(realpath "$2")
pictures=$(realpath "$3")
sources=$(realpath "$pictures/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$ctprof" record -q -o cindex.ctp -- \
	"$cindex" -j 2 -n 50 -o index.txt /usr/include
# A picture names files as the sources do, not as this machine does.
"$ctprof" convert -t dot --min 1% cindex.ctp | sed "s|$sources/||g" |
	dot -Tsvg > "$pictures/callgraph.svg"
# The first 16 rows of the flame graph.
"$ctprof" convert -t flamegraph cindex.ctp |
	sed '2s/height="[0-9]*" viewBox="0 0 1200 [0-9]*"/height="370" viewBox="0 0 1200 370"/' |
	rsvg-convert -o "$pictures/flamegraph.png"

# picture PAGE HEIGHT NAME
picture() {
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars \
		--window-size="1200,$2" --virtual-time-budget=5000 \
		--screenshot="$pictures/$3" "file://$work/$1" 2> chromium.err || {
		cat chromium.err >&2
		exit 1
	}
}

"$ctprof" report -q -o report.html cindex.ctp
picture report.html 1000 report.png
: "${TORCH_TRACE:=$sources/tests/traces/mi300_torch_compile_triton.json.gz}"
# A page names its input.
cp "$TORCH_TRACE" torch.json.gz
cp "$sources/tests/traces/self-win-clang-19.1_main.json.gz" main.json.gz
"$ctprof" report -q -o torch.html torch.json.gz
picture torch.html 1300 page-torch.png
"$ctprof" report -q -o clang.html main.json.gz
picture clang.html 1300 page-clang.png
PYTHONPATH=$(dirname "$ctprof")/python/package \
	LD_LIBRARY_PATH=$(dirname "$ctprof")/.libs python3 -m ctprof -q \
	-o modules.ctp "$sources/examples/compile_modules.py" 1 > modules.out
"$ctprof" report -q -o python.html modules.ctp
picture python.html 1300 page-python.png
PYTHONPATH="$sources/tests/bin/report" PYTHONDONTWRITEBYTECODE=1 python3 -c '
import report_job
report_job.make("job", 1024, [b"node%d" % i for i in range(128)])'
"$ctprof" report --sum -q -o job.html job
picture job.html 1200 ranks.png
for picture in "$pictures"/*; do
	[ "$(wc -c < "$picture")" -le 300000 ] || {
		echo "$picture: is larger than 300 kB" >&2
		exit 1
	}
done
