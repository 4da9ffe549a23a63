# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/batch.c %D%/batch.h \
	%D%/census.c %D%/census.h \
	%D%/devices.c %D%/devices.h \
	%D%/follow.c %D%/follow.h \
	%D%/input.c %D%/input.h \
	%D%/inputs.c %D%/inputs.h \
	%D%/job.c %D%/job.h \
	%D%/names.c %D%/names.h \
	%D%/naming.c %D%/naming.h \
	%D%/phase_totals.c %D%/phase_totals.h \
	%D%/reporting.c %D%/reporting.h \
	%D%/reread.c %D%/reread.h \
	%D%/rollup.c %D%/rollup.h \
	%D%/tree.c %D%/tree.h
