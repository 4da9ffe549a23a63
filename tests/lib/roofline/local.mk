# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_attribution \
	%D%/test_flops \
	%D%/test_flops_cache \
	%D%/test_occupancy
tests_libcases_la_SOURCES += \
	%D%/flops_case.c %D%/flops_case.h
