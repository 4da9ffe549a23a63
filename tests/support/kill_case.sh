# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by the tests that kill tests/support/kill_program.c: runs it,
# completes its logs, and checks that they are complete. Changes to a temporary
# directory.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need flock
program=$build/tests/support/kill_program
check=$build/tests/support/kill_check
unset LINES
# A build with the sanitizer must die by a fault as one without.
export ASAN_OPTIONS="${ASAN_OPTIONS-}:handle_segv=0"
# Spools are in memory, as usual, if there is room for them.
CTPROF_SPOOL=$(mktemp -d /dev/shm/ctprof-test.XXXXXX 2>/dev/null) ||
	CTPROF_SPOOL=$(mktemp -d) || exit 99
export CTPROF_SPOOL PROGRESS=$work/progress PROGRESS2=$work/progress2
trap 'rm -rf "$work" "$CTPROF_SPOOL"' EXIT
cd "$work" || exit 99
sum=0 # of ranges

complain() {
	echo "not ok $*"
	sed 's/^/    /' said
	failed=$((failed + 1))
}

# released: waits until no process holds a spool. The kernel closes the files of a
# dead process one after the other, and their locks may outlast it for a moment.
released() {
	local spool
	for spool in "$CTPROF_SPOOL"/*; do
		[ ! -e "$spool" ] || flock -w 120 "$spool" true ||
			complain "$spool: is still locked"
	done
}

# run PARENT ARGUMENT...: runs the program, with `ctprof record` or alone, and
# completes its logs.
run() {
	local parent=$1
	shift
	rm -f run*.ctp progress* lines
	if [ "$parent" = record ]; then
		"$CTPROF" record --separate -o run.ctp -- "$program" "$@" >lines 2>said
	else
		CTPROF_OUT=run.ctp "$program" "$@" >lines 2>said
		released
		[ ! -e run.ctp ] || "$CTPROF" repair run.ctp >>said 2>&1
	fi
}

# holds WHAT PROGRESS [LOG...]: all reported ranges are in the logs, together.
holds() {
	local what=$1 progress=$2 told
	local -a logs=()

	shift 2
	[ $# -gt 0 ] || set -- run*.ctp
	for log in "$@"; do
		# Empty: killed before anything was recorded.
		[ ! -s "$log" ] || logs+=("$log")
	done
	# Without memory the recorder may have to stop before the program does,
	# and reports that.
	if ! told=$("$check" "$progress" "${logs[@]}"); then
		grep -q 'stopped early: out of memory' said ||
			complain "$what: $told"
	fi
	told=${told##*[!0-9]*}
	sum=$((sum + ${told:-0}))
}

# clean WHAT: no spool is left; or one of which no log knows, since nothing
# could be recorded in it yet.
clean() {
	[ -n "$(ls "$CTPROF_SPOOL")" ] || return
	"$CTPROF" repair --all 2>&1 |
		grep -v ': nothing was recorded in it; removed$' >left
	[ -z "$(cat left)" ] || complain "$1: a spool was left: $(cat left)"
	[ -z "$(ls "$CTPROF_SPOOL")" ] || complain "$1: a spool is left"
	rm -f "$CTPROF_SPOOL"/*
}
