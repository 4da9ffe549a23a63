# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/page_units.sh \
	%D%/report.sh \
	%D%/report_base.sh \
	%D%/report_browser.sh \
	%D%/report_memory.sh \
	%D%/report_ranks.sh
# Sizes of pages, and the time until they can be used, in a browser.
check-page-speed: all tests/support/oracle_record$(EXEEXT)
	@srcdir='$(srcdir)' $(srcdir)/tests/bin/report/page_speed.sh || \
		{ status=$$?; [ $$status = 77 ] || exit $$status; }
.PHONY: check-page-speed
EXTRA_DIST += \
	%D%/page_speed.py \
	%D%/page_speed.sh \
	%D%/page_palette.py \
	%D%/page_units.py \
	%D%/units/page_diff.js \
	%D%/units/page_findings.js \
	%D%/units/page_format.js \
	%D%/units/page_lanes.js \
	%D%/units/page_memory.js \
	%D%/units/page_operators.js \
	%D%/units/page_ranks.js \
	%D%/units/page_sandwich.js \
	%D%/units/page_view.js \
	%D%/report_access.py \
	%D%/report_base.py \
	%D%/report_browser.py \
	%D%/report_check.py \
	%D%/report_job.py \
	%D%/report_memory.py \
	%D%/report_ranks.py
