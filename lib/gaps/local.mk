# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/device_counters.c %D%/device_counters.h \
	%D%/gaps.c %D%/gaps.h \
	%D%/gaps_host.c \
	%D%/gaps_place.c \
	%D%/gaps_private.h \
	%D%/gaps_queue.c \
	%D%/gaps_ranges.c \
	%D%/launches.c %D%/launches.h \
	%D%/optimize.c %D%/optimize.h \
	%D%/optimize_queue.c %D%/optimize_queue.h \
	%D%/optimize_rank.c \
	%D%/optimize_spans.c %D%/optimize_spans.h \
	%D%/overview.c %D%/overview.h
