# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_stats_text
shell_tests += \
	%D%/annotate.sh \
	%D%/operators.sh
EXTRA_DIST += \
	%D%/annotate_check.py \
	%D%/operators_check.py \
	%D%/sort_check.py
