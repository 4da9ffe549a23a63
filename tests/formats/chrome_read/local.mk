# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_chrome_read_hostile \
	%D%/test_chrome_read_record
shell_tests += \
	%D%/trace.sh \
	%D%/trace_read.sh
EXTRA_DIST += \
	%D%/trace_cases.py \
	%D%/trace_check.py \
	%D%/trace_snapshots.py \
	%D%/trace_snapshots
