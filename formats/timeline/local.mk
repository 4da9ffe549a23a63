# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/flat.c %D%/flat.h \
	%D%/lanes.c %D%/lanes.h \
	%D%/order.c %D%/order.h
