# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/repair.c %D%/repair.h \
	%D%/repair_fix.c \
	%D%/repair_value.c %D%/repair_value.h \
	%D%/repair_view.c
