# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/digest.c %D%/digest.h \
	%D%/digest_args.c %D%/digest_args.h \
	%D%/digest_series.c %D%/digest_series.h \
	%D%/slice_bins.c %D%/slice_bins.h \
	%D%/slice_store.c %D%/slice_store.h
