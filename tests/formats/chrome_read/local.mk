# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_trace_hostile \
	%D%/test_trace_record
shell_tests += \
	%D%/trace.sh \
	%D%/trace_read.sh
EXTRA_DIST += \
	%D%/trace_cases.py \
	%D%/trace_check.py \
	%D%/trace_snapshots.py \
	%D%/trace_snapshots
