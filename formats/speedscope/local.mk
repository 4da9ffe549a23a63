# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/speedscope_read.c %D%/speedscope_read.h \
	%D%/speedscope_write.c
