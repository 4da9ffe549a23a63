# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/pprof.c %D%/pprof.h \
	%D%/pprof_read.c \
	%D%/pprof_tables.c %D%/pprof_tables.h
