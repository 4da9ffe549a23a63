#!/bin/bash
# SPDX-License-Identifier: MIT
# No recorded event is lost, whenever a program is killed. KILLS is the number
# of random moments; SEED selects them.
# shellcheck source=tests/support/kill_case.sh
. "${srcdir:-.}/tests/support/kill_case.sh"
KILLS=${KILLS:-100}
RANDOM=${SEED:-1}

sizes=(2M 256K 1M 256K)
policies=(block block grow grow)
for ((i = 0; i < KILLS; i++)); do
	export CTPROF_BUFFER=${sizes[i / 4 % 4]}
	export CTPROF_POLICY=${policies[i / 4 % 4]}
	parent=record
	[ $((i % 2)) = 0 ] || parent=alone
	threads=$((i / 2 % 2 * 7 + 1))
	unset LINES
	mode=run ranges=0
	moment=$((RANDOM % 40000 + 500))
	case $((i / 16 % 4)) in
	1) export LINES=1 ;;
	2) mode=restart ranges=1000 parent=record ;;
	3) mode=fork parent=record ;;
	esac
	what="kill $i: $mode, $threads threads, $parent, $CTPROF_BUFFER"
	what="$what, $CTPROF_POLICY, after $moment us"
	# Any descendant of the program has this file open, and so locked.
	exec 9>alive
	flock -s 9
	run "$parent" "$mode" "$threads" "$ranges" "$moment"
	exec 9>&-
	if [ $mode = restart ]; then
		log=$(tail -c +9 progress | tr '\0' '\n' | head -1)
		[ -z "$log" ] || holds "$what" progress "$log"
	else
		holds "$what" progress
	fi
	[ -z "${LINES-}" ] || holds "$what, by its lines" lines
	# An orphaned child ends after the program, and may not have made its
	# spool yet.
	if [ $mode != run ]; then
		flock -w 120 alive true || complain "$what: a child does not end"
		released
		"$CTPROF" repair --all -q >>said 2>&1
	fi
	clean "$what"
done 2>/dev/null
unset LINES CTPROF_BUFFER CTPROF_POLICY
[ $failed -gt 0 ] || echo "ok nothing is lost in $KILLS kills, $sum ranges"
exit $((failed > 0))
