# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_log_ahead \
	%D%/test_log_concat \
	%D%/test_log_damage \
	%D%/test_log_device_hostile \
	%D%/test_log_follow \
	%D%/test_log_hostile \
	%D%/test_log_random \
	%D%/test_log_read \
	%D%/test_log_scan \
	%D%/test_log_site \
	%D%/test_log_time \
	%D%/test_log_time_device
shell_tests += \
	%D%/bad.sh \
	%D%/max_mem.sh \
	%D%/released.sh
EXTRA_DIST += \
	%D%/bad \
	%D%/released
