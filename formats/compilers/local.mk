# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/compile.c %D%/compile.h \
	%D%/trace_detail.c %D%/trace_detail.h
