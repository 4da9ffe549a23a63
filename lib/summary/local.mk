# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/census.c %D%/census.h \
	%D%/part_sums.c %D%/part_sums.h \
	%D%/summary.c %D%/summary.h \
	%D%/summary_census.c \
	%D%/summary_collect.c %D%/summary_collect.h \
	%D%/summary_gaps.c \
	%D%/summary_inputs.c \
	%D%/summary_kernels.c \
	%D%/summary_phases.c \
	%D%/summary_profiles.c \
	%D%/summary_ranks.c \
	%D%/summary_read.c \
	%D%/summary_section.h \
	%D%/summary_write.c
EXTRA_DIST += %D%/FORMAT.md
