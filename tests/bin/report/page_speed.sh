#!/bin/sh
# SPDX-License-Identifier: MIT
# Sizes of pages, and the time until they can be used: a GPU's trace, a clang
# build, a Python profile, a recorded program and a job of many ranks.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
traces=$srcdir/tests/traces

record_program 3 "$work/program.ctp"
"$python" -c '
import cProfile
cProfile.run("import json.tool", "'"$work/python.prof"'")' || exit 1
PYTHONPATH="$srcdir/tests/bin/report:$PYTHONPATH" "$python" -c '
import report_job
report_job.make("'"$work/job"'", 64, report_job.HOSTS)' || exit 1
"$CTPROF" summarize -q -o "$work/job.ctpart" "$work/job" || exit 1
"$python" "$srcdir/tests/bin/report/page_speed.py" "$CTPROF" "$work" \
	"$traces/a100_simple_add_cuda_sync.json.gz" \
	"$traces/self-win-clang-19.1_main.json.gz" \
	"$work/python.prof" "$work/program.ctp" "$work/job.ctpart"
