# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/marshal.c %D%/marshal.h \
	%D%/marshal_read.c %D%/marshal_read.h \
	%D%/pstats.c %D%/pstats.h \
	%D%/pstats_read.c \
	%D%/svg.c
