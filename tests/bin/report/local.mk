# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/report.sh \
	%D%/report_browser.sh
EXTRA_DIST += \
	%D%/report_browser.py \
	%D%/report_check.py
