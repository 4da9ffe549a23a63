# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/clocks.c %D%/clocks.h \
	%D%/cut_pipeline.c %D%/cut_pipeline.h \
	%D%/merge.c %D%/merge.h
