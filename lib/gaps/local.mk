# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/device_counters.c %D%/device_counters.h \
	%D%/gaps.c %D%/gaps.h \
	%D%/gaps_host.c \
	%D%/gaps_private.h \
	%D%/launches.c %D%/launches.h \
	%D%/optimize.c %D%/optimize.h \
	%D%/optimize_queue.c %D%/optimize_queue.h \
	%D%/overview.c %D%/overview.h
