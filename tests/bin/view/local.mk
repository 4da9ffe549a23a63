# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/view.sh
EXTRA_DIST += \
	%D%/view_check.py
