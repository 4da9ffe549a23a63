# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/log.c \
	%D%/write.c %D%/write.h \
	%D%/write_device.c \
	%D%/write_private.h \
	%D%/write_tables.c
