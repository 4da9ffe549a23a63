# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/page_units.sh \
	%D%/report.sh \
	%D%/report_base.sh \
	%D%/report_browser.sh \
	%D%/report_memory.sh \
	%D%/report_ranks.sh
EXTRA_DIST += \
	%D%/page_units.py \
	%D%/units/page_diff.js \
	%D%/units/page_format.js \
	%D%/units/page_lanes.js \
	%D%/units/page_memory.js \
	%D%/units/page_operators.js \
	%D%/units/page_ranks.js \
	%D%/units/page_view.js \
	%D%/report_base.py \
	%D%/report_browser.py \
	%D%/report_check.py \
	%D%/report_job.py \
	%D%/report_memory.py \
	%D%/report_ranks.py
