# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/device_join.c %D%/device_join.h \
	%D%/device_type.c %D%/device_type.h \
	%D%/event.h \
	%D%/event_copy.c %D%/event_copy.h \
	%D%/event_source.c \
	%D%/held.c %D%/held.h \
	%D%/open_async.c %D%/open_async.h \
	%D%/open_ranges.c %D%/open_ranges.h \
	%D%/trace.c %D%/trace.h
