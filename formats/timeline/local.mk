# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/epoch.c %D%/epoch.h \
	%D%/flat.c %D%/flat.h \
	%D%/json_args.c %D%/json_args.h \
	%D%/lanes.c %D%/lanes.h \
	%D%/order.c %D%/order.h \
	%D%/row_name.c %D%/row_name.h
