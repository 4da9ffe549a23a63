#!/bin/bash
# SPDX-License-Identifier: MIT
# A program whose stray pointers hit the spool continues and ends as without
# them. Its log is readable or refused; if it is killed, `ctprof repair` reads
# or refuses its spool. WILD_STORES is the number of runs, SEED their places.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
program=$build/tests/lib/recorder/wild_program
stores=${WILD_STORES:-10000}
seed=${SEED:-1}
CTPROF_SPOOL=$(mktemp -d /dev/shm/ctprof-test.XXXXXX 2>/dev/null) ||
	CTPROF_SPOOL=$(mktemp -d) || exit 99
export CTPROF_SPOOL
trap 'rm -rf "$work" "$CTPROF_SPOOL"' EXIT
cd "$work" || exit 99
PROCESSES=10
RECORDINGS=4

complain() {
	echo "not ok seed $seed: $*"
	sed 's/^/    /' said
	failed=$((failed + 1))
}

# holds STATUS WHAT: done (0), or refused (3 or 4) in one line; losses of a log
# are reported in others.
holds() {
	case $1 in
	0) ! grep -E 'Sanitizer|runtime error' said >/dev/null ||
		complain "$2" ;;
	3 | 4) [ "$(wc -l <said)" = 1 ] || complain "$2: status $1" ;;
	*) complain "$2: status $1" ;;
	esac
}

readable=0
for ((i = 0; i < PROCESSES; i++, seed++)); do
	die=$([ $((i % 2)) = 0 ] || echo die)
	rm -f run*.ctp
	# shellcheck disable=SC2086
	timeout -k 5 120 "$program" "$seed" $RECORDINGS \
		$((stores / PROCESSES / RECORDINGS)) $die >said 2>&1
	status=$?
	[ $status = "$([ -z "$die" ] && echo 0 || echo 137)" ] ||
		complain "the program ended with $status"
	# One after the other: each prints its own line.
	for spool in "$CTPROF_SPOOL"/*; do
		[ -e "$spool" ] || continue
		timeout -k 5 60 "$CTPROF" repair -q "$spool" >said 2>&1
		holds $? "repair"
		rm -f "$spool"
	done
	for log in run*.ctp; do
		timeout -k 5 60 "$CTPROF" info "$log" >shown 2>said
		status=$?
		holds $status "info $log"
		[ $status != 0 ] || readable=$((readable + 1))
		timeout -k 5 60 "$CTPROF" stats -q "$log" >shown 2>said
		holds $? "stats $log"
	done
done 2>/dev/null
[ $failed -gt 0 ] ||
	echo "ok $stores stores did no harm; $readable logs can be read"
exit $((failed > 0))
