# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/nvidia.c
if HAVE_SQLITE
libformats_la_SOURCES += \
	%D%/nsys_nvtx.c \
	%D%/nsys_read.c %D%/nsys_read.h \
	%D%/nvprof_functions.c \
	%D%/nvprof_read.c %D%/nvprof_read.h \
	%D%/sqlite_activity.c %D%/sqlite_activity.h \
	%D%/sqlite_input.c %D%/sqlite_input.h \
	%D%/sqlite_names.c \
	%D%/sqlite_source.c %D%/sqlite_source.h
endif
