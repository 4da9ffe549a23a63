# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/attribution.c %D%/attribution.h \
	%D%/augment.c %D%/augment.h \
	%D%/dtype.c %D%/dtype.h \
	%D%/flops.c %D%/flops.h \
	%D%/flops_formula.c %D%/flops_formula.h \
	%D%/kernels.c %D%/kernels.h \
	%D%/occupancy.c %D%/occupancy.h \
	%D%/op_inputs.c %D%/op_inputs.h \
	%D%/peaks.c %D%/peaks.h
