# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/diff.c %D%/diff.h \
	%D%/flame_diff.c %D%/flame_diff.h \
	%D%/source_map.c %D%/source_map.h
