# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For nvtx.sh, itt.sh and forward.sh, which source it: a directory to work in,
# without what other tools have set, and how a program's marks are recorded and
# compared. $how, where it is set, is in all messages.
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

# record COMMAND...: what it marks is in the file `found`.
record() {
	rm -f run*.ctp
	"$CTPROF" record -q -o run.ctp -- "$@" >out 2>err ||
		complain "$*: fails: $(cat out err)"
	[ ! -s out ] || complain "$*: says $(cat out)"
	# Without times, and without the numbers of async ranges.
	"$DUMP" run.ctp | sed -E 's/^[a-z]+ [0-9]+ -?[0-9]+ //
		s/^(async_.*:[0-9]+) [0-9]+/\1/' >found
}

# holds CASE: are the events those in the file `want`?
holds() {
	if ! diff want found >difference; then
		complain "$1: $(cat difference)"
	else
		echo "ok ${how:+$how }$1"
	fi
}
