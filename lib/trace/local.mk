# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/communication.c %D%/communication.h \
	%D%/correlation.c %D%/correlation.h \
	%D%/device.c %D%/device.h \
	%D%/event.c %D%/event.h \
	%D%/open_ranges.c %D%/open_ranges.h \
	%D%/trace.c %D%/trace.h
