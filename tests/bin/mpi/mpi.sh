#!/bin/sh
# SPDX-License-Identifier: MIT
# The shortest part of `make check-scale`, for every change: ctprof-mpi writes
# what ctprof writes, and an accident costs only its input.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
# shellcheck source=tests/bin/mpi/team.sh
. "$srcdir/tests/bin/mpi/team.sh"
mkdir traces
"$python" "$tests/bin/mpi/rank_traces.py" traces 10 4
echo text >traces/garbage.ctp
compare summarize '1 3' summarize traces
compare ranks 2 ranks --json traces
make_hook || skip "a library cannot be built: $(head -n 1 hook.err)"
crash 2
exit $failed
