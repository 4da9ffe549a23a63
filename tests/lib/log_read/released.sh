#!/bin/sh
# SPDX-License-Identifier: MIT
# Logs and summaries that released versions wrote are read as then: the events
# and times of each, its functions, and its losses. The promise of
# doc/VERSIONING.md; released/make.sh adds a version. With a folder as argument,
# the script prints what this version reads.
describe() {
	cd "$1" || exit 99
	for log in *.ctp *.ctpart; do
		echo "== $log"
		[ "$log" = sums.ctpart ] || "$CTPROF" convert -t csv "$log" |
			cut -d , -f 1-22 | cksum
		"$CTPROF" stats --csv --top 4 "$log"
	done 2>&1
}
if [ $# = 1 ]; then
	describe "$1"
	exit
fi
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

for folder in "$srcdir"/tests/lib/log_read/released/*/; do
	(describe "$folder") > "$work/found"
	diff "$folder/expected" "$work/found"
	report $? "logs of version $(basename "$folder")"
done
exit $failed
