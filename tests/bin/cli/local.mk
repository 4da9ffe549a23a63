# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_bin_quantity \
	%D%/test_bin_table
shell_tests += \
	%D%/public_directory.sh
EXTRA_DIST += \
	%D%/public_directory_race.py
