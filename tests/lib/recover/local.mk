# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_recover \
	%D%/test_recover_hostile \
	%D%/test_recover_log \
	%D%/test_recover_step
tests_libcases_la_SOURCES += \
	%D%/recover_case.c %D%/recover_case.h
