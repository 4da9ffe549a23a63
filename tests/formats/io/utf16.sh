#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles and traces in UTF-16, as PowerShell writes them, are read like their
# UTF-8 text.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need "$python"

printf 'main;caf\303\251;\360\237\230\200 70\nmain 5\n' >"$work/a.folded"
cat >"$work/a.json" <<'END'
[{"ph":"X","pid":1,"tid":1,"name":"main é","ts":0,"dur":90},
{"ph":"X","pid":1,"tid":1,"name":"f","ts":10,"dur":20}]
END
"$CTPROF" convert -q -o "$work/a.callgrind" "$work/a.folded" || exit 99
"$CTPROF" convert -q -t gprof -o "$work/a.gprof" "$work/a.folded" || exit 99

# The text as UTF-16 with its byte order mark.
encode() {
	"$python" -c 'import codecs, sys
text = open(sys.argv[1], encoding="utf-8", newline="").read()
marks = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
sys.stdout.buffer.write(marks[sys.argv[2]] + text.encode(sys.argv[2]))' "$@"
}

for name in a.folded a.json a.callgrind a.gprof; do
	"$CTPROF" stats -n0 "$work/$name" >"$work/plain" || exit 99
	for form in utf-16-le utf-16-be; do
		encode "$work/$name" "$form" >"$work/wide"
		"$CTPROF" stats -n0 "$work/wide" >"$work/out" 2>"$work/err" &&
			[ ! -s "$work/err" ] && cmp -s "$work/plain" "$work/out"
		report $? "$name in $form is read"
		gzip -c "$work/wide" | "$CTPROF" stats -n0 >"$work/out" &&
			cmp -s "$work/plain" "$work/out"
		report $? "$name in $form is read, gzip'd, from a pipe"
	done
done

# Longer than all buffers, with surrogates at any place.
i=0
while [ $i -lt 9000 ]; do
	printf 'main;\360\237\230\200%s %s\n' $i $i
	i=$((i + 1))
done >"$work/long.folded"
"$CTPROF" stats -n0 "$work/long.folded" >"$work/plain"
encode "$work/long.folded" utf-16-le >"$work/wide"
"$CTPROF" stats -n0 "$work/wide" >"$work/out" && cmp -s "$work/plain" "$work/out"
report $? "a long file is read"

# Half a character at the end, or a surrogate alone, does not crash it.
printf '\377\376a\0;\0b\0 \0001\0\n\0c\0 \0002\0\n\0\000\330' >"$work/half"
"$CTPROF" stats "$work/half" >"$work/out" 2>&1
[ $? -le 3 ]
report $? "half a surrogate pair ends the file"
printf '\377\376' >"$work/empty"
"$CTPROF" stats "$work/empty" >"$work/out" 2>&1
[ $? = 3 ]
report $? "an empty file is refused"
exit $failed
