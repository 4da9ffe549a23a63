# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/dot.c \
	%D%/gprof.c \
	%D%/gprof2dot.c \
	%D%/gprof_read.c %D%/gprof_read.h
