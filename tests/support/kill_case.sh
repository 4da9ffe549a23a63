# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For the tests that kill tests/support/kill_program.c: runs it, completes its logs, and
# looks whether all is in them. Leaves the shell in a directory of its own.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
program=$build/tests/support/kill_program
check=$build/tests/support/kill_check
unset LINES
# Where it is built with the sanitizer, a fault is to kill as it does without.
export ASAN_OPTIONS="${ASAN_OPTIONS-}:handle_segv=0"
# Spools are in memory, as ever, where there is room for them.
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

# run PARENT ARGUMENT...: runs the program, with `ctprof record` or alone, and
# completes its logs.
run() {
	local parent=$1
	shift
	rm -f run*.ctp progress* lines
	if [ "$parent" = record ]; then
		"$CTPROF" record -o run.ctp -- "$program" "$@" >lines 2>said
	else
		CTPROF_OUT=run.ctp "$program" "$@" >lines 2>said
		[ ! -e run.ctp ] || "$CTPROF" repair run.ctp >>said 2>&1
	fi
}

# holds WHAT PROGRESS [LOG...]: all that was told is in the logs, or in all
# together.
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
	# and says so.
	if ! told=$("$check" "$progress" "${logs[@]}"); then
		grep -q 'stopped early: out of memory' said ||
			complain "$what: $told"
	fi
	told=${told##*[!0-9]*}
	sum=$((sum + ${told:-0}))
}

# clean WHAT: no spool is left; or one in which nothing could be recorded yet,
# of which no log knows.
clean() {
	[ -n "$(ls "$CTPROF_SPOOL")" ] || return
	"$CTPROF" repair --all 2>&1 |
		grep -v ': nothing was recorded in it; removed$' >left
	[ -z "$(cat left)" ] || complain "$1: a spool was left: $(cat left)"
	[ -z "$(ls "$CTPROF_SPOOL")" ] || complain "$1: a spool is left"
	rm -f "$CTPROF_SPOOL"/*
}
