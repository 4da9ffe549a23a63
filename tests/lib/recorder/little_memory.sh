#!/bin/bash
# SPDX-License-Identifier: MIT
# With few addresses a program is recorded in fewer chunks, and its threads with
# hooks take none for themselves. A process that cannot be recorded leaves the
# reason, and prints it only on demand.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
need_loadable_library
program=$PWD/tests/lib/recorder/threads_program
export CTPROF_SPOOL=$work LC_ALL=C
cd "$work" || exit 99

# check LOG THREADS: the log has all threads, and no losses.
check() {
	"$CTPROF" info --json "$1" | "$python" -c '
import json, sys
info = json.load(sys.stdin)
sys.exit(info["threads"] != int(sys.argv[1]) or info["lost"] != {})' "$2"
}

# With 70 MB, one arena of the C library may leave too few for any recording.
(ulimit -v 60000 && CTPROF_OUT=few.ctp "$program" 3) && check few.ctp 3
report $? "a program with 60 MB of addresses"

cat >hooks.c <<'END'
#include <pthread.h>
static pthread_barrier_t barrier;
static int leaf(int n)
{
	return n + 1;
}
static void *run(void *argument)
{
	leaf(1);
	pthread_barrier_wait(&barrier);
	return argument;
}
int main(void)
{
	pthread_t threads[40];

	pthread_barrier_init(&barrier, 0, 41);
	for (int i = 0; i < 40; i++)
		if (pthread_create(&threads[i], 0, run, 0) != 0)
			return 1;
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 40; i++)
		pthread_join(threads[i], 0);
	return 0;
}
END
# 40 stacks of 8 MB and some arenas of 64 MB, but not 40.
if cc -pthread -finstrument-functions hooks.c -o hooks 2>/dev/null; then
	(
		ulimit -s 8192 && ulimit -v 1000000 &&
			"$CTPROF" record -q --no-symbolize -o hooks.ctp -- ./hooks
	) && check hooks.ctp 41
	report $? "40 threads with hooks and 1 GB of addresses"
fi

CTPROF_OUT=missing/run.ctp "$program" 1 2>silent
[ ! -s silent ] || complain "the library prints without being asked"
"$CTPROF" repair --all 2>reason
grep -q 'was not recorded: cannot create missing/run.ctp: No such' reason ||
	complain "the reason for a missing log: $(cat reason)"
CTPROF_VERBOSE=1 CTPROF_OUT=missing/run.ctp "$program" 1 2>verbose
grep -q 'is not recorded: cannot create missing/run.ctp: No such' verbose &&
	[ "$(wc -l <verbose)" = 1 ] || complain "CTPROF_VERBOSE: $(cat verbose)"
rm -f ./*.spool
mkdir gone
"$CTPROF" record -o gone/run.ctp -- sh -c 'rmdir gone; exec "$0" 1' "$program" 2>reason
status=$?
grep -q 'was not recorded: cannot create .*gone/run.ctp: No such' reason &&
	[ $status = 5 ] || complain "a program that cannot be recorded: status $status, $(cat reason)"

# A process that was killed at birth.
touch ctprof.$UID.12345.0.00000000000000ab.spool
"$CTPROF" repair >list 2>&1
grep -q 12345 list && ! grep -q 1970 list || complain "repair: $(cat list)"
exit $failed
