# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/marshal.c %D%/marshal.h \
	%D%/pstats.c %D%/pstats.h \
	%D%/pstats_read.c \
	%D%/svg.c
