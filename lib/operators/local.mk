# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/allocations.c %D%/allocations.h \
	%D%/annotate.c %D%/annotate.h \
	%D%/averages.c %D%/averages.h
