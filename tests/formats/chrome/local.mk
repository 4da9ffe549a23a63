# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_chrome \
	%D%/test_chrome_device \
	%D%/test_chrome_device_rows \
	%D%/test_chrome_event \
	%D%/test_chrome_nesting \
	%D%/test_chrome_rows
tests_formats_chrome_test_chrome_SOURCES = %D%/test_chrome.c $(chrome_case)
tests_formats_chrome_test_chrome_device_SOURCES = %D%/test_chrome_device.c $(chrome_device_case)
tests_formats_chrome_test_chrome_device_rows_SOURCES = %D%/test_chrome_device_rows.c $(chrome_device_case)
tests_formats_chrome_test_chrome_event_SOURCES = %D%/test_chrome_event.c $(chrome_check)
tests_formats_chrome_test_chrome_nesting_SOURCES = %D%/test_chrome_nesting.c $(chrome_check)
tests_formats_chrome_test_chrome_rows_SOURCES = %D%/test_chrome_rows.c $(chrome_case)
chrome_check = \
	%D%/chrome_check.c %D%/chrome_check.h \
	%D%/chrome_check_device.c
chrome_case = $(chrome_check) \
	%D%/chrome_case.c %D%/chrome_case.h
chrome_device_case = $(chrome_check) \
	%D%/chrome_device_case.c %D%/chrome_device_case.h
shell_tests += \
	%D%/chrome_roundtrip.sh
EXTRA_DIST += \
	%D%/chrome_roundtrip.py
