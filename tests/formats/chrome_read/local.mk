# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_chrome_read_ahead \
	%D%/test_chrome_read_hostile \
	%D%/test_chrome_read_record
shell_tests += \
	%D%/chrome_reference.sh \
	%D%/chrome_producers.sh
EXTRA_DIST += \
	%D%/chrome_cases.py \
	%D%/chrome_reference.py \
	%D%/chrome_rounding.py \
	%D%/chrome_snapshots.py \
	%D%/chrome_snapshots
