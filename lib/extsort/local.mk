# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/extsort.c %D%/extsort.h \
	%D%/temp_file.c %D%/temp_file.h
