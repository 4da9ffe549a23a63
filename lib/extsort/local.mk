# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/spill.c %D%/spill.h \
	%D%/spill_file.c %D%/spill_file.h \
	%D%/spill_head.h \
	%D%/spill_merge.c %D%/spill_merge.h \
	%D%/spill_order.c %D%/spill_order.h
