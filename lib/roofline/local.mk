# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/augment.c %D%/augment.h \
	%D%/dtype.c %D%/dtype.h \
	%D%/flops.c %D%/flops.h \
	%D%/flops_attention.c \
	%D%/flops_convolution.c \
	%D%/flops_gemm.c \
	%D%/flops_private.h \
	%D%/kernels.c %D%/kernels.h \
	%D%/kernels_rate.c \
	%D%/occupancy.c %D%/occupancy.h \
	%D%/op_inputs.c %D%/op_inputs.h \
	%D%/peaks.c %D%/peaks.h \
	%D%/shares.c %D%/shares.h \
	%D%/shares_args.c \
	%D%/shares_private.h \
	%D%/shares_split.c
