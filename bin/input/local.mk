# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/aggregate.c %D%/aggregate.h \
	%D%/batch.c %D%/batch.h \
	%D%/conversion.c %D%/conversion.h \
	%D%/devices.c %D%/devices.h \
	%D%/follow.c %D%/follow.h \
	%D%/format_names.c %D%/format_names.h \
	%D%/input.c %D%/input.h \
	%D%/input_tree.c %D%/input_tree.h \
	%D%/inputs.c %D%/inputs.h \
	%D%/output_path.c %D%/output_path.h \
	%D%/phase_totals.c %D%/phase_totals.h \
	%D%/recording_cost.c %D%/recording_cost.h \
	%D%/report.c %D%/report.h \
	%D%/trace_summary.c %D%/trace_summary.h
