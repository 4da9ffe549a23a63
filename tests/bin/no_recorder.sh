#!/bin/sh
# SPDX-License-Identifier: MIT
# The program reads and completes logs, but contains nothing of the recorder:
# environment variables that start a recording do not make it record itself.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"

# Prints the names that files define for others, one per line.
defined()
{
	nm --defined-only "$@" | awk '$2 ~ /^[A-Z]$/ { print $3 }' | sort -u
}

program=$(dirname "$CTPROF")/.libs/$(basename "$CTPROF")
[ -f "$program" ] || program=$CTPROF

# Not objects of files that are gone.
objects=$(for file in "${srcdir:-.}"/lib/recorder/*.c; do
	find lib/recorder -name "$(basename "$file" .c).o"
done)
[ -n "$objects" ] || fail "no object files in lib/recorder"
# shellcheck disable=SC2086
defined $objects >"$work/recorder"
for name in session_current thread_hold exit_watch_start ctp_begin; do
	grep -qx "$name" "$work/recorder" ||
		fail "lib/recorder does not define $name"
done
# Any object may define the symbols that sanitizers add.
defined "$program" | comm -12 - "$work/recorder" |
	grep -vE '^(__asan|__ubsan|__tsan|__odr|_ITM|DW\.ref)' >"$work/linked"
[ -s "$work/linked" ] && {
	cat "$work/linked"
	fail "the program has functions or data of the recorder"
}
nm "$program" | grep -E ' (start_from_environment|stop_at_exit)$' &&
	fail "the program has the recorder's constructor or exit handler"

cat >"$work/in.folded" <<END
main;work 3
END
CTPROF_OUT=$work/x.ctp "$CTPROF" convert "$work/in.folded" \
	-o "$work/out.pstats" || fail "cannot convert"
[ -s "$work/out.pstats" ] || fail "nothing was converted"
[ -e "$work/x.ctp" ] && fail "the program recorded itself"
exit 0
