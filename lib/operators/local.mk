# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/annotate.c %D%/annotate.h \
	%D%/averages.c %D%/averages.h
