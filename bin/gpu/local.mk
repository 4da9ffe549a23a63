# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/fx_file.c %D%/fx_file.h \
	%D%/gaps_report.c %D%/gaps_report.h \
	%D%/kernels_report.c %D%/kernels_report.h \
	%D%/optimize_report.c %D%/optimize_report.h \
	%D%/peaks_file.c %D%/peaks_file.h \
	%D%/ranks_report.c %D%/ranks_report.h
