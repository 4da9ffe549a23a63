# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_summary
EXTRA_DIST += \
	%D%/summary_seeds.py
