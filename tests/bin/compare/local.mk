# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/check.sh \
	%D%/diff.sh
EXTRA_DIST += \
	%D%/check_noise.py \
	%D%/diff_check.py \
	%D%/diff_names.py \
	%D%/check \
	%D%/diff
