#!/bin/bash
# SPDX-License-Identifier: MIT
# ctprof record -o FILE: the suffix chooses the format, and one that no format has
# is refused before the program runs.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
cd "$work" || exit 99

# record STATUS OPTION... -- PROGRAM...
record() {
	local wanted=$1 status
	shift

	"$CTPROF" record "$@" >out 2>err
	status=$?
	[ "$status" = "$wanted" ] ||
		complain "record $*: status $status, not $wanted: $(cat err)"
}

# only NAME...: the directory has these files, and no log beside them.
only() {
	local there

	there=$(ls)
	[ "$there" = "$(printf '%s\n' "$@" err out | LC_ALL=C sort)" ] ||
		complain "the files are: $there"
}
export LC_ALL=C

record 0 -o log.ctp -- "$CLI_PROGRAM"
for name in x.pstats x.json x.folded x.json.gz x.prof; do
	record 0 -o "$name" -- "$CLI_PROGRAM"
	grep -q "^ctprof: $name: recorded$" err ||
		complain "$name: $(cat err)"
	only "$name" log.ctp
	case $name in
	*.prof) "$CTPROF" convert -q -t pstats log.ctp -o want.pstats ;;
	*) "$CTPROF" convert -q log.ctp -o "want.${name#*.}" ;;
	esac
	mv want.* want
	# The traces have the number of their process.
	case $name in
	*.json*) [ -s "$name" ] ;;
	*) cmp -s "$name" want ;;
	esac || complain "$name is not as converted by hand"
	record 5 -o "$name" -- "$CLI_PROGRAM" exit 7
	record 7 --force -q -o "$name" -- "$CLI_PROGRAM" exit 7
	[ ! -s err ] || complain "-q prints $(cat err)"
	rm -f want "$name"
done
report $failed "the suffix of -o chooses the format"

for name in x.xyz x.pdf x.ctp.gz; do
	record 2 -o "$name" -- touch ran
	[ ! -e ran ] || complain "$name: the program ran"
	rm -f ran
done
record 2 -o x.xyz -- "$CLI_PROGRAM"
grep -q 'suffixes are .ctp, .pstats' err || complain "no list: $(cat err)"
record 0 -q -o without -- "$CLI_PROGRAM"
"$CTPROF" info without >out 2>&1 || complain "a log without a suffix"
rm without
report $failed "an unknown suffix is refused before the run"

# The child's functions are in the result, too.
record 0 -o x.pstats -- "$CLI_PROGRAM" again
only log.ctp x.pstats
"$CTPROF" stats x.pstats 2>err | grep -q '^ *6 .*parse' ||
	complain "processes are not summed: $("$CTPROF" stats x.pstats)"
report $failed "the processes of a run are one profile"

record 137 -q --force -o x.pstats -- "$CLI_PROGRAM" kill 9 2>/dev/null
only log.ctp x.pstats
"$CTPROF" stats x.pstats 2>err | grep -q '^ *3 .*parse' ||
	complain "killed: $("$CTPROF" stats x.pstats)"
report $failed "a killed program's recording is converted"
exit $failed
