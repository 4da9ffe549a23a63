#!/bin/bash
# SPDX-License-Identifier: MIT
# With --no-command, no argument of a program, or of one that it starts, is in
# the log, in the spool, or in the output of repair.
# shellcheck source=tests/support/kill_case.sh
. "${srcdir:-.}/tests/support/kill_case.sh"

# The recorder's own arguments are numbers, and further ones are ignored.
set -- abort 4SecretWord 20000SecretWord 0

tells() {
	gzip -dc "$@" 2>/dev/null | grep -aq SecretWord
}

# silent WHAT LOG...: there are logs, and no argument is in any.
silent() {
	local what=$1 log
	shift

	for log in "$@"; do
		if [ ! -s "$log" ]; then
			complain "$what: no $log"
		elif tells "$log" || grep -aq SecretWord "$log"; then
			complain "$what: an argument is in $log"
		fi
	done
}

# Otherwise the rest would show nothing.
run record "$@"
tells run.ctp || complain "arguments are not in a log as ever"
"$CTPROF" info --json run.ctp | grep -q 'abort 4SecretWord' ||
	complain "arguments are not shown as ever"
run alone "$@"
tells run.ctp || complain "arguments are not in a repaired log as ever"

rm -f run*.ctp
"$CTPROF" record --no-command -o run.ctp -- "$program" "$@" >lines 2>said
silent "record" run.ctp
"$CTPROF" info run.ctp | grep -q 'kill_program' ||
	complain "the program's name is not in the log"

rm -f run*.ctp
CTPROF_NO_COMMAND=1 CTPROF_OUT=run.ctp "$program" "$@" >lines 2>said
[ -n "$(ls "$CTPROF_SPOOL")" ] || complain "there is no spool"
grep -aq kill_program "$CTPROF_SPOOL"/* || complain "the spool has no name"
grep -aq SecretWord "$CTPROF_SPOOL"/* && complain "an argument is in the spool"
tells run.ctp && complain "an argument is in the log before repair"
"$CTPROF" repair run.ctp >said 2>&1 || complain "cannot repair"
silent "after repair" run.ctp

# Children get the setting through the environment.
rm -f run*.ctp
# shellcheck disable=SC2016
"$CTPROF" record --no-command --separate -o run.ctp -- sh -c \
	'"$0" _exit 1 5SecretWord 0; "$0" _exit 1 5SecretWord 0; :' \
	"$program" >lines 2>said
silent "children" run.ctp run.*.ctp

cat >program.py <<'END'
import os
import subprocess
import sys


def work():
    return len(sys.argv)


work()
child = os.fork()
work()
if child == 0:
    sys.exit()
os.waitpid(child, 0)
if len(sys.argv) == 2:
    subprocess.run([sys.executable, __file__, "SecretWord", "again"],
                   check=True)
END
# shellcheck disable=SC2086
set -- ${CTP_PYTHONS:-}
if grep -q '^CTP_LDFLAGS = .*-fsanitize' "$build/Makefile"; then
	echo "skipped python: programs cannot load a sanitized library"
elif [ $# -gt 0 ]; then
	rm -f run*.ctp
	"$CTPROF" record --python --no-command --separate -o run.ctp -- "$1" \
		program.py SecretWord >lines 2>said || complain "cannot record Python"
	set -- run*.ctp
	[ $# = 4 ] || complain "Python: there are $# logs, not 4"
	silent "Python" "$@"
else
	echo "skipped python: configured without Python"
fi

# An invalid value must not mean that arguments are wanted.
rm -f run*.ctp
CTPROF_NO_COMMAND=yes CTPROF_OUT=run.ctp "$program" abort 1 1 0 2>said
[ ! -e run.ctp ] || complain "CTPROF_NO_COMMAND=yes is obeyed as 0"
[ $failed = 0 ]
