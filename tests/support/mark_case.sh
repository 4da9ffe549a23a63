# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by nvtx.sh, itt.sh and forward.sh: makes a directory to work in,
# clears the settings of other tools, and records and compares a program's
# marks. Messages contain $how if it is set.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
DUMP=$build/tests/support/dump_events
cc=${CC:-cc}
need_loadable_library
cd "$work" || exit 99
export CTPROF_SPOOL=$work

complain() {
	echo "not ok ${how:+$how }$1"
	failed=1
}

# record COMMAND...: writes its marks to the file `found`.
record() {
	rm -f run*.ctp
	"$CTPROF" record -q -o run.ctp -- "$@" >out 2>err ||
		complain "$*: fails: $(cat out err)"
	[ ! -s out ] || complain "$*: says $(cat out)"
	# Without times, and without the numbers of asynchronous ranges.
	"$DUMP" run.ctp | sed -E 's/^[a-z]+ [0-9]+ -?[0-9]+ //
		s/^(async_.*:[0-9]+) [0-9]+/\1/' >found
}

# holds CASE: do the events equal those in the file `want`?
holds() {
	if ! diff want found >difference; then
		complain "$1: $(cat difference)"
	else
		echo "ok ${how:+$how }$1"
	fi
}
