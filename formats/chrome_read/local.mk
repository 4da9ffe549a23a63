# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/trace_args.c %D%/trace_args.h \
	%D%/trace_devices.c %D%/trace_devices.h \
	%D%/trace_document.c \
	%D%/trace_events.c \
	%D%/trace_frames.c %D%/trace_frames.h \
	%D%/trace_json.c %D%/trace_json.h \
	%D%/trace_labels.c %D%/trace_labels.h \
	%D%/trace_members.c %D%/trace_members.h \
	%D%/trace_metadata.c \
	%D%/trace_nest.c %D%/trace_nest.h \
	%D%/trace_pairs.c %D%/trace_pairs.h \
	%D%/trace_read.c \
	%D%/trace_reader.h \
	%D%/trace_record.h \
	%D%/trace_replay.c \
	%D%/trace_rows.c %D%/trace_rows.h \
	%D%/trace_streams.c %D%/trace_streams.h
