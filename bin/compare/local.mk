# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/allowed.c %D%/allowed.h \
	%D%/change.c %D%/change.h \
	%D%/check_junit.c \
	%D%/check_report.c %D%/check_report.h \
	%D%/diff_picture.c %D%/diff_picture.h \
	%D%/diff_report.c %D%/diff_report.h \
	%D%/sides.c %D%/sides.h \
	%D%/verdicts.c %D%/verdicts.h
