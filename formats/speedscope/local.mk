# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/speedscope.c \
	%D%/speedscope_json.c \
	%D%/speedscope_read.c %D%/speedscope_read.h \
	%D%/speedscope_rows.c %D%/speedscope_rows.h \
	%D%/speedscope_write.c %D%/speedscope_write.h
