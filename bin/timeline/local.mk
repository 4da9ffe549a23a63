# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/clocks.c %D%/clocks.h \
	%D%/cutting.c %D%/cutting.h \
	%D%/ranks.c %D%/ranks.h \
	%D%/timelines.c %D%/timelines.h
