# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/encoder.c %D%/encoder.h \
	%D%/encoder_args.c \
	%D%/encoder_private.h \
	%D%/encoder_tables.c \
	%D%/log.c
