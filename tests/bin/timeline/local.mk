# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/cut.sh \
	%D%/merge.sh
EXTRA_DIST += \
	%D%/cut_cases.py \
	%D%/cut_check.py \
	%D%/merge_random.py \
	%D%/merge_timelines.py
