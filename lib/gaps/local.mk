# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/device_counters.c %D%/device_counters.h \
	%D%/gap_cause.c \
	%D%/gaps.c %D%/gaps.h \
	%D%/host_ranges.c %D%/host_ranges.h \
	%D%/launch_table.c %D%/launch_table.h \
	%D%/overview.c %D%/overview.h \
	%D%/ranking.c %D%/ranking.h \
	%D%/spans.c %D%/spans.h
