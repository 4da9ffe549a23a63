# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/log_args.c %D%/log_args.h \
	%D%/log_ahead.c %D%/log_ahead.h \
	%D%/log_device.c %D%/log_device.h \
	%D%/log_events.c %D%/log_events.h \
	%D%/log_facts.c %D%/log_facts.h \
	%D%/log_member.c %D%/log_member.h \
	%D%/log_parse.c %D%/log_parse.h \
	%D%/log_read.c %D%/log_read.h \
	%D%/log_recording.c %D%/log_recording.h \
	%D%/log_scan.c %D%/log_scan.h \
	%D%/log_site.c %D%/log_site.h \
	%D%/log_time.c %D%/log_time.h
