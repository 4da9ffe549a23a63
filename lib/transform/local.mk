# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/align.c %D%/align.h \
	%D%/cut.c %D%/cut.h \
	%D%/event_filter.c %D%/event_filter.h \
	%D%/event_spool.c %D%/event_spool.h \
	%D%/merge.c %D%/merge.h \
	%D%/op_names.c %D%/op_names.h \
	%D%/range_locator.c %D%/range_locator.h \
	%D%/redact.c %D%/redact.h
