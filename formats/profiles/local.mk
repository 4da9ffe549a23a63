# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/callgraph.c %D%/callgraph.h \
	%D%/inclusive_time.c %D%/inclusive_time.h \
	%D%/label.c %D%/label.h \
	%D%/profile_source.c %D%/profile_source.h \
	%D%/stacks.c %D%/stacks.h
