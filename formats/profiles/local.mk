# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/callers.c %D%/callers.h \
	%D%/callgraph.c %D%/callgraph.h \
	%D%/label.c %D%/label.h \
	%D%/profile_source.c %D%/profile_source.h \
	%D%/stacks.c %D%/stacks.h \
	%D%/totals.c %D%/totals.h
