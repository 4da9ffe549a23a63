# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/baseline.sh \
	%D%/check.sh \
	%D%/diff.sh \
	%D%/markdown.sh
EXTRA_DIST += \
	%D%/check_noise.py \
	%D%/diff_check.py \
	%D%/diff_names.py \
	%D%/markdown_check.py \
	%D%/check \
	%D%/diff
