# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/diff.c %D%/diff.h \
	%D%/flame_diff.c %D%/flame_diff.h \
	%D%/moved.c %D%/moved.h \
	%D%/noise.c %D%/noise.h \
	%D%/verdict.c %D%/verdict.h
