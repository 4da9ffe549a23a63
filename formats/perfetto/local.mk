# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/pftrace.c \
	%D%/pftrace_args.c %D%/pftrace_args.h \
	%D%/pftrace_packet.c %D%/pftrace_packet.h \
	%D%/pftrace_track.c %D%/pftrace_track.h
