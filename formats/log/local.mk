# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/encoder.c %D%/encoder.h \
	%D%/encoder_tables.c %D%/encoder_tables.h \
	%D%/log.c
