# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_bin_quantity \
	%D%/test_bin_table
shell_tests += \
	%D%/files.sh
EXTRA_DIST += \
	%D%/files_race.py
