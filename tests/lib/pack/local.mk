# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_pack \
	%D%/test_pack_hostile \
	%D%/test_spool
tests_libcases_la_SOURCES += \
	%D%/pack_case.c %D%/pack_case.h
