# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/torch_log.c %D%/torch_log.h \
	%D%/torch_trace.c
