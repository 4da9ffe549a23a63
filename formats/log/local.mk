# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/log.c \
	%D%/log_out.c %D%/log_out.h \
	%D%/log_out_args.c \
	%D%/log_out_device.c \
	%D%/log_out_event.c \
	%D%/log_out_private.h \
	%D%/log_out_table.c \
	%D%/log_out_track.c
