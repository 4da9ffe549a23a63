# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/event_rows.c %D%/event_rows.h \
	%D%/json_args.c %D%/json_args.h \
	%D%/lanes.c %D%/lanes.h \
	%D%/sorted_source.c %D%/sorted_source.h \
	%D%/timeline.c %D%/timeline.h
