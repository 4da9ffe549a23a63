#!/bin/sh
# SPDX-License-Identifier: MIT
# Bad logs, made of the recipes in tests/lib/log_read/bad: sound parts are read,
# lost ones are counted and reported, and --strict makes the loss a failure. A
# recipe contains the expected results:
#
#	# lost {"damaged_blocks":1}	as `ctprof info --json` has it
#				(? bytes: as many as the library packed to)
#	# ranges 7			how many come back
#	# status 3			if it cannot be read at all
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
count=0

# wanted WORD: the recipe's text after that word.
wanted() {
	sed -n "s/^# $1 //p" "$recipe"
}

# status COMMAND...: its exit status.
status() {
	"$@" >"$work/out" 2>"$work/err"
	echo $?
}

check() {
	want=$(wanted status)
	got=$(status "$CTPROF" info --json "$work/log")
	[ "$got" = "${want:-0}" ] || return
	[ "${want:-0}" = 0 ] || {
		[ "$(wc -l <"$work/err")" = 1 ]
		return
	}
	lost=$(wanted lost)
	case $lost in
	*'"skipped_bytes":?'*)
		sed -i 's/"skipped_bytes":[1-9][0-9]*/"skipped_bytes":?/' \
			"$work/out" ;;
	esac
	grep -qF "\"lost\":$lost" "$work/out" || return
	grep -qF "\"ranges\":$(wanted ranges)," "$work/out" || return
	[ "$lost" = "{}" ] || want=4
	# One line for each kind of loss; the replay may find more.
	lines=$(printf '%s' "$lost" | tr -cd : | wc -c)
	got=$(status "$CTPROF" stats --strict "$work/log")
	[ "$got" = "${want:-0}" ] && [ "$(wc -l <"$work/err")" -ge "$lines" ]
}

for recipe in "$srcdir"/tests/lib/log_read/bad/*.recipe; do
	count=$((count + 1))
	./tests/support/make_log "$recipe" >"$work/log" || exit 1
	if check; then
		echo "ok $(basename "$recipe" .recipe)"
	else
		echo "not ok $(basename "$recipe" .recipe)"
		head -c 1000 "$work/out" "$work/err"
		failed=1
	fi
done
[ $count -gt 1 ] || exit 1
exit $failed
