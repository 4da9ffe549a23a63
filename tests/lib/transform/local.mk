# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_align \
	%D%/test_cut \
	%D%/test_event_filter \
	%D%/test_event_spool \
	%D%/test_merge \
	%D%/test_op_names \
	%D%/test_redact
shell_tests += \
	%D%/redact.sh
tests_libcases_la_SOURCES += \
	%D%/cut_case.c %D%/cut_case.h
