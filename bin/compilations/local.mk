# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/compilations.c %D%/compilations.h \
	%D%/compilations_report.c %D%/compilations_report.h \
	%D%/compile.c %D%/compile.h \
	%D%/compiler_ranges.c %D%/compiler_ranges.h \
	%D%/graph_break.c %D%/graph_break.h \
	%D%/tracing.c %D%/tracing.h \
	%D%/tracing_costs.c \
	%D%/tracing_report.c %D%/tracing_report.h
