# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/chrome_read.c \
	%D%/chrome_read_ahead.c %D%/chrome_read_ahead.h \
	%D%/chrome_read_args.c %D%/chrome_read_args.h \
	%D%/chrome_read_document.c %D%/chrome_read_document.h \
	%D%/chrome_read_events.c %D%/chrome_read_events.h \
	%D%/chrome_read_frames.c %D%/chrome_read_frames.h \
	%D%/chrome_read_json.c %D%/chrome_read_json.h \
	%D%/chrome_read_labels.c %D%/chrome_read_labels.h \
	%D%/chrome_read_pairs.c %D%/chrome_read_pairs.h \
	%D%/chrome_read_record.h \
	%D%/chrome_read_replay.c %D%/chrome_read_replay.h \
	%D%/chrome_read_rows.c %D%/chrome_read_rows.h \
	%D%/chrome_read_streams.c %D%/chrome_read_streams.h \
	%D%/slice_stack.c %D%/slice_stack.h
