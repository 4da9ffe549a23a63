# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/grouping.c %D%/grouping.h \
	%D%/phases_report.c %D%/phases_report.h \
	%D%/stats.c %D%/stats.h \
	%D%/stats_build.c %D%/stats_build.h \
	%D%/stats_ops.c \
	%D%/stats_table.c %D%/stats_table.h \
	%D%/threads.c
