# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/baseline.c %D%/baseline.h \
	%D%/check_report.c %D%/check_report.h \
	%D%/comparison.c %D%/comparison.h \
	%D%/delta.c %D%/delta.h \
	%D%/diff_report.c %D%/diff_report.h \
	%D%/limits_file.c %D%/limits_file.h \
	%D%/markdown.c %D%/markdown.h
