#!/bin/sh
# SPDX-License-Identifier: MIT
# Logs that need more memory than --max-mem allows, for names, threads, open
# ranges or one block: every command exits with status 6, prints one line about
# it, and leaves no output. Deep nesting stays small in every format.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

make_log() {
	cat >"$work/recipe"
	./tests/support/make_log "$work/recipe" >"$work/$1" || exit 1
}

# refused NAME SIZE COMMAND...: is it refused with the right message?
refused() {
	name=$1
	shift
	"$@" >"$work/out" 2>"$work/err"
	[ $? = 6 ] &&
		[ "$(cat "$work/err")" = "ctprof: $work/$name: needs more than the limit of 8.4 MB of memory; --max-mem=SIZE sets another" ]
}

header="[0, {'format': 'ctprof log', 'reader': 1}]"
make_log names <<END
$header
names 100000
[6, {'log': 9}]
END
make_log threads <<END
$header
[1, 1, [['f', '', 0]]]
threads 20000
[6, {'log': 9}]
END
make_log ranges <<END
$header
[1, 1, [['f', '', 0]]]
[3, 1, 0, 0, [1 * 1000000], [], [1], [2 * 1000000], []]
[6, {'log': 9}]
END
make_log block <<END
$header
bomb 16777216
[6, {'log': 9}]
END
for name in names threads ranges block; do
	for command in info stats "convert -t pstats" "convert -t chrome" \
		"convert -t folded"; do
		# shellcheck disable=SC2086
		refused $name "$CTPROF" $command --max-mem=8M "$work/$name"
		report $? "$command: too many $name are refused"
	done
	"$CTPROF" stats -q "$work/$name" >"$work/out" 2>"$work/err"
	report $? "stats: $name fit the usual limit"
done
"$CTPROF" convert --max-mem=8M -o "$work/out.json" "$work/names" 2>"$work/err"
[ $? = 6 ] && [ ! -e "$work/out.json" ]
report $? "convert: an output over the limit leaves no file"
"$CTPROF" convert --max-mem=8M -t folded -o "$work/all/" "$work/ranges" \
	"$work/names" "$srcdir/tests/lib/log_read/bad.sh" 2>"$work/err"
[ $? = 6 ] && [ "$(grep -c 'needs more than' "$work/err")" = 2 ]
report $? "convert: the limit holds for each of many inputs"
"$CTPROF" stats --max-mem=0 "$work/names" >"$work/out" 2>"$work/err"
report $? "--max-mem=0 sets no limit"
"$CTPROF" stats --max-mem=little "$work/names" >"$work/out" 2>"$work/err"
[ $? = 2 ]
report $? "--max-mem=little is a mistake"

# Packed a thousandfold: 45 names of 32 MiB in 1.5 MB.
head -c 33554432 /dev/zero | tr '\0' a | gzip >"$work/piece"
for name in $(seq 10 54); do
	printf 'main;f 1\nmain;f%d' "$name" | gzip
	cat "$work/piece"
	echo ' 1' | gzip
done >"$work/packed"
"$CTPROF" convert -t pstats "$work/packed" >"$work/out" 2>"$work/err"
[ $? = 6 ] && [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" = 1 ] &&
	grep -q 'needs more than the limit of .* of memory.*; --max-mem=SIZE sets another' "$work/err"
report $? "a member that unpacks to more than its size is refused"
rm "$work/packed" "$work/piece"

# A million nested ranges: lines or bytes grow with the depth, not with its
# square.
./tests/support/make_log "$srcdir/tests/lib/log_read/bad/a-million-open.recipe" >"$work/deep" ||
	exit 1
for format in pstats gprof callgrind folded dot pprof; do
	"$CTPROF" convert -q -t $format --max-mem=400M "$work/deep" |
		head -c 20000000 | wc -c >"$work/size"
	size=$(cat "$work/size")
	[ "$size" -gt 100 ] && [ "$size" -lt 2000000 ]
	report $? "$format: a million open ranges give $size bytes"
done
"$CTPROF" convert -q -t chrome --max-mem=400M "$work/deep" |
	head -c 400000000 | wc -c >"$work/size"
size=$(cat "$work/size")
[ "$size" -gt 1000000 ] && [ "$size" -lt 200000000 ]
report $? "chrome: a million open ranges give $size bytes"
"$CTPROF" stats --max-mem=400M "$work/deep" >"$work/out" 2>"$work/err" &&
	grep -q '^ *500000 ' "$work/out"
report $? "stats: a million open ranges"
exit $failed
