# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/csv.c
