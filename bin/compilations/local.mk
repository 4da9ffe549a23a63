# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/compilations.c %D%/compilations.h \
	%D%/compilations_report.c %D%/compilations_report.h \
	%D%/graph_break.c %D%/graph_break.h
