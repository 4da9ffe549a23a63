#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the pictures of the README and the guide anew, from a recording of
# examples/cindex and from the traces of a made job; none is larger than 300 kB.
# `make pictures` runs it.
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
PYTHONPATH="$sources/tests/bin/report" PYTHONDONTWRITEBYTECODE=1 python3 -c '
import report_job
report_job.make("job", 64, [b"node%d" % i for i in range(8)])'
"$ctprof" report --sum -q -o job.html job
picture job.html 1200 ranks.png
for picture in "$pictures"/*; do
	[ "$(wc -c < "$picture")" -le 300000 ] || {
		echo "$picture: is larger than 300 kB" >&2
		exit 1
	}
done
