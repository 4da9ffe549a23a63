# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/callgrind.c \
	%D%/callgrind_costs.c %D%/callgrind_costs.h \
	%D%/callgrind_read.c %D%/callgrind_read.h
