# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/chrome.c %D%/chrome.h \
	%D%/chrome_correlation.c %D%/chrome_correlation.h \
	%D%/chrome_facts.c %D%/chrome_facts.h \
	%D%/chrome_rows.c %D%/chrome_rows.h \
	%D%/chrome_stack.c %D%/chrome_stack.h
