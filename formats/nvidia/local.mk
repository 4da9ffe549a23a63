# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/nvidia.c \
	%D%/sqlite_profile.h
if HAVE_SQLITE
libformats_la_SOURCES += \
	%D%/nsys_device.c %D%/nsys_device.h \
	%D%/nsys_nvtx.c \
	%D%/nsys_read.c %D%/nsys_read.h \
	%D%/nvprof_driver.c \
	%D%/nvprof_read.c %D%/nvprof_read.h \
	%D%/nvprof_runtime.c \
	%D%/sqlite_activity.c %D%/sqlite_activity.h \
	%D%/sqlite_device.c %D%/sqlite_device.h \
	%D%/sqlite_input.c %D%/sqlite_input.h \
	%D%/sqlite_names.c \
	%D%/sqlite_profile.c \
	%D%/sqlite_source.c %D%/sqlite_source.h
else
libformats_la_SOURCES += %D%/sqlite_profile_none.c
endif
