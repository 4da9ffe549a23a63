# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/flat.c %D%/flat.h \
	%D%/json_args.c %D%/json_args.h \
	%D%/lanes.c %D%/lanes.h \
	%D%/order.c %D%/order.h
